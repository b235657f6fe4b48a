package holdstore_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

// free, heldBy and soldTo are what the ledger may say of a seat.
func free(index int) holdstore.SeatTruth {
	return holdstore.SeatTruth{Index: index, State: domain.SeatFree}
}

func heldBy(a holdstore.HoldArgs, index int) holdstore.SeatTruth {
	return holdstore.SeatTruth{Index: index, State: domain.SeatHeld, Owner: a.HoldID, UserID: a.UserID, ExpiresAt: a.ExpiresAt, Attempt: a.Attempt}
}

func soldTo(a holdstore.HoldArgs, index int) holdstore.SeatTruth {
	tr := heldBy(a, index)
	tr.State = domain.SeatSold
	return tr
}

func (f *fixture) repaired(t *testing.T, a holdstore.HoldArgs, want int, truth ...holdstore.SeatTruth) *holdstore.Snapshot {
	t.Helper()
	if n, err := f.s.Repair(t.Context(), f.ref(a), 1, truth, now); n != want || err != nil {
		t.Errorf("repair: got %d, %v; want %d", n, err, want)
	}
	return f.snapshot(t)
}

func TestRepairFreesWhatTheEndingHoldOwns(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3)
		f.hold(t, "u", 7)
		snap := f.repaired(t, a, 2, free(2), free(3))
		if _, there := snap.Holds[a.HoldID]; there || snap.Map != ".......h" || snap.Users["u"] != 1 {
			t.Errorf("after the repair: %+v", snap)
		}
		consistent(t, snap, 8)
		want := event("repaired", a, "2", "4", "2,3", ".")
		want["user"] = ""
		if diff := cmp.Diff(want, f.lastEvent(t)); diff != "" {
			t.Errorf("event (-want +got):\n%s", diff)
		}
		f.unchanged(t, func() { f.repaired(t, a, 0, free(2), free(3)) })
	})
}

func TestRepairPassesSeatsToTheOtherOrder(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		ending := f.hold(t, "u", 2, 3, 4)
		other := f.hold(t, "v", 6) // its order won 2 and 3 in the ledger
		unknown := holdstoretest.Hold(f.sc, "w", 4)
		snap := f.repaired(t, ending, 3, heldBy(other, 2), soldTo(other, 3), soldTo(unknown, 4))
		if snap.Map != "..hss.h." {
			t.Errorf("map: got %q", snap.Map)
		}
		if _, there := snap.Holds[ending.HoldID]; there {
			t.Error("the ended hold still has a record")
		}
		if diff := cmp.Diff([]int{6, 2, 3}, snap.Holds[other.HoldID].Seats); diff != "" {
			t.Errorf("seats of the other order (-want +got):\n%s", diff)
		}
		want := domain.HoldRecord{HoldID: unknown.HoldID, State: domain.SeatSold, UserID: "w", ExpiresAt: unknown.ExpiresAt, Quantity: 1, Attempt: 1, Seats: []int{4}}
		if diff := cmp.Diff(want, snap.Holds[unknown.HoldID]); diff != "" {
			t.Errorf("record of an order the store did not know (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]int64{"v": 3, "w": 1}, snap.Users); diff != "" {
			t.Errorf("users (-want +got):\n%s", diff)
		}
		if snap.Meta.Free != 4 {
			t.Errorf("free: got %d, want 4", snap.Meta.Free)
		}
		f.unchanged(t, func() { f.repaired(t, ending, 0, soldTo(other, 3), soldTo(unknown, 4)) })
	})
}

func TestRepairLeavesAThirdOwnerAlone(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		ended := f.hold(t, "u", 2, 3)
		f.givenBack(t, ended, 2)
		third := f.hold(t, "v", 2, 3) // in flight: the ledger does not know it yet
		f.unchanged(t, func() { f.repaired(t, ended, 0, free(2), free(3)) })
		snap := f.snapshot(t)
		if snap.Owners[2] != third.HoldID || snap.Map != "..hh...." {
			t.Errorf("after the repair: %+v", snap)
		}
	})
}

func TestRepairOfAnotherAttemptFreesNothing(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3)
		f.givenBack(t, a, 2)
		late := a
		late.Attempt, late.AnyTime, late.Detail.Key = 2, true, a.Detail.Key+"-late"
		f.place(t, late)
		f.unchanged(t, func() { f.repaired(t, a, 0, free(2), free(3)) })
		f.repaired(t, late, 2, free(2), free(3))
		consistent(t, f.snapshot(t), 8)
	})
}

