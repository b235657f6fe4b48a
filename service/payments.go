package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"usher/repo"
	"usher/service/domain"
)

// Reasons of refunds that leave the order as it is.
const (
	reasonWrongAmount   domain.Reason = "wrong_amount"
	reasonSecondCapture domain.Reason = "second_capture"
)

// Payments believes what the gateway says of payments, once, and gives back what cannot stay.
//
// A capture is at most one order's one payment. Whatever else is captured (a second one, another amount, money
// for an order that has ended or a screening that is cancelled) goes back through a refund of its own.
type Payments struct {
	desk    orderDesk
	gateway PaymentGateway
	log     *slog.Logger
}

// NewPayments returns the payments of one gateway.
func NewPayments(store *repo.Store, clock *Clock, gateway PaymentGateway, kick func(), log *slog.Logger) *Payments {
	never := func(context.Context, string, string) (bool, error) { return false, nil } // a payment's order is in the ledger
	return &Payments{desk: newOrderDesk(store, clock, never, kick), gateway: gateway, log: log.With("component", "payments")}
}

// Accept verifies a message to the named gateway's address and receives it. ErrNotFound for another gateway,
// ErrSignature and ErrMalformed from its verification, the rest as Receive.
func (p *Payments) Accept(ctx context.Context, gateway string, h CallbackHeaders, body []byte) error {
	if gateway != p.gateway.Name() {
		return domain.ErrNotFound
	}
	cb, err := p.gateway.Verify(h, body, p.desk.clock.Now())
	if err != nil {
		return err
	}
	return p.Receive(ctx, cb)
}

// Own returns a payment with its order, for its buyer's eyes only. ErrNotFound for everybody else.
func (p *Payments) Own(ctx context.Context, paymentID, userID string) (*domain.Payment, *domain.Order, error) {
	if !isID(paymentID) {
		return nil, nil, domain.ErrNotFound
	}
	payment, err := p.desk.store.Payment(ctx, paymentID)
	if err != nil {
		return nil, nil, err
	}
	order, err := p.desk.own(ctx, payment.OrderID, userID)
	if err != nil {
		return nil, nil, err
	}
	return payment, order, nil
}

// Receive acts on a verified callback. It may come any number of times, in any order and in parallel: a payment
// is captured once, and what follows is decided in that transaction. A nil error acknowledges the message; any
// other makes the gateway repeat it. ErrNotFound when the payment is not (yet) in the ledger, ErrInvalid when a
// capture names no money.
func (p *Payments) Receive(ctx context.Context, cb domain.Callback) error {
	payment, err := p.desk.store.Payment(ctx, cb.PaymentID)
	if err != nil {
		return err
	}
	if payment.Gateway != p.gateway.Name() {
		return fmt.Errorf("payment %s is not of gateway %s: %w", payment.ID, p.gateway.Name(), domain.ErrNotFound)
	}
	if cb.Type == domain.CallbackCaptured && cb.AmountMinor <= 0 {
		return domain.ErrInvalid.With("amount_minor", "A capture is above zero.")
	}
	known, err := p.desk.store.Order(ctx, payment.OrderID)
	if err != nil {
		return err
	}
	return p.desk.locked(ctx, known, func(l *lockedOrder) error {
		payment, err := l.tx.Payment(ctx, cb.PaymentID)
		if err != nil {
			return err
		}
		switch cb.Type {
		case domain.CallbackCaptured:
			return p.captured(ctx, l, payment, cb)
		case domain.CallbackDeclined:
			return p.declined(ctx, l, payment)
		default:
			p.log.WarnContext(ctx, "callback of an unknown type ignored", "type", string(cb.Type), "payment_id", payment.ID)
			return nil
		}
	})
}

func (p *Payments) captured(ctx context.Context, l *lockedOrder, payment *domain.Payment, cb domain.Callback) error {
	log := p.log.With("order_id", l.order.ID, "payment_id", payment.ID, "callback_id", cb.ID)
	if payment.Status == domain.PaymentCaptured || payment.Status == domain.PaymentRefunded {
		log.InfoContext(ctx, "repeated capture ignored", "same_ref", cb.GatewayRef == payment.GatewayRef)
		return nil
	}
	reason := whyReturned(l, payment, cb)
	fresh, err := l.tx.CapturePayment(ctx, payment.ID, cb.GatewayRef, reason != domain.ReasonNone, l.now)
	if err != nil {
		return err
	}
	if !fresh { // the lock makes this impossible; the guard of the row stays the judge
		return fmt.Errorf("capture payment %s: %w", payment.ID, domain.ErrVersionConflict)
	}
	if reason == domain.ReasonNone {
		log.InfoContext(ctx, "order paid")
		return l.pay(ctx, actorGateway, p.desk.codes)
	}

	log.WarnContext(ctx, "captured money goes back", "reason", string(reason), "order_status", string(l.order.Status),
		"amount_minor", cb.AmountMinor, "currency", cb.Currency, "asked_minor", payment.AmountMinor, "asked_currency", payment.Currency)
	if reason == domain.ReasonLateMoney {
		if err := l.move(ctx, domain.OrderRefunding, actorGateway, reason); err != nil {
			return err
		}
	}
	back := *payment
	back.Currency = cb.Currency // what was taken is what returns
	return l.returnMoney(ctx, &back, cb.AmountMinor, reason)
}

// whyReturned says why a capture cannot be the order's one payment; ReasonNone when it can.
func whyReturned(l *lockedOrder, payment *domain.Payment, cb domain.Callback) domain.Reason {
	if cb.AmountMinor != payment.AmountMinor || cb.Currency != payment.Currency {
		return reasonWrongAmount
	}
	switch l.order.Status {
	case domain.OrderReserved, domain.OrderPaying:
		if l.screening.Status == domain.ScreeningCancelled { // its orders are about to end
			return domain.ReasonScreeningCancelled
		}
		return domain.ReasonNone
	case domain.OrderExpired, domain.OrderCancelled, domain.OrderFailed:
		return domain.ReasonLateMoney
	default: // paid, or its money is on the way back
		return reasonSecondCapture
	}
}

// declined lets the buyer try again. Only the payment that was declined just now moves the order, and only while
// no other one is open.
func (p *Payments) declined(ctx context.Context, l *lockedOrder, payment *domain.Payment) error {
	changed, err := l.tx.DeclinePayment(ctx, payment.ID, l.now)
	if err != nil || !changed || l.order.Status != domain.OrderPaying {
		return err
	}
	if _, err := l.tx.OpenPayment(ctx, l.order.ID); !errors.Is(err, domain.ErrNotFound) {
		return err // nil when another one is open
	}
	return l.move(ctx, domain.OrderReserved, actorGateway, domain.ReasonNone)
}
