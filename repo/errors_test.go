package repo_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

func TestADuplicateNamesItsRule(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		wantNil(t, "add", addCinema(s, "c"))
		err := addCinema(s, "c")
		var e *domain.Error
		if !errors.As(err, &e) || e.Code != domain.ErrDuplicate.Code {
			t.Fatalf("got %v, want a duplicate", err)
		}
		if rule, _ := e.Fields["rule"].(string); !strings.HasPrefix(rule, "cinemas") {
			t.Errorf("got rule %q, want one of cinemas", rule)
		}
	})
}

func TestBrokenRowsAreInvalid(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		for name, statement := range map[string]string{
			"check":       "INSERT INTO price_tiers (screening_id, tier, price_minor) VALUES ('s', 't', -1)",
			"foreign key": "INSERT INTO price_tiers (screening_id, tier, price_minor) VALUES ('s', 't', 1)",
			"null":        "INSERT INTO system_values (name, value) VALUES ('n', NULL)",
		} {
			_, err := s.Exec(context.Background(), statement)
			wantErr(t, name, err, domain.ErrInvalid)
		}
	})
}

func TestATextThatPostgreSQLCannotKeepIsInvalid(t *testing.T) {
	t.Parallel()
	s := repotest.Postgres(t)
	for name, id := range map[string]string{"NUL": "a\x00b", "not UTF-8": "\xff"} {
		wantErr(t, name, addCinema(s, id), domain.ErrInvalid)
	}
}

func TestACallerThatLeavesIsNotALedgerThatIsAway(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		_, readErr := s.Cinema(gone, "c")
		_, writeErr := s.Exec(gone, "DELETE FROM cinemas")
		txErr := s.InTx(gone, func(*repo.Store) error { return nil })
		for name, err := range map[string]error{"read": readErr, "write": writeErr, "transaction": txErr} {
			if !errors.Is(err, context.Canceled) || errors.Is(err, domain.ErrUnavailable) {
				t.Errorf("%s: got %v, want only the cancellation", name, err)
			}
		}
	})
}

func TestAMistakeInAStatementIsNoDomainError(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		_, err := s.Exec(context.Background(), "DELETE FROM no_such_table")
		wantSame(t, "kind", domain.KindOf(err), domain.KindInternal)
		if err == nil {
			t.Error("got no error")
		}
	})
}

func TestALedgerThatIsAwayIsUnavailable(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, opts := range map[string]repo.Options{
		"nobody listens":  {URL: "postgres://u:p@127.0.0.1:1/x?connect_timeout=2"},
		"no such machine": {URL: "postgres://u:p@host.invalid:5432/x?connect_timeout=2"},
	} {
		s, err := repo.Open(opts, slog.New(slog.DiscardHandler))
		wantNil(t, "open", err)
		_, err = s.Cinema(ctx, "c")
		wantErr(t, name, err, domain.ErrUnavailable)
		if strings.Contains(domainMessage(err), "u:p@") {
			t.Errorf("%s: the message names the password", name)
		}
		wantNil(t, "close", s.Close())
	}
	if _, err := repo.Open(repo.Options{File: "errors_test.go"}, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a file that is not a database was opened")
	}
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		closed := s
		if s.Dialect() == "sqlite" {
			closed = second(t, s)
		} else {
			_, err := s.ReadText(ctx, "SELECT pg_terminate_backend(pg_backend_pid())::text")
			wantErr(t, "the server ends the connection", err, domain.ErrUnavailable)
			_, err = s.Cinema(ctx, "c")
			wantErr(t, "the next connection works", err, domain.ErrNotFound)
		}
		wantNil(t, "close", closed.Close())
		_, err := closed.Cinema(ctx, "c")
		wantErr(t, "closed", err, domain.ErrUnavailable)
	})
}
