package seating

import (
	"cmp"
	"math"
	"slices"
)

const (
	// mostSeeds bounds how many places are tried to begin from.
	mostSeeds = 12
	// mostPieces is into how many equal pieces a party is parted before it is taken apart by twos and ones.
	mostPieces = 8
	// closeBy is how far, in pitches, a piece may be from the others and still be beside them: the rows in
	// front and behind, and the seats across a narrow aisle.
	closeBy = 3.0
)

// demand says what a parted choice must keep to.
type demand struct {
	close     bool // every piece beside another one
	noOrphans bool // no seat stranded by the whole
}

// parted is a choice of several pieces.
type parted struct {
	seats   []int
	halves  int
	strands int
	spread  float64
}

// split parts a party: into as few pieces as will do, from the best places to begin.
func (p *pick) split(count int, want demand) ([]int, bool) {
	for _, size := range pieceSizes(count) {
		var best parted
		found := false
		for _, seed := range p.seeds(size) {
			seats, ok := p.grow(seed, size, count, want.close)
			if !ok {
				continue
			}
			c := p.weigh(seats)
			if want.noOrphans && c.strands > 0 {
				continue
			}
			if !found || compareParted(c, best) < 0 {
				best, found = c, true
			}
		}
		if found {
			return best.seats, true
		}
	}
	return nil, false
}

// pieceSizes returns the sizes to try, large to small.
func pieceSizes(count int) []int {
	var sizes []int
	for n := 2; n <= mostPieces; n++ {
		sizes = append(sizes, (count+n-1)/n)
	}
	sizes = append(sizes, min(count, 2), 1)
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	return slices.Compact(sizes)
}

// seeds returns the best few stretches of a size, not two that overlap.
func (p *pick) seeds(size int) [][]int {
	var all []window
	p.windows(size, p.m.focus, func(w window) { all = append(all, w) })
	slices.SortStableFunc(all, compareWindows)
	var seeds [][]int
	used := make(map[int]bool)
	for _, w := range all {
		if slices.ContainsFunc(w.seats, func(i int) bool { return used[i] }) {
			continue
		}
		for _, i := range w.seats {
			used[i] = true
		}
		if seeds = append(seeds, w.seats); len(seeds) == mostSeeds {
			break
		}
	}
	return seeds
}

// grow adds pieces of at most the size around the seed, each as near to the middle of what is chosen as can
// be. The picked seats are closed while it works.
func (p *pick) grow(seed []int, size, count int, close bool) ([]int, bool) {
	choice := slices.Clone(seed)
	p.take(seed, true)
	defer func() { p.take(choice, false) }()
	for len(choice) < count {
		piece := p.piece(min(size, count-len(choice)), p.m.centre(choice))
		if close && !p.beside(piece, choice) {
			return nil, false
		}
		p.take(piece, true)
		choice = append(choice, piece...)
	}
	return slices.Clone(choice), true
}

// piece returns the best stretch of the size around a spot, a shorter one where there is none.
func (p *pick) piece(size int, spot point) []int {
	for ; size > 0; size-- {
		if w, ok := p.window(size, spot); ok {
			return w.seats
		}
	}
	panic("seating: fewer open seats than were counted")
}

// take closes seats for the rest of a search, or opens them again.
func (p *pick) take(seats []int, taken bool) {
	for _, i := range seats {
		p.free[i], p.open[i] = !taken, !taken
	}
}

// beside reports whether a piece is close to one of the chosen seats.
func (p *pick) beside(piece, choice []int) bool {
	for _, i := range piece {
		for _, j := range choice {
			a, b := &p.m.seats[i], &p.m.seats[j]
			if math.Hypot(a.X-b.X, a.Y-b.Y) <= closeBy*p.m.pitch {
				return true
			}
		}
	}
	return false
}

// weigh describes a parted choice as a whole.
func (p *pick) weigh(seats []int) parted {
	c := parted{seats: seats}
	c.strands = len(p.m.Orphans(func(i int) bool { return !p.free[i] }, seats))
	middle := p.m.centre(seats)
	for _, i := range seats {
		c.spread += middle.distance(&p.m.seats[i]) + p.m.focus.distance(&p.m.seats[i])
		if other := p.m.pair[i]; other >= 0 && p.free[other] && !slices.Contains(seats, other) {
			c.halves++
		}
	}
	return c
}

func compareParted(a, b parted) int {
	return cmp.Or(cmp.Compare(a.halves, b.halves), cmp.Compare(a.strands, b.strands), cmp.Compare(a.spread, b.spread))
}
