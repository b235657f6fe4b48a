package repotest

import (
	"context"
	"errors"
	"testing"

	"usher/repo"
	"usher/test/testenv"
)

// Postgres returns a migrated PostgreSQL ledger in a database of the test. The test is skipped, saying so,
// where there is no PostgreSQL.
func Postgres(t testing.TB) *repo.Store {
	t.Helper()
	return open(t, repo.Options{URL: testenv.PostgresFrom(t, migratePostgres), MaxConns: 8})
}

func migratePostgres(url string) error {
	s, err := repo.Open(repo.Options{URL: url, MaxConns: 2}, quiet())
	if err != nil {
		return err
	}
	_, err = s.Migrate(context.Background())
	return errors.Join(err, s.Close())
}

// Each runs the test on a ledger of either dialect, as parallel subtests named sqlite and postgres.
func Each(t *testing.T, test func(t *testing.T, s *repo.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, New(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, Postgres(t))
	})
}
