package seatplan

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"usher/service/domain"
)

// side is a block of a zone: where it stands beside the others and how its seats are spread.
type side struct {
	name   string
	hand   int  // -1 left of the middle, 1 right of it, 0 in it
	depth  int  // how far from the middle: 0 centre, 1 side, 2 far, then unknown names as they come
	turned bool // numbers grow from right to left: odd numbers count outwards from the middle
	order  int  // of first appearance

	step  int // 2 where a block holds odd or even numbers only
	first int // lowest number of the block in its zone; 0 when its labels are no plain numbers
	cells int // seats from end to end in the widest row
	left  float64
}

// newSide reads a block's name. Words it does not know leave the block in the middle.
func newSide(name string, order int) *side {
	s := &side{name: name, depth: -1, order: order, step: 1}
	for _, word := range strings.Fields(strings.ToLower(name)) {
		switch word {
		case "odd":
			s.hand, s.turned, s.step = -1, true, 2
		case "even":
			s.hand, s.step = 1, 2
		case "left":
			s.hand = -1
		case "right":
			s.hand = 1
		case "centre", "center", "middle":
			s.depth = 0
		case "side":
			s.depth = 1
		case "far":
			s.depth = 2
		}
	}
	if s.depth < 0 && s.hand != 0 {
		s.depth = 1
	}
	return s
}

// compareSides orders blocks from left to right.
func compareSides(a, b *side) int {
	if c := cmp.Compare(a.hand*(a.depth+1), b.hand*(b.depth+1)); c != 0 {
		return c
	}
	return cmp.Compare(a.order, b.order)
}

// meets reports whether no aisle parts the two blocks: the halves of one centre.
func (s *side) meets(left *side) bool {
	return s.depth == 0 && left.depth == 0 && left.hand < 0 && s.hand > 0
}

// measure finds the block's width. Where labels are plain numbers a missing number is a gap: a door, a desk.
// Gaps are given up when the numbers are so scattered that they cannot mean places.
func (s *side) measure(seats []domain.Seat, rows []*placedRow) {
	low, high, widest, plain := 0, 0, 0, true
	for _, row := range rows {
		for _, i := range row.blocks[s.name] {
			n, err := strconv.Atoi(seats[i].Label)
			if err != nil || n < 1 || strconv.Itoa(n) != seats[i].Label || s.step == 2 && low > 0 && (n-low)%2 != 0 {
				plain = false
				break
			}
			if low == 0 || n < low {
				low = n
			}
			high = max(high, n)
		}
		widest = max(widest, len(row.blocks[s.name]))
	}
	s.cells = widest
	if plain && low > 0 {
		if span := (high-low)/s.step + 1; span <= 2*widest+4 {
			s.first, s.cells = low, span
		}
	}
}

// placeRow sets the coordinates of one row of the block. Blocks lean on the side of the middle; a centre
// block is centred.
func (s *side) placeRow(seats []domain.Seat, row []int, y float64) {
	if len(row) == 0 {
		return
	}
	cells := make([]int, len(row))
	for k, i := range row {
		cells[k] = k
		if s.first > 0 {
			n, _ := strconv.Atoi(seats[i].Label)
			cells[k] = (n - s.first) / s.step
		}
	}
	spare := float64(s.cells - 1 - slices.Max(cells))
	if s.hand == 0 {
		spare = (spare - float64(slices.Min(cells))) / 2
	}
	for k, i := range row {
		cell := float64(cells[k])
		switch {
		case s.turned:
			cell = float64(s.cells-1) - cell
		case s.hand <= 0:
			cell += spare
		}
		seats[i].X, seats[i].Y = s.left+(cell+0.5)*gridPitch, y
	}
}
