package service_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
)

func TestCheckoutStartsOnePayment(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		first := d.start(id)
		if first.PaymentID == "" || first.PayURL != "/pay/sandbox/"+first.PaymentID || first.Paid {
			t.Fatalf("got %+v, want a payment and its page", first)
		}
		d.same("the repeat", d.start(id), first)
		d.same("books", d.read(id), books{
			Status: domain.OrderPaying, Life: "reserved paying ", Claims: 2, Remaining: 28, Payments: "open ",
		})
		o, err := s.Order(context.Background(), id)
		d.ok("read the order", err)
		d.same("buyer", []string{o.Email, o.Name}, []string{"mia@example.org", "Mia"})
		p, err := s.Payment(context.Background(), first.PaymentID)
		d.ok("read the payment", err)
		d.same("payment", []any{p.AmountMinor, p.Currency, p.Gateway}, []any{int64(2400), "EUR", "sandbox"})
	})
}

func TestTwentyClicksOnPayAreOnePayment(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		got := make([]service.CheckoutStart, 20)
		errs := parallel(len(got), func(i int) (err error) {
			got[i], err = d.checkout.Start(context.Background(), request(id))
			return err
		})
		d.ok("start", errors.Join(errs...))
		for _, g := range got {
			d.same("answer", g, got[0])
		}
		d.same("books", d.read(id), books{
			Status: domain.OrderPaying, Life: "reserved paying ", Claims: 2, Remaining: 28, Payments: "open ",
		})
	})
}

func TestCheckoutExtendsOnceAndNeverBeyondFifteenMinutes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		life, wait time.Duration
		want       time.Duration // end of the order after its beginning
	}{
		{"one more life", 5 * time.Minute, 3 * time.Minute, 8 * time.Minute},
		{"up to the cap", 10 * time.Minute, 9 * time.Minute, 15 * time.Minute},
		{"never shorter", 30 * time.Minute, time.Minute, 30 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			repotest.Each(t, func(t *testing.T, s *repo.Store) {
				d := newTill(t, s, func(o *repotest.Opts) { o.HoldLife = c.life })
				id := d.order()
				d.at(c.wait)
				paymentID := d.start(id).PaymentID
				d.wantEnd(id, c.want)
				d.at(c.wait + time.Minute)
				d.start(id)
				d.wantEnd(id, c.want)
				d.receive(told(domain.CallbackDeclined, paymentID)) // reserved again; a second checkout does not extend
				d.start(id)
				d.wantEnd(id, c.want)
			})
		})
	}
}

func (d *till) wantEnd(orderID string, after time.Duration) {
	d.t.Helper()
	o, err := d.store.Order(context.Background(), orderID)
	d.ok("read the order", err)
	d.same("end of the order", o.ExpiresAt.Sub(o.AcceptedAt), after)
	d.same("first end and extended", []any{o.FirstExpiresAt.Sub(o.AcceptedAt), o.Extended}, []any{d.screening.HoldLife, true})
}

func TestCheckoutRefusals(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		d := newTill(t, s)
		id := d.order()
		try := func(change func(*service.CheckoutRequest)) error {
			req := request(id)
			change(&req)
			_, err := d.checkout.Start(ctx, req)
			return err
		}
		d.fails("somebody else's", try(func(r *service.CheckoutRequest) { r.UserID = "user-2" }), domain.ErrNotFound)
		d.fails("unknown", try(func(r *service.CheckoutRequest) { r.OrderID = repotest.ID() }), domain.ErrNotFound)
		soon := repotest.ID()
		d.flying[soon] = buyer
		d.fails("in flight", try(func(r *service.CheckoutRequest) { r.OrderID = soon }), domain.ErrConfirming)
		d.fails("somebody else's in flight", try(func(r *service.CheckoutRequest) { r.OrderID, r.UserID = soon, "user-2" }), domain.ErrNotFound)

		for _, email := range []string{"", "mia", "mia@", "Mia <mia@example.org>", "a@b c.de", "a@b\r\nBcc: x@y.z", strings.Repeat("x", 250) + "@y.zz"} {
			err := try(func(r *service.CheckoutRequest) { r.Email = email })
			d.fails("e-mail "+email, err, domain.ErrInvalid)
			d.wantField(err, "email")
		}
		err := try(func(r *service.CheckoutRequest) { r.Name = "a\x00b" })
		d.fails("name", err, domain.ErrInvalid)
		d.wantField(err, "name")
		d.same("books", d.read(id), books{Status: domain.OrderReserved, Life: "reserved ", Claims: 2, Remaining: 28})

		d.at(10 * time.Minute)
		d.fails("time is up", try(func(*service.CheckoutRequest) {}), domain.ErrExpired)
		d.at(11 * time.Minute)
		d.expire(id)
		d.fails("expired", try(func(*service.CheckoutRequest) {}), domain.ErrExpired)
	})
}

