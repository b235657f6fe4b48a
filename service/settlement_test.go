package service_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
	"usher/service/servicetest"
)

// stepwise boxes run no loops: the test takes every step itself.
var stepwise = servicetest.Options{Quiet: true, Ack: service.AckRedis, Settlement: service.SettlementOptions{ConflictBase: time.Millisecond, TakeOverIdle: 50 * time.Millisecond}}

// warm brings the screening into the hold store.
func warm(t *testing.T, b *servicetest.Box, sc *domain.Screening) {
	t.Helper()
	if err := b.Settlement.EnsureGroups(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Rebuild.Force(t.Context(), sc.ID); err != nil {
		t.Fatalf("warm: %v", err)
	}
}

// read delivers everything that is new to the consumer.
func read(t *testing.T, b *servicetest.Box, p int, consumer string) []service.Entry {
	t.Helper()
	entries, err := b.Settlement.Claim(t.Context(), p, consumer, 0)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return entries
}

// settle settles everything that is new and delivers all effects.
func settle(t *testing.T, b *servicetest.Box, p int) {
	t.Helper()
	if err := b.Settlement.Settle(t.Context(), p, read(t, b, p, "w1")); err != nil {
		t.Fatalf("settle: %v", err)
	}
	deliver(t, b)
}

func deliver(t *testing.T, b *servicetest.Box) {
	t.Helper()
	for range 100 {
		n, err := b.Effects.DeliverDue(t.Context())
		if err != nil {
			t.Fatalf("effects: %v", err)
		}
		if n == 0 {
			return
		}
	}
	t.Fatal("effects never end")
}

func mustHold(t *testing.T, b *servicetest.Box, sc *domain.Screening, user, key string, seats ...string) string {
	t.Helper()
	p, err := b.Hold(t.Context(), sc, user, key, seats...)
	if err != nil {
		t.Fatalf("hold %v: %v", seats, err)
	}
	return p.HoldID
}

func wantOrder(t *testing.T, b *servicetest.Box, id string, status domain.OrderStatus, reason domain.Reason) *domain.Order {
	t.Helper()
	o, err := b.Store.Order(t.Context(), id)
	if err != nil {
		t.Fatalf("order %s: %v", id, err)
	}
	if o.Status != status || o.Reason != reason {
		t.Errorf("order is %s / %s, want %s / %s", o.Status, o.Reason, status, reason)
	}
	return o
}

func TestBatchTwiceSettlesOnce(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store)
		warm(t, b, sc)
		id := mustHold(t, b, sc, "u1", "k", "A1", "A2")
		entries := read(t, b, sc.Partition, "w1")
		for range 3 {
			if err := b.Settlement.Settle(t.Context(), sc.Partition, entries); err != nil {
				t.Fatal(err)
			}
		}
		wantOrder(t, b, id, domain.OrderReserved, domain.ReasonNone)
		deliver(t, b)
		b.Agree(t, sc.ID)
		row, _ := b.Store.Screening(t.Context(), sc.ID)
		if row.Remaining != 28 {
			t.Errorf("remaining = %d", row.Remaining)
		}
	})
}

// TRACES 9: the hold lands after its own end.
func TestHoldLandsAfterItsOwnEnd(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store)
		warm(t, b, sc)
		id := mustHold(t, b, sc, "u1", "k", "A1")
		entries := read(t, b, sc.Partition, "w1")
		err := b.Store.InTx(t.Context(), func(tx *repo.Store) error {
			_, err := tx.InsertOrders(t.Context(), []domain.Order{{
				ID: id, ScreeningID: sc.ID, UserID: "u1", Status: domain.OrderCancelled, Attempt: 1, Quantity: 1, AcceptedAt: repotest.Now, ExpiresAt: repotest.Now,
			}}, repotest.Now)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Settlement.Settle(t.Context(), sc.Partition, entries); err != nil {
			t.Fatal(err)
		}
		deliver(t, b)
		b.Agree(t, sc.ID) // A1 is free again in both stores
		wantOrder(t, b, id, domain.OrderCancelled, domain.ReasonNone)
	})
}

// TRACES 6: a batch read before the loss is settled after the rebuild.
func TestBatchReadBeforeALossIsFenced(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store)
		warm(t, b, sc)
		id := mustHold(t, b, sc, "u1", "k", "A1")
		entries := read(t, b, sc.Partition, "w1")
		if err := b.Redis.Done(t.Context(), sc.Partition, entries); err != nil { // the loss: nobody owes the entry any more
			t.Fatal(err)
		}
		warm(t, b, sc)
		if err := b.Settlement.Settle(t.Context(), sc.Partition, entries); err != nil {
			t.Fatal(err)
		}
		deliver(t, b)
		wantOrder(t, b, id, domain.OrderFailed, domain.ReasonLost)
		b.Agree(t, sc.ID)
	})
}

