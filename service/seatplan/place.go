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

// placedRow is one row on its way to coordinates: the seats of each of its blocks.
type placedRow struct {
	blocks map[*side][]int
}

// placedZone is one zone on its way to coordinates.
type placedZone struct {
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
			for s, block := range row.blocks {
				s.placeRow(layout.Seats, block, y)
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
	type name struct{ zone, name string }
	var zones []*placedZone
	byName := make(map[string]*placedZone)
	rows := make(map[name]*placedRow)
	sides := make(map[name]*side)
	for i := range seats {
		seat := &seats[i]
		zone := byName[seat.Zone]
		if zone == nil {
			zone = &placedZone{}
			byName[seat.Zone] = zone
			zones = append(zones, zone)
		}
		row := rows[name{seat.Zone, seat.Row}]
		if row == nil {
			row = &placedRow{blocks: make(map[*side][]int)}
			rows[name{seat.Zone, seat.Row}] = row
			zone.rows = append(zone.rows, row)
		}
		block := sides[name{seat.Zone, blocks[i]}]
		if block == nil {
			block = newSide(blocks[i], len(zone.sides))
			sides[name{seat.Zone, blocks[i]}] = block
			zone.sides = append(zone.sides, block)
		}
		row.blocks[block] = append(row.blocks[block], i)
	}
	return zones
}

// arrange orders the zone's blocks from left to right around the middle and gives each its stretch.
func (z *placedZone) arrange(seats []domain.Seat) {
	for _, row := range z.rows {
		for s, block := range row.blocks {
			slices.SortFunc(block, func(a, b int) int { return CompareLabels(seats[a].Label, seats[b].Label) })
			s.take(seats, block)
		}
	}
	for _, s := range z.sides {
		s.measure()
	}
	slices.SortStableFunc(z.sides, compareSides)
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
