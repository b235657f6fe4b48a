package service_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

func TestCancelGivesTheSeatsBackOnce(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		errs := parallel(10, func(int) error { return d.cancel.Cancel(context.Background(), id, buyer) })
		d.ok("cancel", errors.Join(errs...))
		d.same("books", d.read(id), books{
			Status: domain.OrderCancelled, Reason: domain.ReasonByBuyer, Life: "reserved cancelled ", Remaining: 30, Effects: "give_back/1 ",
		})
		d.same("wake-ups", d.kicks.Load(), int64(1))
		_, err := d.checkout.Start(context.Background(), request(id))
		d.fails("pay a cancelled order", err, domain.ErrExpired)
	})
}

func TestCancelOfGeneralAdmission(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s, func(o *repotest.Opts) { o.Kind = domain.KindGeneral })
		id := d.order()
		d.ok("cancel", d.cancel.Cancel(context.Background(), id, buyer))
		d.same("books", d.read(id), books{
			Status: domain.OrderCancelled, Reason: domain.ReasonByBuyer, Life: "reserved cancelled ", Remaining: 100, Effects: "give_back/1 ",
		})
	})
}

func TestCancelThenCapturedAndCapturedThenCancel(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newTill(t, s)
		id := d.order()
		paymentID := d.start(id).PaymentID
		d.ok("cancel", d.cancel.Cancel(ctx, id, buyer))
		d.receive(told(domain.CallbackCaptured, paymentID))
		d.same("cancelled first", d.read(id), books{
			Status: domain.OrderRefunding, Reason: domain.ReasonLateMoney, Life: "reserved paying cancelled refunding ", Remaining: 30,
			Payments: "captured+returned ", Refunds: "due:2400:EUR:late_money ", Effects: "give_back/1 refund/1 ",
		})
		d.ok("cancel again", d.cancel.Cancel(ctx, id, buyer))

		id, _ = d.paid()
		d.fails("cancel a paid order", d.cancel.Cancel(ctx, id, buyer), domain.ErrOrderState)
		d.same("captured first", d.read(id), paidBooks)
	})
}

func TestCancelAgainstCaptureHasOneWinner(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newTill(t, s)
		for round := range 8 {
			id := d.order(func(o *domain.Order) { o.AcceptedAt = o.AcceptedAt.Add(time.Duration(round)) })
			cb := told(domain.CallbackCaptured, d.start(id).PaymentID)
			errs := parallel(2, func(i int) error {
				if i == round%2 {
					return d.cancel.Cancel(ctx, id, buyer)
				}
				return d.payments.Receive(ctx, cb)
			})
			err := errors.Join(errs...)
			switch got := d.read(id); got.Status {
			case domain.OrderPaid:
				d.fails("the late cancel", err, domain.ErrOrderState)
				d.same("books", got, paidBooks)
				d.ok("make room for the next round", d.cancel.Refund(ctx, id, buyer))
			case domain.OrderRefunding:
				d.ok("both", err)
				d.same("payments and claims", []any{got.Payments, got.Claims}, []any{"captured+returned ", 0})
			default:
				t.Fatalf("the order is %s", got.Status)
			}
		}
	})
}

func TestRefundTwiceReturnsTheMoneyOnce(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newTill(t, s)
		id, _ := d.paid()
		errs := parallel(10, func(int) error { return d.cancel.Refund(ctx, id, buyer) })
		d.ok("refund", errors.Join(errs...))
		want := books{
			Status: domain.OrderRefunding, Reason: domain.ReasonByBuyer, Life: "reserved paying paid refunding ", Remaining: 30,
			Payments: "captured ", Refunds: "due:2400:EUR:by_buyer ", Effects: "confirm/1 give_back/1 refund/1 ",
		}
		d.same("books", d.read(id), want)

		due, err := s.DueEffectsOf(ctx, d.screening.ID)
		d.ok("read effects", err)
		errs = parallel(5, func(int) error { return d.payments.DeliverRefund(ctx, due[len(due)-1]) })
		d.ok("deliver", errors.Join(errs...))
		want.Status, want.Life = domain.OrderRefunded, want.Life+"refunded "
		want.Payments, want.Refunds = "refunded ", "done:2400:EUR:by_buyer "
		d.same("books after the delivery", d.read(id), want)
		d.ok("refund once more", d.cancel.Refund(ctx, id, buyer))
		d.same("books in the end", d.read(id), want)
	})
}

func TestSoldRefundedAndSoldAgain(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		for range 2 {
			id, _ := d.paid()
			d.ok("refund", d.cancel.Refund(context.Background(), id, buyer))
			d.deliverRefunds()
			d.same("status", d.read(id).Status, domain.OrderRefunded)
		}
		id, _ := d.paid()
		got := d.read(id)
		d.same("status and claims", []any{got.Status, got.Claims}, []any{domain.OrderPaid, 2})
	})
}

func TestCancelAndRefundRefusals(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newTill(t, s)
		id := d.order()
		soon := repotest.ID()
		d.flying[soon] = buyer
		for name, call := range map[string]func(ctx context.Context, orderID, userID string) error{"cancel": d.cancel.Cancel, "refund": d.cancel.Refund} {
			d.fails(name+" somebody else's", call(ctx, id, "user-2"), domain.ErrNotFound)
			d.fails(name+" unknown", call(ctx, repotest.ID(), buyer), domain.ErrNotFound)
			d.fails(name+" in flight", call(ctx, soon, buyer), domain.ErrConfirming)
		}
		d.fails("refund an unpaid order", d.cancel.Refund(ctx, id, buyer), domain.ErrOrderState)
		d.at(time.Hour)
		d.expire(id)
		d.fails("cancel an expired order", d.cancel.Cancel(ctx, id, buyer), domain.ErrExpired)
		d.fails("refund an expired order", d.cancel.Refund(ctx, id, buyer), domain.ErrExpired)

		paid, _ := d.paid()
		d.at(2 * time.Hour) // the screening starts
		d.fails("refund after the start", d.cancel.Refund(ctx, paid, buyer), domain.ErrTooLate)
		d.setStatus(domain.ScreeningCancelled)
		d.ok("refund of a cancelled screening", d.cancel.Refund(ctx, paid, buyer))
	})
}
