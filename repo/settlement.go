package repo

import (
	"context"
	"fmt"
	"time"

	"usher/service/domain"
)

// The statements of a settlement batch. Each takes the whole batch at once; their order is the lock order of
// every writer: screenings, orders, claims, effects, cursor.

const insertOrdersSQL = `INSERT INTO orders (id, screening_id, user_id, status, reason, duplicate_of, attempt, version, quantity,
amount_minor, currency, idempotency_key, fingerprint, answer, accepted_at, expires_at, first_expires_at, extended, email, name,
lang, booking_code, created_at, updated_at)
SELECT id, screening_id, user_id, status, reason, nullif(duplicate_of, ''), attempt, 1, quantity, amount_minor, currency,
nullif(idempotency_key, ''), fingerprint, answer, accepted_at, expires_at, expires_at, false, '', '', lang, NULL, now_at, now_at
FROM %s WHERE true ON CONFLICT DO NOTHING RETURNING id`

// InsertOrders inserts the orders that the ledger does not have, by id and by key, and returns the ids that
// were inserted. Their seats, events and claims are written by the other calls.
func (s *Store) InsertOrders(ctx context.Context, orders []domain.Order, now time.Time) (map[string]bool, error) {
	if len(orders) == 0 {
		return map[string]bool{}, nil
	}
	n := len(orders)
	text := func(get func(*domain.Order) string) []string {
		out := make([]string, n)
		for i := range orders {
			out[i] = get(&orders[i])
		}
		return out
	}
	number := func(get func(*domain.Order) int64) []int64 {
		out := make([]int64, n)
		for i := range orders {
			out[i] = get(&orders[i])
		}
		return out
	}
	instants := func(get func(*domain.Order) time.Time) []time.Time {
		out := make([]time.Time, n)
		for i := range orders {
			out[i] = stamp(get(&orders[i]))
		}
		return out
	}
	from, args := s.from("r",
		textColumn("id", text(func(o *domain.Order) string { return o.ID })),
		textColumn("screening_id", text(func(o *domain.Order) string { return o.ScreeningID })),
		textColumn("user_id", text(func(o *domain.Order) string { return o.UserID })),
		textColumn("status", text(func(o *domain.Order) string { return string(o.Status) })),
		textColumn("reason", text(func(o *domain.Order) string { return string(o.Reason) })),
		textColumn("duplicate_of", text(func(o *domain.Order) string { return o.DuplicateOf })),
		intColumn("attempt", number(func(o *domain.Order) int64 { return int64(o.Attempt) })),
		intColumn("quantity", number(func(o *domain.Order) int64 { return int64(o.Quantity) })),
		intColumn("amount_minor", number(func(o *domain.Order) int64 { return o.AmountMinor })),
		textColumn("currency", text(func(o *domain.Order) string { return o.Currency })),
		textColumn("idempotency_key", text(func(o *domain.Order) string { return o.IdempotencyKey })),
		textColumn("fingerprint", text(func(o *domain.Order) string { return o.Fingerprint })),
		textColumn("answer", text(func(o *domain.Order) string { return o.Answer })),
		timeColumn("accepted_at", instants(func(o *domain.Order) time.Time { return o.AcceptedAt })),
		timeColumn("expires_at", instants(func(o *domain.Order) time.Time { return o.ExpiresAt })),
		textColumn("lang", text(func(o *domain.Order) string { return o.Lang })),
		timeColumn("now_at", instants(func(*domain.Order) time.Time { return now })),
	)
	var ids []string
	if err := s.returning(ctx, &ids, fmt.Sprintf(insertOrdersSQL, from), args...); err != nil {
		return nil, fmt.Errorf("insert orders: %w", err)
	}
	return set(ids), nil
}

func set(ids []string) map[string]bool {
	m := make(map[string]bool, len(ids))
	for _, id := range ids {
		m[id] = true
	}
	return m
}

