package demo_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"usher/service/demo"
	"usher/service/domain"
)

func mustBuild(t *testing.T, now time.Time) demo.Data {
	t.Helper()
	n := 0
	data, err := demo.Build(now, func() string {
		n++
		return fmt.Sprintf("id-%04d", n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// weeks are moments around which the programme is built: an ordinary one, both changes of the clock, a new
// year, and one just after midnight.
var weeks = map[string]time.Time{
	"ordinary":         time.Date(2026, 6, 10, 15, 4, 5, 0, time.UTC),
	"clocks forward":   time.Date(2026, 3, 27, 9, 0, 0, 0, time.UTC),
	"clocks back":      time.Date(2026, 10, 24, 20, 0, 0, 0, time.UTC),
	"new year":         time.Date(2026, 12, 31, 22, 59, 0, 0, time.UTC),
	"after midnight":   time.Date(2026, 6, 9, 22, 30, 0, 0, time.UTC),
	"right at a start": time.Date(2026, 6, 10, 12, 30, 0, 0, time.UTC),
}

func TestBuildWeek(t *testing.T) {
	t.Parallel()
	zone := berlin(t)
	for name, now := range weeks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := mustBuild(t, now)
			perDay := make(map[string]map[string]int) // day, auditorium
			first := make(map[string]time.Time)
			for _, s := range data.Screenings {
				start := s.StartsAt.In(zone)
				day := start.Format(time.DateOnly)
				if perDay[day] == nil {
					perDay[day] = make(map[string]int)
				}
				perDay[day][s.AuditoriumID]++
				if f, ok := first[day]; !ok || start.Before(f) {
					first[day] = start
				}
				if h := start.Hour(); h < 14 || start.Minute()%15 != 0 {
					t.Errorf("a screening starts at %s", start.Format(time.RFC3339))
				}
			}
			for offset := -1; offset <= 6; offset++ {
				day := now.In(zone).AddDate(0, 0, offset).Format(time.DateOnly)
				for i, room := range data.Auditoriums {
					n := perDay[day][room.ID]
					switch general := i == 3; {
					case general && n != 1, !general && offset >= 0 && (n < 3 || n > 4), !general && offset < 0 && (n < 1 || n > 3):
						t.Errorf("%s: %d screenings in %s", day, n, room.Name)
					}
				}
				want := "14:30"
				if got := first[day].Format("15:04"); offset >= 0 && got != want || offset < 0 && got < "18:00" {
					t.Errorf("%s: the first screening starts at %s", day, got)
				}
				delete(perDay, day)
			}
			if len(perDay) > 0 {
				t.Errorf("screenings outside the week: %v", perDay)
			}
		})
	}
}

func TestBuildNeverUsesARoomTwice(t *testing.T) {
	t.Parallel()
	for name, now := range weeks {
		data := mustBuild(t, now)
		runtime := make(map[string]int)
		for _, movie := range data.Movies {
			runtime[movie.ID] = movie.RuntimeMinutes
		}
		rooms := make(map[string][]domain.Screening)
		for _, s := range data.Screenings {
			rooms[s.AuditoriumID] = append(rooms[s.AuditoriumID], s)
			if got, want := s.EndsAt.Sub(s.StartsAt), time.Duration(runtime[s.MovieID]+20)*time.Minute; got != want {
				t.Errorf("%s: a film of %d minutes keeps its room for %s", name, runtime[s.MovieID], got)
			}
		}
		for _, list := range rooms {
			slices.SortFunc(list, func(a, b domain.Screening) int { return a.StartsAt.Compare(b.StartsAt) })
			for i := 1; i < len(list); i++ {
				if list[i].StartsAt.Before(list[i-1].EndsAt) {
					t.Errorf("%s: %s begins before %s ends", name, list[i].StartsAt, list[i-1].EndsAt)
				}
			}
		}
	}
}

func TestBuildScreenings(t *testing.T) {
	t.Parallel()
	for name, now := range weeks {
		data := mustBuild(t, now)
		layouts := make(map[string]domain.SeatLayout)
		for i, layout := range data.Layouts {
			layouts[layout.ID] = layout
			if layout.AuditoriumID != data.Auditoriums[i].ID || layout.Name != data.Auditoriums[i].Name || layout.Version != 1 {
				t.Errorf("%s: layout %s is not that of auditorium %+v", name, layout.Name, data.Auditoriums[i])
			}
		}
		closed := 0
		for _, s := range data.Screenings {
			if s.Status == domain.ScreeningClosed {
				closed++
			}
			if open := s.OnSale(now); open != now.Before(s.StartsAt) {
				t.Errorf("%s: screening at %s is on sale at %s: %t", name, s.StartsAt, now, open)
			}
			checkTerms(t, &s, now)
			checkPrices(t, &s, layouts)
		}
		if closed == 0 || closed == len(data.Screenings) {
			t.Errorf("%s: %d of %d screenings are closed", name, closed, len(data.Screenings))
		}
	}
}

func checkTerms(t *testing.T, s *domain.Screening, now time.Time) {
	t.Helper()
	if s.Partition != domain.PartitionOf(s.ID) || s.Epoch != 0 || s.HoldMode != domain.HoldModeRedis || s.Remaining != s.Capacity {
		t.Errorf("screening %+v has a wrong start", s)
	}
	if s.HoldLife != 5*time.Minute || s.Limit != 6 || s.OrphanRule || s.Currency != "EUR" {
		t.Errorf("screening %+v has wrong terms", s)
	}
	if !s.ClosesAt.Equal(s.StartsAt) || s.StartsAt.Sub(s.OpensAt) != 7*24*time.Hour || !s.CreatedAt.Equal(now) {
		t.Errorf("screening %+v has a wrong sale window", s)
	}
}

func checkPrices(t *testing.T, s *domain.Screening, layouts map[string]domain.SeatLayout) {
	t.Helper()
	tiers := []domain.SeatTier{{Name: domain.GeneralTier}}
	if s.Kind == domain.KindSeated {
		layout := layouts[s.LayoutID]
		tiers = layout.Tiers
		if layout.AuditoriumID != s.AuditoriumID || s.Capacity != len(layout.Seats) {
			t.Errorf("screening of %d places in a room of %d", s.Capacity, len(layout.Seats))
		}
	} else if s.LayoutID != "" || s.Capacity != 150 {
		t.Errorf("general admission with layout %q and %d places", s.LayoutID, s.Capacity)
	}
	if len(s.Prices) != len(tiers) {
		t.Errorf("got %d prices for %d tiers", len(s.Prices), len(tiers))
	}
	for _, tier := range tiers {
		if s.Prices[tier.Name] < 100 {
			t.Errorf("tier %s costs %d", tier.Name, s.Prices[tier.Name])
		}
	}
}

func TestBuildGivesEveryThingItsOwnID(t *testing.T) {
	t.Parallel()
	data := mustBuild(t, weeks["ordinary"])
	ids := []string{data.Cinema.ID}
	for _, a := range data.Auditoriums {
		ids = append(ids, a.ID)
	}
	for _, l := range data.Layouts {
		ids = append(ids, l.ID)
	}
	for _, m := range data.Movies {
		ids = append(ids, m.ID)
	}
	for _, s := range data.Screenings {
		ids = append(ids, s.ID)
	}
	slices.SortFunc(ids, cmp.Compare[string])
	if n := len(slices.Compact(slices.Clone(ids))); n != len(ids) || ids[0] == "" {
		t.Errorf("%d ids for %d things", n, len(ids))
	}
}

func TestMoviesAreComplete(t *testing.T) {
	t.Parallel()
	posters := make(map[string]bool)
	for _, m := range demo.Movies() {
		if m.Title == "" || m.TitleZH == "" || len(m.Synopsis) < 100 || len(m.SynopsisZH) < 100 || m.Year > 1930 || m.RuntimeMinutes < 40 {
			t.Errorf("movie %+v is not complete", m)
		}
		if m.Poster == "" || posters[m.Poster] {
			t.Errorf("movie %s has no poster of its own: %q", m.Title, m.Poster)
		}
		posters[m.Poster] = true
	}
	if len(posters) != 12 {
		t.Errorf("got %d movies, want 12", len(posters))
	}
}
