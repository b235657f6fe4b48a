package seating_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"usher/service/domain"
	"usher/service/seating"
	"usher/service/seatplan"
)

// realFile reads a seat plan of a real house. Those files lie beside the repository, not in it; without them
// the test is skipped.
func realFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", name))
	if os.IsNotExist(err) {
		t.Skipf("the plans of real houses (../shared/data/%s) are not here", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func realPlan(t testing.TB, name string) *domain.SeatLayout {
	t.Helper()
	layout, _, err := seatplan.Parse(name, realFile(t, name), seatplan.Options{NewIDs: true})
	if err != nil {
		t.Fatal(err)
	}
	return layout
}

func labels(layout *domain.SeatLayout, run []int) string {
	var all []string
	for _, i := range run {
		all = append(all, layout.Seats[i].Label)
	}
	return strings.Join(all, " ")
}

func TestRowsOfRealPlans(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file             string
		rows, runs, want int
		zone, row, run   string
	}{
		// Even left, odd right: seat 2 beside seat 1, and neighbours that differ by two.
		{"pretix-calais.json", 26, 0, 702, "Orchestre", "G", "14 12 10 8 6 4 2 1 3 5 7 9 11 13"},
		// 97 pieces of rows, two of them with two holes each.
		{"pretix-teater-besar.json", 39, 101, 1132, "Ground floor", "BB", "10 11 12 13 14 15 16 17 18 19"},
		// 18 pieces, of which two continue another one without a gap.
		{"pretix-courtside.json", 10, 16, 300, "Courtside", "AA", "16 17 18 19 20 21 22 23 24 25 26 27 28 29 30"},
		// Doors and desks part the rows; the halves of the centre meet.
		{"opera-house-seats.csv", 82, 0, 3006, "Dress Circle", "K", "109 107 105 103 101 102 104 106 108 110"},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			layout := realPlan(t, test.file)
			rows := seating.Rows(layout)
			runs, seats, found := 0, 0, false
			var seen []string
			for _, row := range rows {
				runs += len(row.Runs)
				for _, run := range row.Runs {
					seats += len(run)
					if row.Zone == test.zone && row.Label == test.row {
						seen = append(seen, labels(layout, run))
						found = found || labels(layout, run) == test.run
					}
				}
			}
			if len(rows) != test.rows || seats != test.want || test.runs > 0 && runs != test.runs {
				t.Errorf("got %d rows, %d runs and %d seats, want %d, %d and %d", len(rows), runs, seats, test.rows, test.runs, test.want)
			}
			if !found {
				t.Errorf("no run %q in zone %s row %s, but %q", test.run, test.zone, test.row, seen)
			}
		})
	}
}

func TestBestInRealPlans(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"pretix-calais.json", "pretix-teater-besar.json", "pretix-courtside.json", "opera-house-seats.csv"} {
		layout := realPlan(t, file)
		m := seating.NewMap(layout)
		for count := 1; count <= domain.MaxSeatsPerHold; count++ {
			got, ok := m.Best(func(i int) bool { return i%7 != 0 || count < 3 }, count, "", true)
			if !ok || len(got) != count {
				t.Errorf("%s: %d seats: got %d and %t", file, count, len(got), ok)
			}
		}
	}
}

func BenchmarkBest(b *testing.B) {
	m := seating.NewMap(realPlan(b, "opera-house-seats.csv"))
	for b.Loop() {
		m.Best(func(i int) bool { return i%3 != 0 }, 6, "", true)
	}
}

// On a grid of whole cells neighbours are the cells beside each other at one height. The numbers of this house
// run in one series that turns back at each row's end, and three of its rows stand at two heights.
func TestRowsOfASerpentine(t *testing.T) {
	t.Parallel()
	var list []struct {
		SeatNumber, SeatRow, Area string
		Coordinate                struct{ X, Y float64 }
	}
	if err := json.Unmarshal(realFile(t, "cityhall-serpentine.json"), &list); err != nil {
		t.Fatal(err)
	}
	layout := &domain.SeatLayout{}
	type cell struct {
		zone, row string
		x, y      float64
	}
	at := make(map[cell]bool)
	for _, s := range list {
		layout.Seats = append(layout.Seats, domain.Seat{No: s.SeatNumber, Zone: s.Area, Row: s.SeatRow, X: s.Coordinate.X, Y: s.Coordinate.Y})
		at[cell{s.Area, s.SeatRow, s.Coordinate.X, s.Coordinate.Y}] = true
	}
	want := 0
	for c := range at {
		c.x--
		if !at[c] {
			want++
		}
	}
	runs := 0
	for _, row := range seating.Rows(layout) {
		runs += len(row.Runs)
		for _, run := range row.Runs {
			for k := 1; k < len(run); k++ {
				if a, b := layout.Seats[run[k-1]], layout.Seats[run[k]]; b.X-a.X != 1 || a.Y != b.Y {
					t.Errorf("%s at %g,%g and %s at %g,%g are called neighbours", a.No, a.X, a.Y, b.No, b.X, b.Y)
				}
			}
		}
	}
	if runs != want || want == 0 {
		t.Errorf("got %d runs, want %d", runs, want)
	}
}
