package holdstore_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

func (f *fixture) confirmed(t *testing.T, r holdstore.Ref, want bool) {
	t.Helper()
	if got, err := f.s.Confirm(t.Context(), r, now); got != want || err != nil {
		t.Errorf("confirm: got %v, %v; want %v", got, err, want)
	}
}

func TestConfirmSellsOnce(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3)
		f.confirmed(t, f.ref(a), true)
		if diff := cmp.Diff(event("confirmed", a, "2", "3", "2,3", "s"), f.lastEvent(t)); diff != "" {
			t.Errorf("event (-want +got):\n%s", diff)
		}
		snap := f.snapshot(t)
		if snap.Map != "..ss...." || snap.Holds[a.HoldID].State != domain.SeatSold || snap.Meta.Free != 6 {
			t.Errorf("after the confirmation: %+v", snap)
		}
		consistent(t, snap, 8)
		stranger, late := f.ref(a), f.ref(a)
		stranger.HoldID, late.Attempt = "nobody", 2
		f.unchanged(t, func() {
			f.confirmed(t, f.ref(a), false)
			f.confirmed(t, stranger, false)
			f.confirmed(t, late, false)
		})
		f.givenBack(t, a, 2) // a refund
		consistent(t, f.snapshot(t), 8)
	})
}

func TestConfirmSellsOnlyWhatTheHoldOwns(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3)
		f.set(t, f.k.Owners, "3", "somebody")
		f.confirmed(t, f.ref(a), true)
		if got := f.snapshot(t).Map; got != "..sh...." {
			t.Errorf("map: got %q, want ..sh....", got)
		}
	})
}

func TestConfirmOfPlaces(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 0)
		a := f.places(t, "u", 3)
		f.confirmed(t, f.ref(a), true)
		snap := f.snapshot(t)
		if snap.Meta.Free != 7 || snap.Holds[a.HoldID].State != domain.SeatSold || snap.Meta.Version != 3 {
			t.Errorf("after the confirmation: %+v", snap)
		}
		consistent(t, snap, 10)
		f.givenBack(t, a, 3)
		consistent(t, f.snapshot(t), 10)
	})
}
