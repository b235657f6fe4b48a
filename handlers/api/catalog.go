package api

import (
	"context"
	"errors"
	"time"

	"usher/service"
	"usher/service/domain"
)

// Catalog shows the programme.
type Catalog struct {
	Catalog *service.Catalog
	Feed    *service.SeatFeed
	Clock   *service.Clock
}

type movieView struct {
	ID             string `json:"id"`
	Title          string `json:"title"`
	TitleZH        string `json:"title_zh"`
	Year           int    `json:"year"`
	RuntimeMinutes int    `json:"runtime_minutes"`
	Synopsis       string `json:"synopsis"`
	SynopsisZH     string `json:"synopsis_zh"`
}

func viewMovie(m *domain.Movie) movieView {
	return movieView{
		ID: m.ID, Title: m.Title, TitleZH: m.TitleZH, Year: m.Year, RuntimeMinutes: m.RuntimeMinutes, Synopsis: m.Synopsis, SynopsisZH: m.SynopsisZH,
	}
}

type listMoviesOutput struct{ Body list[movieView] }

// Movies lists the movies.
func (h *Catalog) Movies(ctx context.Context, in *Paging) (*listMoviesOutput, error) {
	movies, err := h.Catalog.Movies(ctx, in.domain())
	if err != nil {
		return nil, err
	}
	items := make([]movieView, len(movies.Items))
	for i := range movies.Items {
		items[i] = viewMovie(&movies.Items[i])
	}
	return &listMoviesOutput{Body: newList(items, movies.Next)}, nil
}

type byID struct {
	ID string `path:"id"`
}

type movieOutput struct{ Body movieView }

// Movie shows one movie.
func (h *Catalog) Movie(ctx context.Context, in *byID) (*movieOutput, error) {
	m, err := h.Catalog.Movie(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &movieOutput{Body: viewMovie(&m)}, nil
}

type screeningView struct {
	ID          string                 `json:"id"`
	MovieID     string                 `json:"movie_id"`
	Title       string                 `json:"title"`
	TitleZH     string                 `json:"title_zh"`
	Cinema      string                 `json:"cinema"`
	Auditorium  string                 `json:"auditorium"`
	StartsAt    time.Time              `json:"starts_at" doc:"With the cinema's offset."`
	EndsAt      time.Time              `json:"ends_at"`
	Zone        string                 `json:"zone" doc:"IANA name of the cinema's zone."`
	Kind        domain.ScreeningKind   `json:"kind" enum:"seated,general"`
	Status      domain.ScreeningStatus `json:"status" enum:"on_sale,paused,closed,cancelled"`
	OnSale      bool                   `json:"on_sale" doc:"Whether holds are taken now."`
	OpensAt     time.Time              `json:"opens_at"`
	ClosesAt    time.Time              `json:"closes_at"`
	Capacity    int                    `json:"capacity"`
	Free        int                    `json:"free"`
	Limit       int                    `json:"limit" doc:"Seats per person, 0 without a limit."`
	HoldSeconds int                    `json:"hold_seconds"`
	Currency    string                 `json:"currency"`
	Prices      map[string]int64       `json:"prices" doc:"Minor units by tier."`
}

// public are the states in which a screening is shown: drafts are not there for the public.
var public = []domain.ScreeningStatus{domain.ScreeningOnSale, domain.ScreeningPaused, domain.ScreeningClosed, domain.ScreeningCancelled}

type listScreeningsInput struct {
	Paging
	Date    string `query:"date" doc:"Day of the programme, 2006-01-02; it ends at 04:00."`
	MovieID string `query:"movie_id"`
}

type listScreeningsOutput struct{ Body list[screeningView] }

// Screenings lists what is still to come, in the order of the start.
func (h *Catalog) Screenings(ctx context.Context, in *listScreeningsInput) (*listScreeningsOutput, error) {
	filter := domain.ScreeningFilter{MovieID: in.MovieID, From: h.Clock.Now(), Statuses: public}
	if in.Date != "" {
		if err := h.day(ctx, in.Date, &filter); err != nil {
			return nil, err
		}
	}

	screenings, err := h.Catalog.Screenings(ctx, filter, in.domain())
	if err != nil {
		return nil, err
	}

	items := make([]screeningView, len(screenings.Items))
	for i := range screenings.Items {
		if items[i], err = h.view(ctx, &screenings.Items[i]); err != nil {
			return nil, err
		}
	}
	return &listScreeningsOutput{Body: newList(items, screenings.Next)}, nil
}

// day narrows the filter to a day; what has begun stays hidden.
func (h *Catalog) day(ctx context.Context, date string, filter *domain.ScreeningFilter) error {
	cinema, err := h.Catalog.HomeCinema(ctx)
	if errors.Is(err, domain.ErrNotFound) { // nothing was set up: any day is empty
		cinema, err = domain.Cinema{Zone: "UTC"}, nil
	}
	if err != nil {
		return err
	}
	from, to, err := h.Catalog.Day(cinema, date)
	if err != nil {
		return err
	}
	if from.After(filter.From) {
		filter.From = from
	}
	filter.To = to
	return nil
}

type screeningOutput struct{ Body screeningView }

// Screening shows one screening with the live count of free seats.
func (h *Catalog) Screening(ctx context.Context, in *byID) (*screeningOutput, error) {
	listed, err := shown(ctx, h.Catalog, in.ID)
	if err != nil {
		return nil, err
	}
	view, err := h.view(ctx, &listed.Screening)
	if err != nil {
		return nil, err
	}
	live, err := h.Feed.View(ctx, in.ID, "")
	if err != nil {
		return nil, err
	}
	view.Free = live.Free
	return &screeningOutput{Body: view}, nil
}

// shown returns a screening that the public may see. Errors: ErrNotFound.
func shown(ctx context.Context, catalog *service.Catalog, id string) (*service.Listed, error) {
	listed, err := catalog.Screening(ctx, id)
	if err != nil {
		return nil, err
	}
	if listed.Screening.Status == domain.ScreeningDraft {
		return nil, domain.ErrNotFound
	}
	return listed, nil
}

func (h *Catalog) view(ctx context.Context, sc *domain.Screening) (screeningView, error) {
	movie, err := h.Catalog.Movie(ctx, sc.MovieID)
	if err != nil {
		return screeningView{}, err
	}
	cinema, err := h.Catalog.Cinema(ctx, sc.CinemaID)
	if err != nil {
		return screeningView{}, err
	}
	auditorium, err := h.Catalog.AuditoriumName(ctx, sc.AuditoriumID)
	if err != nil {
		return screeningView{}, err
	}
	zone, err := time.LoadLocation(cinema.Zone)
	if err != nil {
		return screeningView{}, err
	}
	return screeningView{
		ID: sc.ID, MovieID: sc.MovieID, Title: movie.Title, TitleZH: movie.TitleZH, Cinema: cinema.Name, Auditorium: auditorium,
		StartsAt: sc.StartsAt.In(zone), EndsAt: sc.EndsAt.In(zone), Zone: cinema.Zone, Kind: sc.Kind, Status: sc.Status,
		OnSale: sc.OnSale(h.Clock.Now()), OpensAt: sc.OpensAt.In(zone), ClosesAt: sc.ClosesAt.In(zone), Capacity: sc.Capacity, Free: sc.Remaining,
		Limit: sc.Limit, HoldSeconds: int(sc.HoldLife / time.Second), Currency: sc.Currency, Prices: sc.Prices,
	}, nil
}