// TRACES 11 and BC-47: a second hold for a claimed seat, and one under a key that an order has.
func TestConflictingHoldsAreRepaired(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store)
		warm(t, b, sc)
		first := mustHold(t, b, sc, "u1", "k", "A1", "A2")
		settle(t, b, sc.Partition)
		now, err := b.Catalog.Screening(t.Context(), sc.ID)
		if err != nil {
			t.Fatal(err)
		}
		// The hold store loses the first hold's record and owners: a second buyer is promised A2 and A3.
		ref := holdstore.Ref{Partition: sc.Partition, ScreeningID: sc.ID, HoldID: first, Attempt: 1}
		if _, err := b.Redis.GiveBack(t.Context(), ref, nil, b.Clock.Now()); err != nil {
			t.Fatal(err)
		}
		second := mustHold(t, b, &now.Screening, "u2", "k", "A2", "A3")
		settle(t, b, sc.Partition)
		o := wantOrder(t, b, second, domain.OrderFailed, domain.ReasonSeatConflict)
		if len(o.Seats) != 2 {
			t.Errorf("the failed order's history names %v", o.Seats)
		}
		snap, err := b.Redis.Snapshot(t.Context(), sc.Partition, sc.ID)
		if err != nil {
			t.Fatal(err)
		}
		if snap.Map[:3] != ".h." || snap.Owners[1] != first {
			t.Errorf("map %q, A2 is owned by %q, want by %q", snap.Map[:3], snap.Owners[1], first)
		}
		if _, ok := snap.Holds[second]; ok || snap.Users["u2"] != 0 {
			t.Error("the failed hold left a record or a count")
		}
	})
}

func TestVersionConflictTakesThreeTriesThenFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		losses int64
		status domain.OrderStatus
		reason domain.Reason
	}{
		{2, domain.OrderReserved, domain.ReasonNone},             // the third try of the part wins
		{5, domain.OrderReserved, domain.ReasonNone},             // the part fails three times, the third single try wins
		{1000, domain.OrderFailed, domain.ReasonVersionConflict}, // never
	} {
		t.Run(fmt.Sprint(c.losses), func(t *testing.T) {
			servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
				sc := repotest.Screening(t, b.Store)
				warm(t, b, sc)
				id := mustHold(t, b, sc, "u1", "k", "A1", "A2")
				repotest.LoseVersions(t, b.Store).Set(c.losses)
				settle(t, b, sc.Partition)
				wantOrder(t, b, id, c.status, c.reason)
				events, err := b.Store.OrderEvents(t.Context(), id)
				if err != nil || len(events) != 1 || events[0].To != c.status {
					t.Errorf("events = %+v, %v", events, err)
				}
				b.Agree(t, sc.ID)
			})
		})
	}
}

func TestConflictOnOneScreeningSparesItsNeighbour(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		hot, calm := samePartition(t, b)
		warm(t, b, hot)
		warm(t, b, calm)
		lost := mustHold(t, b, hot, "u1", "k", "A1")
		kept := mustHold(t, b, calm, "u1", "k", "A1")
		repotest.LoseVersions(t, b.Store).Set(1 + 3 + 3) // the batch, the parts and the single tries of one screening
		settle(t, b, hot.Partition)
		wantOrder(t, b, lost, domain.OrderFailed, domain.ReasonVersionConflict)
		wantOrder(t, b, kept, domain.OrderReserved, domain.ReasonNone)
	})
}

// samePartition makes two screenings of one partition.
func samePartition(t *testing.T, b *servicetest.Box) (*domain.Screening, *domain.Screening) {
	t.Helper()
	seen := map[int]*domain.Screening{}
	for range 64 {
		sc := repotest.Screening(t, b.Store)
		if other := seen[sc.Partition]; other != nil {
			return other, sc
		}
		seen[sc.Partition] = sc
	}
	t.Fatal("no two screenings share a partition")
	return nil, nil
}

func TestSettlementEndsHoldsThatMayNotBe(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		for _, c := range []struct {
			name   string
			spoil  func(t *testing.T, sc *domain.Screening)
			status domain.OrderStatus
			reason domain.Reason
		}{
			{"cancelled screening", func(t *testing.T, sc *domain.Screening) { setStatus(t, b, sc, domain.ScreeningCancelled) }, domain.OrderFailed, domain.ReasonScreeningCancelled},
			{"limit", func(t *testing.T, sc *domain.Screening) { ownElsewhere(t, b, sc, "u1", 2) }, domain.OrderFailed, domain.ReasonLimitExceeded},
		} {
			sc := repotest.Screening(t, b.Store, func(o *repotest.Opts) { o.Limit = 2 })
			warm(t, b, sc)
			id := mustHold(t, b, sc, "u1", "k", "A1")
			c.spoil(t, sc)
			settle(t, b, sc.Partition)
			wantOrder(t, b, id, c.status, c.reason)
			if snap, err := b.Redis.Snapshot(t.Context(), sc.Partition, sc.ID); err != nil || snap.Map[0] != '.' || snap.Holds[id].HoldID != "" {
				t.Errorf("%s: the seat did not come back: %v, %v", c.name, snap, err)
			}
		}
	})
}

