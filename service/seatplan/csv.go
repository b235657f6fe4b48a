package seatplan

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"usher/service/domain"
)

// column is what a column of a seat list means.
type column int

const (
	columnZone column = iota
	columnBlock
	columnRow
	columnSeat
	columnX
	columnY
	columnCategory
	columnKind
	columnWheelchair
	columnRestricted
	columnHouse
	columns // how many there are
)

// titles are the columns' names in messages.
var titles = [columns]string{
	"zone", "block", "row", "seat", "x", "y", "category", "kind", "wheelchair",
	"restricted_view", "house_seat",
}

// columnNames gives the headers that are understood, in lower case.
var columnNames = map[string]column{
	"zone": columnZone, "section": columnZone, "block": columnBlock, "row": columnRow, "seat": columnSeat,
	"x": columnX, "y": columnY, "category": columnCategory, "kind": columnKind, "wheelchair": columnWheelchair,
	"restricted_view": columnRestricted, "house_seat": columnHouse,
}

// csvReader carries what one pass over a seat list gathers.
type csvReader struct {
	problems *Problems
	opts     Options
	layout   *domain.SeatLayout
	report   *Report
	cells    *csv.Reader
	comma    rune
	width    int          // cells in the header
	place    [columns]int // a column's place in a line, -1 when it is missing
	lines    []int        // where each seat of the layout stands in the file
	blocks   []string     // each seat's block
	counts   [columns]int // lines whose flag is set
	over     int          // seats beyond the bound
}

func parseCSV(layout *domain.SeatLayout, data []byte, opts Options, problems *Problems) Report {
	var report Report
	r := &csvReader{problems: problems, opts: opts, layout: layout, report: &report, comma: delimiter(data)}
	r.cells = csv.NewReader(bytes.NewReader(data))
	r.cells.Comma = r.comma
	r.cells.FieldsPerRecord = -1
	if r.header() {
		r.body()
	}
	r.findDoubles()
	r.nameTiers()
	report.count(layout)
	if report.Seats == 0 && len(problems.Items) == 0 {
		problems.add("", "the file has no seats")
	}
	r.setPlaces()
	r.notes()
	return report
}

// delimiter returns the one that the header uses most.
func delimiter(data []byte) rune {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	best := ','
	for _, c := range []rune{';', '\t'} {
		if bytes.Count(line, []byte(string(c))) > bytes.Count(line, []byte(string(best))) {
			best = c
		}
	}
	return best
}

// header reads the first line and reports whether the lines below it can be understood.
func (r *csvReader) header() bool {
	for i := range r.place {
		r.place[i] = -1
	}
	names, err := r.cells.Read()
	if err != nil {
		r.syntax(err)
		return false
	}
	r.width = len(names)
	before := len(r.problems.Items)
	for i, raw := range names {
		name := strings.ToLower(strings.TrimSpace(raw))
		c, known := columnNames[name]
		switch {
		case !known:
			r.problems.add("line 1", fmt.Sprintf("column %d: %s is not known; known: %s", i+1, quote(raw), knownColumns()))
		case r.place[c] >= 0:
			r.problems.add("line 1", fmt.Sprintf("columns %d and %d mean the same: %s", r.place[c]+1, i+1, quote(raw)))
		default:
			r.place[c] = i
		}
	}
	for _, need := range []column{columnRow, columnSeat} {
		if r.place[need] < 0 {
			r.problems.add("line 1", "column `"+titles[need]+"` is missing")
		}
	}
	if (r.place[columnX] < 0) != (r.place[columnY] < 0) {
		r.problems.add("line 1", "columns `x` and `y` go together, one is missing")
	}
	return len(r.problems.Items) == before
}

func knownColumns() string {
	names := make([]string, 0, len(columnNames))
	for name := range columnNames {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func (r *csvReader) body() {
	for {
		cells, err := r.cells.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.syntax(err)
			break
		}
		if strings.TrimSpace(strings.Join(cells, "")) == "" {
			continue
		}
		if len(r.layout.Seats) == r.opts.MaxSeats {
			r.over++
			continue
		}
		line, _ := r.cells.FieldPos(0)
		r.seat(cells, line)
	}
	if r.over > 0 {
		r.problems.add("", fmt.Sprintf("the file has %s, at most %d are read",
			plural(len(r.layout.Seats)+r.over, "seat"), r.opts.MaxSeats))
	}
}

// syntax tells of a fault of the notation; what follows it cannot be read.
func (r *csvReader) syntax(err error) {
	var fault *csv.ParseError
	if errors.As(err, &fault) {
		r.problems.add(fmt.Sprintf("line %d", fault.Line), fmt.Sprintf("column %d: %v", fault.Column, fault.Err))
		return
	}
	r.problems.add("line 1", err.Error())
}
