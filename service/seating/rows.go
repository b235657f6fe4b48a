package seating

import (
	"cmp"
	"math"
	"slices"

	"usher/service/domain"
)

// Row is one row of a plan: the seats of one zone that carry one row label.
type Row struct {
	Zone  string
	Label string
	// Runs are the row's unbroken stretches of neighbours. Each runs from left to right, or from top to
	// bottom where the row stands upright; the stretches are in the same order.
	Runs [][]int
}

// Rows returns the plan's rows in the order of their first seat. Every seat is in exactly one run.
func Rows(layout *domain.SeatLayout) []Row {
	rows, _ := findRows(layout.Seats)
	return rows
}

// findRows returns the rows and the plan's pitch, the usual distance of neighbours.
func findRows(seats []domain.Seat) ([]Row, float64) {
	type name struct{ zone, label string }
	at := make(map[name]int)
	var rows []Row
	var lines []*line
	for i := range seats {
		key := name{seats[i].Zone, seats[i].Row}
		k, known := at[key]
		if !known {
			k = len(rows)
			at[key] = k
			rows = append(rows, Row{Zone: key.zone, Label: key.label})
			lines = append(lines, &line{})
		}
		lines[k].spots = append(lines[k].spots, spot{seat: i, x: seats[i].X, y: seats[i].Y})
	}

	var all []float64
	for _, l := range lines {
		l.sort()
		l.nearest = l.nearestDistances()
		all = append(all, l.nearest...)
	}
	pitch := median(all, 1)
	for k, l := range lines {
		rows[k].Runs = l.runs(l.pitch(pitch))
		slices.SortFunc(rows[k].Runs, func(a, b []int) int {
			p, q := &seats[a[0]], &seats[b[0]]
			return cmp.Or(cmp.Compare(p.X, q.X), cmp.Compare(p.Y, q.Y), cmp.Compare(a[0], b[0]))
		})
	}
	return rows, pitch
}

// spot is a seat's centre. T is how far along its line it lies.
type spot struct {
	seat    int
	x, y, t float64
}

func (s spot) distance(o spot) float64 { return math.Hypot(s.x-o.x, s.y-o.y) }

// line is the seats of one row on their way to runs, sorted along the row's main direction.
type line struct {
	spots   []spot
	ax, ay  float64 // main direction, of length 1
	nearest []float64
}

// sort finds the main direction (the axis of the largest spread) and sorts the seats along it.
func (l *line) sort() {
	var mx, my float64
	n := float64(len(l.spots))
	for _, s := range l.spots {
		mx += s.x / n
		my += s.y / n
	}
	var xx, yy, xy float64
	for _, s := range l.spots {
		xx += (s.x - mx) * (s.x - mx)
		yy += (s.y - my) * (s.y - my)
		xy += (s.x - mx) * (s.y - my)
	}
	angle := math.Atan2(2*xy, xx-yy) / 2
	l.ax, l.ay = math.Cos(angle), math.Sin(angle)
	for i := range l.spots {
		s := &l.spots[i]
		s.t = (s.x-mx)*l.ax + (s.y-my)*l.ay
	}
	slices.SortFunc(l.spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.seat, b.seat))
	})
}

// nearestDistances returns each seat's distance to the nearest seat of the line that is not on its very spot.
func (l *line) nearestDistances() []float64 {
	best := make([]float64, len(l.spots))
	for i, a := range l.spots {
		best[i] = math.Inf(1)
		look := func(j int) bool {
			b := l.spots[j]
			if d := a.distance(b); d > 0 {
				best[i] = min(best[i], d)
			}
			return math.Abs(b.t-a.t) <= best[i]
		}
		left, right := i-1, i+1
		for left >= 0 && look(left) {
			left--
		}
		for right < len(l.spots) && look(right) {
			right++
		}
	}
	return slices.DeleteFunc(best, func(d float64) bool { return math.IsInf(d, 1) })
}

const (
	// gapFactor is how many pitches two seats may be apart and still be neighbours.
	gapFactor = 1.6
	// widePitch is how much wider than the plan's a row's own pitch may be: love seats, boxes.
	widePitch = 1.5
	// fewSeats is the number below which a row says nothing about its own pitch.
	fewSeats = 4
)

// pitch returns the row's pitch for a plan of the given pitch.
func (l *line) pitch(plan float64) float64 {
	if len(l.spots) < fewSeats {
		return plan
	}
	return min(median(l.nearest, plan), widePitch*plan)
}

func median(values []float64, none float64) float64 {
	if len(values) == 0 {
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
