package holdstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

const patience = 30 * time.Second

// TestReadersWakeOnEveryChange: a reader that waits far longer than this test may take is woken by each kind of
// change. It asks before the change is made, so that the change falls into its waiting.
func TestReadersWakeOnEveryChange(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 10)
		f.read(t, "c", 10)
		var a holdstore.HoldArgs
		for _, change := range []struct {
			kind domain.EventType
			make func()
		}{
			{domain.EventHeld, func() { a = f.hold(t, "u", 1, 2) }},
			{domain.EventConfirmed, func() { f.confirmed(t, f.ref(a), true) }},
			{domain.EventReleased, func() { f.givenBack(t, a, 1, 1) }},
			{domain.EventRepaired, func() { f.repaired(t, a, 1, free(2)) }},
			{domain.EventRebuilt, func() { rebuild(t, s, f, f.sc.Epoch+1) }},
		} {
			last, err := s.LastID(t.Context(), f.sc.Partition)
			if err != nil {
				t.Fatal(err)
			}
			type found struct {
				entries []holdstore.Entry
				err     error
			}
			group, tail := make(chan found, 1), make(chan found, 1)
			go func() {
				entries, err := s.ReadNew(t.Context(), f.sc.Partition, "c", 10, patience)
				group <- found{entries, err}
			}()
			go func() {
				entries, err := s.Tail(t.Context(), f.sc.Partition, last, 10, patience)
				tail <- found{entries, err}
			}()
			begun := time.Now()
			change.make()
			for name, c := range map[string]chan found{"group": group, "tail": tail} {
				got := <-c
				if got.err != nil || len(got.entries) != 1 || got.entries[0].Event.Type != change.kind {
					t.Errorf("%s after %s: got %+v, %v", name, change.kind, got.entries, got.err)
				}
			}
			if waited := time.Since(begun); waited > patience/2 {
				t.Errorf("%s woke nobody: %s", change.kind, waited)
			}
		}
	})
}

func TestWaitingEnds(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 10)
		f.read(t, "c", 10)
		last, err := s.LastID(t.Context(), f.sc.Partition)
		if err != nil {
			t.Fatal(err)
		}
		for name, wait := range map[string]func(context.Context, time.Duration) ([]holdstore.Entry, error){
			"group": func(ctx context.Context, d time.Duration) ([]holdstore.Entry, error) {
				return s.ReadNew(ctx, f.sc.Partition, "c", 10, d)
			},
			"tail": func(ctx context.Context, d time.Duration) ([]holdstore.Entry, error) {
				return s.Tail(ctx, f.sc.Partition, last, 10, d)
			},
		} {
			// less than a millisecond would be sent as "for ever"
			for _, block := range []time.Duration{0, time.Microsecond, 5 * time.Millisecond} {
				if got, err := wait(t.Context(), block); len(got) != 0 || err != nil {
					t.Errorf("%s, %s: got %v, %v", name, block, got, err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			got, err := wait(ctx, patience)
			cancel()
			if len(got) != 0 || !(errors.Is(err, context.DeadlineExceeded) || errors.Is(err, domain.ErrUnavailable)) {
				t.Errorf("%s past its deadline: got %v, %v", name, got, err)
			}
		}
	})
}

func TestRangeReadsBetweenTwoIDs(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 10)
		f.holds(t, 4)
		all, err := s.Range(t.Context(), f.sc.Partition, "0-0", "+", 100)
		if err != nil || len(all) != 5 {
			t.Fatalf("all: %d, %v", len(all), err)
		}
		ids := idsOf(all)
		some, err := s.Range(t.Context(), f.sc.Partition, ids[0], ids[3], 2)
		if got := idsOf(some); err != nil || len(got) != 2 || got[0] != ids[1] || got[1] != ids[2] {
			t.Errorf("two after the first: got %v of %v, %v", got, ids, err)
		}
		upTo, err := s.Range(t.Context(), f.sc.Partition, ids[2], ids[3], 10)
		if got := idsOf(upTo); err != nil || len(got) != 1 || got[0] != ids[3] {
			t.Errorf("up to and with the fourth: got %v of %v, %v", got, ids, err)
		}
	})
}
