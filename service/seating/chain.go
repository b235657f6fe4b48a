package seating

import (
	"cmp"
	"math"
	"slices"
)

const (
	// mostEdges bounds the neighbours that are looked at for one seat.
	mostEdges = 8
	// sharpTurn is the cosine above which two neighbours of a seat are on the same side of it (100 degrees).
	sharpTurn = -0.17
	// jumpInside and jumpAtEnd are how far, in pitches, a seat may stand beside the line of its neighbours: inside
	// a row, where both sides show the line, and at its end, where a bend looks the same as a step.
	jumpInside = 0.35
	jumpAtEnd  = 0.6
)

// edge joins two seats of a line, by their place in it.
type edge struct {
	a, b   int
	weight float64
}

// runs joins neighbours, nearest first, into chains and cuts the chains where the row changes its height.
func (l *line) runs(pitch float64) [][]int {
	next := make([][]int, len(l.spots)) // neighbours of each seat, at most two
	chain := newForest(len(l.spots))
	for _, e := range l.edges(gapFactor * pitch) {
		if len(next[e.a]) == 2 || len(next[e.b]) == 2 || l.turns(e.a, e.b, next) || l.turns(e.b, e.a, next) {
			continue
		}
		if chain.join(e.a, e.b) {
			next[e.a] = append(next[e.a], e.b)
			next[e.b] = append(next[e.b], e.a)
		}
	}

	var runs [][]int
	seen := make([]bool, len(l.spots))
	for i := range l.spots {
		if seen[i] || len(next[i]) == 2 {
			continue
		}
		path := follow(i, next, seen)
		for _, piece := range l.cut(path, pitch) {
			runs = append(runs, l.oriented(piece))
		}
	}
	return runs
}

// edges returns the pairs of seats within reach, the most likely neighbours first: near, and along the row
// rather than across it.
func (l *line) edges(reach float64) []edge {
	var all []edge
	for i, a := range l.spots {
		var near []edge
		for j := i + 1; j < len(l.spots) && l.spots[j].t-a.t <= reach; j++ {
			b := l.spots[j]
			d := a.distance(b)
			if d > reach {
				continue
			}
			across := math.Abs((b.x-a.x)*l.ay - (b.y-a.y)*l.ax)
			e := edge{a: i, b: j, weight: d + across}
			at, _ := slices.BinarySearchFunc(near, e, compareEdges)
			if at < mostEdges {
				near = slices.Insert(near, at, e)
				near = near[:min(len(near), mostEdges)]
			}
		}
		all = append(all, near...)
	}
	slices.SortFunc(all, compareEdges)
	return all
}

// compareEdges orders edges by weight. The weight is rounded so that the noise of fractions does not decide
// between pairs that are equally far apart.
func compareEdges(a, b edge) int {
	return cmp.Or(cmp.Compare(math.Round(a.weight*1e6), math.Round(b.weight*1e6)), cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
}

// turns reports whether seat b lies on the same side of seat a as the neighbour that a has already.
func (l *line) turns(a, b int, next [][]int) bool {
	if len(next[a]) == 0 {
		return false
	}
	p, q, o := l.spots[a], l.spots[b], l.spots[next[a][0]]
	dot := (q.x-p.x)*(o.x-p.x) + (q.y-p.y)*(o.y-p.y)
	return dot > sharpTurn*p.distance(q)*p.distance(o)
}

// follow walks a chain from one of its ends.
func follow(from int, next [][]int, seen []bool) []int {
	var path []int
	for at := from; at >= 0; {
		seen[at] = true
		path = append(path, at)
		step := -1
		for _, n := range next[at] {
			if !seen[n] {
				step = n
			}
		}
		at = step
	}
	return path
}

// cut parts a chain where a step leads beside the line that the seats around it form: the worst step first,
// since it also bends the line of the steps next to it.
func (l *line) cut(path []int, pitch float64) [][]int {
	worst, at := 1.0, 0
	for i := 1; i < len(path); i++ {
		if j := l.jump(path, i) / pitch; j > worst {
			worst, at = j, i
		}
	}
	if at == 0 {
		return [][]int{path}
	}
	return append(l.cut(path[:at], pitch), l.cut(path[at:], pitch)...)
}

// jump returns how far the step from path[i-1] to path[i] leads aside, as a share of what a row may.
func (l *line) jump(path []int, i int) float64 {
	var dx, dy float64
	sides := 0
	add := func(from, to int) {
		p, q := l.spots[path[from]], l.spots[path[to]]
		if d := p.distance(q); d > 0 {
			dx += (q.x - p.x) / d
			dy += (q.y - p.y) / d
			sides++
		}
	}
	if i >= 2 {
		add(i-2, i-1)
	}
	if i+1 < len(path) {
		add(i, i+1)
	}
	length := math.Hypot(dx, dy)
	if sides == 0 || length == 0 {
		return 0
	}
	p, q := l.spots[path[i-1]], l.spots[path[i]]
	aside := math.Abs((q.x-p.x)*dy-(q.y-p.y)*dx) / length
	if sides == 2 {
		return aside / jumpInside
	}
	return aside / jumpAtEnd
}

// oriented returns the seats of a path from left to right, or from top to bottom where it stands upright.
func (l *line) oriented(path []int) []int {
	run := make([]int, len(path))
	for i, at := range path {
		run[i] = l.spots[at].seat
	}
	first, last := l.spots[path[0]], l.spots[path[len(path)-1]]
	dx, dy := last.x-first.x, last.y-first.y
	if back := dx < 0; math.Abs(dx) >= math.Abs(dy) && back || math.Abs(dx) < math.Abs(dy) && dy < 0 {
		slices.Reverse(run)
	}
	return run
}

// forest tells which seats are joined already, so that no chain becomes a ring.
type forest []int

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = i
	}
	return f
}

func (f forest) root(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

// join merges two trees and reports false when they are one already.
func (f forest) join(a, b int) bool {
	ra, rb := f.root(a), f.root(b)
	f[ra] = rb
	return ra != rb
}
