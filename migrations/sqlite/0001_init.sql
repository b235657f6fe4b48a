-- +goose Up
-- The ledger. Hot tables (orders, order_seats, claims, order_events, journal, effects) carry no foreign keys:
-- their rows are written in bulk under the screening's row lock, which proves the parent already.

CREATE TABLE cinemas (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    zone       TEXT NOT NULL,
    currency   TEXT NOT NULL CHECK (length(currency) = 3),
    created_at DATETIME NOT NULL
);

CREATE TABLE auditoriums (
    id         TEXT PRIMARY KEY,
    cinema_id  TEXT NOT NULL REFERENCES cinemas (id),
    name       TEXT NOT NULL,
    created_at DATETIME NOT NULL,
    UNIQUE (cinema_id, name)
);

CREATE TABLE seat_layouts (
    id            TEXT PRIMARY KEY,
    auditorium_id TEXT NOT NULL REFERENCES auditoriums (id),
    version       INTEGER NOT NULL,
    name          TEXT NOT NULL,
    seat_count    INTEGER NOT NULL CHECK (seat_count > 0),
    plan          TEXT NOT NULL,
    created_at    DATETIME NOT NULL,
    UNIQUE (auditorium_id, version)
);

CREATE TABLE movies (
    id              TEXT PRIMARY KEY,
    title           TEXT NOT NULL,
    title_zh        TEXT NOT NULL,
    year            INTEGER NOT NULL,
    runtime_minutes INTEGER NOT NULL,
    synopsis        TEXT NOT NULL,
    synopsis_zh     TEXT NOT NULL,
    poster          TEXT NOT NULL,
    created_at      DATETIME NOT NULL
);

CREATE TABLE screenings (
    id             TEXT PRIMARY KEY,
    cinema_id      TEXT NOT NULL REFERENCES cinemas (id),
    movie_id       TEXT NOT NULL REFERENCES movies (id),
    auditorium_id  TEXT NOT NULL REFERENCES auditoriums (id),
    layout_id      TEXT REFERENCES seat_layouts (id),
    partition      INTEGER NOT NULL CHECK (partition BETWEEN 0 AND 15),
    epoch          INTEGER NOT NULL,
    hold_mode      TEXT NOT NULL CHECK (hold_mode IN ('redis', 'ledger')),
    settings       INTEGER NOT NULL,
    status         TEXT NOT NULL CHECK (status IN ('draft', 'on_sale', 'paused', 'closed', 'cancelled')),
    kind           TEXT NOT NULL CHECK (kind IN ('seated', 'general')),
    starts_at      DATETIME NOT NULL,
    ends_at        DATETIME NOT NULL,
    opens_at       DATETIME NOT NULL,
    closes_at      DATETIME NOT NULL,
    hold_life_ms   INTEGER NOT NULL CHECK (hold_life_ms BETWEEN 1000 AND 1800000),
    limit_per_user INTEGER NOT NULL CHECK (limit_per_user >= 0),
    orphan_rule    BOOLEAN NOT NULL,
    capacity       INTEGER NOT NULL CHECK (capacity > 0),
    remaining      INTEGER NOT NULL CHECK (remaining BETWEEN 0 AND capacity),
    version        INTEGER NOT NULL,
    currency       TEXT NOT NULL CHECK (length(currency) = 3),
    created_at     DATETIME NOT NULL,
    CHECK (starts_at < ends_at),
    CHECK ((kind = 'seated') = (layout_id IS NOT NULL))
);
-- lists by day; what to keep warm
CREATE INDEX screenings_by_start ON screenings (starts_at, id);
CREATE INDEX screenings_by_movie ON screenings (movie_id, starts_at);
CREATE INDEX screenings_by_status ON screenings (status, partition);

CREATE TABLE price_tiers (
    screening_id TEXT NOT NULL REFERENCES screenings (id),
    tier         TEXT NOT NULL,
    price_minor  INTEGER NOT NULL CHECK (price_minor >= 0),
    PRIMARY KEY (screening_id, tier)
);

