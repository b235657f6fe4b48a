package component

import (
	"math"
	"sort"

	"usher/service/domain"
)

// box is the room as it is drawn: the rectangle around all seats with margins for row letters and the screen, in
// plan units.
type box struct {
	left, top, width, height float64
	pitch                    float64 // usual distance between two neighbours
	seat                     float64 // side of a drawn seat
	screenHeight             float64
}

// rowMark is a row's name beside its first or last seat.
type rowMark struct {
	text string
	x, y float64
}

// seatRow is one row of a zone, its seats by index from left to right.
type seatRow struct {
	zone, row string
	seats     []int
}

// Shares of the pitch. A drawn seat leaves a gap to its neighbour; the margins hold the row letters.
const (
	seatShare   = 0.84
	sideMargin  = 1.9
	endMargin   = 1.1
	screenShare = 2.6
)

func boxOf(layout *domain.SeatLayout) box {
	if len(layout.Seats) == 0 {
		return box{width: 1, height: 1, pitch: 1, seat: seatShare, screenHeight: 0.2}
	}
	left, top := math.Inf(1), math.Inf(1)
	right, bottom := math.Inf(-1), math.Inf(-1)
	for i := range layout.Seats {
		s := &layout.Seats[i]
		left, right = min(left, s.X), max(right, s.X)
		top, bottom = min(top, s.Y), max(bottom, s.Y)
	}
	pitch := pitchOf(layout.Seats)
	b := box{
		left: left - sideMargin*pitch, top: top - endMargin*pitch,
		width: right - left + 2*sideMargin*pitch, height: bottom - top + 2*endMargin*pitch,
		pitch: pitch, seat: seatShare * pitch, screenHeight: screenShare * pitch,
	}
	b.height += b.screenHeight
	if layout.Screen != domain.SideBottom {
		b.top -= b.screenHeight
	}
	return b
}

// pitchOf returns the distance to the nearest neighbour that all but the closest twentieth of the seats keep.
// One pair that stands too close must not shrink a whole room.
func pitchOf(seats []domain.Seat) float64 {
	if len(seats) == 1 {
		return 1
	}
	order := make([]int, len(seats))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return seats[order[a]].X < seats[order[b]].X })
	nearest := make([]float64, 0, len(seats))
	for at := range order {
		if d := nearestAt(seats, order, at); d > 0 && !math.IsInf(d, 1) {
			nearest = append(nearest, d)
		}
	}
	if len(nearest) == 0 {
		return 1
	}
	sort.Float64s(nearest)
	return nearest[len(nearest)/20]
}

// nearestAt sweeps from the seat at position at to both sides until x alone is farther than the best so far.
func nearestAt(seats []domain.Seat, order []int, at int) float64 {
	best := math.Inf(1)
	here := seats[order[at]]
	for _, step := range [2]int{-1, 1} {
		for i := at + step; i >= 0 && i < len(order); i += step {
			other := seats[order[i]]
			if math.Abs(other.X-here.X) >= best {
				break
			}
			if d := math.Hypot(other.X-here.X, other.Y-here.Y); d > 0 {
				best = min(best, d)
			}
		}
	}
	return best
}

// rowsOf groups the seats by zone and row, rows in the order of the plan, seats from left to right.
func rowsOf(layout *domain.SeatLayout) []seatRow {
	type key struct{ zone, row string }
	at := make(map[key]int)
	var rows []seatRow
	for i := range layout.Seats {
		k := key{layout.Seats[i].Zone, layout.Seats[i].Row}
		n, ok := at[k]
		if !ok {
			n = len(rows)
			at[k] = n
			rows = append(rows, seatRow{zone: k.zone, row: k.row})
		}
		rows[n].seats = append(rows[n].seats, i)
	}
	for n := range rows {
		seats := rows[n].seats
		sort.SliceStable(seats, func(a, b int) bool { return layout.Seats[seats[a]].X < layout.Seats[seats[b]].X })
	}
	return rows
}

// rowMarksOf places the rows' names on both sides and leaves out those that would cover a seat or another name.
func rowMarksOf(layout *domain.SeatLayout, b box) []rowMark {
	var marks []rowMark
	for _, row := range rowsOf(layout) {
		if row.row == "" {
			continue
		}
		first, last := layout.Seats[row.seats[0]], layout.Seats[row.seats[len(row.seats)-1]]
		for _, m := range [2]rowMark{
			{row.row, first.X - 1.25*b.pitch, first.Y},
			{row.row, last.X + 1.25*b.pitch, last.Y},
		} {
			if roomFor(m, layout.Seats, marks, 0.8*b.pitch) {
				marks = append(marks, m)
			}
		}
	}
	return marks
}

func roomFor(m rowMark, seats []domain.Seat, marks []rowMark, distance float64) bool {
	for i := range seats {
		if math.Hypot(seats[i].X-m.x, seats[i].Y-m.y) < distance {
			return false
		}
	}
	for _, other := range marks {
		if math.Hypot(other.x-m.x, other.y-m.y) < distance {
			return false
		}
	}
	return true
}
