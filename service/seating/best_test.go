package seating_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"usher/service/domain"
	"usher/service/seating"
)

func TestBest(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		plan   []string
		taken  string
		count  int
		tier   string
		orphan bool
		want   string
	}{
		{name: "two thirds back, in the middle", plan: []string{"sssss", "sssss", "sssss", "sssss"}, count: 1, want: "C2"},
		{name: "in one run", plan: []string{"ss ss", "ss ss", "sssss"}, count: 3, want: "C0 C1 C2"},
		{name: "no seat stranded", plan: []string{"ssssss"}, count: 3, want: "A0 A1 A2"},
		{name: "no seat stranded beside a taken one", plan: []string{"sssssss"}, taken: "A6", count: 2, want: "A2 A3"},
		{name: "stranding where it cannot be helped", plan: []string{"sss"}, count: 2, want: "A0 A1"},
		{name: "rather parted than against the rule", plan: []string{"ssss", "ssss"}, count: 3, orphan: true, want: "A0 B0 B1"},
		{name: "against the rule rather than refused", plan: []string{"sss"}, count: 2, orphan: true, want: "A0 A1"},
		{name: "of the tier", plan: []string{"vvsss", "sssss"}, count: 2, tier: "vip", want: "A0 A1"},
		{name: "over two neighbouring rows", plan: []string{"ssss", "ssss", "ssss"}, count: 6, want: "B0 B1 B2 C0 C1 C2"},
		{name: "a love seat whole", plan: []string{"LRLRLR"}, count: 2, want: "A2 A3"},
		{name: "two love seats whole", plan: []string{"LRLRs"}, count: 4, want: "A0 A1 A2 A3"},
		{name: "a love seat is not halved for one", plan: []string{"LRLR", "s  s"}, count: 1, want: "B0"},
		{name: "half a love seat when nothing else", plan: []string{"LR"}, count: 1, want: "A0"},
		{name: "wheelchair places last", plan: []string{"swcs"}, count: 2, want: "A0 A3"},
		{name: "then companions", plan: []string{"swcs"}, count: 3, want: "A0 A2 A3"},
		{name: "then all", plan: []string{"swcs"}, count: 4, want: "A0 A1 A2 A3"},
		{name: "any when scattered", plan: []string{"s", "", "", "", "", "s", "", "", "", "", "s"}, count: 3, want: "A0 F0 K0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			layout := drawn(test.plan...)
			taken := numbers(t, layout, test.taken)
			free := func(i int) bool { return !slices.Contains(taken, i) }
			got, ok := seating.NewMap(layout).Best(free, test.count, test.tier, test.orphan)
			if !ok || names(layout, got) != test.want {
				t.Errorf("got %q and %t, want %q", names(layout, got), ok, test.want)
			}
		})
	}
}

func TestBestAtTheScreenBelow(t *testing.T) {
	t.Parallel()
	layout := drawn("sssss", "sssss", "sssss", "sssss")
	layout.Screen = domain.SideBottom
	got, _ := seating.NewMap(layout).Best(func(int) bool { return true }, 1, "", false)
	if names(layout, got) != "B2" {
		t.Errorf("got %q, want B2", names(layout, got))
	}
}

func TestBestRefuses(t *testing.T) {
	t.Parallel()
	m := seating.NewMap(drawn("ssv"))
	for _, test := range []struct {
		count int
		tier  string
	}{{0, ""}, {-1, ""}, {4, ""}, {2, "vip"}, {1, "none"}} {
		if got, ok := m.Best(func(int) bool { return true }, test.count, test.tier, false); ok || got != nil {
			t.Errorf("%d of tier %q: got %v and %t", test.count, test.tier, got, ok)
		}
	}
	if _, ok := seating.NewMap(&domain.SeatLayout{}).Best(func(int) bool { return true }, 1, "", false); ok {
		t.Error("an empty plan gave a seat")
	}
}

// ask is one random question to Best.
type ask struct {
	layout *domain.SeatLayout
	m      *seating.Map
	taken  []bool
	count  int
	tier   string
	orphan bool
}

