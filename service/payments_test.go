package service_test

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
	"usher/service/paygate"
)

var paidBooks = books{
	Status: domain.OrderPaid, Life: "reserved paying paid ", Claims: 2, Remaining: 28, Payments: "captured ", Effects: "confirm/1 ",
}

func TestTenCopiesOfACallbackPayOnce(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		cb := told(domain.CallbackCaptured, d.start(id).PaymentID)
		errs := parallel(10, func(i int) error {
			cb := cb
			if i%2 == 1 {
				cb.ID = "another event of the same payment"
			}
			return d.payments.Receive(context.Background(), cb)
		})
		d.ok("receive", errors.Join(errs...))
		d.same("books", d.read(id), paidBooks)
		d.same("wake-ups", d.kicks.Load(), int64(1))
		d.at(10 * time.Minute)
		d.receive(cb)
		d.receive(told(domain.CallbackDeclined, cb.PaymentID)) // out of order: it was captured since
		d.same("books later", d.read(id), paidBooks)
	})
}

func TestACallbackForNothingIsNotAcknowledged(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		paymentID := d.start(id).PaymentID
		ctx := context.Background()
		d.fails("unknown payment", d.payments.Receive(ctx, told(domain.CallbackCaptured, "none")), domain.ErrNotFound)
		nothing := told(domain.CallbackCaptured, paymentID)
		nothing.AmountMinor = 0
		d.fails("a capture of nothing", d.payments.Receive(ctx, nothing), domain.ErrInvalid)
		foreign := domain.Payment{
			ID: repotest.ID(), OrderID: id, Gateway: "other", Status: domain.PaymentOpen, AmountMinor: 2400, Currency: "EUR",
			CreatedAt: repotest.Now, UpdatedAt: repotest.Now,
		}
		d.ok("add a payment of another gateway", s.InsertPayment(ctx, foreign))
		d.fails("another gateway's payment", d.payments.Receive(ctx, told(domain.CallbackCaptured, foreign.ID)), domain.ErrNotFound)
		d.same("books", d.read(id), books{Status: domain.OrderPaying, Life: "reserved paying ", Claims: 2, Remaining: 28, Payments: "open open "})
	})
}

func TestOnlySignedCallbacksCount(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		ctx := context.Background()
		payment, _, err := d.payments.Own(ctx, d.start(id).PaymentID, buyer)
		d.ok("read the own payment", err)
		_, _, err = d.payments.Own(ctx, payment.ID, "user-2")
		d.fails("somebody else's payment", err, domain.ErrNotFound)

		signed, err := d.gateway.Callbacks(*payment, paygate.Approve, *d.now.Load())
		d.ok("sign", err)
		forged := append([]byte(nil), signed[0].Body...)
		forged[len(forged)-2] ^= 1
		d.fails("altered", d.payments.Accept(ctx, "sandbox", signed[0].Headers, forged), domain.ErrSignature)
		d.fails("unsigned", d.payments.Accept(ctx, "sandbox", service.CallbackHeaders{}, signed[0].Body), domain.ErrSignature)
		d.fails("another gateway", d.payments.Accept(ctx, "other", signed[0].Headers, signed[0].Body), domain.ErrNotFound)
		d.same("status", d.read(id).Status, domain.OrderPaying)
		d.ok("accept", d.payments.Accept(ctx, "sandbox", signed[0].Headers, signed[0].Body))
		d.same("books", d.read(id), paidBooks)
	})
}

func TestAnotherAmountIsRefundedOnItsOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		amount   int64
		currency string
		refund   string
	}{
		{"a cent", 1, "EUR", "due:1:EUR:wrong_amount "},
		{"a cent less", 2399, "EUR", "due:2399:EUR:wrong_amount "},
		{"too much", 2401, "EUR", "due:2401:EUR:wrong_amount "},
		{"other money", 2400, "USD", "due:2400:USD:wrong_amount "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			repotest.Each(t, func(t *testing.T, s *repo.Store) {
				d := newTill(t, s)
				id := d.order()
				cb := told(domain.CallbackCaptured, d.start(id).PaymentID)
				cb.AmountMinor, cb.Currency = c.amount, c.currency
				d.receive(cb)
				d.receive(cb)
				want := books{
					Status: domain.OrderPaying, Life: "reserved paying ", Claims: 2, Remaining: 28,
					Payments: "captured+returned ", Refunds: c.refund, Effects: "refund/1 ",
				}
				d.same("books", d.read(id), want)

				d.receive(told(domain.CallbackCaptured, d.start(id).PaymentID)) // the buyer pays again, the right sum
				got := d.read(id)
				d.same("status and payments", []string{string(got.Status), got.Payments}, []string{"paid", "captured+returned captured "})
				d.deliverRefunds()
				d.same("still paid", d.read(id).Status, domain.OrderPaid)
			})
		})
	}
}

