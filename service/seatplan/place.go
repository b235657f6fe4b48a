package seatplan

import (
	"slices"

	"usher/service/domain"
)

// Distances of a plan that usher lays out itself, in pitches.
const (
	rowStep  = 1.25 // from row to row
	zoneGap  = 2.5  // added between two zones
	aisleGap = 1.5  // added between two blocks
)

// placedRow is one row on its way to coordinates: the seats of each of its blocks, in the block's order.
type placedRow struct {
	label  string
	blocks map[string][]int
}

// placedZone is one zone on its way to coordinates.
type placedZone struct {
	name  string
	rows  []*placedRow
	sides []*side
}

// placeSeats gives seats without coordinates a place: zones below each other and rows below each other in
// file order, the first nearest to the screen; inside a row the blocks from the far left to the far right as
// their names say, inside a block the labels as people count.
func placeSeats(layout *domain.SeatLayout, blocks []string) {
	y := 0.0
	for _, zone := range groupZones(layout.Seats, blocks) {
		zone.arrange(layout.Seats)
		for _, row := range zone.rows {
			for _, s := range zone.sides {
				s.placeRow(layout.Seats, row.blocks[s.name], y)
			}
			y += rowStep * gridPitch
		}
		y += zoneGap * gridPitch
	}
	if layout.Screen == domain.SideBottom {
		for i := range layout.Seats {
			layout.Seats[i].Y = -layout.Seats[i].Y
		}
	}
	layout.Placed = true
}

// groupZones sorts the seats into zones, rows and blocks, each in the order of its first seat.
func groupZones(seats []domain.Seat, blocks []string) []*placedZone {
	var zones []*placedZone
	byName := make(map[string]*placedZone)
	type rowName struct{ zone, label string }
	rows := make(map[rowName]*placedRow)
	type blockName struct{ zone, name string }
	known := make(map[blockName]bool)
	for i := range seats {
		seat := &seats[i]
		zone := byName[seat.Zone]
		if zone == nil {
			zone = &placedZone{name: seat.Zone}
			byName[seat.Zone] = zone
			zones = append(zones, zone)
		}
		name := rowName{seat.Zone, seat.Row}
		row := rows[name]
		if row == nil {
			row = &placedRow{label: seat.Row, blocks: make(map[string][]int)}
			rows[name] = row
			zone.rows = append(zone.rows, row)
		}
		if block := (blockName{seat.Zone, blocks[i]}); !known[block] {
			known[block] = true
			zone.sides = append(zone.sides, newSide(blocks[i], len(zone.sides)))
		}
		row.blocks[blocks[i]] = append(row.blocks[blocks[i]], i)
	}
	return zones
}

// arrange orders the zone's blocks from left to right around the middle and gives each its stretch.
func (z *placedZone) arrange(seats []domain.Seat) {
	for _, row := range z.rows {
		for _, s := range z.sides {
			slices.SortStableFunc(row.blocks[s.name], func(a, b int) int {
				return CompareLabels(seats[a].Label, seats[b].Label)
			})
		}
	}
	slices.SortStableFunc(z.sides, compareSides)
	for _, s := range z.sides {
		s.measure(seats, z.rows)
	}
	x := 0.0
	for i, s := range z.sides {
		if i > 0 && !s.meets(z.sides[i-1]) {
			x += aisleGap * gridPitch
		}
		s.left = x
		x += float64(s.cells) * gridPitch
	}
	// The middle of every zone is the middle of the plan.
	for _, s := range z.sides {
		s.left -= x / 2
	}
}
