package seatplan

import "usher/service/domain"

// Count is the number of seats of one zone or tier.
type Count struct {
	Name  string `json:"name"`
	Seats int    `json:"seats"`
}

// Report says what was read from a file, also from one that was refused.
type Report struct {
	Seats      int      `json:"seats"`
	Rows       int      `json:"rows"`       // row labels, counted in each zone
	RowPieces  int      `json:"row_pieces"` // row objects of a pretix plan, of which several may carry one label
	Zones      int      `json:"zones"`
	PerZone    []Count  `json:"per_zone"` // in file order
	PerTier    []Count  `json:"per_tier"` // in file order
	Wheelchair int      `json:"wheelchair"`
	Notes      []string `json:"notes,omitempty"`
}

// count fills the report's numbers from the seats read.
func (r *Report) count(layout *domain.SeatLayout) {
	type row struct{ zone, label string }
	rows := make(map[row]bool)
	zones := make(map[string]int)
	tiers := make(map[string]int)
	for _, tier := range layout.Tiers {
		r.PerTier = tally(r.PerTier, tiers, tier.Name, 0)
	}
	for i := range layout.Seats {
		seat := &layout.Seats[i]
		rows[row{seat.Zone, seat.Row}] = true
		r.PerZone = tally(r.PerZone, zones, seat.Zone, 1)
		r.PerTier = tally(r.PerTier, tiers, seat.Tier, 1)
		if seat.Kind == domain.SeatWheelchair {
			r.Wheelchair++
		}
	}
	r.Seats, r.Rows, r.Zones = len(layout.Seats), len(rows), len(zones)
	if r.RowPieces == 0 {
		r.RowPieces = r.Rows
	}
}

func tally(counts []Count, at map[string]int, name string, n int) []Count {
	i, known := at[name]
	if !known {
		i = len(counts)
		at[name] = i
		counts = append(counts, Count{Name: name})
	}
	counts[i].Seats += n
	return counts
}

func (r *Report) note(text string) { r.Notes = append(r.Notes, text) }
