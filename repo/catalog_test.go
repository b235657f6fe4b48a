package repo_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

// wantErr fails unless err is the wanted domain error.
func wantErr(t *testing.T, what string, err error, want *domain.Error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %s", what, err, want.Code)
	}
}

// wantNil ends the test on an error.
func wantNil(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// wantSame fails unless both are equal.
func wantSame(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestCinemas(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		empty, err := s.CatalogEmpty(ctx)
		wantNil(t, "look at a new ledger", err)
		wantSame(t, "a new ledger is empty", empty, true)

		first, second := repotest.Cinema(t, s), repotest.Cinema(t, s)
		empty, err = s.CatalogEmpty(ctx)
		wantNil(t, "look again", err)
		wantSame(t, "a ledger with cinemas is empty", empty, false)

		got, err := s.Cinema(ctx, first.ID)
		wantNil(t, "read a cinema", err)
		wantSame(t, "cinema", got, first)
		list, err := s.ListCinemas(ctx)
		wantNil(t, "list cinemas", err)
		wantSame(t, "cinemas", list, []domain.Cinema{*first, *second})

		_, err = s.Cinema(ctx, "nowhere")
		wantErr(t, "unknown cinema", err, domain.ErrNotFound)
		wantErr(t, "same id", s.InsertCinema(ctx, *first, repotest.Now), domain.ErrDuplicate)
		wantErr(t, "currency of two letters",
			s.InsertCinema(ctx, domain.Cinema{ID: "x", Currency: "EU"}, repotest.Now), domain.ErrInvalid)
	})
}

func TestAuditoriums(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		cinema, other := repotest.Cinema(t, s), repotest.Cinema(t, s)
		for _, a := range []domain.Auditorium{
			{ID: "1", CinemaID: cinema.ID, Name: "b"},
			{ID: "2", CinemaID: cinema.ID, Name: "a"},
			{ID: "3", CinemaID: other.ID, Name: "a"},
		} {
			wantNil(t, "add an auditorium", s.InsertAuditorium(ctx, a, repotest.Now))
		}

		list, err := s.ListAuditoriums(ctx, cinema.ID)
		wantNil(t, "list auditoriums", err)
		wantSame(t, "auditoriums by name", list,
			[]domain.Auditorium{{ID: "2", CinemaID: cinema.ID, Name: "a"}, {ID: "1", CinemaID: cinema.ID, Name: "b"}})
		got, err := s.AuditoriumByName(ctx, other.ID, "a")
		wantNil(t, "find by name", err)
		wantSame(t, "found by name", got.ID, "3")
		got, err = s.Auditorium(ctx, "1")
		wantNil(t, "read an auditorium", err)
		wantSame(t, "auditorium", got, &domain.Auditorium{ID: "1", CinemaID: cinema.ID, Name: "b"})

		_, err = s.AuditoriumByName(ctx, other.ID, "b")
		wantErr(t, "name of another cinema", err, domain.ErrNotFound)
		_, err = s.Auditorium(ctx, "4")
		wantErr(t, "unknown auditorium", err, domain.ErrNotFound)
		wantErr(t, "name taken in the cinema",
			s.InsertAuditorium(ctx, domain.Auditorium{ID: "5", CinemaID: cinema.ID, Name: "a"}, repotest.Now), domain.ErrDuplicate)
		wantErr(t, "auditorium of no cinema",
			s.InsertAuditorium(ctx, domain.Auditorium{ID: "6", CinemaID: "nowhere", Name: "a"}, repotest.Now), domain.ErrInvalid)
	})
}

func TestMovies(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		want := domain.Movie{
			ID: "m0", Title: "Amélie's \"Night\"", TitleZH: "夜", Year: 2029, RuntimeMinutes: 92, Synopsis: "one\ntwo",
			SynopsisZH: "一", Poster: "moon",
		}
		all := []domain.Movie{want}
		wantNil(t, "add a movie", s.InsertMovie(ctx, want, repotest.Now))
		for _, id := range []string{"m4", "m2", "m1", "m3"} {
			wantNil(t, "add a movie", s.InsertMovie(ctx, domain.Movie{ID: id}, repotest.Now))
		}
		for _, id := range []string{"m1", "m2", "m3", "m4"} {
			all = append(all, domain.Movie{ID: id})
		}

		got, err := s.Movie(ctx, "m0")
		wantNil(t, "read a movie", err)
		wantSame(t, "movie", got, &want)
		_, err = s.Movie(ctx, "m9")
		wantErr(t, "unknown movie", err, domain.ErrNotFound)
		wantErr(t, "same id", s.InsertMovie(ctx, want, repotest.Now), domain.ErrDuplicate)

		var pages [][]domain.Movie
		for page := (domain.Page{Limit: 2}); ; {
			list, err := s.ListMovies(ctx, page)
			wantNil(t, "list movies", err)
			pages = append(pages, list.Items)
			if page.After = list.Next; page.After == "" || len(pages) > 9 {
				break
			}
		}
		wantSame(t, "pages of two", pages, [][]domain.Movie{all[:2], all[2:4], all[4:]})

		full, err := s.ListMovies(ctx, domain.Page{Limit: 5})
		wantNil(t, "list all", err)
		wantSame(t, "a full last page has no next", full.Next, "")
	})
}
