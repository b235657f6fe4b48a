package holdstore_test

import (
	"testing"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
)

func TestHoldLife(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		sc := holdstoretest.Screening(10)
		holdstoretest.Warm(t, s, sc)
		a := holdstoretest.Hold(sc, "u1", 2, 3)
		res, err := s.HoldSeats(t.Context(), a)
		if err != nil {
			t.Fatalf("hold: %v", err)
		}
		if res.Free != 8 || res.Version != 2 {
			t.Errorf("result = %+v", res)
		}
		snap, err := s.Snapshot(t.Context(), sc.Partition, sc.ID)
		if err != nil {
			t.Fatal(err)
		}
		if snap.Map != "..hh......" {
			t.Errorf("map = %q", snap.Map)
		}
		es, err := s.ReadNew(t.Context(), sc.Partition, "c1", 10, 0)
		if err != nil || len(es) != 2 {
			t.Fatalf("read = %+v, %v", es, err)
		}
		if es[1].Broken != nil {
			t.Error(es[1].Broken)
		}
		ref := holdstore.Ref{Partition: sc.Partition, ScreeningID: sc.ID, HoldID: a.HoldID, Attempt: 1}
		if ok, err := s.Confirm(t.Context(), ref, holdstoretest.Now); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := s.Done(t.Context(), sc.Partition, es); err != nil {
			t.Fatal(err)
		}
		if n, err := s.GiveBack(t.Context(), ref, nil, holdstoretest.Now); err != nil || n != 2 {
			t.Fatal(n, err)
		}
		if n, err := s.TrimSafely(t.Context(), sc.Partition, holdstoretest.Now.AddDate(100, 0, 0)); err != nil || n == 0 {
			t.Fatal(n, err)
		}
	})
}

func BenchmarkHoldEmbedded(b *testing.B) {
	s := holdstoretest.Embedded(b)
	sc := holdstoretest.Screening(100_000)
	holdstoretest.Warm(b, s, sc)
	i := 0
	for b.Loop() {
		if _, err := s.HoldSeats(b.Context(), holdstoretest.Hold(sc, "u", i%100_000)); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
