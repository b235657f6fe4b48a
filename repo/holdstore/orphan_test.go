package holdstore_test

import (
	"testing"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

func TestOrphanRule(t *testing.T) {
	t.Parallel()
	row := [][]int{{0, 1, 2, 3, 4, 5}}
	cases := []struct {
		name  string
		taken []int
		runs  [][]int
		seats []int
		alone []int // nil = allowed
	}{
		{"one left at the row's beginning", nil, row, []int{1}, []int{0}},
		{"one left at the row's end", nil, row, []int{3, 4}, []int{5}},
		{"one left between two holds", []int{0}, row, []int{2}, []int{1}},
		{"one left between its own seats", nil, row, []int{0, 2}, []int{1}},
		{"several left", nil, row, []int{1, 3}, []int{0, 2}},
		{"in the second of two runs", nil, [][]int{{0, 1, 2}, {3, 4, 5}}, []int{0, 1, 2, 4}, []int{3, 5}},
		{"a row whose order is not the index order", nil, [][]int{{4, 0, 2}}, []int{0}, []int{4, 2}},
		{"at the row's beginning", nil, row, []int{0, 1}, nil},
		{"two left", nil, row, []int{2, 3}, nil},
		{"the whole row", nil, row, []int{0, 1, 2, 3, 4, 5}, nil},
		{"the last free pair", []int{0, 1, 2, 3}, row, []int{4, 5}, nil},
		{"alone before already", []int{0, 2}, row, []int{3}, nil},
		{"the one that is alone", []int{0, 2}, row, []int{1}, nil},
		{"a gap between runs is a wall", nil, [][]int{{0, 1}, {2, 3}}, []int{0, 1}, nil},
		{"a run of one seat", nil, [][]int{{0}, {1, 2}}, []int{1, 2}, nil},
		{"no runs named", nil, nil, []int{1}, nil},
	}
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				f := warm(t, s, 6, func(sc *domain.Screening) { sc.OrphanRule = true })
				if c.taken != nil {
					f.block(t, c.taken...)
				}
				a := holdstoretest.Hold(f.sc, "u", c.seats...)
				a.Runs = c.runs
				if c.alone != nil {
					f.refused(t, a, domain.ErrOrphanSeat.With("index", c.alone))
					off := *f.sc
					off.OrphanRule, off.Settings = false, 2
					if err := s.SetSettings(t.Context(), &off); err != nil {
						t.Fatal(err)
					}
				}
				f.place(t, a)
			})
		}
	})
}
