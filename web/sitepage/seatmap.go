package sitepage

import (
	"usher/web/component"
	"usher/web/layout"
)

// SeatMapPage is the choice of seats or places: GET /screenings/{id}, and the answer of POST
// /screenings/{id}/holds when nothing was taken. Exactly one of Map and General is set.
type SeatMapPage struct {
	layout.Page
	Screening component.ScreeningHead
	Alert     *component.Alert // component.SeatsGone after 409 seat_taken
	OnSale    bool
	Notice    string // why it is not on sale, shown when OnSale is false
	FreeWords string // 84 seats free

	Map      *component.SeatMap
	Legend   []component.Tier
	Kinds    []string // component.Kinds
	Tiers    []component.Tier
	MaxSeats int // most seats of one hold; also the end of the "how many" choice
	General  *GeneralAdmission

	HoldWords      string // held for 10 minutes
	Currency       string
	Version        string // of the seat map, for the live stream
	IdempotencyKey string // a new one for every rendering
	BestKey        string // another one, for the best seats form
}

// GeneralAdmission is a screening whose places are counted.
type GeneralAdmission struct {
	Price    string
	Minor    string
	Free     string // number of free places
	Quantity int
}

// HoldURL is where both forms go.
func (vm SeatMapPage) HoldURL() string { return "/screenings/" + vm.Screening.ID + "/holds" }

// EventsURL is the live stream of the seats.
func (vm SeatMapPage) EventsURL() string { return "/api/v1/screenings/" + vm.Screening.ID + "/events" }

// SeatsURL is the snapshot that replaces the map after a gap.
func (vm SeatMapPage) SeatsURL() string { return "/api/v1/screenings/" + vm.Screening.ID + "/seats" }

func (vm SeatMapPage) head() layout.Head {
	h := layout.Head{Title: vm.T("seatmap.page_title", "Movie", vm.Screening.Title), Wide: true}
	if !vm.OnSale {
		if vm.Map != nil {
			h.Styles = []string{vm.Map.CSSURL}
		}
		return h
	}
	h.Scripts = []string{"js/seatmap.js"}
	if vm.Map != nil {
		h.Styles = []string{vm.Map.CSSURL}
	} else {
		h.Scripts = []string{"js/quantity.js"}
	}
	return h
}

// counts lists 1 to the most seats of one hold, at most ten, for the choice of how many.
func (vm SeatMapPage) counts() []int {
	n := min(max(vm.MaxSeats, 1), 10)
	out := make([]int, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}