// InsertOrderSeats writes the seats of new orders.
func (s *Store) InsertOrderSeats(ctx context.Context, orders []domain.Order) error {
	var ids, nos, tiers []string
	var indexes, prices []int64
	for i := range orders {
		for _, ref := range orders[i].Seats {
			ids, nos, tiers = append(ids, orders[i].ID), append(nos, ref.No), append(tiers, ref.Tier)
			indexes, prices = append(indexes, int64(ref.Index)), append(prices, ref.PriceMinor)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	from, args := s.from("r", textColumn("order_id", ids), textColumn("seat_no", nos), intColumn("seat_index", indexes),
		textColumn("tier", tiers), intColumn("price_minor", prices))
	_, err := s.exec(ctx, `INSERT INTO order_seats (order_id, seat_no, seat_index, tier, price_minor)
SELECT order_id, seat_no, seat_index, tier, price_minor FROM `+from, args...)
	if err != nil {
		return fmt.Errorf("write order seats: %w", err)
	}
	return nil
}

// OrderHead is the part of an order that settlement compares.
type OrderHead struct {
	ID, UserID, ScreeningID, Status, Fingerprint string
	Attempt                                      int
	IdempotencyKey                               string
}

// OrderHeads returns the heads of the orders that exist among ids.
func (s *Store) OrderHeads(ctx context.Context, ids []string) (map[string]OrderHead, error) {
	if len(ids) == 0 {
		return map[string]OrderHead{}, nil
	}
	from, args := s.from("w", textColumn("id", ids))
	var rows []OrderHead
	err := s.query(ctx, &rows, `SELECT o.id, o.user_id, o.screening_id, o.status, o.fingerprint, o.attempt,
coalesce(o.idempotency_key, '') AS idempotency_key FROM `+from+` JOIN orders o ON o.id = w.id`, args...)
	if err != nil {
		return nil, fmt.Errorf("read order heads: %w", err)
	}
	out := make(map[string]OrderHead, len(rows))
	for _, r := range rows {
		out[r.ID] = r
	}
	return out, nil
}

// OrderHeadsByKey returns the heads of the orders that were given out under the keys (index orders_by_key).
func (s *Store) OrderHeadsByKey(ctx context.Context, keys []OrderKey) (map[OrderKey]OrderHead, error) {
	if len(keys) == 0 {
		return map[OrderKey]OrderHead{}, nil
	}
	users, screenings, texts := make([]string, len(keys)), make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		users[i], screenings[i], texts[i] = k.UserID, k.ScreeningID, k.Key
	}
	from, args := s.from("w", textColumn("user_id", users), textColumn("screening_id", screenings), textColumn("idem", texts))
	var rows []OrderHead
	err := s.query(ctx, &rows, `SELECT o.id, o.user_id, o.screening_id, o.status, o.fingerprint, o.attempt, o.idempotency_key
FROM `+from+` JOIN orders o ON o.user_id = w.user_id AND o.screening_id = w.screening_id AND o.idempotency_key = w.idem`, args...)
	if err != nil {
		return nil, fmt.Errorf("read order heads by key: %w", err)
	}
	out := make(map[OrderKey]OrderHead, len(rows))
	for _, r := range rows {
		out[OrderKey{r.UserID, r.ScreeningID, r.IdempotencyKey}] = r
	}
	return out, nil
}

// UserScreening is a user at a screening.
type UserScreening struct{ UserID, ScreeningID string }

// LiveQuantities returns how many seats or places the users own at the screenings, without the orders in
// except (index orders_by_key).
func (s *Store) LiveQuantities(ctx context.Context, of []UserScreening, except []string) (map[UserScreening]int, error) {
	if len(of) == 0 {
		return map[UserScreening]int{}, nil
	}
	users, screenings := make([]string, len(of)), make([]string, len(of))
	for i, k := range of {
		users[i], screenings[i] = k.UserID, k.ScreeningID
	}
	from, args := s.from("w", textColumn("user_id", users), textColumn("screening_id", screenings))
	not, notArgs := s.from("x", textColumn("id", except))
	var rows []struct {
		UserID, ScreeningID string
		N                   int
	}
	err := s.query(ctx, &rows, `SELECT o.user_id, o.screening_id, sum(o.quantity) AS n FROM `+from+`
JOIN orders o ON o.user_id = w.user_id AND o.screening_id = w.screening_id
WHERE o.status IN ('reserved', 'paying', 'paid') AND o.id NOT IN (SELECT id FROM `+not+`)
GROUP BY o.user_id, o.screening_id`, append(args, notArgs...)...)
	if err != nil {
		return nil, fmt.Errorf("count live seats: %w", err)
	}
	out := make(map[UserScreening]int, len(rows))
	for _, r := range rows {
		out[UserScreening{r.UserID, r.ScreeningID}] = r.N
	}
	return out, nil
}

// FailOrders turns orders that this transaction inserted as reserved into failed ones.
func (s *Store) FailOrders(ctx context.Context, failed map[string]domain.Reason) error {
	if len(failed) == 0 {
		return nil
	}
	var ids, reasons []string
	for id, reason := range failed {
		ids, reasons = append(ids, id), append(reasons, string(reason))
	}
	from, args := s.from("r", textColumn("id", ids), textColumn("reason", reasons))
	n, err := s.exec(ctx, `UPDATE orders SET status = 'failed', reason = r.reason FROM `+from+`
WHERE orders.id = r.id AND orders.status = 'reserved' AND orders.version = 1`, args...)
	if err != nil {
		return fmt.Errorf("fail orders: %w", err)
	}
	if n != int64(len(failed)) {
		return fmt.Errorf("fail orders: %w", domain.ErrVersionConflict)
	}
	return nil
}

// TakeRemaining is one screening's part of a batch.
type TakeRemaining struct {
	ScreeningID string
	N           int
	Version     int64
}

// TakeRemaining lowers remaining and raises version where the version still is the given one and enough is
// left. It returns the screenings that were changed; the others lost their version.
func (s *Store) TakeRemaining(ctx context.Context, takes []TakeRemaining) (map[string]bool, error) {
	if len(takes) == 0 {
		return map[string]bool{}, nil
	}
	ids, ns, versions := make([]string, len(takes)), make([]int64, len(takes)), make([]int64, len(takes))
	for i, t := range takes {
		ids[i], ns[i], versions[i] = t.ScreeningID, int64(t.N), t.Version
	}
	from, args := s.from("r", textColumn("id", ids), intColumn("n", ns), intColumn("version", versions))
	var done []string
	err := s.returning(ctx, &done, `UPDATE screenings SET remaining = remaining - r.n, version = screenings.version + 1 FROM `+from+`
WHERE screenings.id = r.id AND screenings.version = r.version AND screenings.remaining >= r.n RETURNING screenings.id`, args...)
	if err != nil {
		return nil, fmt.Errorf("take remaining: %w", err)
	}
	return set(done), nil
}

// ReturnRemaining raises remaining and version of a screening whose row lock the transaction holds.
func (s *Store) ReturnRemaining(ctx context.Context, screeningID string, n int) error {
	s.mustBeBound("ReturnRemaining")
	changed, err := s.exec(ctx, `UPDATE screenings SET remaining = remaining + ?, version = version + 1 WHERE id = ?`, n, screeningID)
	return changedOne(changed, err, "return seats of screening "+screeningID)
}
