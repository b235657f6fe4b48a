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

// realFile reads a seat plan of a real house. Those files lie beside the repository, not in it; without them
// the test is skipped, and the plans in testdata, drawn with the same oddities, cover the code.
func realFile(t *testing.T, name string) []byte {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = filepath.Dir(dir)
	}
	data, err := os.ReadFile(filepath.Join(dir, "..", "shared", "data", filepath.FromSlash(name)))
	if os.IsNotExist(err) {
		t.Skipf("the plans of real houses (../shared/data/%s) are not here", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParseRealPlans(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file string
		opts seatplan.Options
		want seatplan.Report // without notes
	}{
		{"pretix-calais.json", seatplan.Options{}, seatplan.Report{
			Seats: 702, Rows: 26, RowPieces: 26, Zones: 4, Wheelchair: 4,
			PerZone: []seatplan.Count{{"Troisième galerie", 169}, {"Deuxième galerie", 102}, {"Première galerie", 149}, {"Orchestre", 282}},
			PerTier: []seatplan.Count{{"Standard", 599}, {"Vue réduite", 85}, {"PMR", 4}, {"Sécurité", 14}},
		}},
		{"opera-house-seats.csv", seatplan.Options{}, seatplan.Report{
			Seats: 3006, Rows: 82, RowPieces: 82, Zones: 6, Wheelchair: 16,
			PerZone: []seatplan.Count{{"Orchestra", 1078}, {"Boxes", 192}, {"Grand Tier", 264}, {"Dress Circle", 584}, {"Balcony Circle", 278}, {"Balcony", 610}},
			PerTier: []seatplan.Count{{"Orchestra", 1078}, {"Boxes", 192}, {"Grand Tier", 264}, {"Dress Circle", 584}, {"Balcony Circle", 278}, {"Balcony", 610}},
		}},
		{"pretix-teater-besar.json", seatplan.Options{NewIDs: true, Screen: domain.SideBottom}, seatplan.Report{
			Seats: 1132, Rows: 39, RowPieces: 97, Zones: 1,
			PerZone: []seatplan.Count{{"Ground floor", 1132}},
			PerTier: []seatplan.Count{
				{"NOT AVAILABLE", 112},
				{"5082ad2a-9bde-4642-b68a-64b1ace09b87", 181},
				{"e2c223d6-c31e-4124-96ba-1508f7a6a2ac", 203},
				{"91d89249-7711-4fa6-bcd8-e9174c05437a", 298},
				{"fa69d170-3e4b-4045-8517-a597a02c5ad4", 179},
				{"4be9e295-b561-483f-a0b7-5a9123142699", 159},
			},
		}},
		{"pretix-courtside.json", seatplan.Options{NewIDs: true}, seatplan.Report{
			Seats: 300, Rows: 10, RowPieces: 18, Zones: 1,
			PerZone: []seatplan.Count{{"Courtside", 300}},
			PerTier: []seatplan.Count{
				{"8b91a7bf-674b-48bc-a83b-6cffc6b99548", 20},
				{"d9390f24-f84a-43b2-8017-c8646a4fc750", 115},
				{"4369f92f-2b0f-484b-b2d2-ad29575a3b48", 45},
				{"9954a461-02d2-4edf-bbad-d4665b4fa70f", 73},
				{"6be205e3-5e41-41f4-aeb2-fb2348bedd3b", 47},
			},
		}},
		{"broken/base-valid.json", seatplan.Options{}, seatplan.Report{
			Seats: 57, Rows: 3, RowPieces: 3, Zones: 1,
			PerZone: []seatplan.Count{{"Orchestre", 57}},
			PerTier: []seatplan.Count{{"Standard", 55}, {"Vue réduite", 2}, {"PMR", 0}, {"Sécurité", 0}},
		}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			layout, report, err := seatplan.Parse(test.file, realFile(t, test.file), test.opts)
			if err != nil {
				t.Fatal(err)
			}
			report.Notes = nil
			if diff := cmp.Diff(test.want, report); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			checkLayout(t, layout)
		})
	}
}

func TestParseRealPlansRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file     string
		seats    int
		problems int
		says     []string
	}{
		{"pretix-teater-besar.json", 1132, 21, []string{"seat id `", " used twice: row "}},
		{"pretix-courtside.json", 300, 40, []string{"seat id `", " used twice: row "}},
		{"calais-theatre.csv", 702, 1, []string{"lines 5 and 16: zone Troisième galerie row F seat 18 stands twice"}},
		{"broken/duplicate-seat-id.json", 57, 1, []string{"seat id `ORCHESTRA|F|1` used twice: row G seat 1 (zones[0].rows[0].seats[11]) and row F seat 1 (zones[0].rows[1].seats[10])"}},
		{"broken/missing-row-number.json", 57, 1, []string{"zones[0].rows[1]: `row_number` is missing (21 seats, first id `ORCHESTRA|F|18|bis`)"}},
		{"broken/seat-outside-zone.json", 57, 1, []string{"rows: `rows` at the top level: 1 seat (`ORCHESTRA|H|22`) belongs to no zone"}},
		{"broken/unknown-category.json", 57, 1, []string{"zones[0].rows[1].seats[20]: row F seat 17 bis: category `Balkon` is not defined; known: Standard, Vue réduite, PMR, Sécurité"}},
		{"broken/invalid-utf8.json", 0, 1, []string{"not UTF-8: byte 0xE9 at offset 14"}},
		{"broken/wrong-type.json", 57, 1, []string{"zones[0].rows[1].seats[4].position.x: number expected, got the string `264`"}},
		{"broken/empty.json", 0, 1, []string{"the file is empty (0 bytes)"}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			layout, report, err := seatplan.Parse(test.file, realFile(t, test.file), seatplan.Options{})
			lines := mustProblems(t, layout, err)
			if len(lines) != test.problems || report.Seats != test.seats {
				t.Errorf("got %d problems and %d seats, want %d and %d:\n%v", len(lines), report.Seats, test.problems, test.seats, err)
			}
			for _, line := range lines {
				for _, part := range append(test.says, test.file+": ") {
					if !strings.Contains(line, part) {
						t.Errorf("problem %q does not say %q", line, part)
					}
				}
			}
		})
	}
}