func anyAsk(t *rapid.T) ask {
	a := ask{layout: anyPlan(t)}
	a.m = seating.NewMap(a.layout)
	a.taken = rapid.SliceOfN(rapid.Bool(), len(a.layout.Seats), len(a.layout.Seats)).Draw(t, "taken")
	a.count = rapid.IntRange(1, 12).Draw(t, "count")
	a.tier = rapid.SampledFrom([]string{"", "standard", "vip"}).Draw(t, "tier")
	a.orphan = rapid.Bool().Draw(t, "orphan")
	return a
}

func (a ask) usable(i int) bool {
	return !a.taken[i] && (a.tier == "" || a.layout.Seats[i].Tier == a.tier)
}

func (a ask) special(i int) bool {
	kind := a.layout.Seats[i].Kind
	return kind == domain.SeatWheelchair || kind == domain.SeatCompanion
}

func (a ask) best() ([]int, bool) {
	return a.m.Best(func(i int) bool { return !a.taken[i] }, a.count, a.tier, a.orphan)
}

func TestBestGivesWhatIsThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := anyAsk(t)
		ordinary, reserve := 0, 0
		for i := range a.layout.Seats {
			switch {
			case !a.usable(i):
			case a.special(i):
				reserve++
			default:
				ordinary++
			}
		}
		got, ok := a.best()
		if want := ordinary+reserve >= a.count; ok != want {
			t.Fatalf("%d ordinary and %d special seats for %d: got %t", ordinary, reserve, a.count, ok)
		}
		if !ok {
			return
		}
		specials := 0
		for k, i := range got {
			if !a.usable(i) || k > 0 && got[k-1] >= i {
				t.Fatalf("got %s, not free, not of the tier or not in order", names(a.layout, got))
			}
			if a.special(i) {
				specials++
			}
		}
		if want := max(0, a.count-ordinary); len(got) != a.count || specials != want {
			t.Fatalf("got %s with %d special seats, want %d", names(a.layout, got), specials, want)
		}
		if again, _ := a.best(); !slices.Equal(got, again) {
			t.Fatalf("asked twice: %v, then %v", got, again)
		}
	})
}

// flaws counts, without the package's own search, what is wrong with a stretch of seats.
func (a ask) flaws(seats []int) (halves, strands int) {
	index := a.layout.Index()
	for _, i := range seats {
		if p := a.layout.Seats[i].Pair; p != "" && !a.taken[index[p]] && !slices.Contains(seats, index[p]) {
			halves++
		}
	}
	for _, run := range a.m.RunsOf(seats) {
		left := func(k int) bool {
			return k >= 0 && k < len(run) && !a.taken[run[k]] && !slices.Contains(seats, run[k])
		}
		before := func(k int) bool { return k >= 0 && k < len(run) && !a.taken[run[k]] }
		for k := range run {
			alone := left(k) && !left(k-1) && !left(k+1)
			if alone && (before(k-1) || before(k+1)) {
				strands++
			}
		}
	}
	return halves, strands
}

func TestBestKeepsTogetherAndStrandsNobodyWherePossible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := anyAsk(t)
		possible, clean := false, false
		for _, run := range a.m.RunsOf(indexes(len(a.layout.Seats))) {
			for k := 0; k+a.count <= len(run); k++ {
				window := run[k : k+a.count]
				if slices.ContainsFunc(window, func(i int) bool { return !a.usable(i) || a.special(i) }) {
					continue
				}
				halves, strands := a.flaws(window)
				possible, clean = true, clean || halves+strands == 0
			}
		}
		if !possible {
			return
		}
		got, _ := a.best()
		together := len(a.m.RunsOf(got)) == 1
		halves, strands := a.flaws(got)
		if clean && (!together || halves+strands > 0) {
			t.Fatalf("got %s: %d halved, %d stranded, though a clean stretch is free", names(a.layout, got), halves, strands)
		}
		if !a.orphan && !together {
			t.Fatalf("got %s, parted though a stretch is free", names(a.layout, got))
		}
		if want := len(a.m.Orphans(func(i int) bool { return a.taken[i] }, got)); want != strands {
			t.Fatalf("Orphans says %d stranded, counted %d", want, strands)
		}
	})
}
