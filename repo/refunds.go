package repo

import (
	"context"
	"fmt"
	"time"

	"usher/service/domain"
)

type refundRow struct {
	ID          string
	PaymentID   string
	OrderID     string
	Status      string
	AmountMinor int64
	Currency    string
	Reason      string
	GatewayRef  string
	CreatedAt   instant
	UpdatedAt   instant
}

const refundColumns = `id, payment_id, order_id, status, amount_minor, currency, reason, gateway_ref, created_at, updated_at`

func (r refundRow) domain() domain.Refund {
	return domain.Refund{
		ID:          r.ID,
		PaymentID:   r.PaymentID,
		OrderID:     r.OrderID,
		Status:      domain.RefundStatus(r.Status),
		AmountMinor: r.AmountMinor,
		Currency:    r.Currency,
		Reason:      domain.Reason(r.Reason),
		GatewayRef:  r.GatewayRef,
		CreatedAt:   r.CreatedAt.Time,
		UpdatedAt:   r.UpdatedAt.Time,
	}
}

const insertRefundSQL = `
INSERT INTO refunds (` + refundColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

// InsertRefund records that a payment has to go back, and reports whether it was new: a payment has one
// refund. ErrInvalid when there is no such payment or the amount is not above zero.
func (s *Store) InsertRefund(ctx context.Context, r domain.Refund) (bool, error) {
	n, err := s.exec(ctx, insertRefundSQL, r.ID, r.PaymentID, r.OrderID, string(r.Status), r.AmountMinor, r.Currency,
		string(r.Reason), r.GatewayRef, stamp(r.CreatedAt), stamp(r.UpdatedAt))
	if err != nil {
		return false, fmt.Errorf("insert refund %s: %w", r.ID, err)
	}
	return n == 1, nil
}

const refundSQL = `SELECT ` + refundColumns + ` FROM refunds WHERE id = ?`

// Refund returns one refund. ErrNotFound when there is none.
func (s *Store) Refund(ctx context.Context, id string) (*domain.Refund, error) {
	var row refundRow
	if err := s.one(ctx, &row, refundSQL, id); err != nil {
		return nil, fmt.Errorf("read refund %s: %w", id, err)
	}
	r := row.domain()
	return &r, nil
}

// Refunds have no index by order; they are found by the payments of the order, of which each has one at most.
const refundsOfOrderSQL = `SELECT ` + refundColumns + ` FROM refunds
WHERE payment_id IN (SELECT id FROM payments WHERE order_id = ?) ORDER BY id LIMIT ?`

// RefundsOfOrder returns an order's refunds, the oldest first (indexes payments_by_order, refunds_by_payment).
func (s *Store) RefundsOfOrder(ctx context.Context, orderID string) ([]domain.Refund, error) {
	var rows []refundRow
	if err := s.query(ctx, &rows, refundsOfOrderSQL, orderID, moneyMax); err != nil {
		return nil, fmt.Errorf("list refunds of order %s: %w", orderID, err)
	}
	return convert(rows, refundRow.domain), nil
}

const (
	finishRefundSQL = `
UPDATE refunds SET status = 'done', gateway_ref = ?, updated_at = ? WHERE id = ? AND status = 'due'`
	refundPaymentSQL = `
UPDATE payments SET status = 'refunded', updated_at = ?
WHERE id = (SELECT payment_id FROM refunds WHERE id = ?) AND status = 'captured'`
)

// FinishRefund records that the gateway gave the money back: the refund is done and its payment refunded;
// inside InTx only. It reports false when the refund was not due. ErrVersionConflict when the payment is not
// captured; the transaction must then be given up.
func (s *Store) FinishRefund(ctx context.Context, id, gatewayRef string, at time.Time) (bool, error) {
	s.mustBeBound("FinishRefund")
	n, err := s.exec(ctx, finishRefundSQL, gatewayRef, stamp(at), id)
	if err != nil {
		return false, fmt.Errorf("finish refund %s: %w", id, err)
	}
	if n == 0 {
		return false, nil
	}
	n, err = s.exec(ctx, refundPaymentSQL, stamp(at), id)
	if err := changedOne(n, err, "mark the payment of refund "+id+" refunded"); err != nil {
		return false, err
	}
	return true, nil
}
