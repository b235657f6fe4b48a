// Package repotest gives tests a migrated ledger of their own and the rows most of them start from.
// It is imported by tests only.
package repotest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"usher/repo"
)

// template is the migrated SQLite file that every test gets a copy of; it is made once per test binary.
var template = sync.OnceValues(makeTemplate)

func makeTemplate() ([]byte, error) {
	dir, err := os.MkdirTemp("", "usher-template-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "ledger.db")
	s, err := repo.Open(repo.Options{File: file, MaxConns: 1}, quiet())
	if err != nil {
		return nil, err
	}
	if _, err := s.Migrate(context.Background()); err != nil {
		_ = s.Close()
		return nil, err
	}
	if err := s.Close(); err != nil { // the last connection folds the WAL into the file
		return nil, err
	}
	return os.ReadFile(file) //nolint:gosec // a path made above
}

// New returns a migrated SQLite ledger in a folder of the test. Its writer is one connection, so code that
// uses the outer store inside InTx blocks and fails instead of passing by luck.
func New(t testing.TB) *repo.Store {
	t.Helper()
	data, err := template()
	if err != nil {
		t.Fatalf("make the SQLite template: %v", err)
	}
	file := filepath.Join(t.TempDir(), "ledger.db")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatalf("copy the SQLite template: %v", err)
	}
	return open(t, repo.Options{File: file})
}

func open(t testing.TB, opts repo.Options) *repo.Store {
	t.Helper()
	s, err := repo.Open(opts, quiet())
	if err != nil {
		t.Fatalf("open the ledger: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the ledger: %v", err)
		}
	})
	return s
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
