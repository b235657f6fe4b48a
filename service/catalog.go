package service

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"usher/repo"
	"usher/service/domain"
	"usher/service/seating"
)

// Catalog reads the programme and keeps what the hold path needs of each screening in memory: its row as of at
// most a second ago, its layout for good.
type Catalog struct {
	store *repo.Store
	clock *Clock
	log   *slog.Logger

	mu      sync.RWMutex
	listed  map[string]*Listed
	layouts map[string]*Room
	auditor map[string]string // auditorium names
	cinemas map[string]domain.Cinema
	movies  map[string]domain.Movie
	loading singleflight.Group
}

// Room is a seat layout with what is computed from it once.
type Room struct {
	Layout *domain.SeatLayout
	Index  map[string]int
	Map    *seating.Map
}

// Listed is a screening with its room; Room is nil for general admission.
type Listed struct {
	Screening domain.Screening
	Room      *Room
	readAt    time.Time
}

// listedLife is how long a row may be used without being read or polled again. The scripts and the settlement
// judge by the epoch and by the row, so an old copy costs a repeat, never a seat.
const (
	listedLife     = time.Second
	listedPatience = 250 * time.Millisecond // for a newer row while an old one is at hand
	listedMax      = 20_000
)

// NewCatalog makes the use case.
func NewCatalog(store *repo.Store, clock *Clock, log *slog.Logger) *Catalog {
	return &Catalog{
		store: store, clock: clock, log: log.With("component", "catalog"), listed: map[string]*Listed{}, layouts: map[string]*Room{},
		auditor: map[string]string{}, cinemas: map[string]domain.Cinema{}, movies: map[string]domain.Movie{},
	}
}

// Screening returns the screening with its room. Errors: ErrNotFound.
func (c *Catalog) Screening(ctx context.Context, id string) (*Listed, error) {
	if !isID(id) {
		return nil, domain.ErrNotFound
	}
	c.mu.RLock()
	l := c.listed[id]
	c.mu.RUnlock()
	if l != nil && c.clock.Now().Sub(l.readAt) < listedLife {
		return l, nil
	}
	loaded := c.loading.DoChan(id, func() (any, error) { return c.load(context.WithoutCancel(ctx), id) })
	if l == nil {
		r := <-loaded
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(*Listed), nil
	}
	patience := time.NewTimer(listedPatience)
	defer patience.Stop()
	select {
	case r := <-loaded:
		if r.Err == nil {
			return r.Val.(*Listed), nil
		}
		if domain.KindOf(r.Err) != domain.KindUnavailable {
			return nil, r.Err
		}
	case <-patience.C:
	}
	return l, nil // the ledger is away or slow: holds go on from what is known
}

func (c *Catalog) load(ctx context.Context, id string) (*Listed, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	sc, err := c.store.Screening(ctx, id)
	if err != nil {
		return nil, err
	}
	l := &Listed{Screening: *sc, readAt: c.clock.Now()}
	if sc.LayoutID != "" {
		if l.Room, err = c.Room(ctx, sc.LayoutID); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.listed) >= listedMax {
		clear(c.listed)
	}
	c.listed[id] = l
	return l, nil
}

// Forget makes the next look read the ledger: somebody said that the copy is old.
func (c *Catalog) Forget(id string) {
	c.mu.Lock()
	delete(c.listed, id)
	c.mu.Unlock()
}

// Refresh takes over the states of the screenings on sale, as the watchdog read them.
func (c *Catalog) Refresh(states []repo.ScreeningState) {
	now := c.clock.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, st := range states {
		l := c.listed[st.ID]
		if l == nil {
			continue
		}
		if l.Screening.Settings != st.Settings {
			delete(c.listed, st.ID)
			continue
		}
		next := *l
		next.Screening.Epoch, next.Screening.HoldMode, next.Screening.Status = st.Epoch, st.HoldMode, st.Status
		next.Screening.Version, next.Screening.Remaining, next.readAt = st.Version, st.Remaining, now
		c.listed[st.ID] = &next
	}
}

