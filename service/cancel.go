package service

import (
	"context"
	"fmt"
	"log/slog"

	"usher/repo"
	"usher/service/domain"
)

// Cancel gives up orders for their buyers: unpaid ones are cancelled, paid ones refunded.
type Cancel struct {
	desk orderDesk
	log  *slog.Logger
}

// NewCancel returns the buyer's way out of an order.
func NewCancel(store *repo.Store, clock *Clock, inFlight InFlight, kick func(), log *slog.Logger) *Cancel {
	return &Cancel{desk: newOrderDesk(store, clock, inFlight, kick), log: log.With("component", "cancel")}
}

// Cancel ends the user's reserved or paying order and gives its seats back. Once it is over (cancelled, or its
// money on the way back) the answer is the same again. An open payment stays open: if money still comes, it is
// late money.
//
// ErrNotFound, ErrConfirming, ErrExpired, ErrLost; ErrOrderState for a paid order, which is refunded instead.
func (c *Cancel) Cancel(ctx context.Context, orderID, userID string) error {
	known, err := c.desk.own(ctx, orderID, userID)
	if err != nil {
		return err
	}
	return c.desk.locked(ctx, known, func(l *lockedOrder) error {
		switch l.order.Status {
		case domain.OrderReserved, domain.OrderPaying:
		case domain.OrderCancelled, domain.OrderRefunding, domain.OrderRefunded:
			return nil
		default:
			return refusal(l.order)
		}
		if err := l.move(ctx, domain.OrderCancelled, actorBuyer, domain.ReasonByBuyer); err != nil {
			return err
		}
		c.log.InfoContext(ctx, "order cancelled", "order_id", l.order.ID)
		return l.release(ctx)
	})
}

// Refund gives the user's paid order back before the screening starts: its seats at once, its money through the
// gateway. A repeat changes nothing.
//
// ErrNotFound, ErrConfirming, ErrExpired, ErrLost; ErrTooLate once the screening has started (unless it was
// cancelled); ErrOrderState for an order that is not paid, which is cancelled instead.
func (c *Cancel) Refund(ctx context.Context, orderID, userID string) error {
	known, err := c.desk.own(ctx, orderID, userID)
	if err != nil {
		return err
	}
	return c.desk.locked(ctx, known, func(l *lockedOrder) error {
		switch l.order.Status {
		case domain.OrderPaid:
		case domain.OrderRefunding, domain.OrderRefunded:
			return nil
		default:
			return refusal(l.order)
		}
		if !l.now.Before(l.screening.StartsAt) && l.screening.Status != domain.ScreeningCancelled {
			return domain.ErrTooLate
		}
		return l.refund(ctx, actorBuyer, domain.ReasonByBuyer)
	})
}

// refund takes a paid order back: seats when it is decided, money when the gateway gives it. An order that cost
// nothing is refunded at once.
func (l *lockedOrder) refund(ctx context.Context, actor string, reason domain.Reason) error {
	if err := l.move(ctx, domain.OrderRefunding, actor, reason); err != nil {
		return err
	}
	if err := l.release(ctx); err != nil {
		return err
	}
	if l.order.AmountMinor == 0 {
		return l.move(ctx, domain.OrderRefunded, actor, reason)
	}
	payments, err := l.tx.PaymentsOfOrder(ctx, l.order.ID)
	if err != nil {
		return err
	}
	for i := range payments {
		if p := &payments[i]; p.Status == domain.PaymentCaptured && !p.Returned {
			return l.returnMoney(ctx, p, p.AmountMinor, reason)
		}
	}
	return fmt.Errorf("refund order %s: it is paid, but none of its %d payments is captured", l.order.ID, len(payments))
}
