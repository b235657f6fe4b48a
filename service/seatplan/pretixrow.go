package seatplan

import (
	"fmt"

	"usher/service/domain"
)

// origin is where a row or a seat hangs on the page.
type origin struct {
	zone, row string
	x, y      float64
}

func (r *pretixReader) row(n *node, place string, from origin) {
	if !r.object(n, place, "row_number", "row_label", "seat_label", "row_number_position", "position", "seats",
		"uuid", "number_of_seats", "seats_spacing") {
		return
	}
	r.report.RowPieces++
	r.rowNumber(n, place, &from)
	r.texts(n, place, "row_label", "seat_label")
	r.numbers(n, place, "number_of_seats", "seats_spacing")
	if v := n.get("row_number_position"); v != nil && v.kind != nodeNull {
		r.choice(n, place, "row_number_position", "start", "end", "both")
	}
	r.uuid(n, place)
	x, y := r.position(n, place, false)
	from.x += x
	from.y += y
	for i, seat := range r.list(n, place, "seats") {
		if len(r.layout.Seats) == r.opts.MaxSeats {
			r.over++
			continue
		}
		r.seat(seat, at(join(place, "seats"), i), from)
	}
}

// rowNumber reads the row's label. A missing one is told with the seats that would have no row.
func (r *pretixReader) rowNumber(n *node, place string, from *origin) {
	if n.get("row_number") != nil {
		from.row, _ = r.label(n, place, "row_number", maxLabel)
		return
	}
	var ids []string
	collectIDs(n, &ids)
	message := "`row_number` is missing"
	if len(ids) > 0 {
		message += fmt.Sprintf(" (%s, first id %s)", plural(len(ids), "seat"), quote(ids[0]))
	}
	r.problems.add(place, message)
}

func (r *pretixReader) seat(n *node, place string, from origin) {
	if !r.object(n, place, "seat_guid", "seat_number", "position", "category", "radius", "start_direction", "uuid") {
		return
	}
	id, _ := r.label(n, place, "seat_guid", maxID)
	if v := n.get("seat_guid"); id == "" && v != nil && v.kind == nodeString {
		r.problems.add(join(place, "seat_guid"), "the id is empty")
	}
	number, _ := r.label(n, place, "seat_number", maxLabel)
	if v := n.get("seat_number"); number == "" && v != nil && v.kind == nodeString {
		r.problems.add(join(place, "seat_number"), "the seat number is empty")
	}
	seat := domain.Seat{No: id, Zone: from.zone, Row: from.row, Label: number}
	x, y := r.position(n, place, true)
	seat.X, seat.Y = from.x+x, from.y+y
	seat.Tier, seat.Kind = r.seatCategory(n, place, &seat)
	r.numbers(n, place, "radius")
	r.choice(n, place, "start_direction", "<", ">", "<>")
	r.uuid(n, place)
	r.layout.Seats = append(r.layout.Seats, seat)
	r.places = append(r.places, place)
}

// seatCategory returns the seat's tier and what the tier's name says of its kind.
func (r *pretixReader) seatCategory(n *node, place string, seat *domain.Seat) (string, domain.SeatKind) {
	category, ok := r.label(n, place, "category", maxLabel)
	if !ok {
		return "", domain.SeatStandard
	}
	if !r.known[category] {
		r.problems.add(place, fmt.Sprintf("%s: category %s is not defined; known: %s",
			seatName(seat), quote(category), r.categories()))
	}
	if namesWheelchair(category) {
		return category, domain.SeatWheelchair
	}
	return category, domain.SeatStandard
}

// seatName names a seat in a message.
func seatName(seat *domain.Seat) string {
	name := "seat " + seat.Label
	if seat.Row != "" {
		name = "row " + seat.Row + " " + name
	}
	return name
}
