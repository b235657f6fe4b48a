package seating_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/service/seating"
)

func TestRunsOf(t *testing.T) {
	t.Parallel()
	layout := drawn("ss sss", "sswcss")
	m := seating.NewMap(layout)
	tests := map[string][]string{
		"A4":          {"A3 A4 A5"},
		"A1 A0 A5":    {"A0 A1", "A3 A4 A5"},
		"B1":          {"B0 B1"},
		"B2 B3 B5 A0": {"B2", "B3", "B4 B5", "A0 A1"},
		"":            nil,
	}
	for choice, want := range tests {
		var got []string
		for _, run := range m.RunsOf(numbers(t, layout, choice)) {
			got = append(got, names(layout, run))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("runs of %q (-want +got):\n%s", choice, diff)
		}
	}
	if got := m.RunsOf([]int{-1, 99}); got != nil {
		t.Errorf("runs of seats that are not there: %v", got)
	}
	if m.Pitch() != 10 || len(m.Rows()) != 2 || len(m.Rows()[1].Runs) != 1 {
		t.Errorf("got pitch %g and rows %v", m.Pitch(), m.Rows())
	}
}

func TestOrphans(t *testing.T) {
	t.Parallel()
	layout := drawn("ssssss ss", "ssswc")
	m := seating.NewMap(layout)
	tests := []struct{ name, taken, choice, want string }{
		{"middle of a free row", "", "A2 A3", ""},
		{"one left at the aisle", "", "A4", "A5"},
		{"one left at either end", "", "A1 A2 A3 A4", "A0 A5"},
		{"one left beside a taken seat", "A0", "A2 A3", "A1"},
		{"one left between two parts of the choice", "", "A2 A4", "A3 A5"},
		{"alone before", "A1", "A2 A3", ""},
		{"the run is filled up", "A0 A1 A2", "A3 A4 A5", ""},
		{"the last but one of a pair", "", "A7", "A8"},
		{"other side of the aisle", "", "A7 A8", ""},
		{"a wheelchair place is no neighbour", "", "B0 B1", "B2"},
		{"a wheelchair place is not stranded", "", "B0 B1 B2", ""},
		{"a companion's place is not stranded", "", "B3", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			taken := make(map[int]bool)
			for _, i := range numbers(t, layout, test.taken) {
				taken[i] = true
			}
			got := names(layout, m.Orphans(func(i int) bool { return taken[i] }, numbers(t, layout, test.choice)))
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
