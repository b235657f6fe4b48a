package holdstore_test

import (
	"testing"
	"time"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

var now = holdstoretest.Now

// refusal is one way in which hold_seats says no.
type refusal struct {
	name   string
	change func(*domain.Screening)
	seats  int // 0 = general admission
	call   func(t *testing.T, f *fixture) holdstore.HoldArgs
	want   *domain.Error
}

func TestHoldRefusalsChangeNothing(t *testing.T) {
	t.Parallel()
	cases := slicesOf(missingKeys(), fences(), saleRules(), takenSeats(), brokenData())
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				change := c.change
				if change == nil {
					change = func(*domain.Screening) {}
				}
				f := warm(t, s, c.seats, change)
				defer func() { _ = s.Mark(t.Context()) }()
				f.refused(t, c.call(t, f), c.want)
			})
		}
	})
}

func slicesOf(lists ...[]refusal) []refusal {
	var all []refusal
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func missingKeys() []refusal {
	keys := map[string]func(holdstore.Keys) string{
		"seats": func(k holdstore.Keys) string { return k.Seats }, "owners": func(k holdstore.Keys) string { return k.Owners },
		"meta": func(k holdstore.Keys) string { return k.Meta }, "holds": func(k holdstore.Keys) string { return k.Holds },
		"users": func(k holdstore.Keys) string { return k.Users },
	}
	var cases []refusal
	for name, key := range keys {
		cases = append(cases, refusal{"missing key " + name, nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.rdb.Del(t.Context(), key(f.k))
			return holdstoretest.Hold(f.sc, "u", 1)
		}, domain.ErrNotWarmed})
	}
	for _, field := range []string{"store", "epoch", "gate", "on_sale", "opens_ms", "closes_ms", "limit", "orphan", "free", "ver"} {
		cases = append(cases, refusal{"missing field " + field, nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.rdb.HDel(t.Context(), f.k.Meta, field)
			return holdstoretest.Hold(f.sc, "u", 1)
		}, domain.ErrNotWarmed})
	}
	return append(cases, refusal{"seats asked of general admission", nil, 0, func(_ *testing.T, f *fixture) holdstore.HoldArgs {
		return holdstoretest.Hold(f.sc, "u", 1)
	}, domain.ErrNotWarmed})
}

func fences() []refusal {
	epoch := func(n int64) func(*testing.T, *fixture) holdstore.HoldArgs {
		return func(_ *testing.T, f *fixture) holdstore.HoldArgs {
			sc := *f.sc
			sc.Epoch = n
			return holdstoretest.Hold(&sc, "u", 1)
		}
	}
	return []refusal{
		{"another server process", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.rdb.Set(t.Context(), f.k.Store, "another", 0)
			return holdstoretest.Hold(f.sc, "u", 1)
		}, domain.ErrStoreChanged},
		{"no run id", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.rdb.Del(t.Context(), f.k.Store)
			return holdstoretest.Hold(f.sc, "u", 1)
		}, domain.ErrStoreChanged},
		{"shut gate", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			if err := f.s.ShutGate(t.Context(), f.sc.Partition, f.sc.ID, 1<<50); err != nil {
				t.Fatal(err)
			}
			return holdstoretest.Hold(f.sc, "u", 1)
		}, domain.ErrRebuilding},
		{"older epoch", nil, 10, epoch(0), domain.ErrStaleEpoch},
		{"newer epoch", nil, 10, epoch(2), domain.ErrStaleEpoch},
		{"key reused for another request", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			first := f.hold(t, "u", 1)
			a := holdstoretest.Hold(f.sc, "u", 2)
			a.Detail.Key = first.Detail.Key
			return a
		}, domain.ErrKeyReused},
	}
}

func saleRules() []refusal {
	at := func(when time.Time) func(*testing.T, *fixture) holdstore.HoldArgs {
		return func(_ *testing.T, f *fixture) holdstore.HoldArgs {
			a := holdstoretest.Hold(f.sc, "u", 1)
			a.Now = when
			return a
		}
	}
	paused := func(sc *domain.Screening) { sc.Status = domain.ScreeningPaused }
	anyTime := func(_ *testing.T, f *fixture) holdstore.HoldArgs {
		a := holdstoretest.Hold(f.sc, "u", 1)
		a.AnyTime = true
		return a
	}
	limit := func(sc *domain.Screening) { sc.Limit = 4 }
	return []refusal{
		{"not on sale", paused, 10, at(now), domain.ErrSaleClosed},
		{"not on sale at any time", paused, 10, anyTime, domain.ErrSaleClosed},
		{"before the window", nil, 10, at(now.Add(-time.Hour - time.Millisecond)), domain.ErrSaleClosed},
		{"at the window's end", nil, 10, at(now.Add(time.Hour)), domain.ErrSaleClosed},
		{"above the limit", limit, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.hold(t, "u", 0, 1, 2)
			return holdstoretest.Hold(f.sc, "u", 3, 4)
		}, domain.ErrLimit.With("live", int64(3)).With("limit", int64(4))},
		{"above the limit by places", limit, 0, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.places(t, "u", 4)
			a := holdstoretest.Hold(f.sc, "u")
			a.Quantity = 1
			return a
		}, domain.ErrLimit.With("live", int64(4)).With("limit", int64(4))},
		{"at the in-flight cap", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.hold(t, "u", 1)
			a := holdstoretest.Hold(f.sc, "u", 2)
			a.InFlightCap = int(f.rdb.ZCard(t.Context(), f.k.InFlight).Val())
			return a
		}, domain.ErrBusy},
	}
}

