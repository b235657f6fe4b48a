package adminpage

import (
	"usher/web/component"
	"usher/web/layout"
)

// ScreeningPage is one screening with its room: GET /staff/screenings/{id}.
type ScreeningPage struct {
	layout.Page
	Screening component.ScreeningHead
	Look      string // component.ScreeningWord
	Status    string
	Facts     []Fact
	Actions   []StatusAction // drawn as buttons; empty for a role that may only look
	CanBuild  bool           // whether the rebuild button is drawn
	Map       *component.SeatMap
	Kinds     []string
	Seats     []SeatRow // the seats that are not free; for general admission the holds
	Alert     *component.Alert
}

// Fact is one line of the head: label and value.
type Fact struct {
	Label string
	Value string
	URL   string
}

// StatusAction posts a status: on_sale, paused or closed. Why says why the button cannot be pressed.
type StatusAction struct {
	Value string
	Label string
	Why   string
}

// SeatRow is one seat that somebody has.
type SeatRow struct {
	Seat  string
	State string // free, held, sold, blocked
	Word  string
	Owner string // short id
	URL   string // the order's page, may be empty
	Until string
	Note  string // for example the reason of a block
}

func (vm ScreeningPage) head() layout.Head {
	h := layout.Head{Title: vm.Screening.Title, Wide: true, NoIndex: true}
	if vm.Map != nil {
		h.Styles = []string{vm.Map.CSSURL}
		h.Scripts = []string{"js/staffmap.js"}
	}
	return h
}

func (vm ScreeningPage) url() string { return "/staff/screenings/" + vm.Screening.ID }

// seatLook returns the badge's look of a seat's state.
func seatLook(state string) string {
	switch state {
	case "sold":
		return "ok"
	case "held":
		return "busy"
	case "blocked":
		return "bad"
	}
	return "calm"
}
