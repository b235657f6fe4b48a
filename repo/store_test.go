package repo_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

// second opens the SQLite file of a ledger once more, as another process would.
func second(t *testing.T, s *repo.Store) *repo.Store {
	t.Helper()
	file, err := s.ReadText(context.Background(), "SELECT file FROM pragma_database_list WHERE name = 'main'")
	wantNil(t, "find the file", err)
	other, err := repo.Open(repo.Options{File: file}, slog.New(slog.DiscardHandler))
	wantNil(t, "open the file again", err)
	t.Cleanup(func() { wantNil(t, "close", other.Close()) })
	return other
}

func hasCinema(t *testing.T, s *repo.Store, id string) bool {
	t.Helper()
	_, err := s.Cinema(context.Background(), id)
	if err != nil && !errors.Is(err, domain.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func addCinema(s *repo.Store, id string) error {
	return s.InsertCinema(context.Background(), domain.Cinema{ID: id, Currency: "EUR"}, repotest.Now)
}

func TestInTxCommitsAllOrNothing(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		wantNil(t, "commit", s.InTx(ctx, func(tx *repo.Store) error {
			wantNil(t, "add", addCinema(tx, "kept"))
			wantSame(t, "seen outside before the commit", hasCinema(t, s, "kept"), false)
			wantSame(t, "seen inside", hasCinema(t, tx, "kept"), true)
			return tx.InTx(ctx, func(joined *repo.Store) error { return addCinema(joined, "joined") })
		}))
		wantSame(t, "seen after the commit", hasCinema(t, s, "kept") && hasCinema(t, s, "joined"), true)

		refusal := errors.New("no")
		err := s.InTx(ctx, func(tx *repo.Store) error {
			wantNil(t, "add", addCinema(tx, "dropped"))
			wantNil(t, "join", tx.InTx(ctx, func(joined *repo.Store) error { return addCinema(joined, "dropped too") }))
			return refusal
		})
		if !errors.Is(err, refusal) {
			t.Errorf("got %v, want the callback's own error", err)
		}
		wantSame(t, "left behind", hasCinema(t, s, "dropped") || hasCinema(t, s, "dropped too"), false)

		func() {
			defer func() { wantSame(t, "the panic goes on", recover(), any("broken")) }()
			_ = s.InTx(ctx, func(tx *repo.Store) error {
				wantNil(t, "add", addCinema(tx, "panicked"))
				panic("broken")
			})
		}()
		wantSame(t, "left behind by a panic", hasCinema(t, s, "panicked"), false)
	})
}

func TestInTxRunsThreeTimesAtMost(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		for failures, wantTries := range []int{1, 2, 3, 3} {
			tries := 0
			err := s.InTx(ctx, func(tx *repo.Store) error {
				tries++
				if err := addCinema(tx, fmt.Sprint("c", failures)); err != nil {
					return err
				}
				if tries <= failures {
					return fmt.Errorf("settle: %w", domain.ErrSerialization)
				}
				return nil
			})
			wantSame(t, fmt.Sprintf("tries with %d failures", failures), tries, wantTries)
			wantSame(t, fmt.Sprintf("given up with %d failures", failures), errors.Is(err, domain.ErrSerialization), failures == 3)
			wantSame(t, "the row is there", hasCinema(t, s, fmt.Sprint("c", failures)), failures < 3)
		}

		tries := 0
		err := s.InTx(ctx, func(*repo.Store) error { tries++; return domain.ErrLockTimeout })
		wantErr(t, "a lock that is not granted", err, domain.ErrLockTimeout)
		wantSame(t, "tries after a lock timeout", tries, 1)

		ended, cancel := context.WithCancel(ctx)
		tries = 0
		err = s.InTx(ended, func(*repo.Store) error { tries++; cancel(); return domain.ErrSerialization })
		if err == nil || tries != 1 {
			t.Errorf("a cancelled caller: got %v after %d tries, want an error after one", err, tries)
		}
	})
}

func TestADeadlockIsRepeatedUntilBothAreDone(t *testing.T) {
	t.Parallel()
	s := repotest.Postgres(t)
	ctx := context.Background()
	a, b := repotest.Screening(t, s).ID, repotest.Screening(t, s).ID
	var meet, both sync.WaitGroup // each has its first row before it asks for the second
	var tries atomic.Int32
	meet.Add(2)
	for _, order := range [][]string{{a, b}, {b, a}} {
		both.Go(func() {
			met := false
			err := s.InTx(ctx, func(tx *repo.Store) error {
				tries.Add(1)
				if err := raiseEpochs(ctx, tx, order[:1]); err != nil {
					return err
				}
				if !met {
					met = true
					meet.Done()
					meet.Wait()
				}
				return raiseEpochs(ctx, tx, order[1:])
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	wantSame(t, "tries", tries.Load(), int32(3))
	for _, id := range []string{a, b} {
		sc, err := s.Screening(ctx, id)
		wantNil(t, "read", err)
		wantSame(t, "epoch", sc.Epoch, int64(2))
	}
}

func TestATransactionOfSQLiteIsAWriterFromTheStart(t *testing.T) {
	t.Parallel()
	s := repotest.New(t)
	other := second(t, s)
	ctx := context.Background()
	_, err := other.WriteText(ctx, "PRAGMA busy_timeout = 1")
	wantNil(t, "make the other impatient", err)
	err = s.InTx(ctx, func(*repo.Store) error { // runs no statement at all
		tries := 0
		err := other.InTx(ctx, func(*repo.Store) error { tries++; return nil })
		wantErr(t, "begin while another writes", err, domain.ErrSerialization)
		wantSame(t, "callbacks that ran", tries, 0)
		wantErr(t, "write while another writes", addCinema(other, "x"), domain.ErrSerialization)
		wantSame(t, "reading goes on", hasCinema(t, other, "x"), false)
		return nil
	})
	wantNil(t, "hold the file", err)
	wantNil(t, "begin afterwards", other.InTx(ctx, func(tx *repo.Store) error { return addCinema(tx, "x") }))
}

func TestTheOuterStoreBlocksInsideATransaction(t *testing.T) {
	t.Parallel()
	s := repotest.New(t)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_ = s.InTx(context.Background(), func(*repo.Store) error {
		_, err := s.Exec(ctx, "DELETE FROM cinemas")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		return nil
	})
}

func TestInSnapshotSeesOneState(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		wantNil(t, "snapshot", s.InSnapshot(ctx, func(tx *repo.Store) error {
			wantSame(t, "before", hasCinema(t, tx, "new"), false)
			wantNil(t, "add outside", addCinema(s, "new"))
			wantSame(t, "after, inside", hasCinema(t, tx, "new"), false)
			return nil
		}))
		wantSame(t, "after, outside", hasCinema(t, s, "new"), true)
	})
}

func TestNowIsTheLedgersClock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	east := time.FixedZone("east", 3600)
	local := func() time.Time { return time.Date(2031, 3, 14, 1, 2, 3, 4567, east) }

	now, err := repotest.New(t).Now(ctx, local)
	wantNil(t, "ask SQLite", err)
	wantSame(t, "SQLite's clock is ours", now.Format(time.RFC3339Nano), "2031-03-14T00:02:03.000004Z")
	now, err = repotest.Postgres(t).Now(ctx, func() time.Time { t.Error("our clock was asked"); return time.Time{} })
	wantNil(t, "ask PostgreSQL", err)
	wantSame(t, "zone", now.Location().String(), "UTC")
}
