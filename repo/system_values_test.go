package repo_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"usher/repo"
	"usher/repo/repotest"
)

func TestSystemValues(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		_, found, err := s.SystemValue(ctx, "setup")
		wantNil(t, "read", err)
		wantSame(t, "found in a new ledger", found, false)

		for _, value := range []string{"first", "second"} {
			stored, err := s.SetSystemValueOnce(ctx, "setup", value)
			wantNil(t, "set", err)
			wantSame(t, "stored after "+value, stored, "first")
		}
		value, found, err := s.SystemValue(ctx, "setup")
		wantNil(t, "read", err)
		wantSame(t, "found", found, true)
		wantSame(t, "value", value, "first")

		for _, step := range []struct {
			value string
			want  bool
		}{{"second", false}, {"first", true}, {"first", false}} {
			taken, err := s.TakeSystemValue(ctx, "setup", step.value)
			wantNil(t, "take", err)
			wantSame(t, "taken with "+step.value, taken, step.want)
		}
	})
}

func TestInstancesThatStartTogetherAgreeOnAValue(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		const many = 8
		stored, taken := make([]string, many), make([]bool, many)
		var all sync.WaitGroup
		for i := range many {
			all.Go(func() {
				var err error
				if stored[i], err = s.SetSystemValueOnce(ctx, "key", fmt.Sprint(i)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for i := range many {
			wantSame(t, "stored", stored[i], stored[0])
			all.Go(func() {
				var err error
				if taken[i], err = s.TakeSystemValue(ctx, "key", stored[i]); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		winners := 0
		for _, won := range taken {
			if won {
				winners++
			}
		}
		wantSame(t, "how many took it", winners, 1)
	})
}
