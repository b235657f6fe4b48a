-- +goose Up
-- The ledger. Hot tables (orders, order_seats, claims, order_events, journal, effects) carry no foreign keys:
-- their rows are written in bulk under the screening's row lock, which proves the parent already.

CREATE TABLE cinemas (
    id         TEXT COLLATE "C" PRIMARY KEY,
    name       TEXT NOT NULL,
    zone       TEXT NOT NULL,
    currency   TEXT NOT NULL CHECK (length(currency) = 3),
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE auditoriums (
    id         TEXT COLLATE "C" PRIMARY KEY,
    cinema_id  TEXT COLLATE "C" NOT NULL REFERENCES cinemas (id),
    name       TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    UNIQUE (cinema_id, name)
);

CREATE TABLE seat_layouts (
    id            TEXT COLLATE "C" PRIMARY KEY,
    auditorium_id TEXT COLLATE "C" NOT NULL REFERENCES auditoriums (id),
    version       BIGINT NOT NULL,
    name          TEXT NOT NULL,
    seat_count    BIGINT NOT NULL CHECK (seat_count > 0),
    plan          TEXT NOT NULL,
    created_at    TIMESTAMPTZ NOT NULL,
    UNIQUE (auditorium_id, version)
);

CREATE TABLE movies (
    id              TEXT COLLATE "C" PRIMARY KEY,
    title           TEXT NOT NULL,
    title_zh        TEXT NOT NULL,
    year            BIGINT NOT NULL,
    runtime_minutes BIGINT NOT NULL,
    synopsis        TEXT NOT NULL,
    synopsis_zh     TEXT NOT NULL,
    poster          TEXT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL
);

CREATE TABLE screenings (
    id             TEXT COLLATE "C" PRIMARY KEY,
    cinema_id      TEXT COLLATE "C" NOT NULL REFERENCES cinemas (id),
    movie_id       TEXT COLLATE "C" NOT NULL REFERENCES movies (id),
    auditorium_id  TEXT COLLATE "C" NOT NULL REFERENCES auditoriums (id),
    layout_id      TEXT COLLATE "C" REFERENCES seat_layouts (id),
    partition      BIGINT NOT NULL CHECK (partition BETWEEN 0 AND 15),
    epoch          BIGINT NOT NULL,
    hold_mode      TEXT NOT NULL CHECK (hold_mode IN ('redis', 'ledger')),
    settings       BIGINT NOT NULL,
    status         TEXT NOT NULL CHECK (status IN ('draft', 'on_sale', 'paused', 'closed', 'cancelled')),
    kind           TEXT NOT NULL CHECK (kind IN ('seated', 'general')),
    starts_at      TIMESTAMPTZ NOT NULL,
    ends_at        TIMESTAMPTZ NOT NULL,
    opens_at       TIMESTAMPTZ NOT NULL,
    closes_at      TIMESTAMPTZ NOT NULL,
    hold_life_ms   BIGINT NOT NULL CHECK (hold_life_ms BETWEEN 1000 AND 1800000),
    limit_per_user BIGINT NOT NULL CHECK (limit_per_user >= 0),
    orphan_rule    BOOLEAN NOT NULL,
    capacity       BIGINT NOT NULL CHECK (capacity > 0),
    remaining      BIGINT NOT NULL CHECK (remaining BETWEEN 0 AND capacity),
    version        BIGINT NOT NULL,
    currency       TEXT NOT NULL CHECK (length(currency) = 3),
    created_at     TIMESTAMPTZ NOT NULL,
    CHECK (starts_at < ends_at),
    CHECK ((kind = 'seated') = (layout_id IS NOT NULL))
);
-- lists by day; what to keep warm
CREATE INDEX screenings_by_start ON screenings (starts_at, id);
CREATE INDEX screenings_by_movie ON screenings (movie_id, starts_at);
CREATE INDEX screenings_by_status ON screenings (status, partition);

CREATE TABLE price_tiers (
    screening_id TEXT COLLATE "C" NOT NULL REFERENCES screenings (id),
    tier         TEXT NOT NULL,
    price_minor  BIGINT NOT NULL CHECK (price_minor >= 0),
    PRIMARY KEY (screening_id, tier)
);

CREATE TABLE orders (
    id               TEXT COLLATE "C" PRIMARY KEY,
    screening_id     TEXT COLLATE "C" NOT NULL,
    user_id          TEXT COLLATE "C" NOT NULL,
    status           TEXT COLLATE "C" NOT NULL CHECK (status IN ('reserved', 'paying', 'paid', 'refunding', 'refunded', 'failed', 'expired', 'cancelled')),
    reason           TEXT NOT NULL,
    duplicate_of     TEXT COLLATE "C",
    attempt          BIGINT NOT NULL CHECK (attempt IN (1, 2)),
    version          BIGINT NOT NULL,
    quantity         BIGINT NOT NULL CHECK (quantity > 0),
    amount_minor     BIGINT NOT NULL CHECK (amount_minor >= 0),
    currency         TEXT NOT NULL,
    idempotency_key  TEXT COLLATE "C",
    fingerprint      TEXT NOT NULL,
    answer           TEXT NOT NULL,
    accepted_at      TIMESTAMPTZ NOT NULL,
    expires_at       TIMESTAMPTZ NOT NULL,
    first_expires_at TIMESTAMPTZ NOT NULL,
    extended         BOOLEAN NOT NULL,
    email            TEXT NOT NULL,
    name             TEXT NOT NULL,
    lang             TEXT NOT NULL,
    booking_code     TEXT,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL
);
-- one order per (user, screening, key); rows without a key are NULL and never collide. Also: live seats of a user.
CREATE UNIQUE INDEX orders_by_key ON orders (user_id, screening_id, idempotency_key);
CREATE UNIQUE INDEX orders_by_booking_code ON orders (booking_code) WHERE booking_code IS NOT NULL;
-- the expiry job
CREATE INDEX orders_due ON orders (expires_at) WHERE status IN ('reserved', 'paying');
-- rebuild: live orders and first answers of a screening
CREATE INDEX orders_by_screening ON orders (screening_id, id);

CREATE TABLE order_seats (
    order_id    TEXT COLLATE "C" NOT NULL,
    seat_no     TEXT COLLATE "C" NOT NULL,
    seat_index  BIGINT NOT NULL,
    tier        TEXT NOT NULL,
    price_minor BIGINT NOT NULL,
    PRIMARY KEY (order_id, seat_no)
);

-- The last guard against a double sale.
CREATE TABLE claims (
    screening_id TEXT COLLATE "C" NOT NULL,
    seat_no      TEXT COLLATE "C" NOT NULL,
    seat_index   BIGINT NOT NULL,
    order_id     TEXT COLLATE "C" NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('hold', 'block')),
    PRIMARY KEY (screening_id, seat_no)
);

