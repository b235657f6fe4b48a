package seating

import (
	"math"

	"usher/service/domain"
)

// Map is what is worth knowing about a plan before anybody chooses: its runs and its best spot. It is made
// once for a layout and is safe for use by many goroutines.
type Map struct {
	seats []domain.Seat
	rows  []Row
	pitch float64
	runs  [][]int // as the orphan rule sees them
	runOf []int   // a seat's run
	posIn []int   // a seat's place in its run
	pair  []int   // the other half of a love seat, -1 without one
	focus point   // where one sits best
}

type point struct{ x, y float64 }

func (p point) distance(s *domain.Seat) float64 { return math.Hypot(s.X-p.x, s.Y-p.y) }

// NewMap prepares a plan.
func NewMap(layout *domain.SeatLayout) *Map {
	m := &Map{seats: layout.Seats}
	m.rows, m.pitch = findRows(layout.Seats)
	m.runOf, m.posIn, m.pair = make([]int, len(m.seats)), make([]int, len(m.seats)), make([]int, len(m.seats))
	for _, row := range m.rows {
		for _, run := range row.Runs {
			m.cutSpecial(run)
		}
	}
	index := layout.Index()
	for i := range m.seats {
		m.pair[i] = -1
		if p, ok := index[m.seats[i].Pair]; ok && m.seats[i].Pair != "" && p != i {
			m.pair[i] = p
		}
	}
	m.focus = m.findFocus(layout.Screen)
	return m
}

// Rows returns the plan's rows with their physical runs.
func (m *Map) Rows() []Row { return m.rows }

// Pitch returns the usual distance of neighbours in plan units.
func (m *Map) Pitch() float64 { return m.pitch }

// special reports whether a seat is kept for those who need it: a wheelchair place or its companion's.
func (m *Map) special(i int) bool {
	return m.seats[i].Kind == domain.SeatWheelchair || m.seats[i].Kind == domain.SeatCompanion
}

// cutSpecial takes over one physical run. Wheelchair and companion places end a run as an aisle does: nobody
// else fills up the row there, so a seat beside them can be stranded and they themselves cannot.
func (m *Map) cutSpecial(run []int) {
	start := 0
	for k, i := range run {
		if m.special(i) {
			m.addRun(run[start:k])
			m.addRun(run[k : k+1])
			start = k + 1
		}
	}
	m.addRun(run[start:])
}

func (m *Map) addRun(run []int) {
	for k, i := range run {
		m.runOf[i], m.posIn[i] = len(m.runs), k
	}
	if len(run) > 0 {
		m.runs = append(m.runs, run[:len(run):len(run)])
	}
}

// findFocus returns the best spot: the middle of the largest zone, two thirds of the way back.
func (m *Map) findFocus(screen domain.Side) point {
	sizes := make(map[string]int)
	largest := ""
	for i := range m.seats {
		zone := m.seats[i].Zone
		sizes[zone]++
		if n := sizes[zone]; n > sizes[largest] || n == sizes[largest] && zone < largest {
			largest = zone
		}
	}
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for i := range m.seats {
		if s := &m.seats[i]; s.Zone == largest {
			left, right = min(left, s.X), max(right, s.X)
			top, bottom = min(top, s.Y), max(bottom, s.Y)
		}
	}
	focus := point{x: (left + right) / 2, y: top + (bottom-top)*2/3}
	if screen == domain.SideBottom {
		focus.y = bottom - (bottom-top)*2/3
	}
	return focus
}

// RunsOf returns the runs that the given seats touch, each once and in full, as the orphan rule sees them:
// inside a run each seat's neighbours stand before and after it, and wheelchair and companion places are
// runs of their own. Indexes outside the plan are ignored.
func (m *Map) RunsOf(seats []int) [][]int {
	var runs [][]int
	seen := make(map[int]bool)
	for _, i := range seats {
		if i < 0 || i >= len(m.seats) || seen[m.runOf[i]] {
			continue
		}
		seen[m.runOf[i]] = true
		runs = append(runs, m.runs[m.runOf[i]])
	}
	return runs
}

// Orphans returns the seats that a choice would strand: free seats beside a chosen one that are left without
// a free neighbour. Taken says which seats are not free now. A seat that stood alone before is not blamed on
// the choice.
func (m *Map) Orphans(taken func(int) bool, choice []int) []int {
	chosen := make(map[int]bool, len(choice))
	for _, i := range choice {
		chosen[i] = true
	}
	free := func(run []int, k int) bool {
		return k >= 0 && k < len(run) && !chosen[run[k]] && !taken(run[k])
	}
	picked := func(run []int, k int) bool { return k >= 0 && k < len(run) && chosen[run[k]] }
	var orphans []int
	for _, run := range m.RunsOf(choice) {
		for k, i := range run {
			if free(run, k) && !free(run, k-1) && !free(run, k+1) && (picked(run, k-1) || picked(run, k+1)) {
				orphans = append(orphans, i)
			}
		}
	}
	return orphans
}
