package repo

import (
	"context"
	"fmt"
	"time"

	"usher/service/domain"
)

// houseMax bounds the lists of cinemas and of one cinema's auditoriums.
const houseMax = 1000

type cinemaRow struct {
	ID       string
	Name     string
	Zone     string
	Currency string
}

func (r cinemaRow) domain() domain.Cinema { return domain.Cinema(r) }

type auditoriumRow struct {
	ID       string
	CinemaID string
	Name     string
}

func (r auditoriumRow) domain() domain.Auditorium { return domain.Auditorium(r) }

type movieRow struct {
	ID             string
	Title          string
	TitleZH        string `gorm:"column:title_zh"`
	Year           int
	RuntimeMinutes int
	Synopsis       string
	SynopsisZH     string `gorm:"column:synopsis_zh"`
	Poster         string
}

func (r movieRow) domain() domain.Movie { return domain.Movie(r) }

const insertCinemaSQL = `
INSERT INTO cinemas (id, name, zone, currency, created_at) VALUES (?, ?, ?, ?, ?)`

// InsertCinema adds a cinema. ErrDuplicate when the id exists.
func (s *Store) InsertCinema(ctx context.Context, c domain.Cinema, at time.Time) error {
	if _, err := s.exec(ctx, insertCinemaSQL, c.ID, c.Name, c.Zone, c.Currency, stamp(at)); err != nil {
		return fmt.Errorf("insert cinema %s: %w", c.ID, err)
	}
	return nil
}

const cinemaSQL = `SELECT id, name, zone, currency FROM cinemas WHERE id = ?`

// Cinema returns one cinema. ErrNotFound when there is none.
func (s *Store) Cinema(ctx context.Context, id string) (*domain.Cinema, error) {
	var row cinemaRow
	if err := s.one(ctx, &row, cinemaSQL, id); err != nil {
		return nil, fmt.Errorf("read cinema %s: %w", id, err)
	}
	c := row.domain()
	return &c, nil
}

const listCinemasSQL = `SELECT id, name, zone, currency FROM cinemas ORDER BY id LIMIT ?`

// ListCinemas returns the first 1,000 cinemas in the order of their ids (primary key).
func (s *Store) ListCinemas(ctx context.Context) ([]domain.Cinema, error) {
	var rows []cinemaRow
	if err := s.query(ctx, &rows, listCinemasSQL, houseMax); err != nil {
		return nil, fmt.Errorf("list cinemas: %w", err)
	}
	return convert(rows, cinemaRow.domain), nil
}

const catalogEmptySQL = `SELECT count(*) FROM (SELECT 1 FROM cinemas LIMIT 1) AS first_one`

// CatalogEmpty reports whether the ledger has no cinema yet.
func (s *Store) CatalogEmpty(ctx context.Context) (bool, error) {
	var n int64
	if err := s.query(ctx, &n, catalogEmptySQL); err != nil {
		return false, fmt.Errorf("look for a cinema: %w", err)
	}
	return n == 0, nil
}

const insertAuditoriumSQL = `
INSERT INTO auditoriums (id, cinema_id, name, created_at) VALUES (?, ?, ?, ?)`

// InsertAuditorium adds an auditorium. ErrDuplicate when its cinema has one of that name, ErrInvalid when
// there is no such cinema.
func (s *Store) InsertAuditorium(ctx context.Context, a domain.Auditorium, at time.Time) error {
	if _, err := s.exec(ctx, insertAuditoriumSQL, a.ID, a.CinemaID, a.Name, stamp(at)); err != nil {
		return fmt.Errorf("insert auditorium %s: %w", a.ID, err)
	}
	return nil
}

const auditoriumSQL = `SELECT id, cinema_id, name FROM auditoriums WHERE id = ?`

// Auditorium returns one auditorium. ErrNotFound when there is none.
func (s *Store) Auditorium(ctx context.Context, id string) (*domain.Auditorium, error) {
	var row auditoriumRow
	if err := s.one(ctx, &row, auditoriumSQL, id); err != nil {
		return nil, fmt.Errorf("read auditorium %s: %w", id, err)
	}
	a := row.domain()
	return &a, nil
}

const listAuditoriumsSQL = `
SELECT id, cinema_id, name FROM auditoriums WHERE cinema_id = ? ORDER BY name LIMIT ?`

// ListAuditoriums returns the first 1,000 auditoriums of a cinema by name (unique (cinema_id, name)).
func (s *Store) ListAuditoriums(ctx context.Context, cinemaID string) ([]domain.Auditorium, error) {
	var rows []auditoriumRow
	if err := s.query(ctx, &rows, listAuditoriumsSQL, cinemaID, houseMax); err != nil {
		return nil, fmt.Errorf("list auditoriums of %s: %w", cinemaID, err)
	}
	return convert(rows, auditoriumRow.domain), nil
}

const auditoriumByNameSQL = `SELECT id, cinema_id, name FROM auditoriums WHERE cinema_id = ? AND name = ?`

// AuditoriumByName returns a cinema's auditorium of that name. ErrNotFound when there is none.
func (s *Store) AuditoriumByName(ctx context.Context, cinemaID, name string) (*domain.Auditorium, error) {
	var row auditoriumRow
	if err := s.one(ctx, &row, auditoriumByNameSQL, cinemaID, name); err != nil {
		return nil, fmt.Errorf("read auditorium %q of %s: %w", name, cinemaID, err)
	}
	a := row.domain()
	return &a, nil
}

const insertMovieSQL = `
INSERT INTO movies (id, title, title_zh, year, runtime_minutes, synopsis, synopsis_zh, poster, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

// InsertMovie adds a movie. ErrDuplicate when the id exists.
func (s *Store) InsertMovie(ctx context.Context, m domain.Movie, at time.Time) error {
	_, err := s.exec(ctx, insertMovieSQL, m.ID, m.Title, m.TitleZH, m.Year, m.RuntimeMinutes, m.Synopsis,
		m.SynopsisZH, m.Poster, stamp(at))
	if err != nil {
		return fmt.Errorf("insert movie %s: %w", m.ID, err)
	}
	return nil
}

const movieColumns = `id, title, title_zh, year, runtime_minutes, synopsis, synopsis_zh, poster`

const movieSQL = `SELECT ` + movieColumns + ` FROM movies WHERE id = ?`

// Movie returns one movie. ErrNotFound when there is none.
func (s *Store) Movie(ctx context.Context, id string) (*domain.Movie, error) {
	var row movieRow
	if err := s.one(ctx, &row, movieSQL, id); err != nil {
		return nil, fmt.Errorf("read movie %s: %w", id, err)
	}
	m := row.domain()
	return &m, nil
}

const listMoviesSQL = `SELECT ` + movieColumns + ` FROM movies WHERE id > ? ORDER BY id LIMIT ?`

// ListMovies returns one page of movies in the order of their ids (primary key). The cursor is the last id.
func (s *Store) ListMovies(ctx context.Context, page domain.Page) (domain.List[domain.Movie], error) {
	page = page.Bounded()
	var rows []movieRow
	if err := s.query(ctx, &rows, listMoviesSQL, page.After, page.Limit+1); err != nil {
		return domain.List[domain.Movie]{}, fmt.Errorf("list movies: %w", err)
	}
	return paged(convert(rows, movieRow.domain), page.Limit, func(m domain.Movie) string { return m.ID }), nil
}
