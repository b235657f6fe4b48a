package seatplan_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/service/domain"
	"usher/service/seatplan"
)

func TestParseSeatListWithCoordinates(t *testing.T) {
	t.Parallel()
	layout, report := mustParse(t, "grid-semicolon.csv", seatplan.Options{})
	want := seatplan.Report{
		Seats: 14, Rows: 3, RowPieces: 3, Zones: 2, Wheelchair: 1,
		PerZone: []seatplan.Count{{"Étage", 12}, {"Loge; links", 2}},
		PerTier: []seatplan.Count{{"Zone 1", 12}, {"Loge", 2}},
		Notes: []string{
			"2 seats with a restricted view: read as ordinary seats of their category",
			"1 house seat: read as ordinary seats, block them where they are not for sale",
			"2 seats in rows without a label",
		},
	}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if layout.Name != "grid-semicolon" || layout.Placed || layout.Screen != domain.SideTop {
		t.Errorf("got name %q, placed %t, screen %q", layout.Name, layout.Placed, layout.Screen)
	}
	six, bis, box := find(t, layout, "Étage/B/6"), find(t, layout, "Étage/B/5 bis"), find(t, layout, "Loge; links//2")
	if got := (bis.X - six.X) / 24; got != 8.5 {
		t.Errorf("5 bis stands %g cells right of 6, want 8.5", got)
	}
	if box.Label != "2" || box.X >= six.X {
		t.Errorf("the box seat is %+v", box)
	}
}

func TestParseSeatListWithoutCoordinates(t *testing.T) {
	t.Parallel()
	layout, report := mustParse(t, "blocks.csv", seatplan.Options{})
	if report.Seats != 35 || report.Rows != 5 || report.Zones != 2 || report.Wheelchair != 1 {
		t.Errorf("got %+v", report)
	}
	if !layout.Placed || report.Notes[0] != "no coordinates in the file: seats were laid out by usher" {
		t.Errorf("placed %t, notes %q", layout.Placed, report.Notes)
	}

	rows := map[string][]string{
		"odd numbers left and falling, even right and rising": {"Floor/B/3", "Floor/B/1", "Floor/B/107", "Floor/B/101", "Floor/B/102", "Floor/B/108", "Floor/B/2", "Floor/B/4"},
		"labels as people count":                              {"Box/A/A1", "Box/A/A01", "Box/A/A2", "Box/A/A10"},
		"left before right":                                   {"Box/B/1", "Box/B/2", "Box/B/3", "Box/B/11", "Box/B/12"},
	}
	for name, nos := range rows {
		for i := 1; i < len(nos); i++ {
			a, b := find(t, layout, nos[i-1]), find(t, layout, nos[i])
			if a.X >= b.X || a.Y != b.Y {
				t.Errorf("%s: %s at %g,%g is not left of %s at %g,%g", name, nos[i-1], a.X, a.Y, nos[i], b.X, b.Y)
			}
		}
	}
	column := []string{"Floor/A/101", "Floor/B/101", "Floor/C/101", "Box/A/A1", "Box/B/1"}
	for i := 1; i < len(column); i++ {
		if a, b := find(t, layout, column[i-1]), find(t, layout, column[i]); a.Y >= b.Y {
			t.Errorf("%s at %g is not above %s at %g", column[i-1], a.Y, column[i], b.Y)
		}
	}
	gap := find(t, layout, "Floor/C/103").X - find(t, layout, "Floor/C/109").X
	if step := find(t, layout, "Floor/C/101").X - find(t, layout, "Floor/C/103").X; gap != 3*step {
		t.Errorf("103 and 109 lie %g apart, want three steps of %g", gap, step)
	}
	if a, b := find(t, layout, "Floor/A/101"), find(t, layout, "Floor/A/102"); b.X-a.X != 24 {
		t.Errorf("the halves of the centre lie %g apart, want 24", b.X-a.X)
	}
}

func TestParseSeatListWithScreenAtBottomStartsThere(t *testing.T) {
	t.Parallel()
	layout, _ := mustParse(t, "blocks.csv", seatplan.Options{Screen: domain.SideBottom})
	if a, c := find(t, layout, "Floor/A/101"), find(t, layout, "Box/B/1"); a.Y <= c.Y {
		t.Errorf("the first row at %g is not nearer to the bottom than the last at %g", a.Y, c.Y)
	}
}

