package service

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"usher/repo"
	"usher/service/domain"
)

// orderDesk is what Checkout, Payments and Cancel share: an order is changed only under its screening's row lock,
// read again there, and its effects are written in the same transaction.
type orderDesk struct {
	store    *repo.Store
	clock    *Clock
	inFlight InFlight
	kick     func() // wakes the effects runner; losing the call costs a second, nothing else
	codes    func() string
}

func newOrderDesk(store *repo.Store, clock *Clock, inFlight InFlight, kick func()) orderDesk {
	return orderDesk{store: store, clock: clock, inFlight: inFlight, kick: kick, codes: newBookingCode}
}

// own returns the user's order. Somebody else's is ErrNotFound like one that is not there; ErrConfirming while
// the hold is on its way into the ledger.
func (d *orderDesk) own(ctx context.Context, orderID, userID string) (*domain.Order, error) {
	if !isID(orderID) {
		return nil, domain.ErrNotFound
	}
	order, err := d.store.Order(ctx, orderID)
	switch {
	case errors.Is(err, domain.ErrNotFound):
		flying, err := d.inFlight(ctx, orderID, userID)
		if err != nil {
			return nil, fmt.Errorf("look for hold %s in flight: %w", orderID, err)
		}
		if flying {
			return nil, domain.ErrConfirming
		}
		return nil, domain.ErrNotFound
	case err != nil:
		return nil, err
	case order.UserID != userID:
		return nil, domain.ErrNotFound
	}
	return order, nil
}

// lockedOrder is an order under the row lock of its screening, and what the transaction decides about it.
type lockedOrder struct {
	tx        *repo.Store
	screening domain.Screening
	order     *domain.Order
	now       time.Time
	effects   []domain.Effect
}

// lockTries bounds how often a transaction runs again because its booking code was drawn by another one.
const lockTries = 3

// locked runs fn in one transaction that begins with the lock of the order's screening. The clock is read under
// the lock. Effects that fn adds are written last.
func (d *orderDesk) locked(ctx context.Context, known *domain.Order, fn func(l *lockedOrder) error) error {
	var wrote bool
	run := func(tx *repo.Store) error {
		screenings, err := tx.LockScreenings(ctx, []string{known.ScreeningID})
		if err != nil {
			return err
		}
		if len(screenings) == 0 {
			return fmt.Errorf("lock screening of order %s: %w", known.ID, domain.ErrNotFound)
		}
		order, err := tx.Order(ctx, known.ID)
		if err != nil {
			return err
		}
		l := &lockedOrder{tx: tx, screening: screenings[0], order: order, now: d.clock.Now()}
		if err := fn(l); err != nil {
			return err
		}
		wrote = len(l.effects) > 0
		return tx.InsertEffects(ctx, l.effects)
	}
	var err error
	for range lockTries {
		wrote = false
		if err = d.store.InTx(ctx, run); !errors.Is(err, domain.ErrDuplicate) {
			break
		}
	}
	if err == nil && wrote {
		d.kick()
	}
	return err
}

// move makes one transition; a second one in the same transaction goes on from there.
func (l *lockedOrder) move(ctx context.Context, to domain.OrderStatus, actor string, reason domain.Reason) error {
	err := l.tx.MoveOrder(ctx, repo.OrderMove{
		OrderID: l.order.ID, Version: l.order.Version, From: l.order.Status, To: to, Actor: actor, Reason: reason, At: l.now,
	})
	if err != nil {
		return err
	}
	l.order.Status, l.order.Reason = to, reason
	l.order.Version++
	return nil
}

// pay turns a reserved or paying order into a paid one with a booking code.
func (l *lockedOrder) pay(ctx context.Context, actor string, code func() string) error {
	if l.order.Status == domain.OrderReserved {
		if err := l.move(ctx, domain.OrderPaying, actor, domain.ReasonNone); err != nil {
			return err
		}
	}
	if err := l.move(ctx, domain.OrderPaid, actor, domain.ReasonNone); err != nil {
		return err
	}
	if err := l.giveCode(ctx, code); err != nil {
		return err
	}
	l.decide(domain.EffectConfirm, "")
	return nil
}

// codeTries bounds the draws of one transaction. Of 32^8 codes one in use is met about never.
const codeTries = 8

func (l *lockedOrder) giveCode(ctx context.Context, code func() string) error {
	for range codeTries {
		c := code()
		taken, err := l.tx.BookingCodeTaken(ctx, c)
		if err != nil {
			return fmt.Errorf("look for booking code: %w", err)
		}
		if !taken {
			return l.tx.SetBookingCode(ctx, l.order.ID, c)
		}
	}
	return fmt.Errorf("draw a booking code for order %s: %d draws were taken", l.order.ID, codeTries)
}

// release gives the seats back: claims go, remaining returns by what really was claimed, and the hold store is
// told for this attempt only. The caller has moved the order already.
func (l *lockedOrder) release(ctx context.Context) error {
	n, err := l.tx.DeleteClaims(ctx, l.screening.ID, []string{l.order.ID})
	if err != nil {
		return err
	}
	if l.screening.Kind == domain.KindGeneral { // places are counted, not claimed
		n = int64(l.order.Quantity)
	}
	if n > 0 {
		if err := l.tx.ReturnRemaining(ctx, l.screening.ID, int(n)); err != nil {
			return err
		}
	}
	l.decide(domain.EffectGiveBack, "")
	return nil
}

// returnMoney records that a captured payment goes back; the effect asks the gateway. A payment has one refund.
func (l *lockedOrder) returnMoney(ctx context.Context, p *domain.Payment, amountMinor int64, reason domain.Reason) error {
	r := domain.Refund{
		ID: NewID(), PaymentID: p.ID, OrderID: l.order.ID, Status: domain.RefundDue, AmountMinor: amountMinor, Currency: p.Currency,
		Reason: reason, CreatedAt: l.now, UpdatedAt: l.now,
	}
	fresh, err := l.tx.InsertRefund(ctx, r)
	if err != nil {
		return err
	}
	if fresh {
		l.decide(domain.EffectRefund, r.ID)
	}
	return nil
}

func (l *lockedOrder) decide(kind domain.EffectKind, ref string) {
	l.effects = append(l.effects, domain.Effect{
		ID: NewID(), Kind: kind, ScreeningID: l.screening.ID, OrderID: l.order.ID, Attempt: l.order.Attempt, Ref: ref, CreatedAt: l.now,
	})
}

// refusal says why an order in this state can be neither paid nor given up.
func refusal(o *domain.Order) error {
	switch o.Status {
	case domain.OrderExpired, domain.OrderCancelled, domain.OrderFailed:
		if o.Reason == domain.ReasonLost {
			return domain.ErrLost
		}
		return domain.ErrExpired.With("status", string(o.Status)).With("reason", string(o.Reason))
	default:
		return domain.ErrOrderState.With("status", string(o.Status))
	}
}

// bookingAlphabet has 32 signs, without 0, 1, I and O, which people mistake for each other.
const bookingAlphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

const bookingCodeLength = 8

func newBookingCode() string {
	b := make([]byte, bookingCodeLength)
	_, _ = rand.Read(b) // never fails
	for i := range b {
		b[i] = bookingAlphabet[b[i]%32]
	}
	return string(b)
}
