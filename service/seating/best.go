package seating

import (
	"cmp"
	"slices"
)

// Best returns the best free seats for a party of count, in ascending order, and false when fewer than count
// seats of the tier are free. Free says what may be taken; an empty tier means any.
//
// It asks for less step by step: one run with no love seat halved and no seat stranded; one run; a few
// pieces close to each other; any seats near each other. Where the screening enforces the orphan rule, a
// party is rather parted than given seats that strand one. Wheelchair and companion places are given out
// only when nothing else of the tier is left.
func (m *Map) Best(free func(int) bool, count int, tier string, orphanRule bool) ([]int, bool) {
	p := &pick{m: m, free: make([]bool, len(m.seats)), open: make([]bool, len(m.seats))}
	ordinary, reserve := 0, make([]int, 0)
	for i := range m.seats {
		p.free[i] = free(i)
		if !p.free[i] || tier != "" && m.seats[i].Tier != tier {
			continue
		}
		if m.special(i) {
			reserve = append(reserve, i)
			continue
		}
		p.open[i] = true
		ordinary++
	}
	if count < 1 || ordinary+len(reserve) < count {
		return nil, false
	}
	var choice []int
	if ordinary < count {
		choice = p.withReserve(reserve, count)
	} else {
		choice = p.choose(count, orphanRule)
	}
	slices.Sort(choice)
	return choice, true
}

// pick is one search.
type pick struct {
	m    *Map
	free []bool // nobody has it
	open []bool // free, of the tier and for everybody
}

func (p *pick) choose(count int, orphanRule bool) []int {
	together, found := p.window(count, p.m.focus)
	if found && (together.strands == 0 || !orphanRule) {
		return together.seats
	}
	if orphanRule {
		if parted, ok := p.split(count, demand{close: true, noOrphans: true}); ok {
			return parted
		}
	}
	if found {
		return together.seats
	}
	if parted, ok := p.split(count, demand{close: true}); ok {
		return parted
	}
	parted, _ := p.split(count, demand{})
	return parted
}

// withReserve takes all ordinary seats and fills up with companion, then wheelchair places near them. The two
// kinds sort by their words in that order.
func (p *pick) withReserve(reserve []int, count int) []int {
	var choice []int
	for i, open := range p.open {
		if open {
			choice = append(choice, i)
		}
	}
	for len(choice) < count {
		from := p.m.centre(choice)
		slices.SortFunc(reserve, func(a, b int) int {
			sa, sb := &p.m.seats[a], &p.m.seats[b]
			return cmp.Or(cmp.Compare(sa.Kind, sb.Kind), cmp.Compare(from.distance(sa), from.distance(sb)), cmp.Compare(a, b))
		})
		choice = append(choice, reserve[0])
		reserve = reserve[1:]
	}
	return choice
}

// centre returns the middle of the seats, the best spot when there are none.
func (m *Map) centre(seats []int) point {
	if len(seats) == 0 {
		return m.focus
	}
	var c point
	for _, i := range seats {
		c.x += m.seats[i].X / float64(len(seats))
		c.y += m.seats[i].Y / float64(len(seats))
	}
	return c
}

// window is a stretch of open seats in one run.
type window struct {
	seats   []int
	halves  int // love seats of which one half would be left
	strands int // single seats it would leave
	far     float64
}

func compareWindows(a, b window) int {
	return cmp.Or(cmp.Compare(a.halves, b.halves), cmp.Compare(a.strands, b.strands), cmp.Compare(a.far, b.far))
}

// window returns the best stretch of a size for a spot.
func (p *pick) window(size int, spot point) (window, bool) {
	var best window
	found := false
	p.windows(size, spot, func(w window) {
		if !found || compareWindows(w, best) < 0 {
			best, found = w, true
		}
	})
	return best, found
}

// windows visits every stretch of a size.
func (p *pick) windows(size int, spot point, visit func(window)) {
	for _, run := range p.m.runs {
		length, far := 0, 0.0
		for k, i := range run {
			if !p.open[i] {
				length, far = 0, 0
				continue
			}
			length++
			far += spot.distance(&p.m.seats[i])
			if length > size {
				far -= spot.distance(&p.m.seats[run[k-size]])
			}
			if length >= size {
				visit(p.judge(run, k-size+1, k, far))
			}
		}
	}
}

// judge describes the stretch from place a to place b of a run.
func (p *pick) judge(run []int, a, b int, far float64) window {
	w := window{seats: run[a : b+1], far: far}
	free := func(k int) bool { return k >= 0 && k < len(run) && p.free[run[k]] }
	if free(a-1) && !free(a-2) {
		w.strands++
	}
	if free(b+1) && !free(b+2) {
		w.strands++
	}
	for _, i := range w.seats {
		other := p.m.pair[i]
		if other < 0 || !p.free[other] {
			continue
		}
		inside := p.m.runOf[other] == p.m.runOf[i] && p.m.posIn[other] >= a && p.m.posIn[other] <= b
		if !inside {
			w.halves++
		}
	}
	return w
}
