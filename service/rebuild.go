package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/singleflight"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/domain"
)

// Rebuild brings a screening's hold-store data to what the ledger says, always under a new epoch. Warming and
// rebuilding are one operation: gate, drain, one transaction under the screening's row lock.
type Rebuild struct {
	store      *repo.Store
	holds      *holdstore.Store
	settlement *Settlement
	catalog    *Catalog
	clock      *Clock
	log        *slog.Logger
	group      singleflight.Group
}

// Limits of a rebuild.
const (
	rebuildTimeout  = 10 * time.Second
	rebuildIdle     = 5 * time.Second // a stopped rebuilder's transaction ends after this
	drainRounds     = 1000
	firstAnswerLife = holdstore.IdempotencyLife
)

// NewRebuild makes the use case.
func NewRebuild(store *repo.Store, holds *holdstore.Store, settlement *Settlement, catalog *Catalog, clock *Clock, log *slog.Logger) *Rebuild {
	return &Rebuild{store: store, holds: holds, settlement: settlement, catalog: catalog, clock: clock, log: log.With("component", "rebuild")}
}

// Screening rebuilds one screening now, unless it is sound; calls that come meanwhile share the run. Errors:
// ErrNotFound, ErrUnavailable.
func (r *Rebuild) Screening(ctx context.Context, screeningID string) error {
	_, err, _ := r.group.Do(screeningID, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rebuildTimeout)
		defer cancel()
		sc, err := r.store.Screening(ctx, screeningID)
		if err != nil {
			return nil, err
		}
		if sound, err := r.sound(ctx, sc.Partition, *sc); err != nil || sound {
			r.catalog.Forget(screeningID)
			return nil, err
		}
		return nil, r.Partition(ctx, sc.Partition, []domain.Screening{*sc})
	})
	return err
}

// Force rebuilds one screening now, sound or not. Errors: ErrNotFound, ErrUnavailable.
func (r *Rebuild) Force(ctx context.Context, screeningID string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rebuildTimeout)
	defer cancel()
	sc, err := r.store.Screening(ctx, screeningID)
	if err != nil {
		return err
	}
	return r.Partition(ctx, sc.Partition, []domain.Screening{*sc})
}

// Partition rebuilds screenings of one partition: their gates are shut, the stream is drained once, then each
// is written. A screening whose epoch is no longer the one that the caller read was rebuilt by somebody else and
// is left alone: what was held there since is not among what was drained here. It goes on after a failure; the
// watchdog takes up what is left.
func (r *Rebuild) Partition(ctx context.Context, p int, screenings []domain.Screening) error {
	var errs []error
	var shut []domain.Screening
	for _, sc := range screenings {
		if err := r.holds.ShutGate(ctx, p, sc.ID, sc.Epoch); err != nil {
			errs = append(errs, fmt.Errorf("shut the gate of screening %s: %w", sc.ID, err))
			continue
		}
		shut = append(shut, sc)
	}
	if len(shut) == 0 {
		return errors.Join(errs...)
	}
	last, err := r.drain(ctx, p)
	if err != nil {
		return errors.Join(append(errs, fmt.Errorf("drain partition %d: %w", p, err))...)
	}
	for _, sc := range shut {
		if err := r.write(ctx, sc, last); err != nil {
			errs = append(errs, fmt.Errorf("rebuild screening %s: %w", sc.ID, err))
		}
		r.catalog.Forget(sc.ID)
	}
	return errors.Join(errs...)
}

// drain settles every entry up to the last one, whoever it is pending for. Afterwards each is in the ledger or
// among the dead letters.
func (r *Rebuild) drain(ctx context.Context, p int) (last string, err error) {
	if err := r.holds.EnsureGroup(ctx, p); err != nil {
		return "", err
	}
	if last, err = r.holds.LastID(ctx, p); err != nil {
		return "", err
	}
	progress, err := r.holds.Progress(ctx, p, r.clock.Now())
	if err != nil {
		return "", err
	}
	if err := r.drainPending(ctx, p, last); err != nil {
		return "", err
	}
	after := progress.LastDelivered
	for range drainRounds {
		entries, err := r.holds.Range(ctx, p, after, last, 256)
		if err != nil {
			return "", err
		}
		if len(entries) == 0 {
			return last, nil
		}
		if err := r.settlement.Drain(ctx, p, entries); err != nil {
			return "", err
		}
		after = entries[len(entries)-1].Event.StreamID
	}
	return "", domain.ErrBusy.Saying("the stream is too long to be drained")
}

