package testenv

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"
)

// DatabaseURL is the environment variable with the URL of a PostgreSQL whose user may create databases.
const DatabaseURL = "TEST_DATABASE_URL"

const sqlLimit = 60 * time.Second

// shared is the server of this test binary: starting one takes a second, so tests that do not break it take databases on it.
// It ends with the binary, by its reaper; a server named by the environment is left running.
var shared = sync.OnceValues(func() (*cluster, error) {
	if admin := os.Getenv(DatabaseURL); admin != "" {
		return openCluster(admin)
	}
	s, err := newPostgres()
	if err != nil {
		return nil, err
	}
	c, err := openCluster(postgresURL(s.port))
	if err != nil {
		return nil, errors.Join(err, closePostgres(s))
	}
	c.server = s
	return c, nil
})

// Postgres returns the URL of a new, empty database that is dropped when the test ends. Its server is the one named by
// TEST_DATABASE_URL, else one started for this test binary.
func Postgres(t testing.TB) string {
	t.Helper()
	return databaseFor(t, func(ctx context.Context, c *cluster) (string, error) {
		return c.create(ctx, "template0")
	})
}

// PostgresFrom returns the URL of a new copy of a prepared database, dropped when the test ends.
//
// The function prepares the original, usually by migrating it, once per test binary; after that a copy takes some tens of
// milliseconds. It must close its connections before it returns. Functions are told apart by their code, so pass a top-level
// function, not closures that differ only in what they capture.
func PostgresFrom(t testing.TB, prepare func(url string) error) string {
	t.Helper()
	return databaseFor(t, func(ctx context.Context, c *cluster) (string, error) {
		original, err := c.template(ctx, prepare)
		if err != nil {
			return "", err
		}
		return c.create(ctx, original)
	})
}

// databaseFor makes a database and drops it when the test ends.
func databaseFor(t testing.TB, make func(context.Context, *cluster) (string, error)) string {
	t.Helper()
	c, err := shared()
	if errors.Is(err, errNotInstalled) {
		missing(t, "PostgreSQL is not installed and "+DatabaseURL+" is not set, so nothing that needs a real one was tested")
	}
	if err != nil {
		t.Fatalf("postgres: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), sqlLimit)
	defer cancel()
	name, err := make(ctx, c)
	if err != nil {
		t.Fatalf("postgres: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), sqlLimit)
		defer cancel()
		if err := c.drop(ctx, name); err != nil {
			t.Errorf("postgres: %v", err)
		}
	})
	return c.url(name)
}
