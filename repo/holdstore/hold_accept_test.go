package holdstore_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

func ms(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

func TestHoldWritesEveryKeyInOneStep(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 6)
		want := f.dump(t)
		a := holdstoretest.Hold(f.sc, "u", 2, 3)
		res := f.place(t, a)
		if diff := cmp.Diff(holdstore.HoldResult{HoldID: a.HoldID, Version: 2, Free: 4, StreamID: res.StreamID}, res); diff != "" {
			t.Errorf("result (-want +got):\n%s", diff)
		}
		detail, err := json.Marshal(a.Detail)
		if err != nil {
			t.Fatal(err)
		}
		want[f.k.Seats] = "..hh.."
		want[f.k.Owners] = map[string]string{"_": "1", "2": a.HoldID, "3": a.HoldID}
		meta := want[f.k.Meta].(map[string]string)
		meta["free"], meta["ver"] = "4", "2"
		want[f.k.Holds] = map[string]string{"_": "1", a.HoldID: "1|h|u|" + ms(a.ExpiresAt) + "|2|2500|1|2,3|" + res.StreamID}
		want[f.k.Users] = map[string]string{"_": "1", "u": "2"}
		want[holdstore.IdemKey(f.sc.Partition, f.sc.ID, "u", a.Detail.Key)] = "1|" + a.Detail.Fingerprint + "|" + a.HoldID + "|" + a.Detail.Answer
		want[f.k.InFlight] = []redis.Z{{Score: float64(now.UnixMilli()), Member: a.HoldID}}
		want[f.k.InFlightRef] = map[string]string{a.HoldID: f.sc.ID + "|u"}
		events := want[f.k.Events].(streamDump)
		events.Entries = append(events.Entries, streamEntry{ID: res.StreamID, Values: map[string]any{
			"v": "1", "type": "held", "epoch": "1", "screening": f.sc.ID, "hold": a.HoldID, "user": "u", "attempt": "1", "qty": "2",
			"amount": "2500", "at": ms(now), "expires": ms(a.ExpiresAt), "ver": "2", "seats": "2,3", "state": "h", "detail": string(detail),
		}})
		want[f.k.Events] = events
		if diff := cmp.Diff(want, f.dump(t)); diff != "" {
			t.Errorf("all keys (-want +got):\n%s", diff)
		}
		life, err := f.rdb.PTTL(t.Context(), holdstore.IdemKey(f.sc.Partition, f.sc.ID, "u", a.Detail.Key)).Result()
		if err != nil || life > holdstore.IdempotencyLife || life < holdstore.IdempotencyLife-time.Minute {
			t.Errorf("life of the first answer: got %s, %v", life, err)
		}
	})
}

func TestHoldRepeatGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 6, func(sc *domain.Screening) { sc.Limit = 2 })
		first := f.hold(t, "u", 2, 3)
		blocked := f.block(t, 5)
		otherID := holdstoretest.Hold(f.sc, "u", 2, 3)
		otherID.Detail.Key, otherID.Detail.Fingerprint = first.Detail.Key, first.Detail.Fingerprint
		otherKey := first
		otherKey.Detail.Key += "-forgotten"
		afterSale := first
		afterSale.Now = now.Add(24 * time.Hour)
		for name, c := range map[string]struct {
			call holdstore.HoldArgs
			want holdstore.HoldResult
		}{
			"the very same":        {first, holdstore.HoldResult{Repeat: true, HoldID: first.HoldID, Answer: first.Detail.Answer}},
			"another id, same key": {otherID, holdstore.HoldResult{Repeat: true, HoldID: first.HoldID, Answer: first.Detail.Answer}},
			"same id, key unknown": {otherKey, holdstore.HoldResult{Repeat: true, HoldID: first.HoldID}},
			"after the sale":       {afterSale, holdstore.HoldResult{Repeat: true, HoldID: first.HoldID, Answer: first.Detail.Answer}},
			"a block":              {blocked, holdstore.HoldResult{Repeat: true, HoldID: blocked.HoldID}},
		} {
			f.unchanged(t, func() {
				got, err := s.HoldSeats(t.Context(), c.call)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			})
		}
	})
}

