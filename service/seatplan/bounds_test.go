package seatplan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"usher/service/domain"
	"usher/service/seatplan"
)

func seatList(n int) []byte {
	var file strings.Builder
	file.WriteString("row,seat\n")
	for i := range n {
		fmt.Fprintf(&file, "%d,%d\n", i/50, i%50+1)
	}
	return []byte(file.String())
}

func TestParseBoundsSeats(t *testing.T) {
	t.Parallel()
	layout, report, err := seatplan.Parse("s.csv", seatList(10_000), seatplan.Options{})
	if err != nil || report.Seats != 10_000 {
		t.Fatalf("10,000 seats: got %d and %v", report.Seats, err)
	}
	checkLayout(t, layout)

	layout, _, err = seatplan.Parse("s.csv", seatList(10_001), seatplan.Options{})
	if lines := mustProblems(t, layout, err); lines[0] != "s.csv: the file has 10001 seats, at most 10000 are read" {
		t.Errorf("got %q", lines)
	}
	layout, _, err = seatplan.Parse("p.json", []byte(control), seatplan.Options{MaxSeats: 1})
	if lines := mustProblems(t, layout, err); lines[0] != "p.json: the plan has 2 seats, at most 1 are read" {
		t.Errorf("got %q", lines)
	}
}

// Rows and blocks that all differ once made the placing visit every pair of them.
func TestParsePlacesAsManyBlocksAsSeats(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	file.WriteString("row,seat,block\n")
	for i := range 10_000 {
		fmt.Fprintf(&file, "%d,1,%d left\n", i, i)
	}
	layout, report, err := seatplan.Parse("s.csv", []byte(file.String()), seatplan.Options{})
	if err != nil || report.Rows != 10_000 {
		t.Fatalf("got %d rows and %v", report.Rows, err)
	}
	checkLayout(t, layout)
}

func TestParseRenewsAnIDThatAllSeatsCarry(t *testing.T) {
	t.Parallel()
	seat := `{"seat_guid":"x","seat_number":"1","position":{"x":0,"y":0},"category":"N"}`
	file := `{"name":"P","categories":[{"name":"N"}],"zones":[{"name":"Z","position":{"x":0,"y":0},"rows":[{"row_number":"A","seats":[` +
		seat + strings.Repeat(","+seat, 9_999) + `]}]}]}`
	layout, _, err := seatplan.Parse("p.json", []byte(file), seatplan.Options{NewIDs: true})
	if err != nil {
		t.Fatal(err)
	}
	checkLayout(t, layout)
	find(t, layout, "Z/A/1~~9999")
}

func TestParseBoundsBytes(t *testing.T) {
	t.Parallel()
	_, _, err := seatplan.Parse("p.json", []byte(control), seatplan.Options{MaxBytes: len(control) - 1})
	if !errors.Is(err, domain.ErrTooLarge) {
		t.Errorf("got %v, want too large", err)
	}
	if _, _, err := seatplan.Parse("p.json", []byte(control), seatplan.Options{MaxBytes: len(control)}); err != nil {
		t.Errorf("a file of just the size: %v", err)
	}
}

func TestParseBoundsProblems(t *testing.T) {
	t.Parallel()
	file := "row,seat,x,y\n" + strings.Repeat("A,,1,1\n", 700)
	layout, _, err := seatplan.Parse("s.csv", []byte(file), seatplan.Options{})
	lines := mustProblems(t, layout, err)
	if len(lines) != 501 || lines[500] != "s.csv: and 200 more problems" {
		t.Errorf("got %d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	var e *domain.Error
	if !errors.As(err, &e) || e.Message != "The seat plan has 700 problems. Nothing was stored." {
		t.Errorf("got %+v", e)
	}
}
