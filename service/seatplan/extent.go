package seatplan

import (
	"math"
	"slices"

	"usher/service/domain"
)

const (
	// gridPitch is how far apart seats are set when usher places them or a file counts grid cells.
	gridPitch = 24.0
	// smallPitch is the distance below which coordinates are taken for grid cells.
	smallPitch = 5.0
)

// fit sets the plan's size so that every seat lies inside, moving the seats when they do not. It reports
// whether the size given by the file was too small for them.
func fit(layout *domain.SeatLayout, width, height float64) bool {
	if len(layout.Seats) == 0 {
		layout.Width, layout.Height = width, height
		return false
	}
	minX, minY, maxX, maxY := bounds(layout.Seats)
	inside := minX >= 0 && minY >= 0 && maxX <= width && maxY <= height
	if !inside {
		margin := pitchOf(layout.Seats)
		for i := range layout.Seats {
			layout.Seats[i].X += margin - minX
			layout.Seats[i].Y += margin - minY
		}
		layout.Width, layout.Height = maxX-minX+2*margin, maxY-minY+2*margin
	} else {
		layout.Width, layout.Height = width, height
	}
	for i := range layout.Seats {
		layout.Seats[i].X = round(layout.Seats[i].X)
		layout.Seats[i].Y = round(layout.Seats[i].Y)
	}
	layout.Width, layout.Height = roundUp(layout.Width), roundUp(layout.Height)
	return !inside && width > 0
}

func bounds(seats []domain.Seat) (minX, minY, maxX, maxY float64) {
	minX, minY = math.Inf(1), math.Inf(1)
	maxX, maxY = math.Inf(-1), math.Inf(-1)
	for i := range seats {
		minX, maxX = min(minX, seats[i].X), max(maxX, seats[i].X)
		minY, maxY = min(minY, seats[i].Y), max(maxY, seats[i].Y)
	}
	return minX, minY, maxX, maxY
}

// pitchOf estimates the distance of neighbours: the middle one of the distances between seats that follow
// each other in a row of the file.
func pitchOf(seats []domain.Seat) float64 {
	var steps []float64
	for i := 1; i < len(seats); i++ {
		a, b := &seats[i-1], &seats[i]
		if a.Zone != b.Zone || a.Row != b.Row {
			continue
		}
		if d := math.Hypot(a.X-b.X, a.Y-b.Y); d > 0 {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return gridPitch
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}

// round keeps two decimals: a hundredth of a pixel is no place to sit.
func round(v float64) float64 { return math.Round(v*100) / 100 }

// roundUp keeps two decimals without cutting a seat off.
func roundUp(v float64) float64 { return math.Ceil(v*100) / 100 }
