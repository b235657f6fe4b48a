package repo

import (
	"context"
	"fmt"
	"time"

	"usher/service/domain"
)

// moneyMax bounds what is read of one order's payments and refunds. An order has a handful.
const moneyMax = 1000

type paymentRow struct {
	ID          string
	OrderID     string
	Gateway     string
	GatewayRef  string
	Status      string
	AmountMinor int64
	Currency    string
	Returned    bool
	CreatedAt   instant
	UpdatedAt   instant
}

const paymentColumns = `id, order_id, gateway, COALESCE(gateway_ref, '') AS gateway_ref, status, amount_minor,
	currency, returned, created_at, updated_at`

func (r paymentRow) domain() domain.Payment {
	return domain.Payment{
		ID:          r.ID,
		OrderID:     r.OrderID,
		Gateway:     r.Gateway,
		GatewayRef:  r.GatewayRef,
		Status:      domain.PaymentStatus(r.Status),
		AmountMinor: r.AmountMinor,
		Currency:    r.Currency,
		Returned:    r.Returned,
		CreatedAt:   r.CreatedAt.Time,
		UpdatedAt:   r.UpdatedAt.Time,
	}
}

const insertPaymentSQL = `
INSERT INTO payments (id, order_id, gateway, gateway_ref, status, amount_minor, currency, returned, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// InsertPayment records a payment. ErrDuplicate when the id or the gateway's own id exists.
func (s *Store) InsertPayment(ctx context.Context, p domain.Payment) error {
	_, err := s.exec(ctx, insertPaymentSQL, p.ID, p.OrderID, p.Gateway, orNull(p.GatewayRef), string(p.Status), p.AmountMinor,
		p.Currency, p.Returned, stamp(p.CreatedAt), stamp(p.UpdatedAt))
	if err != nil {
		return fmt.Errorf("insert payment %s: %w", p.ID, err)
	}
	return nil
}

const paymentSQL = `SELECT ` + paymentColumns + ` FROM payments WHERE id = ?`

// Payment returns one payment. ErrNotFound when there is none.
func (s *Store) Payment(ctx context.Context, id string) (*domain.Payment, error) {
	var row paymentRow
	if err := s.one(ctx, &row, paymentSQL, id); err != nil {
		return nil, fmt.Errorf("read payment %s: %w", id, err)
	}
	p := row.domain()
	return &p, nil
}

const paymentsOfOrderSQL = `SELECT ` + paymentColumns + ` FROM payments WHERE order_id = ? ORDER BY id LIMIT ?`

// PaymentsOfOrder returns an order's payments, the oldest first (index payments_by_order).
func (s *Store) PaymentsOfOrder(ctx context.Context, orderID string) ([]domain.Payment, error) {
	var rows []paymentRow
	if err := s.query(ctx, &rows, paymentsOfOrderSQL, orderID, moneyMax); err != nil {
		return nil, fmt.Errorf("list payments of order %s: %w", orderID, err)
	}
	return convert(rows, paymentRow.domain), nil
}

const openPaymentSQL = `SELECT ` + paymentColumns + ` FROM payments
WHERE order_id = ? AND status = 'open' ORDER BY id DESC LIMIT 1`

// OpenPayment returns an order's latest open payment (index payments_by_order). ErrNotFound when it has none.
func (s *Store) OpenPayment(ctx context.Context, orderID string) (*domain.Payment, error) {
	var row paymentRow
	if err := s.one(ctx, &row, openPaymentSQL, orderID); err != nil {
		return nil, fmt.Errorf("read the open payment of order %s: %w", orderID, err)
	}
	p := row.domain()
	return &p, nil
}

const capturePaymentSQL = `
UPDATE payments SET status = 'captured', gateway_ref = COALESCE(?, gateway_ref), returned = ?, updated_at = ?
WHERE id = ? AND status IN ('open', 'declined')`

// CapturePayment records that the gateway has the money: an open payment becomes captured, and a declined one
// as well, for a gateway may let the buyer try again. Returned says that it is not the order's one payment and
// goes back on its own. It reports whether the row changed; a payment that is captured or refunded already, or
// is not there, does not. ErrDuplicate when another payment has the gateway's id.
func (s *Store) CapturePayment(ctx context.Context, id, gatewayRef string, returned bool, at time.Time) (bool, error) {
	n, err := s.exec(ctx, capturePaymentSQL, orNull(gatewayRef), returned, stamp(at), id)
	if err != nil {
		return false, fmt.Errorf("capture payment %s: %w", id, err)
	}
	return n == 1, nil
}

const declinePaymentSQL = `
UPDATE payments SET status = 'declined', updated_at = ? WHERE id = ? AND status = 'open'`

// DeclinePayment records that the gateway refused an open payment, and reports whether the row changed.
func (s *Store) DeclinePayment(ctx context.Context, id string, at time.Time) (bool, error) {
	n, err := s.exec(ctx, declinePaymentSQL, stamp(at), id)
	if err != nil {
		return false, fmt.Errorf("decline payment %s: %w", id, err)
	}
	return n == 1, nil
}