func TestASecondCaptureOfAPaidOrderGoesBack(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		first := d.start(id).PaymentID
		d.receive(told(domain.CallbackDeclined, first))
		second := d.start(id).PaymentID
		if second == first {
			t.Fatal("a declined payment was offered again")
		}
		d.receive(told(domain.CallbackDeclined, first)) // a repeat must not end the second payment
		d.same("status", d.read(id).Status, domain.OrderPaying)
		d.receive(told(domain.CallbackCaptured, second))
		d.receive(told(domain.CallbackCaptured, first)) // the first card went through after all
		d.receive(told(domain.CallbackCaptured, first))
		want := books{
			Status: domain.OrderPaid, Life: "reserved paying reserved paying paid ", Claims: 2, Remaining: 28,
			Payments: "captured+returned captured ", Refunds: "due:2400:EUR:second_capture ", Effects: "confirm/1 refund/1 ",
		}
		d.same("books", d.read(id), want)

		d.deliverRefunds()
		want.Payments, want.Refunds = "refunded+returned captured ", "done:2400:EUR:second_capture "
		d.same("books after the refund", d.read(id), want)

		d.ok("refund the order", d.cancel.Refund(context.Background(), id, buyer))
		d.deliverRefunds()
		d.same("status", d.read(id).Status, domain.OrderRefunded)
	})
}

func TestDeclinedThenCapturedIsPaid(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		paymentID := d.start(id).PaymentID
		d.receive(told(domain.CallbackDeclined, paymentID))
		d.same("books", d.read(id), books{
			Status: domain.OrderReserved, Life: "reserved paying reserved ", Claims: 2, Remaining: 28, Payments: "declined ",
		})
		d.receive(told(domain.CallbackCaptured, paymentID))
		want := paidBooks
		want.Life = "reserved paying reserved paying paid "
		d.same("books after the capture", d.read(id), want)
	})
}

func TestMoneyAfterTheOrderEndedGoesBack(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		cb := told(domain.CallbackCaptured, d.start(id).PaymentID)
		d.at(time.Hour)
		d.expire(id)
		errs := parallel(10, func(int) error { return d.payments.Receive(context.Background(), cb) })
		d.ok("receive", errors.Join(errs...))
		want := books{
			Status: domain.OrderRefunding, Reason: domain.ReasonLateMoney, Life: "reserved paying refunding ", Remaining: 30,
			Payments: "captured+returned ", Refunds: "due:2400:EUR:late_money ", Effects: "refund/1 ",
		}
		d.same("books", d.read(id), want)
		d.deliverRefunds()
		want.Status, want.Life, want.Payments, want.Refunds = domain.OrderRefunded, "reserved paying refunding refunded ", "refunded+returned ", "done:2400:EUR:late_money "
		d.same("books after the refund", d.read(id), want)
	})
}

func TestMoneyForACancelledScreeningGoesBack(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		paymentID := d.start(id).PaymentID
		d.setStatus(domain.ScreeningCancelled)
		d.receive(told(domain.CallbackCaptured, paymentID))
		d.same("books", d.read(id), books{
			Status: domain.OrderPaying, Life: "reserved paying ", Claims: 2, Remaining: 28,
			Payments: "captured+returned ", Refunds: "due:2400:EUR:screening_cancelled ", Effects: "refund/1 ",
		})
	})
}

