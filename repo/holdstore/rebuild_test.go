package holdstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

// ledgerOf is what the ledger knows of a screening with 6 seats: a sold seat, two held ones, a block, and the
// answer that a hold got.
func ledgerOf(sc *domain.Screening, epoch int64) holdstore.Rebuild {
	record := func(id, user string, state domain.SeatState, seats ...int) domain.HoldRecord {
		return domain.HoldRecord{
			HoldID: id, State: state, UserID: user, ExpiresAt: now.Add(time.Minute), Quantity: len(seats), AmountMinor: 1_000_000_000_000_000,
			Attempt: 1, Seats: seats, StreamID: "7-1",
		}
	}
	return holdstore.Rebuild{
		Screening: sc, Epoch: epoch, Map: "shh..x", Free: 2, Now: now,
		Holds: []domain.HoldRecord{
			record("h1", "u", domain.SeatSold, 0), record("h2", "u", domain.SeatHeld, 1, 2), record("b1", "staff", domain.SeatBlocked, 5),
		},
		Answers: []holdstore.FirstAnswer{{UserID: "u", Key: "k", Fingerprint: "fp", HoldID: "h2", Answer: `{"a":1}`, Life: time.Hour}},
	}
}

func TestRebuildReplacesEverything(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 6)
		f.hold(t, "ghost", 3, 4)
		if err := s.ShutGate(t.Context(), f.sc.Partition, f.sc.ID, 1<<50); err != nil {
			t.Fatal(err)
		}
		f.refused(t, holdstoretest.Hold(f.sc, "u", 0), domain.ErrRebuilding)
		r := ledgerOf(f.sc, 2)
		id, err := s.Write(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		snap := f.snapshot(t)
		holds := map[string]domain.HoldRecord{}
		for _, h := range r.Holds {
			holds[h.HoldID] = h
		}
		want := &holdstore.Snapshot{
			Store: snap.Store, Map: "shh..x", Owners: map[int]string{0: "h1", 1: "h2", 2: "h2", 5: "b1"}, Holds: holds,
			Users: map[string]int64{"u": 3},
			Meta: holdstore.Meta{
				Free: 2, Version: 1, Epoch: 2, Settings: 1, OpensMS: f.sc.OpensAt.UnixMilli(), ClosesMS: f.sc.ClosesAt.UnixMilli(),
				Store: snap.Store, OnSale: true,
			},
		}
		if diff := cmp.Diff(want, snap, cmpopts.EquateEmpty()); diff != "" || snap.Store == "" {
			t.Errorf("snapshot (-want +got):\n%s", diff)
		}
		consistent(t, snap, 6)
		entries, err := s.Range(t.Context(), f.sc.Partition, "0-0", "+", 100)
		if err != nil || len(entries) == 0 {
			t.Fatal(entries, err)
		}
		wantEvent := domain.Event{
			Partition: f.sc.Partition, StreamID: id, Type: domain.EventRebuilt, Epoch: 2, ScreeningID: f.sc.ID, Quantity: 2, AcceptedAt: now,
			Version: 1, Map: "shh..x",
		}
		if diff := cmp.Diff(wantEvent, entries[len(entries)-1].Event); diff != "" {
			t.Errorf("event (-want +got):\n%s", diff)
		}
		f.answers(t, 2)
	})
}

// answers checks that the remembered answer is given, and that the rebuilt seats are for sale.
func (f *fixture) answers(t *testing.T, epoch int64) {
	t.Helper()
	f.sc.Epoch = epoch
	again := holdstoretest.Hold(f.sc, "u", 1, 2)
	again.Detail.Key, again.Detail.Fingerprint = "k", "fp"
	got, err := f.s.HoldSeats(t.Context(), again)
	if diff := cmp.Diff(holdstore.HoldResult{Repeat: true, HoldID: "h2", Answer: `{"a":1}`}, got); diff != "" || err != nil {
		t.Errorf("remembered answer: %v (-want +got):\n%s", err, diff)
	}
	f.hold(t, "v", 3, 4)
	f.givenBack(t, holdstore.HoldArgs{HoldID: "h2", Attempt: 1}, 2)
	consistent(t, f.snapshot(t), 6)
}

