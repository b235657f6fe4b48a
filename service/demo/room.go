package demo

import (
	"math"
	"strconv"

	"usher/service/domain"
)

// Distances of the drawings, in plan units.
const (
	pitch     = 10.0                   // from seat to seat
	rowPitch  = 12.0                   // from row to row
	lovePitch = 9.0                    // from one half of a love seat to the other
	loveGap   = 14.0                   // from one love seat to the next
	wideStep  = 13.0                   // to a wheelchair place
	aisle     = 4.4*pitch + pitch      // over an aisle of 4.4 seats
	margin    = 30.0                   // around the seats
	screenGap = 60.0                   // from the screen's edge to the first row
	balcony   = 4*rowPitch + screenGap // from the stalls' last row to the balcony's first
)

// The price tiers of the house.
const (
	tierFront    = "front"
	tierStandard = "standard"
	tierComfort  = "comfort"
	tierBalcony  = "balcony"
	tierLove     = "love"
)

// tierColors gives the tiers in the order in which they are listed.
var tierColors = []domain.SeatTier{
	{Name: tierFront, Color: "#7a8ca3"},
	{Name: tierStandard, Color: "#2f6f8f"},
	{Name: tierComfort, Color: "#8a4f9e"},
	{Name: tierBalcony, Color: "#a3742f"},
	{Name: tierLove, Color: "#b0405f"},
}

// room is a plan in the making.
type room struct {
	layout domain.SeatLayout
	bend   float64 // radius of the rows; the ends are nearer to the screen
	lift   float64 // how much farther back the outer blocks stand
}

// row is one row to draw. Each letter of the pattern is a seat: s standard, w wheelchair, c companion, LR the
// halves of a love seat; a bar is a wide aisle.
type row struct {
	zone    string
	prefix  string // before the row label in the seats' numbers, where labels repeat
	label   string
	pattern string
	tier    string
	y       float64
}

// draw adds a row, centred and bent.
func (r *room) draw(row row) {
	offsets, blocks := spread(row.pattern)
	if len(offsets) == 0 {
		return
	}
	middle := offsets[len(offsets)-1] / 2
	last := blocks[len(blocks)-1]
	n := 0
	for _, c := range row.pattern {
		if c == '|' {
			continue
		}
		seat := domain.Seat{
			No: number(row, n+1), Zone: row.zone, Row: row.label, Label: strconv.Itoa(n + 1),
			Tier: row.tier, Kind: domain.SeatStandard,
		}
		switch c {
		case 'w':
			seat.Kind = domain.SeatWheelchair
		case 'c':
			seat.Kind = domain.SeatCompanion
		case 'L':
			seat.Kind, seat.Tier, seat.Pair = domain.SeatLove, tierLove, number(row, n+2)
		case 'R':
			seat.Kind, seat.Tier, seat.Pair = domain.SeatLove, tierLove, number(row, n)
		}
		angle := (offsets[n] - middle) / r.bend
		seat.X = r.bend * math.Sin(angle)
		seat.Y = row.y - r.bend*(1-math.Cos(angle))
		if last > 0 && (blocks[n] == 0 || blocks[n] == last) {
			seat.Y += r.lift
		}
		r.layout.Seats = append(r.layout.Seats, seat)
		n++
	}
}

func number(row row, n int) string { return row.prefix + row.label + strconv.Itoa(n) }

// spread returns how far along the row each seat of a pattern lies and in which block.
func spread(pattern string) (offsets []float64, blocks []int) {
	at, block, gap := 0.0, 0, 0.0
	previous := rune(0)
	for _, c := range pattern {
		if c == '|' {
			gap = aisle
			block++
			continue
		}
		if previous != 0 {
			at += max(gap, step(previous, c))
		}
		offsets = append(offsets, at)
		blocks = append(blocks, block)
		previous, gap = c, 0
	}
	return offsets, blocks
}

// step returns the distance between two kinds of neighbours.
func step(a, b rune) float64 {
	switch {
	case a == 'L' && b == 'R':
		return lovePitch
	case a == 'R' || b == 'L':
		return loveGap
	case a == 'w' || b == 'w':
		return wideStep
	}
	return pitch
}

// finish moves the seats into a plan of their size and lists the tiers that occur.
func (r *room) finish() domain.SeatLayout {
	l := &r.layout
	left, right, top, bottom := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	used := make(map[string]bool)
	for i := range l.Seats {
		s := &l.Seats[i]
		left, right = min(left, s.X), max(right, s.X)
		top, bottom = min(top, s.Y), max(bottom, s.Y)
		used[s.Tier] = true
	}
	for i := range l.Seats {
		s := &l.Seats[i]
		s.X = math.Round((s.X-left+margin)*100) / 100
		s.Y = math.Round((s.Y-top+screenGap)*100) / 100
	}
	l.Width = math.Ceil(right - left + 2*margin)
	l.Height = math.Ceil(bottom - top + screenGap + margin)
	for _, tier := range tierColors {
		if used[tier.Name] {
			l.Tiers = append(l.Tiers, tier)
		}
	}
	l.Screen, l.Version = domain.SideTop, 1
	return *l
}
