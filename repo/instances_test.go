package repo_test

import (
	"context"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
)

func TestInstances(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx, now := context.Background(), repotest.Now
		const within = 10 * time.Second
		want := func(what string, wantLive int64, wantAway bool) {
			t.Helper()
			live, err := s.LiveInstances(ctx, now, within)
			wantNil(t, what, err)
			away, err := s.EveryInstanceAway(ctx, now, within)
			wantNil(t, what, err)
			if live != wantLive || away != wantAway {
				t.Errorf("%s: got %d live, every one away %v, want %d, %v", what, live, away, wantLive, wantAway)
			}
		}
		beat := func(id string, ago time.Duration, away bool) {
			t.Helper()
			wantNil(t, "beat", s.Beat(ctx, id, now.Add(-time.Hour), now.Add(-ago), away))
		}

		want("nobody", 0, false)
		beat("a", 0, true)
		want("one, cut off", 1, true)
		beat("b", time.Second, false)
		want("two, one cut off", 2, false)
		beat("b", 0, true)
		want("two, both cut off", 2, true)
		beat("c", within, false)
		want("the third is dead", 2, true)
		beat("c", within-time.Microsecond, false)
		want("the third lives", 3, false)
		wantNil(t, "remove", s.RemoveInstance(ctx, "c"))
		wantNil(t, "remove again", s.RemoveInstance(ctx, "c"))
		want("the third has stopped", 2, true)
	})
}