CREATE TABLE orders (
    id               TEXT PRIMARY KEY,
    screening_id     TEXT NOT NULL,
    user_id          TEXT NOT NULL,
    status           TEXT NOT NULL CHECK (status IN ('reserved', 'paying', 'paid', 'refunding', 'refunded', 'failed', 'expired', 'cancelled')),
    reason           TEXT NOT NULL,
    duplicate_of     TEXT,
    attempt          INTEGER NOT NULL CHECK (attempt IN (1, 2)),
    version          INTEGER NOT NULL,
    quantity         INTEGER NOT NULL CHECK (quantity > 0),
    amount_minor     INTEGER NOT NULL CHECK (amount_minor >= 0),
    currency         TEXT NOT NULL,
    idempotency_key  TEXT,
    fingerprint      TEXT NOT NULL,
    answer           TEXT NOT NULL,
    accepted_at      DATETIME NOT NULL,
    expires_at       DATETIME NOT NULL,
    first_expires_at DATETIME NOT NULL,
    extended         BOOLEAN NOT NULL,
    email            TEXT NOT NULL,
    name             TEXT NOT NULL,
    lang             TEXT NOT NULL,
    booking_code     TEXT,
    created_at       DATETIME NOT NULL,
    updated_at       DATETIME NOT NULL
);
-- one order per (user, screening, key); rows without a key are NULL and never collide. Also: live seats of a user.
CREATE UNIQUE INDEX orders_by_key ON orders (user_id, screening_id, idempotency_key);
CREATE UNIQUE INDEX orders_by_booking_code ON orders (booking_code) WHERE booking_code IS NOT NULL;
-- the expiry job
CREATE INDEX orders_due ON orders (expires_at) WHERE status IN ('reserved', 'paying');
-- rebuild: live orders and first answers of a screening
CREATE INDEX orders_by_screening ON orders (screening_id, id);

CREATE TABLE order_seats (
    order_id    TEXT NOT NULL,
    seat_no     TEXT NOT NULL,
    seat_index  INTEGER NOT NULL,
    tier        TEXT NOT NULL,
    price_minor INTEGER NOT NULL,
    PRIMARY KEY (order_id, seat_no)
);

-- The last guard against a double sale.
CREATE TABLE claims (
    screening_id TEXT NOT NULL,
    seat_no      TEXT NOT NULL,
    seat_index   INTEGER NOT NULL,
    order_id     TEXT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('hold', 'block')),
    PRIMARY KEY (screening_id, seat_no)
);

CREATE TABLE order_events (
    order_id    TEXT NOT NULL,
    version     INTEGER NOT NULL,
    from_status TEXT NOT NULL,
    to_status   TEXT NOT NULL,
    actor       TEXT NOT NULL,
    reason      TEXT NOT NULL,
    at          DATETIME NOT NULL,
    PRIMARY KEY (order_id, version)
);

CREATE TABLE journal (
    partition    INTEGER NOT NULL,
    epoch        INTEGER NOT NULL,
    stream_id    TEXT NOT NULL,
    type         TEXT NOT NULL,
    screening_id TEXT NOT NULL,
    hold_id      TEXT NOT NULL,
    map_version  INTEGER NOT NULL,
    quantity     INTEGER NOT NULL,
    seats        TEXT NOT NULL,
    state        TEXT NOT NULL,
    at           DATETIME NOT NULL,
    PRIMARY KEY (partition, epoch, stream_id)
);

-- A gauge and a second witness, never a judge.
CREATE TABLE settlement_cursors (
    partition  INTEGER PRIMARY KEY,
    stream_ms  INTEGER NOT NULL,
    stream_seq INTEGER NOT NULL,
    updated_at DATETIME NOT NULL
);

CREATE TABLE effects (
    id              TEXT PRIMARY KEY,
    kind            TEXT NOT NULL CHECK (kind IN ('give_back', 'confirm', 'repair', 'mirror_settings', 'refund')),
    screening_id    TEXT NOT NULL,
    order_id        TEXT NOT NULL,
    attempt         INTEGER NOT NULL,
    seats           TEXT NOT NULL,
    ref             TEXT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('due', 'done', 'dead')),
    attempts        INTEGER NOT NULL,
    next_attempt_at DATETIME NOT NULL,
    last_error      TEXT NOT NULL,
    created_at      DATETIME NOT NULL
);
CREATE INDEX effects_due ON effects (next_attempt_at, id) WHERE status = 'due';
CREATE INDEX effects_done ON effects (created_at) WHERE status = 'done';