CREATE TABLE order_events (
    order_id    TEXT COLLATE "C" NOT NULL,
    version     BIGINT NOT NULL,
    from_status TEXT NOT NULL,
    to_status   TEXT NOT NULL,
    actor       TEXT NOT NULL,
    reason      TEXT NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (order_id, version)
);

CREATE TABLE journal (
    partition    BIGINT NOT NULL,
    epoch        BIGINT NOT NULL,
    stream_id    TEXT COLLATE "C" NOT NULL,
    type         TEXT NOT NULL,
    screening_id TEXT COLLATE "C" NOT NULL,
    hold_id      TEXT COLLATE "C" NOT NULL,
    map_version  BIGINT NOT NULL,
    quantity     BIGINT NOT NULL,
    seats        TEXT NOT NULL,
    state        TEXT NOT NULL,
    at           TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (partition, epoch, stream_id)
);

-- A gauge and a second witness, never a judge.
CREATE TABLE settlement_cursors (
    partition  BIGINT PRIMARY KEY,
    stream_ms  BIGINT NOT NULL,
    stream_seq BIGINT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE effects (
    id              TEXT COLLATE "C" PRIMARY KEY,
    kind            TEXT NOT NULL CHECK (kind IN ('give_back', 'confirm', 'repair', 'mirror_settings', 'refund')),
    screening_id    TEXT COLLATE "C" NOT NULL,
    order_id        TEXT COLLATE "C" NOT NULL,
    attempt         BIGINT NOT NULL,
    seats           TEXT NOT NULL,
    ref             TEXT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('due', 'done', 'dead')),
    attempts        BIGINT NOT NULL,
    next_attempt_at TIMESTAMPTZ NOT NULL,
    last_error      TEXT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL
);
CREATE INDEX effects_due ON effects (next_attempt_at, id) WHERE status = 'due';
CREATE INDEX effects_done ON effects (created_at) WHERE status = 'done';