func TestAnOrderIsRefundedWhenAllItsMoneyIsBack(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newTill(t, s)
		id := d.order()
		first := d.start(id).PaymentID
		d.receive(told(domain.CallbackDeclined, first))
		d.receive(told(domain.CallbackCaptured, d.start(id).PaymentID))
		d.ok("refund", d.cancel.Refund(ctx, id, buyer))
		d.receive(told(domain.CallbackCaptured, first)) // while the other one is on its way back
		due, err := s.DueEffectsOf(ctx, d.screening.ID)
		d.ok("read effects", err)
		var states []domain.OrderStatus
		for _, e := range due {
			if e.Kind == domain.EffectRefund {
				d.ok("deliver", d.payments.DeliverRefund(ctx, e))
				states = append(states, d.read(id).Status)
			}
		}
		d.same("states", states, []domain.OrderStatus{domain.OrderRefunding, domain.OrderRefunded})
	})
}

func TestBookingCodesAreUniqueAndReadable(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		first, _ := d.paid()
		o, err := s.Order(context.Background(), first)
		d.ok("read", err)
		if !regexp.MustCompile(`^[2-9A-HJ-NP-Z]{8}$`).MatchString(o.BookingCode) {
			t.Fatalf("booking code is %q", o.BookingCode)
		}
		codes := []string{o.BookingCode, o.BookingCode, "SECOND22"}
		d.payments.SetCodes(func() string {
			c := codes[0]
			codes = codes[1:]
			return c
		})
		second := d.order(func(o *domain.Order) { o.Seats[0].No, o.Seats[1].No = "A3", "A4" })
		d.receive(told(domain.CallbackCaptured, d.start(second).PaymentID))
		o, err = s.Order(context.Background(), second)
		d.ok("read", err)
		d.same("the drawn code", o.BookingCode, "SECOND22")
	})
}

func TestNoBookingCodeWithDoubtfulSigns(t *testing.T) {
	t.Parallel()
	seen := map[rune]bool{}
	for range 2000 {
		for _, r := range service.NewBookingCode() {
			seen[r] = true
		}
	}
	if len(seen) != 32 {
		t.Errorf("%d different signs, want 32", len(seen))
	}
	for _, r := range "01IO" {
		if seen[r] {
			t.Errorf("%q is among the signs", r)
		}
	}
}

// counting counts the refunds that the gateway was asked for.
type counting struct {
	service.PaymentGateway
	asked []string
}

func (g *counting) Refund(ctx context.Context, p domain.Payment, r domain.Refund) (string, error) {
	g.asked = append(g.asked, p.ID)
	return g.PaymentGateway.Refund(ctx, p, r)
}

func TestRefundOfAnOrderReturnsItsOwnPayment(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		gateway := &counting{PaymentGateway: d.gateway}
		d.paymentsWith(gateway)
		id := d.order()
		wrong := told(domain.CallbackCaptured, d.start(id).PaymentID)
		wrong.AmountMinor = 1200
		d.receive(wrong)
		right := d.start(id).PaymentID
		d.receive(told(domain.CallbackCaptured, right))
		d.ok("refund", d.cancel.Refund(context.Background(), id, buyer))
		want := books{
			Status: domain.OrderRefunding, Reason: domain.ReasonByBuyer, Life: "reserved paying paid refunding ", Remaining: 30,
			Payments: "captured+returned captured ", Refunds: "due:1200:EUR:wrong_amount due:2400:EUR:by_buyer ",
		}
		got := d.read(id)
		got.Effects = "" // compared elsewhere
		d.same("books", got, want)
		d.deliverRefunds() // each twice
		d.same("status", d.read(id).Status, domain.OrderRefunded)
		d.same("refunds asked for", len(gateway.asked), 2)
		if gateway.asked[0] == gateway.asked[1] {
			t.Errorf("payment %s was asked back twice", right)
		}
	})
}

func TestOnlyTheLastOpenPaymentsDeclineMovesTheOrder(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		first := d.start(id).PaymentID
		other := domain.Payment{
			ID: repotest.ID(), OrderID: id, Gateway: "sandbox", Status: domain.PaymentOpen, AmountMinor: 2400, Currency: "EUR",
			CreatedAt: repotest.Now, UpdatedAt: repotest.Now,
		}
		d.ok("add a second open payment", s.InsertPayment(context.Background(), other))
		d.receive(told(domain.CallbackDeclined, first))
		d.same("another one is open", d.read(id).Status, domain.OrderPaying)
		wrong := told(domain.CallbackCaptured, other.ID)
		wrong.AmountMinor = 1
		d.receive(wrong) // none is open now
		d.receive(told(domain.CallbackDeclined, first))
		d.same("after a repeated decline", d.read(id).Status, domain.OrderPaying)
	})
}
