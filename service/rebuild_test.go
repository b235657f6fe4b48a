package service_test

import (
	"errors"
	"testing"
	"time"

	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
	"usher/service/servicetest"
)

// A rebuilder that was slow meets a screening that somebody else has rebuilt and opened: what was held there since
// is not among what it drained, so it must leave the screening alone, gate and all.
func TestSlowRebuilderLeavesANewerEpochAlone(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store)
		warm(t, b, sc)
		read, err := b.Store.Screening(t.Context(), sc.ID)
		if err != nil {
			t.Fatal(err)
		}
		warm(t, b, sc) // somebody else
		id := mustHold(t, b, sc, "u1", "k", "A1")
		if err := b.Rebuild.Partition(t.Context(), sc.Partition, []domain.Screening{*read}); err != nil {
			t.Fatal(err)
		}
		if snap, err := b.Redis.Snapshot(t.Context(), sc.Partition, sc.ID); err != nil || snap.Meta.Gate != 0 || snap.Map[0] != 'h' {
			t.Fatalf("gate and map: %+v, %v", snap, err)
		}
		settle(t, b, sc.Partition)
		wantOrder(t, b, id, domain.OrderReserved, domain.ReasonNone)
		b.Agree(t, sc.ID)
	})
}

func TestRepeatIsKnownBeforeItIsSettled(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store, func(o *repotest.Opts) { o.Seats = 4 })
		warm(t, b, sc)
		best := service.HoldRequest{ScreeningID: sc.ID, UserID: "u1", Key: "best", Best: &service.BestRequest{Count: 3}}
		first, err := b.Holds.Place(t.Context(), best)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := b.Holds.Place(t.Context(), best); err != nil || string(again.Body) != string(first.Body) || !again.Repeat {
			t.Errorf("the room has no such block left: %s, %v", again.Body, err)
		}
		setStatus(t, b, sc, domain.ScreeningPaused)
		b.Catalog.Forget(sc.ID)
		if again, err := b.Holds.Place(t.Context(), best); err != nil || string(again.Body) != string(first.Body) {
			t.Errorf("the sale was paused: %s, %v", again.Body, err)
		}
		best.Key = "another"
		if _, err := b.Holds.Place(t.Context(), best); !errors.Is(err, domain.ErrSaleClosed) {
			t.Errorf("a new request: %v", err)
		}
	})
}

func TestDeadLetteredHoldIsStillBeingConfirmed(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store, func(o *repotest.Opts) { o.HoldLife = time.Minute })
		warm(t, b, sc)
		id := mustHold(t, b, sc, "u1", "k", "A1")
		for _, e := range read(t, b, sc.Partition, "w1") {
			e.Broken = errors.New("spoiled by the test")
			if err := b.Settlement.Settle(t.Context(), sc.Partition, []service.Entry{e}); err != nil {
				t.Fatal(err)
			}
		}
		o, err := b.Orders.View(t.Context(), id, "u1", "")
		if err != nil || o.Status != domain.OrderConfirming || len(o.Seats) != 1 {
			t.Fatalf("view = %+v, %v", o, err)
		}
		if _, err := b.Orders.View(t.Context(), id, "u2", ""); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("another user sees %v", err)
		}
		b.Now.Forward(2 * time.Minute)
		if n, err := b.Expiry.Run(t.Context()); err != nil || n != 1 {
			t.Fatalf("expiry ended %d, %v", n, err)
		}
		deliver(t, b)
		wantOrder(t, b, id, domain.OrderExpired, domain.ReasonDeadLetter)
		b.Agree(t, sc.ID)
	})
}

func TestClockIgnoresStepsOfTheWall(t *testing.T) {
	t.Parallel()
	wall := time.Now() //nolint:forbidigo // the one clock with a monotonic reading
	clock := service.NewClock(func() time.Time { return wall }, servicetest.Log())
	began := clock.Now()
	wall = wall.Add(time.Second) // both the wall and the monotonic reading
	if got := clock.Now().Sub(began); got != time.Second {
		t.Errorf("after a second the clock has moved by %s", got)
	}
	if !clock.Usable() {
		t.Error("a clock that agrees is not usable")
	}
}