func TestRepairKeepsSeatsThatNobodyNamed(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3)
		snap := f.repaired(t, a, 1, free(2))
		consistent(t, snap, 8)
		if got := snap.Holds[a.HoldID].Seats; !cmp.Equal(got, []int{3}) {
			t.Errorf("the hold keeps %v, want [3]", got)
		}
	})
}

func TestRepairTakesASeatFromAnInFlightHold(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		loser := f.hold(t, "v", 2, 3)
		owner := holdstoretest.Hold(f.sc, "u", 2)
		none := holdstoretest.Hold(f.sc, "")
		none.HoldID = ""
		snap := f.repaired(t, none, 1, soldTo(owner, 2))
		if got := snap.Holds[loser.HoldID].Seats; !cmp.Equal(got, []int{3}) {
			t.Errorf("the loser keeps %v, want [3]", got)
		}
		consistent(t, snap, 8)
		// a forced block: the seat is never free in between
		blocked := asBlock(holdstoretest.Hold(f.sc, "staff", 3))
		tr := heldBy(blocked, 3)
		tr.State = domain.SeatBlocked
		snap = f.repaired(t, loser, 1, tr)
		if _, there := snap.Holds[loser.HoldID]; there || snap.Map != "..sx...." || snap.Users["v"] != 0 {
			t.Errorf("after the forced block: %+v", snap)
		}
		consistent(t, snap, 8)
	})
}

// TestRepairMendsRecords: owner and map agree with the ledger, only the record does not.
func TestRepairMendsRecords(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3)
		f.rdb.HDel(t.Context(), f.k.Holds, a.HoldID)
		f.rdb.HDel(t.Context(), f.k.Users, "u")
		none := a
		none.HoldID = ""
		snap := f.repaired(t, none, 0, heldBy(a, 2), heldBy(a, 3))
		consistent(t, snap, 8)
		if snap.Meta.Version != 2 {
			t.Errorf("version: got %d, want 2, since no seat changed", snap.Meta.Version)
		}
	})
}

func TestRepairRefusals(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3)
		try := func(epoch int64, truth holdstore.SeatTruth, want error) {
			t.Helper()
			f.unchanged(t, func() {
				if n, err := s.Repair(t.Context(), f.ref(a), epoch, []holdstore.SeatTruth{truth}, now); n != 0 || !errors.Is(err, want) {
					t.Errorf("repair: got %d, %v; want %v", n, err, want)
				}
			})
		}
		try(2, free(2), domain.ErrStaleEpoch)
		try(1, free(8), domain.ErrScript)
		f.set(t, f.k.Meta, "free", "abc")
		try(1, free(2), domain.ErrScript)
		f.set(t, f.k.Meta, "free", "6")
		f.set(t, f.k.Meta, "ver", "abc")
		try(1, free(2), domain.ErrScript)
	})
}

func TestRepairEndsARecordThatListsSeatsOfOthers(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2, 3)
		f.set(t, f.k.Owners, "3", "somebody")
		snap := f.repaired(t, a, 1, free(2))
		if _, there := snap.Holds[a.HoldID]; there || snap.Owners[3] != "somebody" || snap.Map != "...h...." {
			t.Errorf("after the repair: %+v", snap)
		}
		if _, there := snap.Users["u"]; there {
			t.Error("the ended hold's user is still counted")
		}
	})
}

func TestRepairMirrorsTheState(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		a := f.hold(t, "u", 2)
		f.rdb.SetRange(t.Context(), f.k.Seats, 2, "s") // the map knows of the payment, the record does not
		none := a
		none.HoldID = ""
		consistent(t, f.repaired(t, none, 0, soldTo(a, 2)), 8)
		snap := f.repaired(t, none, 1, heldBy(a, 2))
		if snap.Map != "..h....." {
			t.Errorf("map: got %q, want ..h.....", snap.Map)
		}
		consistent(t, snap, 8)
	})
}

func TestRepairOfABlockCountsNoLiveSeats(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 8)
		f.hold(t, "staff", 0)
		blocked, order := f.block(t, 5), holdstoretest.Hold(f.sc, "u", 5)
		snap := f.repaired(t, blocked, 1, soldTo(order, 5))
		if diff := cmp.Diff(map[string]int64{"staff": 1, "u": 1}, snap.Users); diff != "" {
			t.Errorf("users (-want +got):\n%s", diff)
		}
		consistent(t, snap, 8)
	})
}
