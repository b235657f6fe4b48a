package component_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"usher/service/domain"
	"usher/web/component"
	"usher/web/webtest"
)

var placed = regexp.MustCompile(`(?m)^\.([sr])(\d+)\{left:(-?[\d.]+)%;top:(-?[\d.]+)%\}$`)

// failer is what tests and properties have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

type spot struct{ x, y float64 }

// spots reads the places of seats and row names back from the sheet.
func spots(t failer, css []byte) (seats, marks map[int]spot) {
	t.Helper()
	seats, marks = make(map[int]spot), make(map[int]spot)
	for _, m := range placed.FindAllStringSubmatch(string(css), -1) {
		i, _ := strconv.Atoi(m[2])
		x, _ := strconv.ParseFloat(m[3], 64)
		y, _ := strconv.ParseFloat(m[4], 64)
		if m[1] == "s" {
			seats[i] = spot{x, y}
		} else {
			marks[i] = spot{x, y}
		}
	}
	return seats, marks
}

func seatSize(t failer, css []byte) (w, h float64) {
	t.Helper()
	m := regexp.MustCompile(`\.room \.seat\{width:([\d.]+)%;height:([\d.]+)%`).FindStringSubmatch(string(css))
	if m == nil {
		t.Fatal("the sheet has no size of a seat")
	}
	w, _ = strconv.ParseFloat(m[1], 64)
	h, _ = strconv.ParseFloat(m[2], 64)
	return w, h
}

func checkSheet(t failer, layout *domain.SeatLayout) {
	t.Helper()
	css := component.LayoutCSS(layout)
	seats, marks := spots(t, css)
	w, h := seatSize(t, css)
	if len(seats) != len(layout.Seats) {
		t.Fatalf("%d seats are placed, want %d", len(seats), len(layout.Seats))
	}
	for i, s := range seats {
		if s.x < 0 || s.y < 0 || s.x+w > 100.01 || s.y+h > 100.01 {
			t.Fatalf("seat %d is outside the room: %+v", i, s)
		}
		for n, m := range marks {
			if math.Abs(m.x-s.x) < 0.4*w && math.Abs(m.y-s.y) < 0.4*h {
				t.Fatalf("row name %d covers seat %d", n, i)
			}
		}
	}
	for _, bad := range []string{"NaN", "Inf", "e+", "<"} {
		if strings.Contains(string(css), bad) {
			t.Fatalf("the sheet contains %q", bad)
		}
	}
}

func TestLayoutCSSKeepsEverySeatInTheRoom(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		layout := &domain.SeatLayout{ID: "x", Screen: rapid.SampledFrom([]domain.Side{domain.SideTop, domain.SideBottom, ""}).Draw(t, "screen")}
		for i := range rapid.IntRange(0, 60).Draw(t, "seats") {
			layout.Seats = append(layout.Seats, domain.Seat{
				No: fmt.Sprint(i), Row: rapid.SampledFrom([]string{"", "A", "B", "C"}).Draw(t, "row"),
				X: float64(rapid.IntRange(-500, 500).Draw(t, "x")), Y: float64(rapid.IntRange(-500, 500).Draw(t, "y")),
			})
		}
		checkSheet(t, layout)
	})
}

func TestLayoutVersionFollowsThePlan(t *testing.T) {
	t.Parallel()
	a := &domain.SeatLayout{ID: "a/b", Seats: []domain.Seat{{No: "1", X: 1}, {No: "2", X: 2}}}
	b := &domain.SeatLayout{ID: "a/b", Seats: []domain.Seat{{No: "1", X: 1}, {No: "2", X: 3}, {No: "3", X: 4}}}
	if component.LayoutVersion(a) == component.LayoutVersion(b) {
		t.Error("two plans have one version")
	}
	if got, want := component.LayoutURL(a), "/layouts/a%2Fb.css?v="+component.LayoutVersion(a); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRealTheatre places a real theatre: four zones, row names that repeat, curved rows.
func TestRealTheatre(t *testing.T) {
	t.Parallel()
	layout, err := webtest.Theatre("../../../shared/data/pretix-calais.json")
	if err != nil {
		t.Skipf("no real plan to read: %v", err)
	}
	checkSheet(t, layout)
	css := component.LayoutCSS(layout)
	if _, marks := spots(t, css); len(marks) < 26 {
		t.Errorf("%d row names, want at least one per row", len(marks))
	}
	if len(css) > 40_000 {
		t.Errorf("the sheet has %d bytes", len(css))
	}
}
