package holdstore_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

// lastEvent returns the fields of the partition's newest entry, less those that every event has.
func (f *fixture) lastEvent(t *testing.T) map[string]any {
	t.Helper()
	list, err := f.rdb.XRevRangeN(t.Context(), f.k.Events, "+", "-", 1).Result()
	if err != nil || len(list) != 1 {
		t.Fatalf("newest entry: %v, %v", list, err)
	}
	v := list[0].Values
	for field, want := range map[string]string{"v": "1", "epoch": "1", "screening": f.sc.ID, "at": ms(now)} {
		if v[field] != want {
			t.Errorf("event field %s: got %v, want %s", field, v[field], want)
		}
		delete(v, field)
	}
	return v
}

// event is what lastEvent returns for a change of one hold.
func event(kind string, a holdstore.HoldArgs, qty, ver, seats, state string) map[string]any {
	return map[string]any{
		"type": kind, "hold": a.HoldID, "user": a.UserID, "attempt": "1", "qty": qty, "ver": ver, "seats": seats, "state": state,
	}
}

func (f *fixture) givenBack(t *testing.T, a holdstore.HoldArgs, want int, seats ...int) {
	t.Helper()
	if n, err := f.s.GiveBack(t.Context(), f.ref(a), seats, now); n != want || err != nil {
		t.Errorf("give back %v: got %d, %v; want %d", seats, n, err, want)
	}
}

func TestGiveBackFreesAndIsRepeatable(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		other := f.hold(t, "u", 0)
		a := f.hold(t, "u", 2, 3)
		f.givenBack(t, a, 2)
		if diff := cmp.Diff(event("released", a, "2", "4", "2,3", "."), f.lastEvent(t)); diff != "" {
			t.Errorf("event (-want +got):\n%s", diff)
		}
		snap := f.snapshot(t)
		if _, there := snap.Holds[a.HoldID]; there || snap.Map != "h......." || snap.Users["u"] != 1 || snap.Meta.Free != 7 {
			t.Errorf("after the give-back: %+v", snap)
		}
		consistent(t, snap, 8)
		f.unchanged(t, func() { f.givenBack(t, a, 0) })
		f.givenBack(t, other, 1)
		if _, there := f.snapshot(t).Users["u"]; there {
			t.Error("a user without live seats is still counted")
		}
	})
}

func TestGiveBackOfSomeSeats(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3, 4)
		f.givenBack(t, a, 1, 3)
		snap := f.snapshot(t)
		if r := snap.Holds[a.HoldID]; r.Quantity != 2 || !cmp.Equal(r.Seats, []int{2, 4}) {
			t.Errorf("record after the partial give-back: %+v", r)
		}
		consistent(t, snap, 8)
		f.unchanged(t, func() {
			f.givenBack(t, a, 0, 3)
			f.givenBack(t, a, 0, 7)
		})
		f.givenBack(t, a, 2, 2, 3, 4)
		consistent(t, f.snapshot(t), 8)
		if len(f.snapshot(t).Holds) != 0 {
			t.Error("a hold without seats has a record")
		}
	})
}

func TestGiveBackOfAnotherAttemptChangesNothing(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3)
		f.givenBack(t, a, 2)
		a.Attempt, a.AnyTime, a.Detail.Key = 2, true, a.Detail.Key+"-late"
		f.place(t, a)
		first := a
		first.Attempt = 1
		f.unchanged(t, func() { f.givenBack(t, first, 0) })
		f.givenBack(t, a, 2)
		consistent(t, f.snapshot(t), 8)
	})
}

func TestGiveBackLeavesSeatsOfOtherOwners(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3)
		f.set(t, f.k.Owners, "3", "somebody") // as after a repair whose record was lost
		f.givenBack(t, a, 1)
		snap := f.snapshot(t)
		if snap.Map != "...h...." || snap.Owners[3] != "somebody" || snap.Meta.Free != 7 || snap.Users["u"] != 1 {
			t.Errorf("after the give-back: %+v", snap)
		}
	})
}

func TestGiveBackOfABlock(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		f.hold(t, "staff", 0) // the member of staff also bought a seat
		a := f.block(t, 5, 6)
		f.givenBack(t, a, 2)
		if diff := cmp.Diff(event("unblocked", a, "2", "4", "5,6", "."), f.lastEvent(t)); diff != "" {
			t.Errorf("event (-want +got):\n%s", diff)
		}
		snap := f.snapshot(t)
		consistent(t, snap, 8)
		if snap.Users["staff"] != 1 {
			t.Errorf("live seats of the member of staff: got %d, want 1", snap.Users["staff"])
		}
	})
}

// TestGiveBackAndConfirmRefuseBrokenData: nothing is written when a value is no longer what a script wrote.
func TestGiveBackAndConfirmRefuseBrokenData(t *testing.T) {
	t.Parallel()
	spoils := map[string]func(*testing.T, *fixture, holdstore.HoldArgs){
		"ver":        func(t *testing.T, f *fixture, _ holdstore.HoldArgs) { f.set(t, f.k.Meta, "ver", "abc") },
		"record":     func(t *testing.T, f *fixture, a holdstore.HoldArgs) { f.set(t, f.k.Holds, a.HoldID, "1|h|u|1") },
		"short map":  func(t *testing.T, f *fixture, _ holdstore.HoldArgs) { f.rdb.Set(t.Context(), f.k.Seats, "..", 0) },
		"free":       func(t *testing.T, f *fixture, _ holdstore.HoldArgs) { f.set(t, f.k.Meta, "free", "abc") },
		"live seats": func(t *testing.T, f *fixture, _ holdstore.HoldArgs) { f.set(t, f.k.Users, "u", "abc") },
		"not a number": func(t *testing.T, f *fixture, a holdstore.HoldArgs) {
			f.set(t, f.k.Holds, a.HoldID, "1|h|u|1|x|1|1||1-1")
		},
	}
	onlyGiveBack := map[string]bool{"free": true, "live seats": true, "not a number": true}
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		for name, spoil := range spoils {
			f := warm(t, s, 8)
			a := f.hold(t, "u", 2, 3)
			spoil(t, f, a)
			f.unchanged(t, func() {
				if _, err := s.GiveBack(t.Context(), f.ref(a), nil, now); !errors.Is(err, domain.ErrScript) {
					t.Errorf("give back with broken %s: got %v, want a script error", name, err)
				}
			})
			if onlyGiveBack[name] {
				continue
			}
			f.unchanged(t, func() {
				if _, err := s.Confirm(t.Context(), f.ref(a), now); !errors.Is(err, domain.ErrScript) {
					t.Errorf("confirm with broken %s: got %v, want a script error", name, err)
				}
			})
		}
	})
}

func TestEffectsOnAScreeningThatIsNotWarmed(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		for _, missing := range []func(holdstore.Keys) string{
			func(k holdstore.Keys) string { return k.Seats },
			func(k holdstore.Keys) string { return k.Meta },
		} {
			f := warm(t, s, 8)
			a := f.hold(t, "u", 2, 3)
			f.rdb.Del(t.Context(), missing(f.k))
			f.unchanged(t, func() {
				f.givenBack(t, a, 0)
				f.confirmed(t, f.ref(a), false)
				if n, err := s.Repair(t.Context(), f.ref(a), 1, nil, now); n != 0 || err != nil {
					t.Errorf("repair: got %d, %v", n, err)
				}
				if err := s.ShutGate(t.Context(), f.sc.Partition, "never-warmed", 1<<50); err != nil {
					t.Errorf("shut the gate of a screening that has none: %v", err)
				}
			})
		}
	})
}