func setStatus(t *testing.T, b *servicetest.Box, sc *domain.Screening, to domain.ScreeningStatus) {
	t.Helper()
	row, err := b.Store.Screening(t.Context(), sc.ID)
	if err == nil {
		err = b.Store.UpdateScreeningStatus(t.Context(), sc.ID, row.Status, to, row.Version)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ownElsewhere gives the user seats in the ledger that the hold store knows nothing of.
func ownElsewhere(t *testing.T, b *servicetest.Box, sc *domain.Screening, user string, n int) {
	t.Helper()
	err := b.Store.InTx(t.Context(), func(tx *repo.Store) error {
		_, err := tx.InsertOrders(t.Context(), []domain.Order{{
			ID: service.NewID(), ScreeningID: sc.ID, UserID: user, Status: domain.OrderPaid, Attempt: 1, Quantity: n,
			AcceptedAt: repotest.Now, ExpiresAt: repotest.Now.Add(time.Hour),
		}}, repotest.Now)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPastExpirySettlesAsExpired(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store, func(o *repotest.Opts) { o.HoldLife = time.Minute })
		warm(t, b, sc)
		id := mustHold(t, b, sc, "u1", "k", "A1")
		b.Now.Forward(2 * time.Minute)
		settle(t, b, sc.Partition)
		wantOrder(t, b, id, domain.OrderExpired, domain.ReasonTimeUp)
		b.Agree(t, sc.ID)
	})
}

func TestDeadWorkersEntriesAreTakenOver(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store)
		warm(t, b, sc)
		id := mustHold(t, b, sc, "u1", "k", "A1")
		if n := len(read(t, b, sc.Partition, "dead worker")); n == 0 {
			t.Fatal("nothing was read")
		}
		servicetest.Eventually(t, 5*time.Second, func() (bool, string) {
			if _, err := b.Settlement.Rescue(t.Context(), sc.Partition, "w2"); err != nil {
				return false, err.Error()
			}
			_, err := b.Store.Order(t.Context(), id)
			return err == nil, fmt.Sprint(err)
		})
		if list, err := b.Redis.Pending(t.Context(), sc.Partition, "", 10); err != nil || len(list) != 0 {
			t.Errorf("still pending: %+v, %v", list, err)
		}
		b.Agree(t, sc.ID)
	})
}

func TestUnknownScreeningBecomesDeadLetter(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, stepwise, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store)
		warm(t, b, sc)
		ghost := *sc
		ghost.ID = service.NewID()
		e := service.Entry{Event: domain.Event{
			Partition: sc.Partition, StreamID: "1-1", Type: domain.EventHeld, ScreeningID: ghost.ID, HoldID: service.NewID(), UserID: "u1",
			Attempt: 1, Quantity: 1, AcceptedAt: b.Clock.Now(), ExpiresAt: b.Clock.Now().Add(time.Minute), Version: 1,
		}}
		good := mustHold(t, b, sc, "u1", "k", "A1")
		if err := b.Settlement.Settle(t.Context(), sc.Partition, append(read(t, b, sc.Partition, "w1"), e)); err != nil {
			t.Fatal(err)
		}
		wantOrder(t, b, good, domain.OrderReserved, domain.ReasonNone)
		letters, err := b.Store.OpenDeadLetters(t.Context(), "")
		if err != nil || len(letters) != 1 || letters[0].OrderID != e.Event.HoldID {
			t.Errorf("dead letters = %+v, %v", letters, err)
		}
	})
}

// BC-04: only the idempotency record is gone, the hold lives.
func TestForgottenKeyGetsItsFirstAnswer(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, servicetest.Options{}, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store)
		first, err := b.Hold(t.Context(), sc, "u1", "k", "A1")
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Redis.ForgetKey(t.Context(), sc.Partition, sc.ID, "u1", "k"); err != nil {
			t.Fatal(err)
		}
		again, err := b.Hold(t.Context(), sc, "u1", "k", "A1")
		if err != nil || string(again.Body) != string(first.Body) {
			t.Fatalf("repeat = %s, %v, want %s", again.Body, err, first.Body)
		}
		b.Agree(t, sc.ID)
		if err := b.Rebuild.Force(context.Background(), sc.ID); err != nil { // remembers the first answers again
			t.Fatal(err)
		}
		again, err = b.Hold(t.Context(), sc, "u1", "k", "A1")
		if err != nil || string(again.Body) != string(first.Body) || !again.Repeat {
			t.Fatalf("after a rebuild: %s, %v", again.Body, err)
		}
		if _, err := b.Hold(t.Context(), sc, "u1", "k", "A2"); !errors.Is(err, domain.ErrKeyReused) {
			t.Errorf("other content under a restored key: %v", err)
		}
	})
}
