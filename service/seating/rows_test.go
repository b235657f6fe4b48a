package seating_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"usher/service/domain"
	"usher/service/seating"
)

func TestRowsFindsRuns(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		layout *domain.SeatLayout
		want   []string
	}{
		{"aisles", drawn("ss sss", "s s"), []string{"A0 A1", "A3 A4 A5", "B0", "B2"}},
		{"one seat", drawn("s"), []string{"A0"}},
		{"two seats on one spot", onSpots("A", 0, 0, 0, 0), []string{"A0 A1"}},
		{"numbers do not matter", onSpots("A", 60, 0, 40, 0, 50, 0, 0, 0, 10, 0), []string{"A3 A4", "A1 A2 A0"}},
		{"upright", onSpots("A", 5, 40, 5, 30, 5, 0, 5, 10), []string{"A2 A3", "A1 A0"}},
		{"two heights", onSpots("A", 0, 0, 10, 0, 20, 0, 30, 5, 40, 5, 50, 5), []string{"A0 A1 A2", "A3 A4 A5"}},
		{"two heights a row apart", onSpots("A", 0, 0, 10, 0, 20, 0, 30, 9, 40, 9, 50, 9), []string{"A0 A1 A2", "A3 A4 A5"}},
		{"slanted", onSpots("A", 0, 0, 9, 4, 18, 8, 27, 12), []string{"A0 A1 A2 A3"}},
		{
			"lines closer than neighbours", onSpots("A", 0, 0, 10, 0, 20, 0, 30, 0, 0, 8, 10, 8, 20, 8, 30, 8),
			[]string{"A0 A1 A2 A3", "A4 A5 A6 A7"},
		},
		{"a single seat set back", onSpots("A", 0, 0, 10, 0, 20, 0, 30, 4), []string{"A0 A1 A2 A3"}},
		{"aisle of 4.4 seats", onSpots("A", 0, 0, 10, 0, 54, 0, 64, 0), []string{"A0 A1", "A2 A3"}},
		{"love seats", onSpots("A", 0, 0, 9, 0, 23, 0, 32, 0, 46, 0, 55, 0), []string{"A0 A1 A2 A3 A4 A5"}},
		{"round a horseshoe", horseshoe(23), []string{"A0 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16 A17 A18 A19 A20 A21 A22"}},
		{"equal labels in two zones", zoned(), []string{"X0 X1", "Y0 Y1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, runNames(test.layout)); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
}

// onSpots makes one row of seats A0, A1, ... at the given coordinates.
func onSpots(row string, xy ...float64) *domain.SeatLayout {
	layout := &domain.SeatLayout{}
	for i := 0; i < len(xy); i += 2 {
		layout.Seats = append(layout.Seats, domain.Seat{No: fmt.Sprint(row, i/2), Row: row, X: xy[i], Y: xy[i+1]})
	}
	return layout
}

// horseshoe makes one row that bends back on itself, 12 degrees a seat, from the left over the bottom.
func horseshoe(n int) *domain.SeatLayout {
	var xy []float64
	for i := range n {
		angle := math.Pi/180*(180-12*float64(i)) + 0.7
		xy = append(xy, 48*math.Cos(angle), 48*math.Sin(angle))
	}
	return onSpots("A", xy...)
}

func zoned() *domain.SeatLayout {
	layout := onSpots("X", 0, 0, 10, 0)
	layout.Seats = append(layout.Seats, onSpots("Y", 20, 0, 30, 0).Seats...)
	for i := range layout.Seats {
		layout.Seats[i].Zone, layout.Seats[i].Row = layout.Seats[i].Row, "A"
	}
	return layout
}

func TestRowsPartTheSeats(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		layout := anyPlan(t)
		rows := seating.Rows(layout)
		seen := make(map[int]bool)
		for _, row := range rows {
			for _, run := range row.Runs {
				for k, i := range run {
					seat := layout.Seats[i]
					if seen[i] || seat.Row != row.Label || seat.Zone != row.Zone {
						t.Fatalf("seat %s is in two runs or in a foreign row", seat.No)
					}
					seen[i] = true
					if k == 0 {
						continue
					}
					before := layout.Seats[run[k-1]]
					if d := math.Hypot(seat.X-before.X, seat.Y-before.Y); d > 24 {
						t.Fatalf("%s and %s are %g apart and called neighbours", before.No, seat.No, d)
					}
				}
			}
		}
		if len(seen) != len(layout.Seats) {
			t.Fatalf("%d of %d seats are in runs", len(seen), len(layout.Seats))
		}
	})
}

// Neighbours do not depend on the order of the file, the scale, the place or the turn of the drawing.
func TestRowsFollowTheRoomNotTheDrawing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		layout := anyPlan(t)
		order := rapid.Permutation(indexes(len(layout.Seats))).Draw(t, "order")
		scale := rapid.Float64Range(0.1, 50).Draw(t, "scale")
		quarter := rapid.IntRange(0, 3).Draw(t, "quarter")
		other := &domain.SeatLayout{}
		for _, i := range order {
			seat := layout.Seats[i]
			x, y := seat.X*scale-70, seat.Y*scale+900
			for range quarter {
				x, y = -y, x
			}
			seat.X, seat.Y = x, y
			other.Seats = append(other.Seats, seat)
		}
		want := sortedRuns(seating.Rows(layout), func(i int) int { return i })
		got := sortedRuns(seating.Rows(other), func(i int) int { return order[i] })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("runs (-want +got):\n%s", diff)
		}
	})
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestRowsOfOneSpotIsBounded(t *testing.T) {
	t.Parallel()
	layout := &domain.SeatLayout{}
	for i := range 2000 {
		layout.Seats = append(layout.Seats, domain.Seat{No: fmt.Sprint(i), Row: "A"})
	}
	seen := 0
	for _, run := range seating.Rows(layout)[0].Runs {
		seen += len(run)
	}
	if seen != 2000 {
		t.Errorf("got %d seats in runs, want 2000", seen)
	}
}