// Room returns a layout with its index and its rows.
func (c *Catalog) Room(ctx context.Context, layoutID string) (*Room, error) {
	if !isID(layoutID) {
		return nil, domain.ErrNotFound
	}
	c.mu.RLock()
	r := c.layouts[layoutID]
	c.mu.RUnlock()
	if r != nil {
		return r, nil
	}
	layout, err := c.store.Layout(ctx, layoutID)
	if err != nil {
		return nil, err
	}
	r = &Room{Layout: layout, Index: layout.Index(), Map: seating.NewMap(layout)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.layouts[layoutID] = r
	return r, nil
}

// Cinema returns the screening's cinema, with its zone and currency.
func (c *Catalog) Cinema(ctx context.Context, id string) (domain.Cinema, error) {
	return cached(c, c.cinemas, id, func() (*domain.Cinema, error) { return c.store.Cinema(ctx, id) })
}

// Movie returns one movie.
func (c *Catalog) Movie(ctx context.Context, id string) (domain.Movie, error) {
	if !isID(id) {
		return domain.Movie{}, domain.ErrNotFound
	}
	return cached(c, c.movies, id, func() (*domain.Movie, error) { return c.store.Movie(ctx, id) })
}

// AuditoriumName returns the name of an auditorium.
func (c *Catalog) AuditoriumName(ctx context.Context, id string) (string, error) {
	return cached(c, c.auditor, id, func() (*string, error) {
		a, err := c.store.Auditorium(ctx, id)
		if err != nil {
			return nil, err
		}
		return &a.Name, nil
	})
}

// cached reads rows that staff do not change while usher runs.
func cached[T any](c *Catalog, from map[string]T, id string, load func() (*T, error)) (T, error) {
	c.mu.RLock()
	v, ok := from[id]
	c.mu.RUnlock()
	if ok {
		return v, nil
	}
	p, err := load()
	if err != nil {
		var none T
		return none, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	from[id] = *p
	return *p, nil
}

// Movies lists the movies.
func (c *Catalog) Movies(ctx context.Context, page domain.Page) (domain.List[domain.Movie], error) {
	return c.store.ListMovies(ctx, page)
}

// Screenings lists screenings in the order of their start.
func (c *Catalog) Screenings(ctx context.Context, f domain.ScreeningFilter, page domain.Page) (domain.List[domain.Screening], error) {
	return c.store.ListScreenings(ctx, f, page)
}

// HomeCinema returns the first cinema, whose zone cuts the days of the programme. Errors: ErrNotFound before
// anything was set up.
func (c *Catalog) HomeCinema(ctx context.Context) (domain.Cinema, error) {
	list, err := c.store.ListCinemas(ctx)
	if err != nil {
		return domain.Cinema{}, err
	}
	if len(list) == 0 {
		return domain.Cinema{}, domain.ErrNotFound
	}
	return list[0], nil
}

// Day returns the bounds of a calendar day (2006-01-02) in the cinema's zone; an empty text means today. The
// day of a cinema ends at 04:00, so that a late screening belongs to its evening.
func (c *Catalog) Day(cinema domain.Cinema, text string) (from, to time.Time, err error) {
	zone, err := time.LoadLocation(cinema.Zone)
	if err != nil {
		return from, to, fmt.Errorf("zone of cinema %s: %w", cinema.ID, err)
	}
	day := c.clock.Now().In(zone).Add(-dayEnds)
	if text != "" {
		if day, err = time.ParseInLocation(time.DateOnly, text, zone); err != nil {
			return from, to, domain.ErrInvalid.Saying("The date is not of the form 2006-01-02.").With("date", text)
		}
	}
	from = time.Date(day.Year(), day.Month(), day.Day(), int(dayEnds.Hours()), 0, 0, 0, zone)
	return from, time.Date(day.Year(), day.Month(), day.Day()+1, int(dayEnds.Hours()), 0, 0, 0, zone), nil
}

const dayEnds = 4 * time.Hour
