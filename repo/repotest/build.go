package repotest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"usher/repo"
	"usher/service/domain"
)

// Now is the instant that the builders' rows are made around. Tests take it for the present.
var Now = time.Date(2031, time.March, 14, 18, 30, 0, 0, time.UTC)

// ID returns a new id.
func ID() string { return uuid.Must(uuid.NewV7()).String() }

// Cinema adds a cinema.
func Cinema(t testing.TB, s *repo.Store) *domain.Cinema {
	t.Helper()
	c := domain.Cinema{ID: ID(), Name: "Lichtspiele", Zone: "Europe/Berlin", Currency: "EUR"}
	must(t, "add a cinema", s.InsertCinema(context.Background(), c, Now))
	return &c
}

// Auditorium adds an auditorium to a cinema.
func Auditorium(t testing.TB, s *repo.Store, cinemaID string) *domain.Auditorium {
	t.Helper()
	a := domain.Auditorium{ID: ID(), CinemaID: cinemaID}
	a.Name = "Room " + a.ID
	must(t, "add an auditorium", s.InsertAuditorium(context.Background(), a, Now))
	return &a
}

// Movie adds a movie.
func Movie(t testing.TB, s *repo.Store) *domain.Movie {
	t.Helper()
	m := domain.Movie{ID: ID(), Title: "The Long Reel", TitleZH: "长卷", Year: 2030, RuntimeMinutes: 104}
	must(t, "add a movie", s.InsertMovie(context.Background(), m, Now))
	return &m
}

// rowLength is the number of seats in each row of a generated plan.
const rowLength = 10

// Layout adds a plan of the given number of seats in rows of ten. Seats are called A1 to Z10; rows
// beyond Z go on with R27-1 and so forth. The first half of the seats is of tier standard, the rest of tier premium.
func Layout(t testing.TB, s *repo.Store, auditoriumID string, seats int) *domain.SeatLayout {
	t.Helper()
	l := &domain.SeatLayout{
		ID: ID(), AuditoriumID: auditoriumID, Version: 1, Name: "generated",
		Width: (rowLength + 1) * 10, Height: float64(seats/rowLength+2) * 10, Screen: domain.SideTop,
		Tiers: []domain.SeatTier{{Name: "standard"}, {Name: "premium"}},
	}
	for i := range seats {
		row, place := i/rowLength, i%rowLength+1
		letter := string(rune('A' + row))
		if row >= 26 {
			letter = fmt.Sprintf("R%d-", row+1)
		}
		tier := "standard"
		if i >= (seats+1)/2 {
			tier = "premium"
		}
		l.Seats = append(l.Seats, domain.Seat{
			No: fmt.Sprintf("%s%d", letter, place), Zone: "stalls", Row: letter, Label: fmt.Sprint(place),
			X: float64(place) * 10, Y: float64(row+1) * 10, Tier: tier,
		})
	}
	must(t, "add a seat layout", s.InsertLayout(context.Background(), l, Now))
	return l
}

// Opts say what a screening is like. Zero fields take the defaults named beside them.
type Opts struct {
	Seats    int                    // size of the generated plan; 30
	Kind     domain.ScreeningKind   // seated
	Capacity int                    // places of general admission; 100
	Limit    int                    // seats per user; 0 = no limit
	HoldLife time.Duration          // 10 minutes
	Mode     domain.HoldMode        // redis
	Status   domain.ScreeningStatus // on_sale
	Starts   time.Time              // two hours after Now
	CinemaID string                 // a new cinema
	MovieID  string                 // a new movie
	Orphans  bool                   // whether the orphan rule is on
}

// Screening adds a screening with everything it needs. Without options it is seated, on sale since a day
// before Now, with a plan of 30 seats and no limit. Several options are laid over each other.
func Screening(t testing.TB, s *repo.Store, opts ...func(*Opts)) *domain.Screening {
	t.Helper()
	o := Opts{
		Seats: 30, Kind: domain.KindSeated, Capacity: 100, HoldLife: 10 * time.Minute, Mode: domain.HoldModeRedis,
		Status: domain.ScreeningOnSale, Starts: Now.Add(2 * time.Hour),
	}
	for _, set := range opts {
		set(&o)
	}
	if o.CinemaID == "" {
		o.CinemaID = Cinema(t, s).ID
	}
	if o.MovieID == "" {
		o.MovieID = Movie(t, s).ID
	}
	sc := screening(o)
	sc.AuditoriumID = Auditorium(t, s, o.CinemaID).ID
	if o.Kind == domain.KindSeated {
		sc.LayoutID = Layout(t, s, sc.AuditoriumID, o.Seats).ID
	}
	ctx := context.Background()
	must(t, "add a screening", s.InTx(ctx, func(tx *repo.Store) error { return tx.InsertScreening(ctx, sc) }))
	return sc
}

func screening(o Opts) *domain.Screening {
	sc := &domain.Screening{
		ID: ID(), MovieID: o.MovieID, CinemaID: o.CinemaID, HoldMode: o.Mode, Settings: 1, Status: o.Status, Kind: o.Kind,
		StartsAt: o.Starts, EndsAt: o.Starts.Add(2 * time.Hour), OpensAt: Now.Add(-24 * time.Hour), ClosesAt: o.Starts,
		HoldLife: o.HoldLife, Limit: o.Limit, OrphanRule: o.Orphans, Capacity: o.Seats, Version: 1, Currency: "EUR",
		Prices: map[string]int64{"standard": 1200, "premium": 1650}, CreatedAt: Now,
	}
	sc.Partition = domain.PartitionOf(sc.ID)
	if o.Kind == domain.KindGeneral {
		sc.Capacity, sc.Prices = o.Capacity, map[string]int64{domain.GeneralTier: 900}
	}
	sc.Remaining = sc.Capacity
	return sc
}

func must(t testing.TB, verb string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", verb, err)
	}
}
