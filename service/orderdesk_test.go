package service_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
	"usher/service/paygate"
)

// till is a box office with one screening, the sandbox gateway and a clock that stands still.
type till struct {
	t         *testing.T
	store     *repo.Store
	screening *domain.Screening
	now       atomic.Pointer[time.Time]
	kicks     atomic.Int64
	gateway   *paygate.Sandbox
	flying    map[string]string // hold id → user, for holds in flight
	checkout  *service.Checkout
	payments  *service.Payments
	cancel    *service.Cancel
}

const buyer = "user-1"

func newTill(t *testing.T, s *repo.Store, opts ...func(*repotest.Opts)) *till {
	t.Helper()
	d := &till{t: t, store: s, screening: repotest.Screening(t, s, opts...), flying: map[string]string{}}
	d.at(0)
	gateway, err := paygate.NewSandbox([]byte("a secret of the tests"))
	d.ok("make the gateway", err)
	d.gateway = gateway
	d.checkoutWith(gateway)
	d.paymentsWith(gateway)
	d.cancel = service.NewCancel(s, d.clock(), d.inFlight, d.kick, quiet())
	return d
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func (d *till) kick() { d.kicks.Add(1) }

func (d *till) clock() *service.Clock {
	return service.NewClock(func() time.Time { return *d.now.Load() }, quiet())
}

func (d *till) inFlight(_ context.Context, orderID, userID string) (bool, error) {
	return d.flying[orderID] == userID, nil
}

func (d *till) checkoutWith(gateway service.PaymentGateway) {
	d.checkout = service.NewCheckout(d.store, d.clock(), gateway, d.inFlight, d.kick, quiet())
}

func (d *till) paymentsWith(gateway service.PaymentGateway) {
	d.payments = service.NewPayments(d.store, d.clock(), gateway, d.kick, quiet())
}

// at sets the clock to an instant after repotest.Now, when orders are made.
func (d *till) at(after time.Duration) {
	at := repotest.Now.Add(after)
	d.now.Store(&at)
}

func (d *till) ok(verb string, err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatalf("%s: %v", verb, err)
	}
}

func (d *till) fails(verb string, err error, want *domain.Error) {
	d.t.Helper()
	if !errors.Is(err, want) {
		d.t.Fatalf("%s: got %v, want %s", verb, err, want.Code)
	}
}

