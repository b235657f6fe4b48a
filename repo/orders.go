package repo

import (
	"context"
	"fmt"
	"time"

	"usher/service/domain"
)

const orderColumns = `id, screening_id, user_id, status, reason, coalesce(duplicate_of, '') AS duplicate_of, attempt, version,
quantity, amount_minor, currency, coalesce(idempotency_key, '') AS idempotency_key, fingerprint, answer, accepted_at,
expires_at, first_expires_at, extended, email, name, lang, coalesce(booking_code, '') AS booking_code, created_at, updated_at`

type orderRow struct {
	ID, ScreeningID, UserID, Status, Reason, DuplicateOf string
	Attempt                                              int
	Version                                              int64
	Quantity                                             int
	AmountMinor                                          int64
	Currency, IdempotencyKey, Fingerprint, Answer        string
	AcceptedAt, ExpiresAt, FirstExpiresAt                instant
	Extended                                             bool
	Email, Name, Lang, BookingCode                       string
	CreatedAt, UpdatedAt                                 instant
}

func (r orderRow) domain() domain.Order {
	return domain.Order{
		ID: r.ID, ScreeningID: r.ScreeningID, UserID: r.UserID, Status: domain.OrderStatus(r.Status), Reason: domain.Reason(r.Reason),
		DuplicateOf: r.DuplicateOf, Attempt: r.Attempt, Version: r.Version, Quantity: r.Quantity, AmountMinor: r.AmountMinor,
		Currency: r.Currency, IdempotencyKey: r.IdempotencyKey, Fingerprint: r.Fingerprint, Answer: r.Answer,
		AcceptedAt: r.AcceptedAt.Time, ExpiresAt: r.ExpiresAt.Time, FirstExpiresAt: r.FirstExpiresAt.Time, Extended: r.Extended,
		Email: r.Email, Name: r.Name, Lang: r.Lang, BookingCode: r.BookingCode, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
}

const orderSQL = `SELECT ` + orderColumns + ` FROM orders WHERE id = ?`

// Order returns one order with its seats. ErrNotFound when there is none.
func (s *Store) Order(ctx context.Context, id string) (*domain.Order, error) {
	return s.oneOrder(ctx, "read order "+id, orderSQL, id)
}

const orderByKeySQL = `SELECT ` + orderColumns + ` FROM orders WHERE user_id = ? AND screening_id = ? AND idempotency_key = ?`

// OrderByKey returns the order that was given out under the user's key (index orders_by_key). ErrNotFound when
// there is none.
func (s *Store) OrderByKey(ctx context.Context, k OrderKey) (*domain.Order, error) {
	return s.oneOrder(ctx, "read order by key", orderByKeySQL, k.UserID, k.ScreeningID, k.Key)
}

// OrderKey is the scope of an idempotency key.
type OrderKey struct{ UserID, ScreeningID, Key string }

func (s *Store) oneOrder(ctx context.Context, verb, query string, args ...any) (*domain.Order, error) {
	var row orderRow
	if err := s.one(ctx, &row, query, args...); err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	orders := []domain.Order{row.domain()}
	if err := s.loadSeats(ctx, orders); err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	return &orders[0], nil
}

const ordersOfUserSQL = `SELECT ` + orderColumns + ` FROM orders
WHERE user_id = ? AND (? = '' OR id < ?) ORDER BY id DESC LIMIT ?`

// ListOrders returns the user's orders with their seats, newest first (index orders_by_key).
func (s *Store) ListOrders(ctx context.Context, userID string, page domain.Page) (domain.List[domain.Order], error) {
	page = page.Bounded()
	var rows []orderRow
	if err := s.query(ctx, &rows, ordersOfUserSQL, userID, page.After, page.After, page.Limit+1); err != nil {
		return domain.List[domain.Order]{}, fmt.Errorf("list orders: %w", err)
	}
	list := paged(convert(rows, orderRow.domain), page.Limit, func(o domain.Order) string { return o.ID })
	if err := s.loadSeats(ctx, list.Items); err != nil {
		return domain.List[domain.Order]{}, fmt.Errorf("list orders: %w", err)
	}
	return list, nil
}

type orderSeatRow struct {
	OrderID, SeatNo string
	SeatIndex       int
	Tier            string
	PriceMinor      int64
}

// loadSeats adds their seats to the orders, in the order of the plan.
func (s *Store) loadSeats(ctx context.Context, orders []domain.Order) error {
	if len(orders) == 0 {
		return nil
	}
	at := make(map[string]int, len(orders))
	ids := make([]string, len(orders))
	for i := range orders {
		at[orders[i].ID], ids[i] = i, orders[i].ID
	}
	from, args := s.from("w", textColumn("order_id", ids))
	var rows []orderSeatRow
	err := s.query(ctx, &rows, `SELECT o.order_id, o.seat_no, o.seat_index, o.tier, o.price_minor
FROM `+from+` JOIN order_seats o ON o.order_id = w.order_id ORDER BY o.order_id, o.seat_index`, args...)
	if err != nil {
		return fmt.Errorf("read seats: %w", err)
	}
	for _, r := range rows {
		o := &orders[at[r.OrderID]]
		o.Seats = append(o.Seats, domain.SeatRef{No: r.SeatNo, Index: r.SeatIndex, Tier: r.Tier, PriceMinor: r.PriceMinor})
	}
	return nil
}

// OrderMove is one guarded transition of one order. From and Version are the guard.
type OrderMove struct {
	OrderID string
	Version int64
	From    domain.OrderStatus
	To      domain.OrderStatus
	Actor   string
	Reason  domain.Reason
	At      time.Time
}

const moveOrderSQL = `UPDATE orders SET status = ?, reason = ?, version = version + 1, updated_at = ?
WHERE id = ? AND status = ? AND version = ?`

// MoveOrder makes the transition and writes its event. It belongs in a transaction that holds the screening's
// row lock. A transition that the state machine does not have panics. ErrVersionConflict when the order has
// moved meanwhile.
func (s *Store) MoveOrder(ctx context.Context, m OrderMove) error {
	s.mustBeBound("MoveOrder")
	m.From.MustBecome(m.To)
	n, err := s.exec(ctx, moveOrderSQL, string(m.To), string(m.Reason), stamp(m.At), m.OrderID, string(m.From), m.Version)
	if err := changedOne(n, err, "move order "+m.OrderID); err != nil {
		return err
	}
	return s.InsertOrderEvents(ctx, []domain.OrderEvent{{
		OrderID: m.OrderID, Version: m.Version + 1, From: m.From, To: m.To, Actor: m.Actor, Reason: m.Reason, At: m.At,
	}})
}

const startPayingSQL = `UPDATE orders SET email = ?, name = ?, expires_at = ?, extended = ? WHERE id = ?`

// UpdateBuyer writes who buys and until when the order holds; the caller has moved the order in the same
// transaction.
func (s *Store) UpdateBuyer(ctx context.Context, o *domain.Order) error {
	s.mustBeBound("UpdateBuyer")
	n, err := s.exec(ctx, startPayingSQL, o.Email, o.Name, stamp(o.ExpiresAt), o.Extended, o.ID)
	return changedOne(n, err, "write buyer of order "+o.ID)
}

// SetBookingCode gives a paid order the code that people read out. ErrDuplicate when another order has it.
func (s *Store) SetBookingCode(ctx context.Context, orderID, code string) error {
	s.mustBeBound("SetBookingCode")
	n, err := s.exec(ctx, `UPDATE orders SET booking_code = ? WHERE id = ? AND booking_code IS NULL`, code, orderID)
	return changedOne(n, err, "set booking code of order "+orderID)
}

// BookingCodeTaken reports whether an order has the code already.
func (s *Store) BookingCodeTaken(ctx context.Context, code string) (bool, error) {
	var n int64
	err := s.query(ctx, &n, `SELECT count(*) FROM orders WHERE booking_code = ?`, code)
	return n > 0, err
}

type orderEventRow struct {
	OrderID              string
	Version              int64
	FromStatus, ToStatus string
	Actor, Reason        string
	At                   instant
}

// OrderEvents returns the order's life, oldest first, at most 1,000 steps.
func (s *Store) OrderEvents(ctx context.Context, orderID string) ([]domain.OrderEvent, error) {
	var rows []orderEventRow
	err := s.query(ctx, &rows, `SELECT order_id, version, from_status, to_status, actor, reason, at FROM order_events
WHERE order_id = ? ORDER BY version LIMIT 1000`, orderID)
	if err != nil {
		return nil, fmt.Errorf("read events of order %s: %w", orderID, err)
	}
	return convert(rows, func(r orderEventRow) domain.OrderEvent {
		return domain.OrderEvent{
			OrderID: r.OrderID, Version: r.Version, From: domain.OrderStatus(r.FromStatus), To: domain.OrderStatus(r.ToStatus),
			Actor: r.Actor, Reason: domain.Reason(r.Reason), At: r.At.Time,
		}
	}), nil
}

// InsertOrderEvents writes steps of orders' lives.
func (s *Store) InsertOrderEvents(ctx context.Context, events []domain.OrderEvent) error {
	if len(events) == 0 {
		return nil
	}
	n := len(events)
	ids, versions, froms, tos := make([]string, n), make([]int64, n), make([]string, n), make([]string, n)
	actors, reasons, ats := make([]string, n), make([]string, n), make([]time.Time, n)
	for i, e := range events {
		ids[i], versions[i], froms[i], tos[i] = e.OrderID, e.Version, string(e.From), string(e.To)
		actors[i], reasons[i], ats[i] = e.Actor, string(e.Reason), stamp(e.At)
	}
	from, args := s.from("r", textColumn("order_id", ids), intColumn("version", versions), textColumn("from_status", froms),
		textColumn("to_status", tos), textColumn("actor", actors), textColumn("reason", reasons), timeColumn("at", ats))
	_, err := s.exec(ctx, `INSERT INTO order_events (order_id, version, from_status, to_status, actor, reason, at)
SELECT order_id, version, from_status, to_status, actor, reason, at FROM `+from, args...)
	if err != nil {
		return fmt.Errorf("write order events: %w", err)
	}
	return nil
}
