package repo_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

func TestLeases(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx, now := context.Background(), repotest.Now
		acquire := func(what, owner string, at time.Time, wantFence int64, wantOK bool) {
			t.Helper()
			fence, ok, err := s.AcquireLease(ctx, "expiry", owner, at, time.Minute)
			wantNil(t, what, err)
			if fence != wantFence || ok != wantOK {
				t.Errorf("%s: got fence %d, %v, want %d, %v", what, fence, ok, wantFence, wantOK)
			}
		}
		wantRun := func(what string, want repo.LeaseRun) {
			t.Helper()
			got, err := s.LeaseRuns(ctx)
			wantNil(t, what, err)
			wantSame(t, what, got, []repo.LeaseRun{want})
		}

		acquire("first", "a", now, 1, true)
		wantRun("before the first end", repo.LeaseRun{Name: "expiry", Owner: "a", Fence: 1, ExpiresAt: now.Add(time.Minute), LastRun: now})
		acquire("held by another", "b", now.Add(time.Second), 0, false)
		acquire("held by itself", "a", now.Add(time.Second), 0, false)
		acquire("just before it runs out", "b", now.Add(time.Minute-time.Microsecond), 0, false)
		acquire("run out", "b", now.Add(time.Minute), 2, true)
		wantErr(t, "the first owner comes back late", s.ReleaseLease(ctx, "expiry", "a", 1, now), domain.ErrVersionConflict)
		wantErr(t, "with a guessed fence", s.ReleaseLease(ctx, "expiry", "a", 2, now), domain.ErrVersionConflict)
		acquire("still held", "c", now.Add(time.Minute), 0, false)

		end := now.Add(70 * time.Second)
		wantNil(t, "release", s.ReleaseLease(ctx, "expiry", "b", 2, end))
		wantRun("after a release", repo.LeaseRun{Name: "expiry", Owner: "b", Fence: 2, ExpiresAt: time.UnixMilli(0).UTC(), LastRun: end})
		acquire("released", "a", end, 3, true)
		wantRun("acquired again", repo.LeaseRun{Name: "expiry", Owner: "a", Fence: 3, ExpiresAt: end.Add(time.Minute), LastRun: end})
	})
}

func TestOneOfManyGetsALease(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		const rounds, owners = 5, 8
		var mu sync.Mutex
		var fences []int64
		for round := range rounds { // in each round the lease of the one before has just run out
			at := repotest.Now.Add(time.Duration(round) * time.Minute)
			var all sync.WaitGroup
			for owner := range owners {
				all.Go(func() {
					fence, ok, err := s.AcquireLease(ctx, "sweep", fmt.Sprint(owner), at, time.Minute)
					if err != nil {
						t.Error(err)
					}
					if ok {
						mu.Lock()
						defer mu.Unlock()
						fences = append(fences, fence)
					}
				})
			}
			all.Wait()
		}
		wantSame(t, "one success and one greater fence per round", fences, []int64{1, 2, 3, 4, 5})
	})
}
