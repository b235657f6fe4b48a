package repo_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

func TestLockScreeningsGivesThemInTheOrderOfTheirIDs(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		a, b := repotest.Screening(t, s), repotest.Screening(t, s)
		repotest.Screening(t, s)
		a.Prices, b.Prices = nil, nil
		asked := []string{b.ID, "none", a.ID, b.ID}
		before := slices.Clone(asked)
		err := s.InTx(ctx, func(tx *repo.Store) error {
			wantNil(t, "bound the wait", tx.SetLockTimeout(ctx, time.Second))
			got, err := tx.LockScreenings(ctx, asked)
			wantSame(t, "locked screenings", got, []domain.Screening{*a, *b})
			none, noneErr := tx.LockScreenings(ctx, nil)
			wantNil(t, "lock nothing", noneErr)
			wantSame(t, "nothing locked", len(none), 0)
			return err
		})
		wantNil(t, "lock", err)
		wantSame(t, "the caller's ids", asked, before)
	})
}

func TestMethodsOfTransactionsPanicOutside(t *testing.T) {
	t.Parallel()
	s := repotest.New(t)
	ctx := context.Background()
	for name, call := range map[string]func(){
		"LockScreenings":  func() { _, _ = s.LockScreenings(ctx, nil) },
		"SetLockTimeout":  func() { _ = s.SetLockTimeout(ctx, time.Second) },
		"InsertScreening": func() { _ = s.InsertScreening(ctx, &domain.Screening{}) },
		"FinishRefund":    func() { _, _ = s.FinishRefund(ctx, "r", "", repotest.Now) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			call()
		}()
	}
}

func TestALockThatIsNotGrantedTimesOut(t *testing.T) {
	t.Parallel()
	s := repotest.Postgres(t)
	ctx := context.Background()
	id := repotest.Screening(t, s).ID
	err := s.InTx(ctx, func(holder *repo.Store) error {
		if _, err := holder.LockScreenings(ctx, []string{id}); err != nil {
			return err
		}
		tries := 0
		err := s.InTx(ctx, func(tx *repo.Store) error {
			tries++
			if err := tx.SetLockTimeout(ctx, 0); err != nil { // less than a millisecond is not for ever
				return err
			}
			_, err := tx.LockScreenings(ctx, []string{id})
			return err
		})
		wantErr(t, "lock a row that is locked", err, domain.ErrLockTimeout)
		wantSame(t, "tries", tries, 1)
		return nil
	})
	wantNil(t, "hold the lock", err)
}

func TestLocksInAnyOrderNeverDeadlock(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		all := []string{repotest.Screening(t, s).ID, repotest.Screening(t, s).ID, repotest.Screening(t, s).ID}
		const workers, rounds = 4, 10
		var tries atomic.Int32
		var running sync.WaitGroup
		for range workers {
			running.Go(func() {
				for range rounds {
					asked := slices.Clone(all)
					rand.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
					if err := s.InTx(ctx, func(tx *repo.Store) error {
						tries.Add(1)
						return raiseEpochs(ctx, tx, asked)
					}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		running.Wait()
		wantSame(t, "transactions that ran", tries.Load(), int32(workers*rounds))
		for _, id := range all { // no update was lost: each transaction read what the one before had written
			sc, err := s.Screening(ctx, id)
			wantNil(t, "read", err)
			wantSame(t, "epoch", sc.Epoch, int64(workers*rounds))
		}
	})
}

func raiseEpochs(ctx context.Context, tx *repo.Store, ids []string) error {
	locked, err := tx.LockScreenings(ctx, ids)
	if err != nil {
		return err
	}
	for _, sc := range locked {
		if err := tx.UpdateRebuilt(ctx, sc.ID, sc.Epoch+1, sc.HoldMode, sc.Version); err != nil {
			return err
		}
	}
	return nil
}