func TestParseSeatListLabels(t *testing.T) {
	t.Parallel()
	labels := []string{"A1", "A2", "A10", "A01", "B1", "AA1", "Ä1", " 7 ", "12a", "A/1", "=1+1", "🎬", strings.Repeat("x", 64)}
	for name, change := range map[string]func(string) string{
		"plain":                  func(s string) string { return s },
		"byte order mark, CRLF":  func(s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") },
		"parted by semicolons":   func(s string) string { return strings.ReplaceAll(s, ",", ";") },
		"header in capitals":     func(s string) string { return strings.Replace(s, "row,seat", "ROW, Seat", 1) },
		"no line break at last":  func(s string) string { return strings.TrimSuffix(s, "\n") },
		"empty lines in between": func(s string) string { return strings.ReplaceAll(s, "\n", "\n,\n\n") },
	} {
		var file strings.Builder
		file.WriteString("row,seat\n")
		for _, label := range labels {
			file.WriteString("A," + label + "\n")
		}
		layout, report, err := seatplan.Parse("l.csv", []byte(change(file.String())), seatplan.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkLayout(t, layout)
		if report.Seats != len(labels) {
			t.Errorf("%s: got %d seats, want %d", name, report.Seats, len(labels))
		}
		for i, label := range labels {
			if got := layout.Seats[i].Label; got != strings.TrimSpace(label) {
				t.Errorf("%s: seat %d: got label %q, want %q", name, i, got, label)
			}
		}
		find(t, layout, "A/7")
		find(t, layout, "A/A~11")
	}
}

func TestParseSeatListKeepsAlikePlacesApart(t *testing.T) {
	t.Parallel()
	file := "zone,row,seat\nLeft,1,11\nLeft,11,1\nRight,1,11\nLeft,A,1\nLeft,A1,1\nLeft,,1\n,Left,1\nLeft/A,1,1\nLeft,A/1,1\n"
	first, report, err := seatplan.Parse("h.csv", []byte(file), seatplan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Seats != 9 {
		t.Errorf("got %d seats, want one for each of 9 lines", report.Seats)
	}
	checkLayout(t, first)
	again, _, err := seatplan.Parse("h.csv", []byte(file), seatplan.Options{})
	if diff := cmp.Diff(first, again); diff != "" || err != nil {
		t.Errorf("the same file again: %v, layout (-first +again):\n%s", err, diff)
	}
}

func TestParseSeatListFaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, file, want string }{
		{"line doubled", "row,seat\nA,1\nA,2\nA,1\n", "lines 2 and 4: row A seat 1 stands twice"},
		{"line tripled", "zone,row,seat\nZ,A,1\nZ,A,1\nZ,A, 1\n", "lines 2, 3 and 4: zone Z row A seat 1 stands 3 times"},
		{"label empty", "row,seat\nA,1\nA,\n", "line 3: the seat label is empty"},
		{"label of blanks", "row,seat\nA,\"  \"\n", "line 2: the seat label is empty"},
		{"label too long", "row,seat\nA,1\nA," + strings.Repeat("x", 65) + "\n", "line 3: seat: 65 characters are too many, at most 64 characters: `xxx"},
		{"label with a line break", "row,seat\nA,\"1\n2\"\n", "line 2: seat: a control character is not allowed: `1?2`"},
		{"Latin-1", "row,seat\nA,\xc41\n", "not UTF-8: byte 0xC4 at offset 11"},
		{"UTF-16", "\xff\xfer\x00o\x00w\x00", "not UTF-8: byte 0xFF at offset 0"},
		{"column unknown", "row,seat,price\nA,1,9\n", "line 1: column 3: `price` is not known; known: block, category"},
		{"column twice", "row,seat,zone,section\nA,1,x,y\n", "line 1: columns 3 and 4 mean the same: `section`"},
		{"column missing", "zone,seat\nA,1\n", "line 1: column `row` is missing"},
		{"x alone", "row,seat,x\nA,1,2\n", "line 1: columns `x` and `y` go together, one is missing"},
		{"cell missing", "zone,row,seat\nZ,A,1\nZ,A\n", "line 3: 3 cells expected, got 2"},
		{"cell too many", "row,seat\nA,1,2\n", "line 2: 2 cells expected, got 3"},
		{"coordinate is text", "row,seat,x,y\nA,1,left,2\n", "line 2: x: number expected, got `left`"},
		{"coordinate empty", "row,seat,x,y\nA,1,2,\n", "line 2: y: number expected, got ``"},
		{"coordinate not finite", "row,seat,x,y\nA,1,NaN,Inf\n", "line 2: x: number expected, got `NaN`"},
		{"coordinate too far", "row,seat,x,y\nA,1,2,1e9\n", "line 2: y: the number `1e9` is out of range"},
		{"flag", "row,seat,wheelchair\nA,1,maybe\n", "line 2: wheelchair: 0 or 1 expected, got `maybe`"},
		{"kind", "row,seat,kind\nA,1,throne\n", "line 2: kind: `throne` is not known"},
		{"category empty", "row,seat,category\nA,1,\n", "line 2: the category is empty"},
		{"stray quote", "row,seat\nA,1\nA,x\"y\n", "line 3: column 4: bare \" in non-quoted-field"},
		{"quote without end", "row,seat\nA,\"1\n", "extraneous or missing"},
		{"header only", "row,seat\n", "the file has no seats"},
		{"white space", " \r\n\t", "the file holds nothing but white space (4 bytes)"},
		{"mark only", "\ufeff", "the file holds nothing but white space (3 bytes)"},
		{"prose", "Dear sir,\nno seats today\n", "line 1: column 1: `Dear sir` is not known"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			layout, _, err := seatplan.Parse("f.csv", []byte(test.file), seatplan.Options{})
			if lines := mustProblems(t, layout, err); !strings.Contains(strings.Join(lines, "\n"), "f.csv: "+test.want) &&
				!strings.Contains(lines[0], test.want) {
				t.Errorf("got %v, want %q", lines, test.want)
			}
		})
	}
}