func (d *till) wantField(err error, field string) {
	d.t.Helper()
	var e *domain.Error
	if !errors.As(err, &e) || e.Fields[field] == nil || len(e.Fields) != 1 {
		d.t.Fatalf("got %v, want the field %s and no other", err, field)
	}
}

func TestCheckoutOfAScreeningThatIsNotOnSale(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		for _, status := range []domain.ScreeningStatus{domain.ScreeningPaused, domain.ScreeningClosed} {
			d.setStatus(status)
			d.start(id)
		}
		d.setStatus(domain.ScreeningCancelled)
		_, err := d.checkout.Start(context.Background(), request(id))
		d.fails("cancelled screening", err, domain.ErrSaleClosed)
	})
}

func TestCheckoutWithoutAPriceIsPaidAtOnce(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s, func(o *repotest.Opts) { o.Kind = domain.KindGeneral })
		id := d.order(func(o *domain.Order) { o.AmountMinor = 0 })
		errs := parallel(5, func(int) error {
			got, err := d.checkout.Start(context.Background(), request(id))
			if err == nil && got != (service.CheckoutStart{Paid: true}) {
				t.Errorf("got %+v, want paid and nothing to pay", got)
			}
			return err
		})
		d.ok("start", errors.Join(errs...))
		d.same("books", d.read(id), books{Status: domain.OrderPaid, Life: "reserved paying paid ", Remaining: 98, Effects: "confirm/1 "})
		d.ok("refund", d.cancel.Refund(context.Background(), id, buyer))
		d.same("books after the refund", d.read(id), books{
			Status: domain.OrderRefunded, Reason: domain.ReasonByBuyer, Life: "reserved paying paid refunding refunded ",
			Remaining: 100, Effects: "confirm/1 give_back/1 ",
		})
	})
}

// gatewayAway is a gateway that cannot be reached for a while.
type gatewayAway struct {
	service.PaymentGateway
	away bool
}

func (g *gatewayAway) Start(ctx context.Context, p domain.Payment) (string, error) {
	if g.away {
		return "", errors.New("no route")
	}
	return g.PaymentGateway.Start(ctx, p)
}

func TestCheckoutGoesOnWithTheRecordedPaymentAfterTheGatewayWasAway(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		gateway := &gatewayAway{PaymentGateway: d.gateway, away: true}
		d.checkoutWith(gateway)
		id := d.order()
		_, err := d.checkout.Start(context.Background(), request(id))
		d.fails("gateway away", err, domain.ErrUnavailable)
		recorded, err := s.OpenPayment(context.Background(), id)
		d.ok("read the recorded payment", err)
		gateway.away = false
		d.same("payment", d.start(id).PaymentID, recorded.ID)
	})
}

func TestTheLastAddressOfTheCheckoutCounts(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s)
		id := d.order()
		d.start(id)
		req := request(id)
		req.Email, req.Name = "  Mia.Berg@Example.ORG ", " Mia Berg "
		_, err := d.checkout.Start(context.Background(), req)
		d.ok("start again", err)
		o, err := s.Order(context.Background(), id)
		d.ok("read", err)
		d.same("buyer", []string{o.Email, o.Name}, []string{"mia.berg@example.org", "Mia Berg"})
	})
}

// asked remembers what the gateway was asked for.
type asked struct {
	service.PaymentGateway
	payments []domain.Payment
}

func (g *asked) Start(ctx context.Context, p domain.Payment) (string, error) {
	g.payments = append(g.payments, p)
	return g.PaymentGateway.Start(ctx, p)
}

func TestTheGatewayIsAskedForMinorUnitsAsTheyAre(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		d := newTill(t, s, func(o *repotest.Opts) { o.Kind = domain.KindGeneral })
		gateway := &asked{PaymentGateway: d.gateway}
		d.checkoutWith(gateway)
		for _, c := range []struct {
			currency string
			amount   int64
		}{{"JPY", 5400}, {"KWD", 8265}, {"EUR", 5000}, {"EUR", 30}} { // currencies of 0, 3 and 2 decimals
			id := d.order(func(o *domain.Order) { o.AmountMinor, o.Currency = c.amount, c.currency })
			paymentID := d.start(id).PaymentID
			got := gateway.payments[len(gateway.payments)-1]
			d.same("asked", []any{got.ID, got.AmountMinor, got.Currency}, []any{paymentID, c.amount, c.currency})
			cb := told(domain.CallbackCaptured, paymentID)
			cb.AmountMinor, cb.Currency = c.amount*100, c.currency
			d.receive(cb) // a hundredfold is another amount
			d.same("status", d.read(id).Status, domain.OrderPaying)
		}
	})
}