func (d *till) same(what string, got, want any) {
	d.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		d.t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// order settles a hold of two seats (places) for 24.00, on hold life from now, with its own changes.
func (d *till) order(change ...func(*domain.Order)) string {
	d.t.Helper()
	ctx, now := context.Background(), *d.now.Load()
	o := domain.Order{
		ID: repotest.ID(), ScreeningID: d.screening.ID, UserID: buyer, Status: domain.OrderReserved, Attempt: 1, Quantity: 2,
		AmountMinor: 2400, Currency: "EUR", AcceptedAt: now, ExpiresAt: now.Add(d.screening.HoldLife),
	}
	if d.screening.Kind == domain.KindSeated {
		o.Seats = []domain.SeatRef{{No: "A1", Index: 0, Tier: "standard", PriceMinor: 1200}, {No: "A2", Index: 1, Tier: "standard", PriceMinor: 1200}}
	}
	for _, c := range change {
		c(&o)
	}
	d.ok("settle an order", d.store.InTx(ctx, func(tx *repo.Store) error {
		locked, err := tx.LockScreenings(ctx, []string{d.screening.ID})
		if err != nil {
			return err
		}
		fresh, err := tx.InsertOrders(ctx, []domain.Order{o}, now)
		if err != nil || !fresh[o.ID] {
			return fmt.Errorf("inserted %v: %w", fresh, err)
		}
		var claims []repo.Claim
		for _, seat := range o.Seats {
			claims = append(claims, repo.Claim{ScreeningID: o.ScreeningID, SeatNo: seat.No, SeatIndex: seat.Index, OrderID: o.ID, Kind: domain.HoldByBuyer})
		}
		got, err := tx.InsertClaims(ctx, claims)
		if err != nil || got[o.ID] != len(claims) {
			return fmt.Errorf("claimed %v: %w", got, err)
		}
		took, err := tx.TakeRemaining(ctx, []repo.TakeRemaining{{ScreeningID: o.ScreeningID, N: o.Quantity, Version: locked[0].Version}})
		if err != nil || !took[o.ScreeningID] {
			return fmt.Errorf("took %v: %w", took, err)
		}
		return errors.Join(tx.InsertOrderSeats(ctx, []domain.Order{o}), tx.InsertOrderEvents(ctx, []domain.OrderEvent{{
			OrderID: o.ID, Version: 1, To: o.Status, Actor: "settlement", At: now,
		}}))
	}))
	return o.ID
}

// start begins paying an order as its buyer.
func (d *till) start(orderID string) service.CheckoutStart {
	d.t.Helper()
	got, err := d.checkout.Start(context.Background(), request(orderID))
	d.ok("start checkout", err)
	return got
}

func request(orderID string) service.CheckoutRequest {
	return service.CheckoutRequest{OrderID: orderID, UserID: buyer, Email: "mia@example.org", Name: "Mia"}
}

// told is the callback of a type for a payment of 24.00.
func told(typ domain.CallbackType, paymentID string) domain.Callback {
	return domain.Callback{ID: "evt-" + paymentID, Type: typ, PaymentID: paymentID, GatewayRef: "ref-" + paymentID, AmountMinor: 2400, Currency: "EUR"}
}

func (d *till) receive(cb domain.Callback) {
	d.t.Helper()
	d.ok("receive "+string(cb.Type), d.payments.Receive(context.Background(), cb))
}

// paid makes an order and pays it.
func (d *till) paid() (orderID, paymentID string) {
	d.t.Helper()
	orderID = d.order()
	paymentID = d.start(orderID).PaymentID
	d.receive(told(domain.CallbackCaptured, paymentID))
	return orderID, paymentID
}

// expire ends an order like the expiry job.
func (d *till) expire(orderID string) {
	d.t.Helper()
	ctx := context.Background()
	d.ok("expire", d.store.InTx(ctx, func(tx *repo.Store) error {
		if _, err := tx.LockScreenings(ctx, []string{d.screening.ID}); err != nil {
			return err
		}
		ended, err := tx.ExpireOrders(ctx, []string{orderID}, *d.now.Load(), *d.now.Load())
		if err != nil || len(ended) != 1 {
			return fmt.Errorf("expired %v: %w", ended, err)
		}
		_, err = tx.DeleteClaims(ctx, d.screening.ID, []string{orderID})
		return errors.Join(err, tx.ReturnRemaining(ctx, d.screening.ID, ended[0].Quantity))
	}))
}

// setStatus changes the status of the screening.
func (d *till) setStatus(status domain.ScreeningStatus) {
	d.t.Helper()
	ctx := context.Background()
	sc, err := d.store.Screening(ctx, d.screening.ID)
	d.ok("read the screening", err)
	d.ok("set the screening's status", d.store.UpdateScreeningStatus(ctx, sc.ID, sc.Status, status, sc.Version))
}

// deliverRefunds delivers what refund effects are due, twice each.
func (d *till) deliverRefunds() {
	d.t.Helper()
	ctx := context.Background()
	due, err := d.store.DueEffectsOf(ctx, d.screening.ID)
	d.ok("read effects", err)
	for _, e := range due {
		if e.Kind != domain.EffectRefund {
			continue
		}
		for range 2 {
			d.ok("deliver refund", d.payments.DeliverRefund(ctx, e))
		}
	}
}

// books is what a test compares: the ledger of one order in short.
type books struct {
	Status    domain.OrderStatus
	Reason    domain.Reason
	Life      string // statuses in the order of the events
	Claims    int
	Remaining int
	Payments  string
	Refunds   string
	Effects   string
}

// read returns the books of an order and checks what must always hold.
func (d *till) read(orderID string) books {
	d.t.Helper()
	ctx := context.Background()
	o, err := d.store.Order(ctx, orderID)
	d.ok("read the order", err)
	b := books{Status: o.Status, Reason: o.Reason}
	events, err := d.store.OrderEvents(ctx, orderID)
	d.ok("read events", err)
	for _, e := range events {
		b.Life += string(e.To) + " "
	}
	claims, err := d.store.Claims(ctx, d.screening.ID)
	d.ok("read claims", err)
	b.Claims = len(claims)
	sc, err := d.store.Screening(ctx, d.screening.ID)
	d.ok("read the screening", err)
	b.Remaining = sc.Remaining
	if sc.Kind == domain.KindSeated && sc.Remaining != sc.Capacity-len(claims) {
		d.t.Errorf("remaining is %d, capacity %d, claims %d", sc.Remaining, sc.Capacity, len(claims))
	}
	if (o.Status == domain.OrderPaid) != (o.BookingCode != "") && o.Status.Live() {
		d.t.Errorf("a %s order has booking code %q", o.Status, o.BookingCode)
	}
	d.readMoney(o, &b)
	effects, err := d.store.DueEffectsOf(ctx, d.screening.ID)
	d.ok("read effects", err)
	for _, e := range effects {
		if e.OrderID == orderID {
			b.Effects += fmt.Sprintf("%s/%d ", e.Kind, e.Attempt)
		}
	}
	return b
}

// readMoney adds payments and refunds, and checks that captured money is a paid order or on its way back.
func (d *till) readMoney(o *domain.Order, b *books) {
	d.t.Helper()
	ctx := context.Background()
	payments, err := d.store.PaymentsOfOrder(ctx, o.ID)
	d.ok("read payments", err)
	refunds, err := d.store.RefundsOfOrder(ctx, o.ID)
	d.ok("read refunds", err)
	back := map[string]bool{}
	for _, r := range refunds {
		back[r.PaymentID] = true
		b.Refunds += fmt.Sprintf("%s:%d:%s:%s ", r.Status, r.AmountMinor, r.Currency, r.Reason)
	}
	kept := 0
	for _, p := range payments {
		b.Payments += string(p.Status)
		if p.Returned {
			b.Payments += "+returned"
		}
		b.Payments += " "
		if p.Status == domain.PaymentCaptured && !back[p.ID] {
			kept++
		}
	}
	want := 0
	if o.Status == domain.OrderPaid && o.AmountMinor > 0 {
		want = 1
	}
	if kept != want {
		d.t.Errorf("a %s order keeps %d captured payments, want %d", o.Status, kept, want)
	}
}

// parallel runs fn n times at once and returns the errors.
func parallel(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}
