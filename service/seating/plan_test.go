package seating_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"usher/service/domain"
	"usher/service/seating"
)

// drawn makes a plan from a drawing: one line a row, ten units a cell, rows twelve units apart. A letter is a
// seat: s standard, c companion, w wheelchair, v of tier vip, L and R the halves of a love seat; a space is
// none. Seats are named by row and cell, A0, A1, ...
func drawn(lines ...string) *domain.SeatLayout {
	layout := &domain.SeatLayout{Screen: domain.SideTop, Tiers: []domain.SeatTier{{Name: "standard"}, {Name: "vip"}}}
	for r, line := range lines {
		row := string(rune('A' + r))
		for k, c := range line {
			if c == ' ' {
				continue
			}
			seat := domain.Seat{
				No: fmt.Sprint(row, k), Zone: "Z", Row: row, Label: fmt.Sprint(k), Tier: "standard",
				Kind: domain.SeatStandard, X: 10 * float64(k), Y: 12 * float64(r),
			}
			switch c {
			case 'c':
				seat.Kind = domain.SeatCompanion
			case 'w':
				seat.Kind = domain.SeatWheelchair
			case 'v':
				seat.Tier = "vip"
			case 'L':
				seat.Kind, seat.Pair = domain.SeatLove, fmt.Sprint(row, k+1)
			case 'R':
				seat.Kind, seat.Pair = domain.SeatLove, fmt.Sprint(row, k-1)
			}
			layout.Seats = append(layout.Seats, seat)
		}
	}
	return layout
}

// names turns indexes into seat numbers.
func names(layout *domain.SeatLayout, seats []int) string {
	var nos []string
	for _, i := range seats {
		nos = append(nos, layout.Seats[i].No)
	}
	return strings.Join(nos, " ")
}

// numbers turns seat numbers into indexes.
func numbers(t testing.TB, layout *domain.SeatLayout, nos string) []int {
	t.Helper()
	index := layout.Index()
	var seats []int
	for _, no := range strings.Fields(nos) {
		i, ok := index[no]
		if !ok {
			t.Fatalf("the plan has no seat %s", no)
		}
		seats = append(seats, i)
	}
	return seats
}

// runNames returns the runs of all rows as text.
func runNames(layout *domain.SeatLayout) []string {
	var runs []string
	for _, row := range seating.Rows(layout) {
		for _, run := range row.Runs {
			runs = append(runs, names(layout, run))
		}
	}
	return runs
}

// anyPlan draws a random plan of up to six rows with aisles, special seats and two tiers, bent or not.
func anyPlan(t *rapid.T) *domain.SeatLayout {
	cell := rapid.SampledFrom([]string{"s", "s", "s", "s", "v", "LR", " ", "wc"})
	lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(cell, 1, 12).Draw(t, "cells"), "")
	}), 1, 6).Draw(t, "rows")
	// The last row shows what the plan's pitch is, which a few scattered seats would not.
	layout := drawn(append(lines, "ssssssssss")...)
	if bend := rapid.SampledFrom([]float64{0, 0, 300, 1000}).Draw(t, "bend"); bend > 0 {
		for i := range layout.Seats {
			s := &layout.Seats[i]
			angle := (s.X - 60) / bend
			s.X, s.Y = bend*math.Sin(angle), s.Y+bend*math.Cos(angle)
		}
	}
	return layout
}

// sortedRuns returns each run and the list of runs in ascending order.
func sortedRuns(rows []seating.Row, rename func(int) int) [][]int {
	var runs [][]int
	for _, row := range rows {
		for _, run := range row.Runs {
			named := make([]int, len(run))
			for k, i := range run {
				named[k] = rename(i)
			}
			slices.Sort(named)
			runs = append(runs, named)
		}
	}
	slices.SortFunc(runs, slices.Compare)
	return runs
}