func TestRebuildRefusesAnEpochThatIsNotGreater(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 6)
		if _, err := s.Write(t.Context(), ledgerOf(f.sc, 10)); err != nil {
			t.Fatal(err)
		}
		f.unchanged(t, func() {
			for _, epoch := range []int64{1, 9, 10} { // as numbers: "9" is not greater than "10"
				r := ledgerOf(f.sc, epoch)
				r.Answers = nil
				if _, err := s.Write(t.Context(), r); !errors.Is(err, domain.ErrStaleEpoch) {
					t.Errorf("epoch %d after 10: got %v, want %v", epoch, err, domain.ErrStaleEpoch)
				}
			}
		})
		f.rdb.Del(t.Context(), f.k.Store)
		f.unchanged(t, func() {
			r := ledgerOf(f.sc, 11)
			r.Answers = nil
			if _, err := s.Write(t.Context(), r); !errors.Is(err, domain.ErrStoreChanged) {
				t.Errorf("a server without a run id: got %v, want %v", err, domain.ErrStoreChanged)
			}
		})
	})
}

func TestRebuildHealsLostAndSpoiledKeys(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		for i, spoil := range []func(f *fixture){
			func(f *fixture) { f.rdb.Del(t.Context(), f.k.Meta, f.k.Users, f.k.Holds) },
			func(f *fixture) { f.rdb.Set(t.Context(), f.k.Meta, "x", 0) },
			func(f *fixture) {
				f.rdb.Del(t.Context(), f.k.Seats, f.k.Owners)
				f.rdb.HSet(t.Context(), f.k.Seats, "a", "b")
				f.rdb.Set(t.Context(), f.k.Owners, "x", 0)
			},
			func(f *fixture) { f.set(t, f.k.Meta, "epoch", "abc") },
		} {
			f := warm(t, s, 6)
			spoil(f)
			if _, err := s.Write(t.Context(), ledgerOf(f.sc, 2)); err != nil {
				t.Errorf("case %d: %v", i, err)
				continue
			}
			f.answers(t, 2)
		}
	})
}

func TestSettingsTheLastChangeWins(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 6)
		newer := *f.sc
		newer.Settings, newer.Status, newer.Limit, newer.OrphanRule = 10, domain.ScreeningPaused, 4, true
		newer.OpensAt, newer.ClosesAt = now.Add(time.Minute), now.Add(2*time.Minute)
		older := *f.sc
		older.Settings = 9
		want := f.snapshot(t)
		want.Meta.Settings, want.Meta.OnSale, want.Meta.Limit, want.Meta.Orphan = 10, false, 4, true
		want.Meta.OpensMS, want.Meta.ClosesMS = newer.OpensAt.UnixMilli(), newer.ClosesAt.UnixMilli()
		if err := errors.Join(s.SetSettings(t.Context(), &newer), s.SetSettings(t.Context(), &older)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, f.snapshot(t)); diff != "" {
			t.Errorf("snapshot (-want +got):\n%s", diff)
		}
		f.unchanged(t, func() {
			if err := s.SetSettings(t.Context(), &newer); err != nil {
				t.Errorf("the same again: %v", err)
			}
			unknown := newer
			unknown.ID = "never-warmed"
			if err := s.SetSettings(t.Context(), &unknown); err != nil {
				t.Errorf("a screening that is not warmed: %v", err)
			}
		})
	})
}

func TestSnapshotOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 6)
		f.rdb.Del(t.Context(), f.k.Users)
		f.unchanged(t, func() {
			for _, id := range []string{f.sc.ID, "never-warmed"} {
				if snap, err := s.Snapshot(t.Context(), f.sc.Partition, id); snap != nil || !errors.Is(err, domain.ErrNotWarmed) {
					t.Errorf("snapshot of %s: got %+v, %v", id, snap, err)
				}
			}
		})
	})
}

func TestSnapshotNamesWhatIsInFlight(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 6)
		settled, waiting := f.hold(t, "u", 0), f.hold(t, "v", 1)
		entries, err := s.ReadNew(t.Context(), f.sc.Partition, "c", 2, 0) // rebuilt, and the first hold
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Done(t.Context(), f.sc.Partition, entries); err != nil {
			t.Fatal(err)
		}
		snap := f.snapshot(t)
		if diff := cmp.Diff([]string{waiting.HoldID}, snap.InFlight); diff != "" {
			t.Errorf("in flight (-want +got):\n%s", diff)
		}
		if _, there := snap.Holds[settled.HoldID]; !there {
			t.Error("a settled hold has no record")
		}
		if _, user, found, err := s.InFlightRef(t.Context(), f.sc.Partition, waiting.HoldID); user != "v" || !found || err != nil {
			t.Errorf("reference of the waiting hold: %q, %v, %v", user, found, err)
		}
		if _, _, found, err := s.InFlightRef(t.Context(), f.sc.Partition, settled.HoldID); found || err != nil {
			t.Errorf("reference of the settled hold: %v, %v", found, err)
		}
	})
}
