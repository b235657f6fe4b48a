package demo_test

import (
	"math"
	"slices"
	"testing"

	"usher/service/demo"
	"usher/service/domain"
	"usher/service/seating"
)

func TestLayoutsAreOfThreeSizes(t *testing.T) {
	t.Parallel()
	wants := []struct {
		name                          string
		seats, wheelchair, love, runs int
	}{
		{"Studio", 120, 2, 12, 9},
		{"Salon", 289, 2, 10, 42},
		{"Grand Hall", 684, 4, 12, 69},
	}
	layouts := demo.Layouts()
	if len(layouts) != len(wants) {
		t.Fatalf("got %d layouts, want %d", len(layouts), len(wants))
	}
	for i, want := range wants {
		layout := &layouts[i]
		kinds := make(map[domain.SeatKind]int)
		for _, seat := range layout.Seats {
			kinds[seat.Kind]++
		}
		runs := 0
		for _, row := range seating.Rows(layout) {
			runs += len(row.Runs)
		}
		got := []int{len(layout.Seats), kinds[domain.SeatWheelchair], kinds[domain.SeatLove], runs}
		if layout.Name != want.name || !slices.Equal(got, []int{want.seats, want.wheelchair, want.love, want.runs}) {
			t.Errorf("%s: got seats, wheelchair, love, runs %v, want %+v", layout.Name, got, want)
		}
		if kinds[domain.SeatCompanion] != kinds[domain.SeatWheelchair] {
			t.Errorf("%s: %d companions for %d wheelchair places", layout.Name, kinds[domain.SeatCompanion], kinds[domain.SeatWheelchair])
		}
	}
}

func TestLayoutsCanBeSatIn(t *testing.T) {
	t.Parallel()
	const pitch = 10
	for _, layout := range demo.Layouts() {
		index := layout.Index()
		if len(index) != len(layout.Seats) {
			t.Errorf("%s: %d numbers for %d seats", layout.Name, len(index), len(layout.Seats))
		}
		for i, a := range layout.Seats {
			if a.X <= 0 || a.Y <= 0 || a.X >= layout.Width || a.Y >= layout.Height {
				t.Errorf("%s: seat %s at %g,%g is outside %g by %g", layout.Name, a.No, a.X, a.Y, layout.Width, layout.Height)
			}
			for _, b := range layout.Seats[i+1:] {
				if d := math.Hypot(a.X-b.X, a.Y-b.Y); d < 0.8*pitch {
					t.Errorf("%s: seats %s and %s are %g apart", layout.Name, a.No, b.No, d)
				}
			}
			checkPair(t, &layout, a, index)
		}
	}
}

// checkPair checks that the halves of a love seat name each other and touch.
func checkPair(t *testing.T, layout *domain.SeatLayout, seat domain.Seat, index map[string]int) {
	t.Helper()
	if (seat.Kind == domain.SeatLove) != (seat.Pair != "") {
		t.Errorf("%s: seat %s is of kind %s with pair %q", layout.Name, seat.No, seat.Kind, seat.Pair)
	}
	if seat.Pair == "" {
		return
	}
	i, ok := index[seat.Pair]
	if !ok {
		t.Fatalf("%s: seat %s has an unknown other half %s", layout.Name, seat.No, seat.Pair)
	}
	other := layout.Seats[i]
	if d := math.Hypot(seat.X-other.X, seat.Y-other.Y); other.Pair != seat.No || other.Row != seat.Row || d > 9.5 {
		t.Errorf("%s: seat %s and its other half %+v do not belong together", layout.Name, seat.No, other)
	}
}

func TestLayoutsHoldWhatRealRoomsHold(t *testing.T) {
	t.Parallel()
	layouts := demo.Layouts()
	at := func(layout domain.SeatLayout, no string) domain.Seat {
		i, ok := layout.Index()[no]
		if !ok {
			t.Fatalf("%s has no seat %s", layout.Name, no)
		}
		return layout.Seats[i]
	}
	studio, salon, grand := layouts[0], layouts[1], layouts[2]

	if end, middle := at(studio, "E1"), at(studio, "E7"); end.Y >= middle.Y-4 {
		t.Errorf("studio: the row does not bend, its end is at %g and its middle at %g", end.Y, middle.Y)
	}
	outer, inner := at(salon, "E5"), at(salon, "E6")
	if gap := inner.X - outer.X - 10; math.Abs(gap-44) > 1 || outer.Y <= inner.Y {
		t.Errorf("salon: aisle of %g units with heights %g and %g", gap, outer.Y, inner.Y)
	}
	if stalls, balcony := at(grand, "S-A1"), at(grand, "B-A1"); stalls.Row != balcony.Row || stalls.Zone == balcony.Zone {
		t.Errorf("grand hall: got %+v and %+v", stalls, balcony)
	}
	if last, first := at(grand, "S-P16"), at(grand, "B-A16"); first.Y-last.Y < 50 {
		t.Errorf("grand hall: the balcony begins %g behind the stalls", first.Y-last.Y)
	}
}
