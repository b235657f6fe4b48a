package frame

import (
	"context"
	"time"

	"usher/service/domain"
	"usher/web/component"
	"usher/web/i18n"
)

// Shown is a screening with what pages print around it.
type Shown struct {
	Movie      domain.Movie
	Auditorium string
	Cinema     Cinema
}

// Around reads what pages print around a screening.
func (f *Frame) Around(ctx context.Context, sc *domain.Screening) (Shown, error) {
	var s Shown
	var err error
	if s.Movie, err = f.catalog.Movie(ctx, sc.MovieID); err != nil {
		return s, err
	}
	if s.Auditorium, err = f.catalog.AuditoriumName(ctx, sc.AuditoriumID); err != nil {
		return s, err
	}
	s.Cinema, err = f.CinemaOf(ctx, sc.CinemaID)
	return s, err
}

// Head returns the head of a page about the screening.
func (s Shown) Head(l *i18n.Localizer, sc *domain.Screening) component.ScreeningHead {
	title, _, _ := component.MovieTexts(l, &s.Movie)
	zone := s.Cinema.Location
	return component.ScreeningHead{
		ID: sc.ID, Title: title, URL: "/screenings/" + sc.ID, MovieURL: "/movies/" + sc.MovieID, Poster: component.PosterURL(s.Movie.Poster),
		Date: l.Date(sc.StartsAt, zone), Time: l.Time(sc.StartsAt, zone), Zone: sc.StartsAt.In(zone).Format("MST"),
		DateTime: sc.StartsAt.In(zone).Format(time.RFC3339), Auditorium: s.Auditorium, Cinema: s.Cinema.Name,
		Meta: component.MovieMeta(l, &s.Movie),
	}
}
