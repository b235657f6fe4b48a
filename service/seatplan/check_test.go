package seatplan_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"usher/service/domain"
	"usher/service/seatplan"
)

// checkLayout holds every layout that Parse returns against the promises it makes.
func checkLayout(t testing.TB, layout *domain.SeatLayout) {
	t.Helper()
	nos := make(map[string]bool)
	for i := range layout.Seats {
		seat := &layout.Seats[i]
		if seat.No == "" || nos[seat.No] {
			t.Errorf("seat %d: number %q is empty or used before", i, seat.No)
		}
		nos[seat.No] = true
		if seat.Label == "" {
			t.Errorf("seat %d (%s) has no label", i, seat.No)
		}
		if !slices.ContainsFunc(layout.Tiers, func(tier domain.SeatTier) bool { return tier.Name == seat.Tier }) {
			t.Errorf("seat %s: tier %q is not among the plan's", seat.No, seat.Tier)
		}
		inside := seat.X >= 0 && seat.X <= layout.Width && seat.Y >= 0 && seat.Y <= layout.Height
		if !inside || math.IsNaN(seat.X) || math.IsNaN(seat.Y) {
			t.Errorf("seat %s at %g,%g is outside the plan of %g by %g", seat.No, seat.X, seat.Y, layout.Width, layout.Height)
		}
	}
	if len(layout.Seats) == 0 {
		t.Error("the layout has no seats")
	}
}

// mustProblems returns the problems of a refused file, one a line.
func mustProblems(t testing.TB, layout *domain.SeatLayout, err error) []string {
	t.Helper()
	if layout != nil {
		t.Error("a refused file gave a layout")
	}
	var problems *seatplan.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("got error %v, want *Problems", err)
	}
	if domain.KindOf(err) != domain.KindInvalid || !errors.Is(err, domain.ErrInvalid) {
		t.Errorf("got kind %s, want invalid", domain.KindOf(err))
	}
	return strings.Split(err.Error(), "\n")
}

// find returns the seat with the number.
func find(t testing.TB, layout *domain.SeatLayout, no string) domain.Seat {
	t.Helper()
	i, ok := layout.Index()[no]
	if !ok {
		t.Fatalf("the layout has no seat %q", no)
	}
	return layout.Seats[i]
}
