package demo

import (
	"strings"

	"usher/service/domain"
)

// Layouts returns the plans of the three rooms with numbered seats, small to large, without ids.
func Layouts() []domain.SeatLayout {
	return []domain.SeatLayout{studio(), salon(), grandHall()}
}

func seats(n int) string { return strings.Repeat("s", n) }

func pairs(n int) string { return strings.Repeat("LR", n) }

func letter(n int) string { return string(rune('A' + n)) }

// studio is the small room: one block of gently bent rows, love seats at the back, wheelchair places in front.
func studio() domain.SeatLayout {
	r := &room{bend: 420, layout: domain.SeatLayout{Name: "Studio"}}
	patterns := []string{
		"wc" + seats(8) + "cw", seats(13), seats(13), seats(14), seats(14), seats(14), seats(14), seats(14), pairs(6),
	}
	for i, pattern := range patterns {
		tier := tierStandard
		switch {
		case i < 2:
			tier = tierFront
		case i >= 5:
			tier = tierComfort
		}
		r.draw(row{zone: "Stalls", label: letter(i), pattern: pattern, tier: tier, y: float64(i) * rowPitch})
	}
	return r.finish()
}

// salon is the middle room: every row has its outer blocks half a step farther back, beyond wide aisles.
func salon() domain.SeatLayout {
	r := &room{bend: 900, lift: 5, layout: domain.SeatLayout{Name: "Salon"}}
	const rows = 14
	for i := range rows {
		pattern := seats(5) + "|" + seats(11) + "|" + seats(5)
		tier := tierStandard
		switch {
		case i < 2:
			pattern = seats(4) + "|" + seats(11) + "|" + seats(4)
			tier = tierFront
		case i == rows-1:
			pattern = "wc" + seats(3) + "|" + pairs(5) + "|" + seats(3) + "cw"
			tier = tierComfort
		case i >= 8:
			tier = tierComfort
		}
		r.draw(row{zone: "Stalls", label: letter(i), pattern: pattern, tier: tier, y: float64(i) * rowPitch})
	}
	return r.finish()
}

// grandHall is the large room: stalls that widen towards the back and a balcony, both with rows from A.
func grandHall() domain.SeatLayout {
	r := &room{bend: 640, layout: domain.SeatLayout{Name: "Grand Hall"}}
	const stalls, upper = 16, 7
	y := 0.0
	for i := range stalls {
		side := seats(6 + i/4)
		pattern := side + "|" + seats(14) + "|" + side
		tier := tierStandard
		switch {
		case i < 3:
			tier = tierFront
		case i == stalls-1:
			pattern = "wcwc" + seats(5) + "|" + seats(14) + "|" + seats(5) + "cwcw"
			tier = tierComfort
		case i >= 9:
			tier = tierComfort
		}
		r.draw(row{zone: "Stalls", prefix: "S-", label: letter(i), pattern: pattern, tier: tier, y: y})
		y += rowPitch
	}
	y += balcony - rowPitch
	for i := range upper {
		centre := seats(16)
		if i == upper-1 {
			centre = pairs(6)
		}
		pattern := seats(8) + "|" + centre + "|" + seats(8)
		r.draw(row{zone: "Balcony", prefix: "B-", label: letter(i), pattern: pattern, tier: tierBalcony, y: y})
		y += rowPitch
	}
	return r.finish()
}
