package webtest

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/a-h/templ"

	"usher/service/domain"
	"usher/web/component"
	"usher/web/i18n"
	"usher/web/sitepage"
)

// Theatre reads a seat plan of the pretix kind, for looking at a real house.
func Theatre(path string) (*domain.SeatLayout, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	type point struct{ X, Y float64 }
	var plan struct {
		Zones []struct {
			Name     string
			Position point
			Rows     []struct {
				Number   string `json:"row_number"`
				Position point
				Seats    []struct {
					ID       string `json:"seat_guid"`
					Number   string `json:"seat_number"`
					Position point
					Category string
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &plan); err != nil {
		return nil, fmt.Errorf("parse plan: %w", err)
	}
	out := &domain.SeatLayout{ID: "theatre", Screen: domain.SideTop}
	for _, z := range plan.Zones {
		for _, r := range z.Rows {
			for _, s := range r.Seats {
				out.Seats = append(out.Seats, domain.Seat{
					No: s.ID, Zone: z.Name, Row: r.Number, Label: s.Number, Tier: s.Category,
					X: z.Position.X + r.Position.X + s.Position.X, Y: z.Position.Y + r.Position.Y + s.Position.Y,
				})
			}
		}
	}
	return out, nil
}

// TheatreMap is the seat page of such a house.
func TheatreMap(l *i18n.Localizer, house *domain.SeatLayout) templ.Component {
	prices := make(map[string]int64)
	for i := range house.Seats {
		prices[house.Seats[i].Tier] = 1800
	}
	m := component.NewSeatMap(l, component.SeatMapInput{Layout: house, States: States(house), Prices: prices, Currency: "EUR"})
	vm := SeatMap(l, Plain())
	vm.Map, vm.Legend, vm.Kinds = &m, component.NewLegend(l, house, prices, "EUR"), nil
	vm.Tiers = vm.Legend
	return sitepage.SeatMap(vm)
}
