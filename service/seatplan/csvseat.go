package seatplan

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"usher/service/domain"
)

// kindWords are the values of the column kind.
var kindWords = map[string]domain.SeatKind{
	"": domain.SeatStandard, "seat": domain.SeatStandard, "standard": domain.SeatStandard,
	"wheelchair": domain.SeatWheelchair, "wheelchair platform": domain.SeatWheelchair,
	"wheelchair space": domain.SeatWheelchair, "companion": domain.SeatCompanion,
}

// seat reads one line.
func (r *csvReader) seat(cells []string, line int) {
	place := fmt.Sprintf("line %d", line)
	if len(cells) != r.width {
		r.problems.add(place, fmt.Sprintf("%s expected, got %d", plural(r.width, "cell"), len(cells)))
		return
	}
	seat := domain.Seat{
		Zone:  r.label(cells, place, columnZone),
		Row:   r.label(cells, place, columnRow),
		Label: r.label(cells, place, columnSeat),
		Tier:  r.label(cells, place, columnCategory),
		X:     r.number(cells, place, columnX),
		Y:     r.number(cells, place, columnY),
	}
	if seat.Label == "" && strings.TrimSpace(r.cell(cells, columnSeat)) == "" {
		r.problems.add(place, "the seat label is empty")
	}
	if r.place[columnCategory] >= 0 && strings.TrimSpace(r.cell(cells, columnCategory)) == "" {
		r.problems.add(place, "the category is empty")
	}
	seat.Kind = r.kind(cells, place, seat.Tier)
	seat.No = seatKey(seat.Zone, seat.Row, seat.Label)
	r.flag(cells, place, columnRestricted)
	r.flag(cells, place, columnHouse)
	r.layout.Seats = append(r.layout.Seats, seat)
	r.lines = append(r.lines, line)
	r.blocks = append(r.blocks, r.label(cells, place, columnBlock))
}

func (r *csvReader) cell(cells []string, c column) string {
	if r.place[c] < 0 {
		return ""
	}
	return cells[r.place[c]]
}

func (r *csvReader) label(cells []string, place string, c column) string {
	label, fault := cleanLabel(r.cell(cells, c), maxLabel)
	if fault != "" {
		r.problems.add(place, titles[c]+": "+fault)
		return ""
	}
	return label
}

// number reads a coordinate. A decimal comma is understood where the comma does not part the cells.
func (r *csvReader) number(cells []string, place string, c column) float64 {
	if r.place[c] < 0 {
		return 0
	}
	raw := strings.TrimSpace(r.cell(cells, c))
	text := raw
	if r.comma != ',' {
		text = strings.Replace(text, ",", ".", 1)
	}
	value, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(value):
		r.problems.add(place, titles[c]+": number expected, got "+quote(raw))
		return 0
	case math.Abs(value) > maxCoordinate:
		r.problems.add(place, titles[c]+": the number "+quote(raw)+" is out of range")
		return 0
	}
	return value
}

// flag reads a column of 0 and 1; an empty cell is 0.
func (r *csvReader) flag(cells []string, place string, c column) bool {
	switch value := strings.TrimSpace(r.cell(cells, c)); value {
	case "", "0":
		return false
	case "1":
		r.counts[c]++
		return true
	default:
		r.problems.add(place, titles[c]+": 0 or 1 expected, got "+quote(value))
		return false
	}
}

// kind joins what the columns kind and wheelchair and the category's name say.
func (r *csvReader) kind(cells []string, place, tier string) domain.SeatKind {
	word := strings.ToLower(strings.TrimSpace(r.cell(cells, columnKind)))
	kind, known := kindWords[word]
	if !known {
		r.problems.add(place, "kind: "+quote(r.cell(cells, columnKind))+" is not known")
		return domain.SeatStandard
	}
	if flagged := r.flag(cells, place, columnWheelchair); flagged || kind == domain.SeatStandard && namesWheelchair(tier) {
		return domain.SeatWheelchair
	}
	return kind
}

// findDoubles refuses a seat that stands on more than one line.
func (r *csvReader) findDoubles() {
	lines := make(map[string][]string, len(r.lines))
	for i, line := range r.lines {
		no := r.layout.Seats[i].No
		lines[no] = append(lines[no], strconv.Itoa(line))
	}
	for i := range r.lines {
		seat := &r.layout.Seats[i]
		on := lines[seat.No]
		if len(on) < 2 || seat.Label == "" {
			continue
		}
		delete(lines, seat.No)
		last := len(on) - 1
		place := "lines " + strings.Join(on[:min(last, 10)], ", ") + " and " + on[last]
		name := seatName(seat)
		if seat.Zone != "" {
			name = "zone " + seat.Zone + " " + name
		}
		times := "twice"
		if len(on) > 2 {
			times = fmt.Sprintf("%d times", len(on))
		}
		r.problems.add(place, name+" stands "+times)
	}
}

// nameTiers lists the tiers. Without a category each zone is a tier of its own, so that it can be priced.
func (r *csvReader) nameTiers() {
	seen := make(map[string]bool)
	for i := range r.layout.Seats {
		seat := &r.layout.Seats[i]
		if r.place[columnCategory] < 0 {
			seat.Tier = seat.Zone
			if seat.Tier == "" {
				seat.Tier = "Standard"
			}
		}
		if !seen[seat.Tier] {
			seen[seat.Tier] = true
			r.layout.Tiers = append(r.layout.Tiers, domain.SeatTier{Name: seat.Tier})
		}
	}
}

// setPlaces sets the coordinates: those of the file, or our own where it has none.
func (r *csvReader) setPlaces() {
	if r.place[columnX] < 0 || r.place[columnY] < 0 {
		placeSeats(r.layout, r.blocks)
	} else if pitch := max(pitchOf(r.layout.Seats), gridPitch/1000); pitch < smallPitch {
		for i := range r.layout.Seats {
			r.layout.Seats[i].X *= gridPitch / pitch
			r.layout.Seats[i].Y *= gridPitch / pitch
		}
	}
	fit(r.layout, 0, 0)
}

// notes adds what staff should know of a list that is otherwise fine.
func (r *csvReader) notes() {
	if r.layout.Placed {
		r.report.note("no coordinates in the file: seats were laid out by usher")
	}
	if r.place[columnCategory] < 0 {
		r.report.note("no category in the file: each zone is a price tier of its own")
	}
	if n := r.counts[columnRestricted]; n > 0 {
		r.report.note(plural(n, "seat") + " with a restricted view: read as ordinary seats of their category")
	}
	if n := r.counts[columnHouse]; n > 0 {
		r.report.note(plural(n, "house seat") + ": read as ordinary seats, block them where they are not for sale")
	}
	unnamed := 0
	for i := range r.layout.Seats {
		if r.layout.Seats[i].Row == "" {
			unnamed++
		}
	}
	if unnamed > 0 {
		r.report.note(plural(unnamed, "seat") + " in rows without a label")
	}
}
