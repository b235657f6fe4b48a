package holdstore_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

// bytesOf returns every key of the partition as the server itself writes it out. The embedded server can do that
// for strings only; there the dump stands in.
func (f *fixture) bytesOf(t *testing.T) dump {
	t.Helper()
	if f.s.Embedded() {
		return f.dump(t)
	}
	out := dump{}
	for _, key := range f.rdb.Keys(t.Context(), f.k.Store[:len(f.k.Store)-len("store")]+"*").Val() {
		text, err := f.rdb.Dump(t.Context(), key).Result()
		if err != nil {
			t.Fatalf("dump %s: %v", key, err)
		}
		out[key] = text
	}
	return out
}

// TestSpoiledKeyStopsAScriptBeforeItsFirstWrite (BC-25): scripts are not rolled back, so a key of the wrong type
// must be met before anything is written. Every script meets every key in the wrong type.
func TestSpoiledKeyStopsAScriptBeforeItsFirstWrite(t *testing.T) {
	t.Parallel()
	keys := map[string]func(*fixture, holdstore.HoldArgs) string{
		"store":        func(f *fixture, _ holdstore.HoldArgs) string { return f.k.Store },
		"seats":        func(f *fixture, _ holdstore.HoldArgs) string { return f.k.Seats },
		"owners":       func(f *fixture, _ holdstore.HoldArgs) string { return f.k.Owners },
		"meta":         func(f *fixture, _ holdstore.HoldArgs) string { return f.k.Meta },
		"holds":        func(f *fixture, _ holdstore.HoldArgs) string { return f.k.Holds },
		"users":        func(f *fixture, _ holdstore.HoldArgs) string { return f.k.Users },
		"idem":         func(f *fixture, a holdstore.HoldArgs) string { return f.idem(a) },
		"inflight":     func(f *fixture, _ holdstore.HoldArgs) string { return f.k.InFlight },
		"inflight_ref": func(f *fixture, _ holdstore.HoldArgs) string { return f.k.InFlightRef },
		"events":       func(f *fixture, _ holdstore.HoldArgs) string { return f.k.Events },
	}
	effects := []string{"seats", "owners", "meta", "holds", "users", "events"}
	calls := map[string]struct {
		meets []string
		run   func(f *fixture, held, next holdstore.HoldArgs) error
	}{
		"hold": {[]string{"store", "seats", "owners", "meta", "holds", "users", "idem", "inflight", "inflight_ref", "events"}, func(f *fixture, _, next holdstore.HoldArgs) error {
			_, err := f.s.HoldSeats(t.Context(), next)
			return err
		}},
		"block": {[]string{"store", "seats", "owners", "meta", "holds", "users", "inflight", "inflight_ref", "events"}, func(f *fixture, _, next holdstore.HoldArgs) error {
			next.Kind = domain.HoldBlock
			_, err := f.s.HoldSeats(t.Context(), next)
			return err
		}},
		"give back": {effects, func(f *fixture, held, _ holdstore.HoldArgs) error {
			_, err := f.s.GiveBack(t.Context(), f.ref(held), nil, now)
			return err
		}},
		"confirm": {[]string{"seats", "owners", "meta", "holds", "events"}, func(f *fixture, held, _ holdstore.HoldArgs) error {
			_, err := f.s.Confirm(t.Context(), f.ref(held), now)
			return err
		}},
		"repair": {effects, func(f *fixture, held, next holdstore.HoldArgs) error {
			_, err := f.s.Repair(t.Context(), f.ref(held), 1, []holdstore.SeatTruth{soldTo(next, 2), free(3)}, now)
			return err
		}},
		"rebuild": {[]string{"store", "events"}, func(f *fixture, _, _ holdstore.HoldArgs) error {
			r := ledgerOf(f.sc, 2)
			r.Answers = nil
			_, err := f.s.Write(t.Context(), r)
			return err
		}},
		"settings": {[]string{"meta"}, func(f *fixture, _, _ holdstore.HoldArgs) error { return f.s.SetSettings(t.Context(), f.sc) }},
		"snapshot": {[]string{"store", "seats", "owners", "meta", "holds", "users", "inflight"}, func(f *fixture, _, _ holdstore.HoldArgs) error {
			_, err := f.s.Snapshot(t.Context(), f.sc.Partition, f.sc.ID)
			return err
		}},
	}
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		for name, call := range calls {
			for _, spoiled := range call.meets {
				t.Run(name+" meets "+spoiled, func(t *testing.T) {
					f := warm(t, s, 6)
					held, next := f.hold(t, "u", 2, 3), holdstoretest.Hold(f.sc, "v", 4)
					key := keys[spoiled](f, next)
					f.rdb.Rename(t.Context(), key, key+":kept")
					f.spoil(t, key)
					before := f.bytesOf(t)
					if err := call.run(f, held, next); !errors.Is(err, domain.ErrScript) {
						t.Errorf("got %v, want a script error", err)
					}
					if diff := cmp.Diff(before, f.bytesOf(t)); diff != "" {
						t.Errorf("keys (-before +after):\n%s", diff)
					}
					f.rdb.Del(t.Context(), key)
					f.rdb.Rename(t.Context(), key+":kept", key)
					if err := call.run(f, held, next); err != nil {
						t.Errorf("after the repair: %v", err)
					}
				})
			}
		}
	})
}

// idem returns the key of a hold's first answer.
func (f *fixture) idem(a holdstore.HoldArgs) string {
	return holdstore.IdemKey(f.sc.Partition, f.sc.ID, a.UserID, a.Detail.Key)
}

// spoil puts a value of a type in place that nothing here uses.
func (f *fixture) spoil(t *testing.T, key string) {
	t.Helper()
	if err := f.rdb.RPush(t.Context(), key, "spoiled").Err(); err != nil {
		t.Fatal(err)
	}
}

// TestConditionsOfASpoiledScreening: one broken screening must not hide the others from the watchdog.
func TestConditionsOfASpoiledScreening(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		p := warm(t, s, 6).sc.Partition
		in := func(n int) *fixture {
			return warm(t, s, n, func(sc *domain.Screening) { sc.Partition = p })
		}
		good, places, spoiled, missing, gate, stale := in(6), in(0), in(6), in(6), in(6), in(6)
		good.rdb.Del(t.Context(), spoiled.k.Meta)
		spoiled.spoil(t, spoiled.k.Meta)
		good.rdb.Del(t.Context(), missing.k.Seats)
		if err := s.ShutGate(t.Context(), p, gate.sc.ID, 1<<50); err != nil {
			t.Fatal(err)
		}
		stale.set(t, stale.k.Meta, "store", "another")
		var list []domain.Screening
		for _, f := range []*fixture{good, places, spoiled, missing, gate, stale} {
			list = append(list, *f.sc)
		}
		got, err := s.Conditions(t.Context(), p, append(list, domain.Screening{ID: "never-warmed"}))
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]holdstore.Condition{
			good.sc.ID:     {Warmed: true, Marked: true, Epoch: 1},
			places.sc.ID:   {Warmed: true, Marked: true, Epoch: 1},
			spoiled.sc.ID:  {},
			missing.sc.ID:  {Marked: true, Epoch: 1},
			gate.sc.ID:     {Warmed: true, Marked: true, Gate: 2, Epoch: 1},
			stale.sc.ID:    {Warmed: true, Epoch: 1},
			"never-warmed": {},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("conditions (-want +got):\n%s", diff)
		}
	})
}
