// Package webtest holds the pages' example content, for tests and for looking at pages as pictures. Tests only.
package webtest

import (
	"fmt"
	"math"
	"time"

	"usher/service/domain"
	"usher/web/component"
	"usher/web/i18n"
	"usher/web/layout"
)

// Now is the instant at which every example page is made.
func Now() time.Time { return time.Date(2026, 6, 5, 16, 20, 5, 0, time.UTC) }

// Zone is the example cinema's zone, without a need for zone files.
func Zone() *time.Location { return time.FixedZone("CEST", 2*60*60) }

// Words are texts that users write. Hostile replaces all of them.
type Words struct{ Title, Name, Email, Room, Cinema, Tier, Row, Label string }

// Plain returns usual words.
func Plain() Words {
	return Words{
		Title: "Metropolis", Name: "Ada Lovelace", Email: "ada@example.org", Room: "Auditorium 1",
		Cinema: "Lumen Kino", Tier: "comfort", Row: "", Label: "",
	}
}

// Layout is a room with curved rows, an aisle, three tiers, wheelchair spaces and love seats.
func Layout(w Words) *domain.SeatLayout {
	out := &domain.SeatLayout{
		ID: "0190c0de-0001", Name: w.Room, Screen: domain.SideTop,
		Tiers: []domain.SeatTier{{Name: "standard"}, {Name: w.Tier}, {Name: "love"}},
	}
	for r := range 11 {
		row := string(rune('A'+r)) + w.Row
		n := 14 + r/2*2
		for i := range n {
			x := float64(i) - float64(n-1)/2
			if x > 0 {
				x += 0.7
			} else {
				x -= 0.7
			}
			s := domain.Seat{
				No: fmt.Sprintf("%c%d", 'A'+r, i+1), Row: row, Label: fmt.Sprint(i+1) + w.Label,
				X: 30 * x, Y: 34*float64(r) - 0.0004*math.Pow(30*x, 2), Tier: "standard",
			}
			switch {
			case r == 0 && (i < 2 || i >= n-2):
				s.Kind = domain.SeatWheelchair
			case r == 0 && (i == 2 || i == n-3):
				s.Kind = domain.SeatCompanion
			case r == 10:
				s.Tier, s.Kind = "love", domain.SeatLove
			case r >= 6:
				s.Tier = w.Tier
			}
			out.Seats = append(out.Seats, s)
		}
	}
	return out
}

// Prices returns the example prices in euro cents.
func Prices(w Words) map[string]int64 {
	return map[string]int64{"standard": 1100, w.Tier: 1450, "love": 1650}
}

// States returns a state for every seat of the layout.
func States(l *domain.SeatLayout) []string {
	out := make([]string, len(l.Seats))
	for i := range out {
		switch {
		case i%17 == 3 || (i > 90 && i < 99) || (i > 108 && i < 116):
			out[i] = "sold"
		case i%29 == 5:
			out[i] = "held"
		case i == 40 || i == 41:
			out[i] = "blocked"
		default:
			out[i] = "free"
		}
	}
	return out
}

// Page returns the base of an example page.
func Page(l *i18n.Localizer, w Words, path string) layout.Page {
	return layout.Page{
		L: l, SiteName: w.Cinema, CurrentPath: path, UserName: w.Name, SignedIn: true, EnvName: "Demo",
		ZoneNote: "Europe/Berlin (CEST)",
	}
}

// Head returns the head of the example screening.
func Head(l *i18n.Localizer, w Words) component.ScreeningHead {
	at := Now().Add(70 * time.Minute)
	return component.ScreeningHead{
		ID: "0190c0de-5c00", Title: w.Title, URL: "/screenings/0190c0de-5c00", MovieURL: "/movies/1",
		Poster: component.PosterURL("metropolis"), Date: l.Date(at, Zone()), Time: l.Time(at, Zone()), Zone: "CEST",
		DateTime: at.Format(time.RFC3339), Auditorium: w.Room, Cinema: w.Cinema, Meta: "1927 · 153 min",
	}
}

// Lines returns two seats of an order.
func Lines(l *i18n.Localizer, w Words) []component.SeatLine {
	plan := Layout(w)
	return component.SeatLines(l, plan, &domain.Order{Currency: "EUR", Seats: []domain.SeatRef{
		{No: "H9", Tier: w.Tier, PriceMinor: 1450}, {No: "H10", Tier: w.Tier, PriceMinor: 1450},
	}})
}
