package holdstore_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
)

// TestTrimNeverCutsWhatIsOwed is a property: whatever was read, done, renewed and taken over, and whatever age is
// asked for, a pending or undelivered entry is there after a trim.
func TestTrimNeverCutsWhatIsOwed(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		rapid.Check(t, func(r *rapid.T) { trimOnce(t, r, s) })
	})
}

func trimOnce(t *testing.T, r *rapid.T, s *holdstore.Store) {
	f := warm(t, s, 40)
	p := f.sc.Partition
	f.rdb.Del(t.Context(), f.k.Events)
	if err := s.EnsureGroup(t.Context(), p); err != nil {
		r.Fatal(err)
	}
	next, owed := 0, map[string]holdstore.Entry{}
	undelivered := []string{}
	trims := 0
	r.Repeat(map[string]func(*rapid.T){
		"hold": func(r *rapid.T) {
			if next == 40 {
				r.Skip("sold out")
			}
			a := holdstoretest.Hold(f.sc, "u", next)
			next++
			undelivered = append(undelivered, f.place(t, a).StreamID)
		},
		"read": func(r *rapid.T) {
			for _, e := range f.read(t, rapid.SampledFrom([]string{"a", "b"}).Draw(r, "consumer"), rapid.IntRange(1, 4).Draw(r, "count")) {
				owed[e.Event.StreamID] = e
				undelivered = undelivered[1:]
			}
		},
		"done": func(r *rapid.T) {
			for id, e := range owed {
				if rapid.Bool().Draw(r, id) {
					if err := s.Done(t.Context(), p, []holdstore.Entry{e}); err != nil {
						r.Fatal(err)
					}
					delete(owed, id)
				}
			}
		},
		"take over": func(r *rapid.T) {
			if _, err := s.TakeOver(t.Context(), p, "c", 0, 10); err != nil {
				r.Fatal(err)
			}
		},
		"trim": func(r *rapid.T) {
			age := rapid.SampledFrom([]time.Time{time.UnixMilli(0), now.AddDate(100, 0, 0)}).Draw(r, "older than")
			n, err := s.TrimSafely(t.Context(), p, age)
			if err != nil {
				r.Fatal(err)
			}
			if age.UnixMilli() == 0 && n > 0 {
				r.Fatalf("%d young entries were cut", n)
			}
			trims++
		},
		"": func(r *rapid.T) {
			ids := append([]string{}, undelivered...)
			for id := range owed {
				ids = append(ids, id)
			}
			got, err := s.Get(t.Context(), p, ids)
			if err != nil || len(got) != len(ids) {
				r.Fatalf("%d of %d entries that are owed are there, %v", len(got), len(ids), err)
			}
		},
	})
	f.drain(t, r)
}

// drain does everything that is left; then a trim leaves the last delivered entry only.
func (f *fixture) drain(t *testing.T, r *rapid.T) {
	p := f.sc.Partition
	f.read(t, "a", 100)
	left, err := f.s.TakeOver(t.Context(), p, "a", 0, 100)
	if err != nil {
		r.Fatal(err)
	}
	if err := f.s.Done(t.Context(), p, left); err != nil {
		r.Fatal(err)
	}
	if _, err := f.s.TrimSafely(t.Context(), p, now.AddDate(100, 0, 0)); err != nil {
		r.Fatal(err)
	}
	if progress, err := f.s.Progress(t.Context(), p, now); err != nil || progress.Length > 1 || progress.InFlight != 0 {
		r.Fatalf("after everything was settled: %+v, %v", progress, err)
	}
}
