package repo_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"usher/repo"
	"usher/repo/repotest"
)

func TestPragmasHoldOnBothPoolsOfSQLite(t *testing.T) {
	t.Parallel()
	s := repotest.New(t)
	ctx := context.Background()
	for pragma, want := range map[string]string{
		"journal_mode": "wal",
		"foreign_keys": "1",
		"synchronous":  "2", // FULL
		"busy_timeout": "5000",
		"cache_size":   "-32000",
	} {
		column := pragma
		if pragma == "busy_timeout" {
			column = "timeout"
		}
		query := "SELECT CAST(" + column + " AS TEXT) FROM pragma_" + pragma
		for side, read := range map[string]func(context.Context, string, ...any) (string, error){
			"reader": s.ReadText, "writer": s.WriteText,
		} {
			got, err := read(ctx, query)
			wantNil(t, "read "+pragma, err)
			wantSame(t, side+": "+pragma, got, want)
		}
	}
}

func TestTheFolderOfTheFileIsMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a folder?", "100% #1 座", "ledger.db")
	s, err := repo.Open(repo.Options{File: file}, slog.New(slog.DiscardHandler))
	wantNil(t, "open", err)
	defer func() { wantNil(t, "close", s.Close()) }()
	wantNil(t, "ping", s.Ping(context.Background()))
	got, err := s.ReadText(context.Background(), "SELECT file FROM pragma_database_list WHERE name = 'main'")
	wantNil(t, "ask for the file", err)
	wantSame(t, "file", got, file)
}

func TestMigrateTwiceIsOnce(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		n, err := s.Migrate(context.Background())
		wantNil(t, "migrate a migrated ledger", err)
		wantSame(t, "migrations applied", n, 0)
	})
}

func TestAWrongURLIsRefusedWithoutRepeatingIt(t *testing.T) {
	t.Parallel()
	_, err := repo.Open(repo.Options{URL: "postgres://u:secret@[bad"}, slog.New(slog.DiscardHandler))
	if err == nil {
		t.Fatal("got no error")
	}
	wantSame(t, "error", err.Error(), "database URL: cannot be read as a URL")
}