func (r *Rebuild) drainPending(ctx context.Context, p int, last string) error {
	after := ""
	for range drainRounds {
		pending, err := r.holds.Pending(ctx, p, after, 256)
		if err != nil || len(pending) == 0 {
			return err
		}
		var ids []string
		for _, e := range pending {
			if holdstore.CompareIDs(e.StreamID, last) <= 0 {
				ids = append(ids, e.StreamID)
			}
		}
		if len(ids) == 0 {
			return nil
		}
		entries, err := r.holds.Get(ctx, p, ids)
		if err != nil {
			return err
		}
		if err := r.settlement.Drain(ctx, p, entries); err != nil {
			return err
		}
		after = pending[len(pending)-1].StreamID
	}
	return nil
}

// write is the transaction: lock the row, read the ledger, run the script, record the epoch. Any doubt rolls
// back; the next attempt draws another epoch.
func (r *Rebuild) write(ctx context.Context, sc domain.Screening, last string) error {
	ctx, cancel := context.WithTimeout(ctx, rebuildTimeout)
	defer cancel()
	epoch, err := r.store.NextEpoch(ctx) // before the transaction: a number must never come back
	if err != nil {
		return err
	}
	began := r.clock.Now()
	err = r.store.InTx(ctx, func(tx *repo.Store) error {
		if err := tx.SetIdleTimeout(ctx, rebuildIdle); err != nil {
			return err
		}
		rows, err := tx.LockScreenings(ctx, []string{sc.ID})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return domain.ErrNotFound
		}
		if rows[0].Epoch != sc.Epoch {
			return nil // another instance has rebuilt it since our gate
		}
		data, err := r.read(ctx, tx, &rows[0], epoch)
		if err != nil {
			return err
		}
		if _, err := r.holds.Write(ctx, *data); err != nil {
			return err
		}
		if err := tx.UpdateRebuilt(ctx, sc.ID, epoch, domain.HoldModeRedis, rows[0].Version); err != nil {
			return err
		}
		ms, seq := holdstore.SplitID(last)
		return tx.SetCursor(ctx, sc.Partition, ms, seq, r.clock.Now())
	})
	if err != nil {
		return err
	}
	r.log.DebugContext(ctx, "screening rebuilt", "screening_id", sc.ID, "epoch", epoch, "ms", r.clock.Now().Sub(began).Milliseconds())
	return nil
}

// sound reports whether the hold store has what the ledger's row says, open and under this server process.
func (r *Rebuild) sound(ctx context.Context, p int, sc domain.Screening) (bool, error) {
	conditions, err := r.holds.Conditions(ctx, p, []domain.Screening{sc})
	if err != nil {
		return false, err
	}
	return sound(conditions[sc.ID], sc.Epoch), nil
}

func sound(c holdstore.Condition, epoch int64) bool {
	return c.Warmed && c.Marked && c.Gate == 0 && c.Epoch == epoch
}

// read collects everything that the screening has in the hold store, as the ledger says.
func (r *Rebuild) read(ctx context.Context, tx *repo.Store, sc *domain.Screening, epoch int64) (*holdstore.Rebuild, error) {
	now := r.clock.Now()
	orders, err := tx.LiveOrders(ctx, sc.ID)
	if err != nil {
		return nil, err
	}
	claims, err := tx.Claims(ctx, sc.ID)
	if err != nil {
		return nil, err
	}
	letters, err := tx.OpenDeadLetters(ctx, sc.ID)
	if err != nil {
		return nil, err
	}
	answered, err := tx.AnsweredOrders(ctx, sc.ID, now.Add(-firstAnswerLife))
	if err != nil {
		return nil, err
	}
	d := &holdstore.Rebuild{Screening: sc, Epoch: epoch, Now: now, Answers: firstAnswers(answered, now)}
	w := newRewrite(sc, orders, claims)
	w.addDeadLetters(letters)
	d.Map, d.Free, d.Holds = w.result()
	return d, nil
}

func firstAnswers(orders []domain.Order, now time.Time) []holdstore.FirstAnswer {
	out := make([]holdstore.FirstAnswer, 0, len(orders))
	for i := range orders {
		o := &orders[i]
		life := firstAnswerLife - now.Sub(o.AcceptedAt)
		if life <= 0 {
			continue
		}
		out = append(out, holdstore.FirstAnswer{
			UserID: o.UserID, Key: o.IdempotencyKey, Fingerprint: o.Fingerprint, HoldID: o.ID, Answer: o.Answer, Life: life,
		})
	}
	return out
}
