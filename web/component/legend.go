package component

import (
	"strconv"

	"usher/service/domain"
	"usher/web/i18n"
)

// tierStyles is how many tiers have a look of their own; further ones begin again.
const tierStyles = 6

// Tier is one price of the legend. Minor and Index are for scripts.
type Tier struct {
	Value string // the tier's own word, as a form sends it
	Class string
	Index string
	Name  string
	Price string
	Minor string
}

// NewLegend lists a layout's tiers that have a price, in the plan's order.
func NewLegend(l *i18n.Localizer, layout *domain.SeatLayout, prices map[string]int64, currency string) []Tier {
	var out []Tier
	index := tierIndex(layout)
	seen := make(map[string]bool)
	add := func(name string) {
		minor, ok := prices[name]
		if !ok || seen[name] {
			return
		}
		seen[name] = true
		out = append(out, Tier{
			Value: name, Class: "t" + strconv.Itoa(index[name]%tierStyles), Index: strconv.Itoa(index[name]),
			Name: l.Tier(name), Price: l.Money(minor, currency), Minor: strconv.FormatInt(minor, 10),
		})
	}
	for i := range layout.Tiers {
		add(layout.Tiers[i].Name)
	}
	for i := range layout.Seats {
		add(layout.Seats[i].Tier)
	}
	return out
}

// Kinds lists the special kinds of seat that a layout has, for the legend.
func Kinds(layout *domain.SeatLayout) []string {
	var out []string
	for _, kind := range []domain.SeatKind{domain.SeatWheelchair, domain.SeatCompanion, domain.SeatLove} {
		for i := range layout.Seats {
			if layout.Seats[i].Kind == kind {
				out = append(out, string(kind))
				break
			}
		}
	}
	return out
}

// tierIndex numbers the tiers: the plan's own list first, then any that only seats name.
func tierIndex(layout *domain.SeatLayout) map[string]int {
	index := make(map[string]int)
	for i := range layout.Tiers {
		if _, ok := index[layout.Tiers[i].Name]; !ok {
			index[layout.Tiers[i].Name] = len(index)
		}
	}
	for i := range layout.Seats {
		if _, ok := index[layout.Seats[i].Tier]; !ok {
			index[layout.Seats[i].Tier] = len(index)
		}
	}
	return index
}

// LegendStates lists the states that the legend explains.
func LegendStates(staff bool) []string {
	if staff {
		return []string{"free", "held", "sold", "blocked"}
	}
	return []string{"chosen", "held", "sold", "blocked"}
}