// TestHoldChecksInTheOrderOfTheContract begins with a call against which everything speaks, and mends one thing
// after the other: each time the next reason is told.
func TestHoldChecksInTheOrderOfTheContract(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 10, func(sc *domain.Screening) { sc.Limit, sc.OrphanRule = 3, true })
		first := f.hold(t, "u", 8, 9)
		f.hold(t, "v", 7)
		paused, a := *f.sc, holdstoretest.Hold(f.sc, "u", 1, 2)
		paused.Status, paused.Settings = domain.ScreeningPaused, 2
		stale := *f.sc
		stale.Epoch = 9
		a.Screening, a.Detail.Key, a.InFlightCap, a.Runs = &stale, first.Detail.Key, 1, [][]int{{0, 1, 2, 3, 4, 5, 6}}
		if err := errors.Join(s.SetSettings(t.Context(), &paused), s.ShutGate(t.Context(), f.sc.Partition, f.sc.ID, 1<<50)); err != nil {
			t.Fatal(err)
		}
		f.rdb.Set(t.Context(), f.k.Store, "another", 0)
		f.rdb.Rename(t.Context(), f.k.Users, f.k.Users+":away")

		for _, step := range []struct {
			want *domain.Error
			mend func()
		}{
			{domain.ErrNotWarmed, func() { f.rdb.Rename(t.Context(), f.k.Users+":away", f.k.Users) }},
			{domain.ErrStoreChanged, func() { _ = s.Mark(t.Context()) }},
			{domain.ErrRebuilding, func() { f.set(t, f.k.Meta, "gate", "0") }},
			{domain.ErrStaleEpoch, func() { a.Screening = f.sc }},
			{domain.ErrKeyReused, func() { a.Detail.Key += "-own" }},
			{domain.ErrSaleClosed, func() { f.set(t, f.k.Meta, "on_sale", "1") }},
			{domain.ErrLimit.With("live", int64(2)).With("limit", int64(3)), func() { f.set(t, f.k.Meta, "limit", "4") }},
			{domain.ErrOrphanSeat.With("index", []int{0}), func() { setSeats(&a, 6, 7) }},
			{domain.ErrBusy, func() { a.InFlightCap = 100 }},
			{domain.ErrSeatTaken.With("live", int64(2)).With("index", []int{7}), func() { setSeats(&a, 5, 6) }},
		} {
			f.refused(t, a, step.want)
			step.mend()
		}
		f.place(t, a)
	})
}

func setSeats(a *holdstore.HoldArgs, seats ...int) {
	b := holdstoretest.Hold(a.Screening, a.UserID, seats...)
	a.Detail.Seats, a.Quantity = b.Detail.Seats, b.Quantity
}

func TestHoldRulesThatBlocksAndLateMoneyDoNotMeet(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		closed := func(sc *domain.Screening) {
			sc.Status, sc.Limit, sc.OrphanRule = domain.ScreeningPaused, 1, true
			sc.OpensAt, sc.ClosesAt = now.Add(-2*time.Hour), now.Add(-time.Hour)
		}
		f := warm(t, s, 6, closed)
		a := asBlock(holdstoretest.Hold(f.sc, "staff", 1, 2))
		a.Runs, a.InFlightCap = [][]int{{0, 1, 2, 3, 4, 5}}, 0
		f.place(t, a)
		snap := f.snapshot(t)
		if snap.Map != ".xx..." || len(snap.Users) != 0 || snap.Meta.Free != 4 || len(snap.InFlight) != 1 {
			t.Errorf("after a block: %+v", snap)
		}
		consistent(t, snap, 6)

		f = warm(t, s, 6, func(sc *domain.Screening) { sc.ClosesAt = now.Add(-time.Minute) })
		late := holdstoretest.Hold(f.sc, "u", 1)
		f.refused(t, late, domain.ErrSaleClosed)
		late.AnyTime, late.Attempt = true, 2
		f.place(t, late)
		if got := f.snapshot(t).Holds[late.HoldID].Attempt; got != 2 {
			t.Errorf("attempt of late money: got %d, want 2", got)
		}
	})
}

func TestHoldLimitIsReachedExactly(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 6, func(sc *domain.Screening) { sc.Limit = 3 })
		f.hold(t, "u", 0, 1)
		f.hold(t, "u", 2)
		f.hold(t, "v", 3, 4, 5) // another user has a limit of its own
		if diff := cmp.Diff(map[string]int64{"u": 3, "v": 3}, f.snapshot(t).Users); diff != "" {
			t.Errorf("users (-want +got):\n%s", diff)
		}
	})
}

func TestHoldOfPlaces(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 0)
		a := f.places(t, "u", 7)
		staff := holdstoretest.Hold(f.sc, "staff")
		staff.Quantity = 2
		f.place(t, asBlock(staff))
		f.places(t, "v", 1)
		snap := f.snapshot(t)
		if snap.Map != "" || snap.Meta.Free != 0 || len(snap.Owners) != 0 {
			t.Errorf("sold out: %+v", snap)
		}
		consistent(t, snap, 10)
		if n, err := s.GiveBack(t.Context(), f.ref(a), nil, now); n != 7 || err != nil {
			t.Errorf("give back 7 places: got %d, %v", n, err)
		}
		f.unchanged(t, func() {
			if n, err := s.GiveBack(t.Context(), f.ref(a), nil, now); n != 0 || err != nil {
				t.Errorf("give back again: got %d, %v", n, err)
			}
		})
		if n, err := s.GiveBack(t.Context(), f.ref(staff), nil, now); n != 2 || err != nil {
			t.Errorf("give back the block: got %d, %v", n, err)
		}
		consistent(t, f.snapshot(t), 10)
	})
}
