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
	hand   int  // -1 left of the middle, 1 right of it, 0 in it
	depth  int  // how far from the middle: 0 centre, 1 side, 2 far, then unknown names as they come
	turned bool // numbers grow from right to left: odd numbers count outwards from the middle
	order  int  // of first appearance

	step      int  // 2 where a block holds odd or even numbers only
	low, high int  // lowest and highest number of the block in its zone
	unplain   bool // a label is no plain number, or odd among even
	widest    int  // most seats in one row

	first int // low where missing numbers are gaps, 0 where seats just follow each other
	cells int // places from end to end
	left  float64
}

// newSide reads a block's name. Words it does not know leave the block in the middle.
func newSide(name string, order int) *side {
	s := &side{depth: -1, order: order, step: 1}
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

// take notes the labels of one row of the block.
func (s *side) take(seats []domain.Seat, row []int) {
	s.widest = max(s.widest, len(row))
	for _, i := range row {
		n, err := strconv.Atoi(seats[i].Label)
		if err != nil || n < 1 || strconv.Itoa(n) != seats[i].Label || s.low > 0 && (n-s.low)%s.step != 0 {
			s.unplain = true
			return
		}
		if s.low == 0 || n < s.low {
			s.low = n
		}
		s.high = max(s.high, n)
	}
}

// measure finds the block's width. Where labels are plain numbers a missing number is a gap: a door, a desk.
// Gaps are given up when the numbers are so scattered that they cannot mean places.
func (s *side) measure() {
	s.cells = s.widest
	if s.unplain {
		return
	}
	if span := (s.high-s.low)/s.step + 1; span <= 2*s.widest+4 {
		s.first, s.cells = s.low, span
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
