package repo_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx, now := context.Background(), repotest.Now
		data := bytes.Repeat([]byte{0, 1, 0xff, '\'', '"', 0x80}, 50)
		read := func(what string, at time.Time, wantData []byte, wantFound bool) {
			t.Helper()
			got, found, err := s.Session(ctx, "h1", at)
			wantNil(t, what, err)
			if found != wantFound || !bytes.Equal(got, wantData) {
				t.Errorf("%s: got %v %x, want %v %x", what, found, got, wantFound, wantData)
			}
		}

		read("before it is saved", now, nil, false)
		wantNil(t, "save", s.SaveSession(ctx, "h1", data, now.Add(time.Hour)))
		read("saved", now, data, true)
		read("a microsecond before its end", now.Add(time.Hour-time.Microsecond), data, true)
		read("at its end", now.Add(time.Hour), nil, false)
		wantNil(t, "save nothing, for longer", s.SaveSession(ctx, "h1", nil, now.Add(2*time.Hour)))
		read("replaced", now.Add(time.Hour), nil, true)
		wantNil(t, "delete", s.DeleteSession(ctx, "h1"))
		read("deleted", now, nil, false)
		wantNil(t, "delete again", s.DeleteSession(ctx, "h1"))
	})
}

func TestDeleteExpiredSessionsIsBounded(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx, now := context.Background(), repotest.Now
		for i := range 6 {
			end := now.Add(time.Duration(i-4) * time.Minute) // 0..4 have ended, 4 at this very instant
			wantNil(t, "save", s.SaveSession(ctx, fmt.Sprint(i), []byte("x"), end))
		}
		for i, want := range []int64{2, 2, 1, 0} {
			n, err := s.DeleteExpiredSessions(ctx, now, 2)
			wantNil(t, "delete", err)
			wantSame(t, fmt.Sprintf("removed in round %d", i), n, want)
			_, oldest, err := s.Session(ctx, "1", now.Add(-time.Hour))
			wantNil(t, "read", err)
			wantSame(t, "the oldest go first", oldest, false)
		}
		_, found, err := s.Session(ctx, "5", now)
		wantNil(t, "read", err)
		wantSame(t, "the living stay", found, true)
	})
}
