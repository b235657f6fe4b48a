package repo_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

func payment(id, orderID string) domain.Payment {
	return domain.Payment{
		ID: id, OrderID: orderID, Gateway: "sandbox", Status: domain.PaymentOpen, AmountMinor: 2400, Currency: "EUR",
		CreatedAt: repotest.Now, UpdatedAt: repotest.Now,
	}
}

func refund(id, paymentID, orderID string) domain.Refund {
	return domain.Refund{
		ID: id, PaymentID: paymentID, OrderID: orderID, Status: domain.RefundDue, AmountMinor: 2400, Currency: "EUR",
		Reason: domain.ReasonByStaff, CreatedAt: repotest.Now, UpdatedAt: repotest.Now,
	}
}

func TestPaymentsOfAnOrder(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		_, err := s.OpenPayment(ctx, "o1")
		wantErr(t, "no payment at all", err, domain.ErrNotFound)
		p1, p2, p3, far := payment("p1", "o1"), payment("p2", "o1"), payment("p3", "o1"), payment("p4", "o2")
		p1.Status, p1.GatewayRef, p1.Returned = domain.PaymentDeclined, "gw-1", true
		for _, p := range []domain.Payment{far, p3, p1, p2} { // two without a gateway's id do not collide
			wantNil(t, "add a payment", s.InsertPayment(ctx, p))
		}

		list, err := s.PaymentsOfOrder(ctx, "o1")
		wantNil(t, "list", err)
		wantSame(t, "payments of the order", list, []domain.Payment{p1, p2, p3})
		got, err := s.Payment(ctx, "p1")
		wantNil(t, "read", err)
		wantSame(t, "payment", got, &p1)
		got, err = s.OpenPayment(ctx, "o1")
		wantNil(t, "read the open one", err)
		wantSame(t, "latest open payment", got, &p3)

		_, err = s.Payment(ctx, "none")
		wantErr(t, "unknown payment", err, domain.ErrNotFound)
		again := payment("p5", "o3")
		again.GatewayRef = "gw-1"
		wantErr(t, "gateway's id in use", s.InsertPayment(ctx, again), domain.ErrDuplicate)
		again.Gateway = "other"
		wantNil(t, "the same id at another gateway", s.InsertPayment(ctx, again))
	})
}

func TestPaymentTransitionsAreGuarded(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx, later := context.Background(), repotest.Now.Add(time.Minute)
		step := func(what string, changed bool, err error, want bool) {
			t.Helper()
			wantNil(t, what, err)
			wantSame(t, what, changed, want)
		}
		want := payment("p1", "o1")
		wantNil(t, "add", s.InsertPayment(ctx, want))
		ok, err := s.DeclinePayment(ctx, "p1", repotest.Now)
		step("decline an open one", ok, err, true)
		ok, err = s.DeclinePayment(ctx, "p1", repotest.Now)
		step("decline it again", ok, err, false)
		ok, err = s.CapturePayment(ctx, "p1", "gw-1", true, later)
		step("capture a declined one", ok, err, true)
		ok, err = s.CapturePayment(ctx, "p1", "gw-2", false, later.Add(time.Hour))
		step("capture it again", ok, err, false)
		ok, err = s.DeclinePayment(ctx, "p1", later.Add(time.Hour))
		step("decline a captured one", ok, err, false)
		ok, err = s.CapturePayment(ctx, "none", "gw-3", false, later)
		step("capture an unknown one", ok, err, false)

		want.Status, want.GatewayRef, want.Returned, want.UpdatedAt = domain.PaymentCaptured, "gw-1", true, later
		got, err := s.Payment(ctx, "p1")
		wantNil(t, "read", err)
		wantSame(t, "captured payment", got, &want)

		wantNil(t, "add another", s.InsertPayment(ctx, payment("p2", "o1")))
		_, err = s.CapturePayment(ctx, "p2", "gw-1", false, later)
		wantErr(t, "the gateway's id of another payment", err, domain.ErrDuplicate)
	})
}

func TestACaptureIsRecordedOnce(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		wantNil(t, "add", s.InsertPayment(ctx, payment("p1", "o1")))
		var all sync.WaitGroup
		var changed atomic.Int32
		for range 8 {
			all.Go(func() {
				ok, err := s.CapturePayment(ctx, "p1", "gw-1", false, repotest.Now)
				if err != nil {
					t.Error(err)
				}
				if ok {
					changed.Add(1)
				}
			})
		}
		all.Wait()
		wantSame(t, "captures that changed the row", changed.Load(), int32(1))
	})
}

func TestRefunds(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx, later := context.Background(), repotest.Now.Add(time.Minute)
		for _, id := range []string{"p1", "p2", "p3"} {
			wantNil(t, "add a payment", s.InsertPayment(ctx, payment(id, "o1")))
		}
		_, err := s.CapturePayment(ctx, "p1", "gw-1", false, repotest.Now)
		wantNil(t, "capture", err)
		r1, r2 := refund("r1", "p1", "o1"), refund("r2", "p2", "o1")
		for _, tc := range []struct {
			what   string
			refund domain.Refund
			want   bool
		}{
			{"first", r1, true},
			{"the same again", r1, false},
			{"another of the same payment", refund("r9", "p1", "o1"), false},
			{"of another payment", r2, true},
		} {
			added, err := s.InsertRefund(ctx, tc.refund)
			wantNil(t, tc.what, err)
			wantSame(t, tc.what, added, tc.want)
		}
		_, err = s.InsertRefund(ctx, refund("r3", "none", "o1"))
		wantErr(t, "of no payment", err, domain.ErrInvalid)
		nothing := refund("r3", "p3", "o1")
		nothing.AmountMinor = 0
		_, err = s.InsertRefund(ctx, nothing)
		wantErr(t, "of nothing", err, domain.ErrInvalid)
		list, err := s.RefundsOfOrder(ctx, "o1")
		wantNil(t, "list", err)
		wantSame(t, "refunds of the order", list, []domain.Refund{r1, r2})

		finish := func(id string) (done bool, err error) {
			err = s.InTx(ctx, func(tx *repo.Store) error {
				done, err = tx.FinishRefund(ctx, id, "back-"+id, later)
				return err
			})
			return done, err
		}
		for i, want := range []bool{true, false} {
			done, err := finish("r1")
			wantNil(t, "finish", err)
			if done != want {
				t.Errorf("finish %d: got %v, want %v", i+1, done, want)
			}
		}
		_, err = finish("r2")
		wantErr(t, "the payment was never captured", err, domain.ErrVersionConflict)

		r1.Status, r1.GatewayRef, r1.UpdatedAt = domain.RefundDone, "back-r1", later
		got, err := s.Refund(ctx, "r1")
		wantNil(t, "read", err)
		wantSame(t, "finished refund", got, &r1)
		got, err = s.Refund(ctx, "r2")
		wantNil(t, "read", err)
		wantSame(t, "a refused finish left nothing", got, &r2)
		p, err := s.Payment(ctx, "p1")
		wantNil(t, "read the payment", err)
		wantSame(t, "payment", p.Status, domain.PaymentRefunded)
		_, err = s.Refund(ctx, "none")
		wantErr(t, "unknown refund", err, domain.ErrNotFound)
	})
}

// domainMessage is the part of an error that people may see.
func domainMessage(err error) string {
	var e *domain.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return ""
}
