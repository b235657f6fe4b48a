package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"usher/repo"
	"usher/service/demo"
	"usher/service/domain"
	"usher/service/seatplan"
)

// Programme changes what is played where: it loads the demo cinema and imports seat plans.
type Programme struct {
	store *repo.Store
	clock *Clock
}

// NewProgramme makes the use case.
func NewProgramme(store *repo.Store, clock *Clock) *Programme {
	return &Programme{store: store, clock: clock}
}

// LoadDemo stores the demo cinema, all of it or nothing, unless there is a cinema already; loaded tells.
func (p *Programme) LoadDemo(ctx context.Context) (loaded bool, err error) {
	now := p.clock.Now()
	data, err := demo.Build(now, NewID)
	if err != nil {
		return false, fmt.Errorf("build the demo cinema: %w", err)
	}
	err = p.store.InTx(ctx, func(tx *repo.Store) error {
		empty, err := tx.CatalogEmpty(ctx)
		if err != nil || !empty {
			return err
		}
		loaded = true
		if _, err := tx.SetSystemValueOnce(ctx, demoName, data.Cinema.ID); err != nil {
			return err
		}
		return insertDemo(ctx, tx, &data, now)
	})
	return loaded && err == nil, err
}

// demoName is where a ledger remembers that its cinema is the demo's.
const demoName = "demo_cinema"

// IsDemo reports whether the ledger's cinema is the demo's.
func (p *Programme) IsDemo(ctx context.Context) (bool, error) {
	_, found, err := p.store.SystemValue(ctx, demoName)
	return found, err
}

func insertDemo(ctx context.Context, tx *repo.Store, d *demo.Data, now time.Time) error {
	if err := tx.InsertCinema(ctx, d.Cinema, now); err != nil {
		return err
	}
	for _, a := range d.Auditoriums {
		if err := tx.InsertAuditorium(ctx, a, now); err != nil {
			return err
		}
	}
	for i := range d.Layouts {
		if err := tx.InsertLayout(ctx, &d.Layouts[i], now); err != nil {
			return err
		}
	}
	for _, m := range d.Movies {
		if err := tx.InsertMovie(ctx, m, now); err != nil {
			return err
		}
	}
	for i := range d.Screenings {
		if err := tx.InsertScreening(ctx, &d.Screenings[i]); err != nil {
			return err
		}
	}
	return nil
}

// PlanImport names a seat plan file and where it belongs. The cinema is used when there is none yet.
type PlanImport struct {
	File       string
	Data       []byte
	Auditorium string // made when the cinema has none of that name; the plan's name when empty
	Screen     domain.Side
	NewIDs     bool
	Cinema     domain.Cinema
}

// ImportPlan reads a seat plan and stores it as the next version of the auditorium's layout. A broken file
// stores nothing; its error names every problem with its place (seatplan.Problems, domain.ErrInvalid).
func (p *Programme) ImportPlan(ctx context.Context, in PlanImport) (*domain.SeatLayout, seatplan.Report, error) {
	layout, report, err := seatplan.Parse(in.File, in.Data, seatplan.Options{NewIDs: in.NewIDs, Screen: in.Screen})
	if err != nil {
		return nil, report, err
	}
	if in.Auditorium == "" {
		in.Auditorium = layout.Name
	}
	now := p.clock.Now()
	err = p.store.InTx(ctx, func(tx *repo.Store) error {
		room, err := p.auditorium(ctx, tx, in, now)
		if err != nil {
			return err
		}
		layout.ID, layout.AuditoriumID, layout.Version = NewID(), room.ID, 1
		last, err := tx.LatestLayout(ctx, room.ID)
		switch {
		case err == nil:
			layout.Version = last.Version + 1
		case !errors.Is(err, domain.ErrNotFound):
			return err
		}
		return tx.InsertLayout(ctx, layout, now)
	})
	return layout, report, err
}

func (p *Programme) auditorium(ctx context.Context, tx *repo.Store, in PlanImport, now time.Time) (*domain.Auditorium, error) {
	cinemas, err := tx.ListCinemas(ctx)
	if err != nil {
		return nil, err
	}
	if len(cinemas) == 0 {
		if _, err := time.LoadLocation(in.Cinema.Zone); err != nil || in.Cinema.Zone == "" {
			return nil, domain.ErrInvalid.Saying("The cinema's zone is not an IANA name like Europe/Berlin.").With("zone", in.Cinema.Zone)
		}
		in.Cinema.ID = NewID()
		if err := tx.InsertCinema(ctx, in.Cinema, now); err != nil {
			return nil, err
		}
		cinemas = []domain.Cinema{in.Cinema}
	}
	room, err := tx.AuditoriumByName(ctx, cinemas[0].ID, in.Auditorium)
	if err == nil || !errors.Is(err, domain.ErrNotFound) {
		return room, err
	}
	room = &domain.Auditorium{ID: NewID(), CinemaID: cinemas[0].ID, Name: in.Auditorium}
	return room, tx.InsertAuditorium(ctx, *room, now)
}
