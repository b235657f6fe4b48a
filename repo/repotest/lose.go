package repotest

import (
	"strings"
	"sync/atomic"
	"testing"

	"usher/repo"
)

// Losses makes guarded updates of screenings' remaining lose their version.
type Losses struct{ left atomic.Int64 }

// LoseVersions prepares the store; the next n takes after Set(n) change nothing, as if a writer outside the
// lock rule had been faster.
func LoseVersions(t testing.TB, s *repo.Store) *Losses {
	t.Helper()
	l := &Losses{}
	err := s.Rewrite(func(query string) string {
		if !strings.Contains(query, "UPDATE screenings SET remaining = remaining - r.n") || l.left.Add(-1) < 0 {
			return query
		}
		return strings.Replace(query, "screenings.version = r.version", "screenings.version < 0", 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Set says how many of the next takes lose.
func (l *Losses) Set(n int64) { l.left.Store(n) }
