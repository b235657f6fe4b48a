package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"usher/repo"
	"usher/service/domain"
)

// Checkout turns a reserved order into one that is being paid.
type Checkout struct {
	desk    orderDesk
	gateway PaymentGateway
	log     *slog.Logger
}

// NewCheckout returns the checkout of one gateway.
func NewCheckout(store *repo.Store, clock *Clock, gateway PaymentGateway, inFlight InFlight, kick func(), log *slog.Logger) *Checkout {
	return &Checkout{desk: newOrderDesk(store, clock, inFlight, kick), gateway: gateway, log: log.With("component", "checkout")}
}

// CheckoutRequest is what a buyer sends to pay an order. The price is not among it.
type CheckoutRequest struct {
	OrderID string
	UserID  string
	Email   string
	Name    string // may be empty
}

// CheckoutStart says where to pay. Paid is set, and the rest empty, when there is nothing to pay.
type CheckoutStart struct {
	PaymentID string
	PayURL    string
	Paid      bool
}

// checkoutMax is the time from the hold to its last possible end.
const checkoutMax = 15 * time.Minute

// Start begins or goes on with paying. While an order is being paid it has one open payment, and every repeat,
// second tab and double click gets that one; of different addresses the last counts. An order without a price is
// paid at once.
//
// ErrNotFound, ErrConfirming, ErrInvalid (Fields name the form's fields), ErrExpired, ErrLost, ErrOrderState,
// ErrSaleClosed for a cancelled screening; ErrUnavailable when the gateway is away: the payment is recorded, and
// the repeat asks the gateway again.
func (c *Checkout) Start(ctx context.Context, req CheckoutRequest) (CheckoutStart, error) {
	known, err := c.desk.own(ctx, req.OrderID, req.UserID)
	if err != nil {
		return CheckoutStart{}, err
	}
	if err := checkBuyer(&req); err != nil {
		return CheckoutStart{}, err
	}

	var payment *domain.Payment // nil when there is nothing to pay
	err = c.desk.locked(ctx, known, func(l *lockedOrder) error {
		p, err := c.begin(ctx, l, req)
		payment = p
		return err
	})
	if err != nil {
		return CheckoutStart{}, err
	}
	if payment == nil {
		return CheckoutStart{Paid: true}, nil
	}

	payURL, err := c.gateway.Start(ctx, *payment)
	if err != nil {
		return CheckoutStart{}, domain.ErrUnavailable.Because(fmt.Errorf("start payment %s: %w", payment.ID, err))
	}
	return CheckoutStart{PaymentID: payment.ID, PayURL: payURL}, nil
}

// begin decides under the lock and returns the payment to pay.
func (c *Checkout) begin(ctx context.Context, l *lockedOrder, req CheckoutRequest) (*domain.Payment, error) {
	o := l.order
	if o.Status == domain.OrderPaid && o.AmountMinor == 0 {
		return nil, nil // the repeat of a checkout without a price
	}
	if o.Status != domain.OrderReserved && o.Status != domain.OrderPaying {
		return nil, refusal(o)
	}
	if l.screening.Status == domain.ScreeningCancelled {
		return nil, domain.ErrSaleClosed
	}
	if !l.now.Before(o.ExpiresAt) { // the expiry job is about to say the same
		return nil, domain.ErrExpired
	}

	fresh := o.Status == domain.OrderReserved
	if fresh && o.AmountMinor > 0 {
		if err := l.move(ctx, domain.OrderPaying, actorBuyer, domain.ReasonNone); err != nil {
			return nil, err
		}
		extend(o, &l.screening, l.now)
	}
	if fresh || o.Email != req.Email || o.Name != req.Name {
		o.Email, o.Name = req.Email, req.Name
		if err := l.tx.UpdateBuyer(ctx, o); err != nil {
			return nil, err
		}
	}
	if o.AmountMinor == 0 {
		return nil, l.pay(ctx, actorBuyer, c.desk.codes)
	}
	return c.openPayment(ctx, l)
}

// openPayment returns the order's open payment, recorded now when there is none.
func (c *Checkout) openPayment(ctx context.Context, l *lockedOrder) (*domain.Payment, error) {
	p, err := l.tx.OpenPayment(ctx, l.order.ID)
	if err == nil || !errors.Is(err, domain.ErrNotFound) {
		return p, err
	}
	p = &domain.Payment{
		ID: NewID(), OrderID: l.order.ID, Gateway: c.gateway.Name(), Status: domain.PaymentOpen,
		AmountMinor: l.order.AmountMinor, Currency: l.order.Currency, CreatedAt: l.now, UpdatedAt: l.now,
	}
	if err := l.tx.InsertPayment(ctx, *p); err != nil {
		return nil, err
	}
	c.log.InfoContext(ctx, "payment begun", "order_id", p.OrderID, "payment_id", p.ID, "amount_minor", p.AmountMinor, "currency", p.Currency)
	return p, nil
}

// extend gives the buyer one more hold life to pay in, once, never less than there was and never beyond the
// longest time that an order may hold seats.
func extend(o *domain.Order, sc *domain.Screening, now time.Time) {
	if o.Extended {
		return
	}
	o.Extended = true
	until := now.Add(sc.HoldLife)
	if last := o.AcceptedAt.Add(checkoutMax); until.After(last) {
		until = last
	}
	if until.After(o.ExpiresAt) {
		o.ExpiresAt = until
	}
}

// The actors of an order's events that are not staff.
const (
	actorBuyer   = "buyer"
	actorGateway = "gateway"
)
