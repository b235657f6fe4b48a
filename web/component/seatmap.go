package component

import (
	"strconv"

	"usher/service/domain"
	"usher/web/i18n"
)

// SeatMap is a room ready to be drawn. Build it with NewSeatMap.
type SeatMap struct {
	CSSURL   string
	Screen   string // top or bottom
	ReadOnly bool   // the staff's map: nothing can be chosen
	Rows     []MapRow
	Marks    []MapMark
	Words    StateWords
}

// MapRow groups the seats of one row for people who listen to the map.
type MapRow struct {
	Name  string
	Seats []MapSeat
}

// MapSeat is one seat. Name is what it is called, State what it is now.
type MapSeat struct {
	No       string
	Class    string // place, tier and kind as classes of the style sheets
	Label    string // printed on the seat
	Name     string // row, seat, tier, price
	Row      string
	State    string // free, held, sold, blocked or mine
	Word     string // State in the page's language
	Tier     string // index of the tier in the legend
	Checked  bool
	Disabled bool
}

// MapMark is a row's name on one side of the room.
type MapMark struct {
	Class string
	Text  string
}

// StateWords are the names of the states, for scripts that change them.
type StateWords struct{ Free, Held, Sold, Blocked, Mine string }

// Word returns the word of a state.
func (w StateWords) Word(state string) string {
	switch state {
	case "free":
		return w.Free
	case "held":
		return w.Held
	case "sold":
		return w.Sold
	case "mine":
		return w.Mine
	}
	return w.Blocked
}

// SeatMapInput is what a seat map is made of.
type SeatMapInput struct {
	Layout   *domain.SeatLayout
	States   []string        // by seat index: free, held, sold, blocked, mine
	Chosen   map[string]bool // seat numbers to tick, where they are free
	Prices   map[string]int64
	Currency string
	ReadOnly bool
}

// NewSeatMap builds the map of a screening's room. A seat without a state counts as blocked.
func NewSeatMap(l *i18n.Localizer, in SeatMapInput) SeatMap {
	m := SeatMap{
		CSSURL: LayoutURL(in.Layout), Screen: string(domain.SideTop), ReadOnly: in.ReadOnly,
		Words: StateWords{
			Free: l.T("seat.state.free"), Held: l.T("seat.state.held"), Sold: l.T("seat.state.sold"),
			Blocked: l.T("seat.state.blocked"), Mine: l.T("seat.state.mine"),
		},
	}
	if in.Layout.Screen == domain.SideBottom {
		m.Screen = string(domain.SideBottom)
	}
	tiers := tierIndex(in.Layout)
	zones := zoneCount(in.Layout)
	for _, row := range rowsOf(in.Layout) {
		out := MapRow{Name: rowName(l, row.zone, row.row, zones > 1)}
		for _, i := range row.seats {
			out.Seats = append(out.Seats, mapSeat(l, in, m.Words, tiers, i))
		}
		m.Rows = append(m.Rows, out)
	}
	for i, mark := range rowMarksOf(in.Layout, boxOf(in.Layout)) {
		m.Marks = append(m.Marks, MapMark{Class: "rowmark r" + strconv.Itoa(i), Text: mark.text})
	}
	return m
}

func mapSeat(l *i18n.Localizer, in SeatMapInput, words StateWords, tiers map[string]int, i int) MapSeat {
	s := &in.Layout.Seats[i]
	state := "blocked"
	if i < len(in.States) {
		state = in.States[i]
	}
	price := l.Money(in.Prices[s.Tier], in.Currency)
	class := "seat s" + strconv.Itoa(i) + " t" + strconv.Itoa(tiers[s.Tier]%tierStyles)
	name := SeatName(l, s)
	if s.Kind != "" && s.Kind != domain.SeatStandard {
		class += " k-" + string(s.Kind)
		name = l.T("seat.with_kind", "Seat", name, "Kind", l.T("seat.kind."+string(s.Kind)))
	}
	return MapSeat{
		No: s.No, Class: class, Label: s.Label, Row: s.Row, State: state, Word: words.Word(state),
		Name:     l.T("seat.name_price", "Seat", name, "Tier", l.Tier(s.Tier), "Price", price),
		Tier:     strconv.Itoa(tiers[s.Tier]),
		Checked:  state == "free" && in.Chosen[s.No],
		Disabled: in.ReadOnly || state != "free",
	}
}

// SeatName returns what people call a seat: row and seat, with the zone where the plan names one. Zones have the
// words of tiers: stalls, balcony.
func SeatName(l *i18n.Localizer, s *domain.Seat) string {
	switch {
	case s.Zone != "" && s.Row != "":
		return l.T("seat.name_zone", "Zone", l.Tier(s.Zone), "Row", s.Row, "Seat", s.Label)
	case s.Row != "":
		return l.T("seat.name", "Row", s.Row, "Seat", s.Label)
	}
	return l.T("seat.name_only", "Seat", s.Label)
}

func rowName(l *i18n.Localizer, zone, row string, withZone bool) string {
	if withZone && zone != "" {
		return l.T("seat.row_zone", "Zone", l.Tier(zone), "Row", row)
	}
	return l.T("seat.row", "Row", row)
}

func zoneCount(layout *domain.SeatLayout) int {
	zones := make(map[string]struct{})
	for i := range layout.Seats {
		zones[layout.Seats[i].Zone] = struct{}{}
	}
	return len(zones)
}