func takenSeats() []refusal {
	return []refusal{
		{"some seats are gone", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			sold := f.hold(t, "v", 2)
			if ok, err := f.s.Confirm(t.Context(), f.ref(sold), now); !ok || err != nil {
				t.Fatal(ok, err)
			}
			f.hold(t, "u", 4, 5)
			f.block(t, 9)
			return holdstoretest.Hold(f.sc, "u", 1, 2, 4, 9)
		}, domain.ErrSeatTaken.With("live", int64(2)).With("index", []int{2, 4, 9})},
		{"seven seats, the last one sold", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.hold(t, "v", 6)
			return holdstoretest.Hold(f.sc, "u", 0, 1, 2, 3, 4, 5, 6)
		}, domain.ErrSeatTaken.With("live", int64(0)).With("index", []int{6})},
		{"a block of a held seat", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.hold(t, "v", 6)
			return asBlock(holdstoretest.Hold(f.sc, "staff", 5, 6))
		}, domain.ErrSeatTaken.With("live", int64(0)).With("index", []int{6})},
		{"too few places", nil, 0, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.places(t, "v", 5)
			f.places(t, "u", 3)
			a := holdstoretest.Hold(f.sc, "u")
			a.Quantity = 3
			return a
		}, domain.ErrSoldOut.With("live", int64(3)).With("free", int64(2))},
		{"seats that the first attempt still has", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			a := f.hold(t, "u", 1, 2)
			a.Attempt, a.Detail.Key = 2, a.Detail.Key+"-late"
			return a
		}, domain.ErrSeatTaken.With("live", int64(2)).With("index", []int{1, 2})},
		{"places that the first attempt still has", nil, 0, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			a := f.places(t, "u", 2)
			a.Attempt, a.Detail.Key = 2, a.Detail.Key+"-late"
			return a
		}, domain.ErrSoldOut.With("live", int64(2)).With("free", int64(8))},
	}
}

// brokenData are calls that only a fault of ours could make, and stored values that are no longer what a script
// wrote. A number that is none must be met before the first write.
func brokenData() []refusal {
	spoil := func(key func(holdstore.Keys) string, field, value string) func(*testing.T, *fixture) holdstore.HoldArgs {
		return func(t *testing.T, f *fixture) holdstore.HoldArgs {
			f.set(t, key(f.k), field, value)
			return holdstoretest.Hold(f.sc, "u", 1)
		}
	}
	meta := func(k holdstore.Keys) string { return k.Meta }
	cases := []refusal{
		{"seat outside the map", nil, 10, func(_ *testing.T, f *fixture) holdstore.HoldArgs { return holdstoretest.Hold(f.sc, "u", 1, 2, 10) }, domain.ErrScript},
		{"seat named twice", nil, 10, func(_ *testing.T, f *fixture) holdstore.HoldArgs { return holdstoretest.Hold(f.sc, "u", 1, 1) }, domain.ErrScript},
		{"quantity and seats differ", nil, 10, func(_ *testing.T, f *fixture) holdstore.HoldArgs {
			a := holdstoretest.Hold(f.sc, "u", 1, 2)
			a.Quantity = 3
			return a
		}, domain.ErrScript},
		{"places asked of a seated screening", nil, 10, func(_ *testing.T, f *fixture) holdstore.HoldArgs {
			a := holdstoretest.Hold(f.sc, "u")
			a.Quantity = 2
			return a
		}, domain.ErrScript},
		{"no places", nil, 0, func(_ *testing.T, f *fixture) holdstore.HoldArgs { return holdstoretest.Hold(f.sc, "u") }, domain.ErrScript},
		{"users no number", nil, 10, spoil(func(k holdstore.Keys) string { return k.Users }, "u", "abc"), domain.ErrScript},
		{"broken record", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			a := holdstoretest.Hold(f.sc, "u", 1)
			f.set(t, f.k.Holds, a.HoldID, "2|what")
			return a
		}, domain.ErrScript},
		{"broken first answer", nil, 10, func(t *testing.T, f *fixture) holdstore.HoldArgs {
			a := holdstoretest.Hold(f.sc, "u", 1)
			f.rdb.Set(t.Context(), holdstore.IdemKey(f.sc.Partition, f.sc.ID, "u", a.Detail.Key), "what", 0)
			return a
		}, domain.ErrScript},
	}
	for _, field := range []string{"free", "ver", "limit", "opens_ms", "closes_ms"} {
		cases = append(cases, refusal{field + " no number", nil, 10, spoil(meta, field, "abc"), domain.ErrScript})
	}
	return cases
}
