package seatplan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/service/domain"
	"usher/service/seatplan"
)

func mustRead(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func mustParse(t testing.TB, name string, opts seatplan.Options) (*domain.SeatLayout, seatplan.Report) {
	t.Helper()
	layout, report, err := seatplan.Parse(name, mustRead(t, name), opts)
	if err != nil {
		t.Fatal(err)
	}
	checkLayout(t, layout)
	return layout, report
}

func TestParsePretixPlan(t *testing.T) {
	t.Parallel()
	layout, report := mustParse(t, "lantern.json", seatplan.Options{Screen: domain.SideBottom})

	want := seatplan.Report{
		Seats: 34, Rows: 4, RowPieces: 6, Zones: 2, Wheelchair: 1,
		PerZone: []seatplan.Count{{"Parkett", 24}, {"Galerie", 10}},
		PerTier: []seatplan.Count{{"Parkett", 23}, {"Galerie", 10}, {"Rollstuhl & Begleitung", 1}, {"Nie benutzt", 0}},
		Notes: []string{
			"category `Nie benutzt`: the colour `url(x)` is none that usher draws, it was left out",
			"category `Nie benutzt` has no seat and was left out",
			"6 pieces of rows carry 4 row labels",
			"seats lie outside the size that the file gives: the plan was made larger",
		},
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	tiers := []domain.SeatTier{{Name: "Parkett", Color: "#aa3311"}, {Name: "Galerie", Color: "rgb(10, 20, 30)"}, {Name: "Rollstuhl & Begleitung", Color: "teal"}}
	if diff := cmp.Diff(tiers, layout.Tiers); diff != "" {
		t.Errorf("tiers (-want +got):\n%s", diff)
	}
	if layout.Name != "Lichtspiel Laterne" || layout.Screen != domain.SideBottom || layout.Placed {
		t.Errorf("got name %q, screen %q, placed %t", layout.Name, layout.Screen, layout.Placed)
	}
	if got := layout.Seats[0]; got.No != "P|A|8" || got.Zone != "Parkett" || got.Row != "A" || got.Label != "8" {
		t.Errorf("the first seat of the file is %+v", got)
	}
	if got := find(t, layout, "P|C|6").Kind; got != domain.SeatWheelchair {
		t.Errorf("kind of a seat in a wheelchair category: got %q", got)
	}
	// Zone, row and seat positions add up: B hangs 20 to the left of A, C 20 to the right, each 30 lower.
	a, b, c := find(t, layout, "P|A|8"), find(t, layout, "P|B|10"), find(t, layout, "P|C|6")
	if b.X != a.X-20 || b.Y != a.Y+30 || c.X != a.X+20 || c.Y != a.Y+60 {
		t.Errorf("got A at %g,%g, B at %g,%g, C at %g,%g", a.X, a.Y, b.X, b.Y, c.X, c.Y)
	}
}

func TestParsePretixKeepsThePageOfAPlanThatFits(t *testing.T) {
	t.Parallel()
	layout, report := mustParse(t, "doubled.json", seatplan.Options{NewIDs: true})
	if layout.Width != 80 || layout.Height != 80 || layout.Seats[1].X != 20 || layout.Seats[7].Y != 60 {
		t.Errorf("the plan was moved: %g by %g, %+v", layout.Width, layout.Height, layout.Seats)
	}
	if diff := cmp.Diff([]seatplan.Count{{"Saal", 8}}, report.PerZone); diff != "" {
		t.Errorf("zones (-want +got):\n%s", diff)
	}
}

func TestParsePretixDoubledIDs(t *testing.T) {
	t.Parallel()
	data := mustRead(t, "doubled.json")

	layout, _, err := seatplan.Parse("doubled.json", data, seatplan.Options{})
	want := []string{
		"doubled.json: seat id `Saal-A-1` used 3 times: row A seat 1 (zones[0].rows[0].seats[0]) and row B seat 1 (zones[0].rows[1].seats[0]) and row C seat 1 (zones[0].rows[2].seats[0])",
		"doubled.json: seat id `Saal-A-2` used twice: row A seat 2 (zones[0].rows[0].seats[1]) and row B seat 2 (zones[0].rows[1].seats[1])",
	}
	if diff := cmp.Diff(want, mustProblems(t, layout, err)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}

	layout, report := mustParse(t, "doubled.json", seatplan.Options{NewIDs: true})
	var nos []string
	for _, seat := range layout.Seats {
		nos = append(nos, seat.No)
	}
	// Saal-B-2 names another seat than its own and stays: nothing is read out of an id. Saal/B/1 is taken.
	wantNos := []string{"Saal-A-1", "Saal-A-2", "Saal-B-2", "Saal/B/1~~2", "Saal/B/2", "Saal-B-3", "Saal/C/1", "Saal/B/1"}
	if diff := cmp.Diff(wantNos, nos); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	note := "3 seats carried the id of another seat and got a new one, the first: `Saal-A-1` of row B seat 1 became `Saal/B/1~~2`"
	if diff := cmp.Diff([]string{note}, report.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// control is a plan without a fault; each fault below is one replacement in it.
const control = `{"name":"P","categories":[{"name":"N","color":"#fff"}],"zones":[{"name":"Z","position":{"x":0,"y":0},"rows":[
{"row_number":"A","position":{"x":0,"y":0},"seats":[{"seat_guid":"a1","seat_number":"1","position":{"x":0,"y":0},"category":"N"},
{"seat_guid":"a2","seat_number":"2","position":{"x":20,"y":0},"category":"N"}]}]}],"size":{"width":50,"height":50}}`

func TestParsePretixFaults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 65)
	tests := []struct{ name, old, new, want string }{
		{"unknown key at the top", `"name":"P"`, `"name":"P","colour":1`, "colour: the key is not known here"},
		{"unknown key in a zone", `"name":"Z"`, `"name":"Z","floor":1`, "zones[0].floor: the key is not known here"},
		{"unknown key in a row", `"row_number":"A"`, `"row_number":"A","angle":3`, "zones[0].rows[0].angle: the key is not known here"},
		{"unknown key in a seat", `"seat_number":"2"`, `"seat_number":"2","pair":"a1"`, "zones[0].rows[0].seats[1].pair: the key is not known here"},
		{"unknown key in a category", `"color":"#fff"`, `"price":9`, "categories[0].price: the key is not known here"},
		{"unknown key in a position", `{"x":20,"y":0}`, `{"x":20,"y":0,"z":1}`, "zones[0].rows[0].seats[1].position.z: the key is not known here"},
		{"unknown key in the size", `"height":50`, `"height":50,"depth":1`, "size.depth: the key is not known here"},
		{"unknown key in an area", `"name":"Z"`, `"name":"Z","areas":[{"shape":"text","font":"x"}]`, "zones[0].areas[0].font: the key is not known here"},
		{"unknown shape", `"name":"Z"`, `"name":"Z","areas":[{"shape":"star"}]`, "zones[0].areas[0].shape: one of polygon, rectangle, ellipse, circle, text expected, got the string `star`"},
		{"area without a shape", `"name":"Z"`, `"name":"Z","areas":[{}]`, "zones[0].areas[0]: `shape` is missing"},
		{"polygon without points", `"name":"Z"`, `"name":"Z","areas":[{"shape":"polygon","polygon":{"points":[{"x":1}]}}]`, "zones[0].areas[0].polygon.points[0]: `y` is missing"},
		{"key twice", `"name":"P"`, `"name":"P","name":"Q"`, "name: the key stands twice"},
		{"number as string", `"width":50`, `"width":"50"`, "size.width: number expected, got the string `50`"},
		{"string as number", `"seat_number":"2"`, `"seat_number":2`, "zones[0].rows[0].seats[1].seat_number: string expected, got the number `2`"},
		{"null for a number", `{"x":20,"y":0}`, `{"x":null,"y":0}`, "zones[0].rows[0].seats[1].position.x: number expected, got null"},
		{"number out of range", `{"x":20,"y":0}`, `{"x":1e400,"y":0}`, "zones[0].rows[0].seats[1].position.x: the number `1e400` is out of range"},
		{"list expected", `"categories":[{"name":"N","color":"#fff"}]`, `"categories":{}`, "categories: list expected, got an object"},
		{"object expected", `{"x":20,"y":0}`, `true`, "zones[0].rows[0].seats[1].position: object expected, got true"},
		{"position missing", `"position":{"x":20,"y":0},`, ``, "zones[0].rows[0].seats[1]: `position` is missing"},
		{"zones missing", `"zones"`, `"size "`, "`zones` is missing"},
		{"seat id empty", `"a2"`, `" "`, "zones[0].rows[0].seats[1].seat_guid: the id is empty"},
		{"seat number empty", `"seat_number":"2"`, `"seat_number":""`, "zones[0].rows[0].seats[1].seat_number: the seat number is empty"},
		{"seat number too long", `"seat_number":"2"`, `"seat_number":"` + long + `"`, "zones[0].rows[0].seats[1].seat_number: 65 characters are too many, at most 64 characters"},
		{"control character", `"row_number":"A"`, `"row_number":"A\u0000"`, "zones[0].rows[0].row_number: a control character is not allowed"},
		{"seats without a row", `"name":"Z"`, `"name":"Z","seats":[{"seat_guid":"q1"},{"seat_guid":"q2"}]`, "zones[0].seats: `seats` at zones[0]: 2 seats (`q1`) belong to no row"},
		{"category twice", `{"name":"N","color":"#fff"}`, `{"name":"N"},{"name":" N "}`, "categories[1].name: category `N` is defined twice"},
		{"category without a name", `{"name":"N","color":"#fff"}`, `{"name":"N"},{"name":""}`, "categories[1].name: the name is empty"},
		{"uuid twice", `"name":"Z"`, `"name":"Z","uuid":"u","areas":[{"shape":"text","uuid":"u"}]`, "zones[0].areas[0].uuid: uuid `u` is used at zones[0] already"},
		{"unknown direction", `"seat_number":"2"`, `"seat_number":"2","start_direction":"^"`, "zones[0].rows[0].seats[1].start_direction: one of <, >, <> expected, got the string `^`"},
		{"negative size", `"width":50`, `"width":-50`, "size: a size of -50 by 50 is not possible"},
		{"no seats", control[strings.Index(control, `"rows":`):], `"rows":[]}]}`, "zones: the plan has no seats"},
		{"cut off", control[200:], ``, "line 2 column 91: the file ends in the middle of a JSON value"},
		{"something after the end", `"height":50}}`, `"height":50}} x`, "line 3 column 117: something stands after the end of the plan"},
		{"no JSON", `"name":"P"`, `name:"P"`, "line 1 column 2: the file is not JSON: invalid character 'n'"},
		{"a list", control, `[]`, "object expected, got a list"},
		{"nested without end", control, strings.Repeat("[", 20) + strings.Repeat("]", 20), "nested too deeply"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(control, test.old) {
				t.Fatalf("the control has no %q", test.old)
			}
			layout, _, err := seatplan.Parse("p.json", []byte(strings.Replace(control, test.old, test.new, 1)), seatplan.Options{})
			lines := mustProblems(t, layout, err)
			if !strings.Contains(strings.Join(lines, "\n"), test.want) {
				t.Errorf("got %v, want %q", lines, test.want)
			}
		})
	}
	layout, _, err := seatplan.Parse("p.json", []byte(control), seatplan.Options{})
	if err != nil {
		t.Fatalf("the control itself is refused: %v", err)
	}
	checkLayout(t, layout)
}

func TestParseTellsAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	data := strings.NewReplacer(`"x":20`, `"x":"20"`, `"category":"N"}`, `"category":"M"}`, `"width":50`, `"width":true`).Replace(control)
	layout, _, err := seatplan.Parse("p.json", []byte(data), seatplan.Options{})
	want := []string{
		"p.json: zones[0].rows[0].seats[0]: row A seat 1: category `M` is not defined; known: N",
		"p.json: zones[0].rows[0].seats[1].position.x: number expected, got the string `20`",
		"p.json: zones[0].rows[0].seats[1]: row A seat 2: category `M` is not defined; known: N",
		"p.json: size.width: number expected, got true",
	}
	if diff := cmp.Diff(want, mustProblems(t, layout, err)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
