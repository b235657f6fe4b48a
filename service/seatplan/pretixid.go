package seatplan

import (
	"fmt"
	"strings"

	"usher/service/domain"
)

// settleIDs refuses ids that are used more than once, or gives all but the first user a new one. The new id
// comes from zone, row and number, never from the old id, which may speak of another seat.
func (r *pretixReader) settleIDs() {
	users := make(map[string][]int, len(r.layout.Seats))
	var order []string
	for i := range r.layout.Seats {
		id := r.layout.Seats[i].No
		if id == "" {
			continue
		}
		if len(users[id]) == 0 {
			order = append(order, id)
		}
		users[id] = append(users[id], i)
	}

	var renewed []string
	tried := make(map[string]int)
	for _, id := range order {
		if len(users[id]) == 1 {
			continue
		}
		if !r.opts.NewIDs {
			r.refuseID(id, users[id])
			continue
		}
		for _, i := range users[id][1:] {
			fresh := freshID(&r.layout.Seats[i], users, tried)
			renewed = append(renewed, quote(id)+" of "+seatName(&r.layout.Seats[i])+" became "+quote(fresh))
			r.layout.Seats[i].No = fresh
		}
	}
	if len(renewed) > 0 {
		r.report.note(plural(len(renewed), "seat") + " carried the id of another seat and got a new one, the first: " + renewed[0])
	}
}

// refuseID tells all places of an id that is used more than once.
func (r *pretixReader) refuseID(id string, users []int) {
	const most = 10
	var seats []string
	for _, i := range users[:min(len(users), most)] {
		seats = append(seats, seatName(&r.layout.Seats[i])+" ("+r.places[i]+")")
	}
	times := "twice"
	if len(users) > 2 {
		times = fmt.Sprintf("%d times", len(users))
	}
	more := ""
	if len(users) > most {
		more = ", …"
	}
	r.problems.add("", "seat id "+quote(id)+" used "+times+": "+strings.Join(seats, " and ")+more)
}

// freshID returns an id that no seat of the plan has and claims it. Tried remembers the last number given to
// each base, so that a plan of one id only is not searched over and over.
func freshID(seat *domain.Seat, users map[string][]int, tried map[string]int) string {
	base := seatKey(seat.Zone, seat.Row, seat.Label)
	id := base
	for n := max(tried[base], 1); len(users[id]) > 0; {
		n++
		tried[base] = n
		id = fmt.Sprintf("%s~~%d", base, n)
	}
	users[id] = []int{-1}
	return id
}

// notes adds what staff should know of a plan that is otherwise fine.
func (r *pretixReader) notes() {
	if r.report.RowPieces > r.report.Rows {
		r.report.note(fmt.Sprintf("%d pieces of rows carry %d row labels", r.report.RowPieces, r.report.Rows))
	}
	type name struct{ zone, row, label string }
	type spot struct{ x, y float64 }
	names := make(map[name]bool, len(r.layout.Seats))
	spots := make(map[spot]bool, len(r.layout.Seats))
	var sameName, sameSpot int
	for i := range r.layout.Seats {
		s := &r.layout.Seats[i]
		n, p := name{s.Zone, s.Row, s.Label}, spot{s.X, s.Y}
		if names[n] {
			sameName++
		}
		if spots[p] {
			sameSpot++
		}
		names[n], spots[p] = true, true
	}
	if sameName > 0 {
		r.report.note(plural(sameName, "seat") + " share zone, row and number with another seat")
	}
	if sameSpot > 0 {
		r.report.note(plural(sameSpot, "seat") + " lie on the very spot of another seat")
	}
}