CREATE TABLE dead_letters (
    id           TEXT PRIMARY KEY,
    source       TEXT NOT NULL CHECK (source IN ('settlement', 'effect')),
    partition    INTEGER NOT NULL,
    stream_id    TEXT NOT NULL,
    screening_id TEXT NOT NULL,
    order_id     TEXT NOT NULL,
    payload      TEXT NOT NULL,
    last_error   TEXT NOT NULL,
    deliveries   INTEGER NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('open', 'compensated', 'settled')),
    expires_at   DATETIME NOT NULL,
    created_at   DATETIME NOT NULL
);
CREATE INDEX dead_letters_open ON dead_letters (expires_at) WHERE status = 'open';
CREATE UNIQUE INDEX dead_letters_by_order ON dead_letters (order_id) WHERE status = 'open' AND source = 'settlement' AND order_id <> '';

CREATE TABLE payments (
    id           TEXT PRIMARY KEY,
    order_id     TEXT NOT NULL,
    gateway      TEXT NOT NULL,
    gateway_ref  TEXT,
    status       TEXT NOT NULL CHECK (status IN ('open', 'captured', 'declined', 'refunded')),
    amount_minor INTEGER NOT NULL CHECK (amount_minor >= 0),
    currency     TEXT NOT NULL,
    returned     BOOLEAN NOT NULL,
    created_at   DATETIME NOT NULL,
    updated_at   DATETIME NOT NULL
);
CREATE UNIQUE INDEX payments_by_ref ON payments (gateway, gateway_ref) WHERE gateway_ref IS NOT NULL;
CREATE INDEX payments_by_order ON payments (order_id, id);

CREATE TABLE refunds (
    id           TEXT PRIMARY KEY,
    payment_id   TEXT NOT NULL REFERENCES payments (id),
    order_id     TEXT NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('due', 'done')),
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    currency     TEXT NOT NULL,
    reason       TEXT NOT NULL,
    gateway_ref  TEXT NOT NULL,
    created_at   DATETIME NOT NULL,
    updated_at   DATETIME NOT NULL
);
-- one refund per payment: it gives back all of it
CREATE UNIQUE INDEX refunds_by_payment ON refunds (payment_id);

CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    kind          TEXT NOT NULL CHECK (kind IN ('guest', 'account', 'staff')),
    email         TEXT NOT NULL,
    name          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('', 'viewer', 'operator', 'manager', 'admin')),
    created_at    DATETIME NOT NULL
);
CREATE UNIQUE INDEX users_by_email ON users (email) WHERE kind <> 'guest';

CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY,
    data       BLOB NOT NULL,
    expires_at DATETIME NOT NULL
);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE job_leases (
    name       TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,
    fence      INTEGER NOT NULL,
    expires_at DATETIME NOT NULL,
    last_run   DATETIME NOT NULL
);

CREATE TABLE instances (
    id          TEXT PRIMARY KEY,
    started_at  DATETIME NOT NULL,
    beat_at     DATETIME NOT NULL,
    redis_away  BOOLEAN NOT NULL
);

CREATE TABLE system_values (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- the sequence of epochs: drawn in a transaction of its own, so that a number is never drawn twice
CREATE TABLE screening_epochs (last INTEGER NOT NULL);
INSERT INTO screening_epochs (last) VALUES (0);

-- +goose Down
DROP TABLE screening_epochs;
DROP TABLE system_values;
DROP TABLE instances;
DROP TABLE job_leases;
DROP TABLE sessions;
DROP TABLE users;
DROP TABLE refunds;
DROP TABLE payments;
DROP TABLE dead_letters;
DROP TABLE effects;
DROP TABLE settlement_cursors;
DROP TABLE journal;
DROP TABLE order_events;
DROP TABLE claims;
DROP TABLE order_seats;
DROP TABLE orders;
DROP TABLE price_tiers;
DROP TABLE screenings;
DROP TABLE movies;
DROP TABLE seat_layouts;
DROP TABLE auditoriums;
DROP TABLE cinemas;