CREATE TABLE dead_letters (
    id           TEXT COLLATE "C" PRIMARY KEY,
    source       TEXT NOT NULL CHECK (source IN ('settlement', 'effect')),
    partition    BIGINT NOT NULL,
    stream_id    TEXT NOT NULL,
    screening_id TEXT COLLATE "C" NOT NULL,
    order_id     TEXT COLLATE "C" NOT NULL,
    payload      TEXT NOT NULL,
    last_error   TEXT NOT NULL,
    deliveries   BIGINT NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('open', 'compensated', 'settled')),
    expires_at   TIMESTAMPTZ NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL
);
CREATE INDEX dead_letters_open ON dead_letters (expires_at) WHERE status = 'open';
CREATE UNIQUE INDEX dead_letters_by_order ON dead_letters (order_id) WHERE status = 'open' AND source = 'settlement' AND order_id <> '';

CREATE TABLE payments (
    id           TEXT COLLATE "C" PRIMARY KEY,
    order_id     TEXT COLLATE "C" NOT NULL,
    gateway      TEXT NOT NULL,
    gateway_ref  TEXT,
    status       TEXT NOT NULL CHECK (status IN ('open', 'captured', 'declined', 'refunded')),
    amount_minor BIGINT NOT NULL CHECK (amount_minor >= 0),
    currency     TEXT NOT NULL,
    returned     BOOLEAN NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX payments_by_ref ON payments (gateway, gateway_ref) WHERE gateway_ref IS NOT NULL;
CREATE INDEX payments_by_order ON payments (order_id, id);

CREATE TABLE refunds (
    id           TEXT COLLATE "C" PRIMARY KEY,
    payment_id   TEXT COLLATE "C" NOT NULL REFERENCES payments (id),
    order_id     TEXT COLLATE "C" NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('due', 'done')),
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    currency     TEXT NOT NULL,
    reason       TEXT NOT NULL,
    gateway_ref  TEXT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL
);
-- one refund per payment: it gives back all of it
CREATE UNIQUE INDEX refunds_by_payment ON refunds (payment_id);

CREATE TABLE users (
    id            TEXT COLLATE "C" PRIMARY KEY,
    kind          TEXT NOT NULL CHECK (kind IN ('guest', 'account', 'staff')),
    email         TEXT NOT NULL,
    name          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('', 'viewer', 'operator', 'manager', 'admin')),
    created_at    TIMESTAMPTZ NOT NULL
);
CREATE UNIQUE INDEX users_by_email ON users (email) WHERE kind <> 'guest';

CREATE TABLE sessions (
    token_hash TEXT COLLATE "C" PRIMARY KEY,
    data       BYTEA NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE job_leases (
    name       TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,
    fence      BIGINT NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    last_run   TIMESTAMPTZ NOT NULL
);

CREATE TABLE instances (
    id          TEXT PRIMARY KEY,
    started_at  TIMESTAMPTZ NOT NULL,
    beat_at     TIMESTAMPTZ NOT NULL,
    redis_away  BOOLEAN NOT NULL
);

CREATE TABLE system_values (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE SEQUENCE screening_epochs;

-- +goose Down
DROP SEQUENCE screening_epochs;
DROP TABLE system_values, instances, job_leases, sessions, users, refunds, payments, dead_letters, effects,
    settlement_cursors, journal, order_events, claims, order_seats, orders, price_tiers, screenings, movies,
    seat_layouts, auditoriums, cinemas;
