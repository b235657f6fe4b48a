package service

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/domain"
)

// Effects mirrors ledger decisions into the hold store and sends refunds to the gateway. An effect is a row of
// its own, delivered at least once, by anybody, in any order; the scripts make a repeat harmless.
type Effects struct {
	store  *repo.Store
	holds  *holdstore.Store
	clock  *Clock
	refund func(context.Context, domain.Effect) error
	wake   chan struct{}
	log    *slog.Logger
}

// Limits of effect delivery.
const (
	effectBatch    = 256
	effectParallel = 8
	effectLease    = 30 * time.Second // a runner that dies costs this much
	effectAttempts = 12
	effectPauseMax = time.Minute
)

// NewEffects makes the use case. SetRefunds must be called before refunds are due.
func NewEffects(store *repo.Store, holds *holdstore.Store, clock *Clock, log *slog.Logger) *Effects {
	return &Effects{store: store, holds: holds, clock: clock, wake: make(chan struct{}, 1), log: log.With("component", "effects")}
}

// SetRefunds names what delivers a refund effect; payments themselves kick effects, so one of the two comes later.
func (e *Effects) SetRefunds(deliver func(context.Context, domain.Effect) error) { e.refund = deliver }

// Kick wakes the runner of this instance; losing a kick costs a second.
func (e *Effects) Kick() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Woken is closed over by the runner: it receives after a Kick.
func (e *Effects) Woken() <-chan struct{} { return e.wake }

// DeliverDue delivers what is due, up to one batch, and returns how many were delivered. Redis away is not an
// attempt; other failures are, with a growing pause, and at the last one the effect becomes a dead letter.
func (e *Effects) DeliverDue(ctx context.Context) (int, error) {
	now := e.clock.Now()
	due, err := e.store.ClaimEffects(ctx, now, now.Add(effectLease), effectBatch)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	outcome := make([]error, len(due))
	var g errgroup.Group
	g.SetLimit(effectParallel)
	for i := range due {
		g.Go(func() error {
			outcome[i] = e.deliver(ctx, due[i])
			return nil
		})
	}
	_ = g.Wait() // the goroutines return nothing
	var done []string
	for i := range due {
		if outcome[i] == nil {
			done = append(done, due[i].ID)
		}
	}
	if err := e.store.FinishEffects(ctx, done); err != nil {
		return 0, err
	}
	for i := range due {
		if outcome[i] != nil {
			if err := e.postpone(ctx, due[i], outcome[i]); err != nil {
				return len(done), err
			}
		}
	}
	return len(done), nil
}

func (e *Effects) deliver(ctx context.Context, f domain.Effect) error {
	ref := holdstore.Ref{Partition: domain.PartitionOf(f.ScreeningID), ScreeningID: f.ScreeningID, HoldID: f.OrderID, Attempt: f.Attempt}
	switch f.Kind {
	case domain.EffectGiveBack:
		_, err := e.holds.GiveBack(ctx, ref, f.Seats, e.clock.Now())
		return err
	case domain.EffectConfirm:
		_, err := e.holds.Confirm(ctx, ref, e.clock.Now())
		return err
	case domain.EffectRepair:
		return e.repair(ctx, ref, f.Seats)
	case domain.EffectMirror:
		sc, err := e.store.Screening(ctx, f.ScreeningID)
		if err != nil {
			return err
		}
		return e.holds.SetSettings(ctx, sc)
	case domain.EffectRefund:
		return e.refund(ctx, f)
	}
	return fmt.Errorf("effect kind %q is not known", f.Kind)
}

// repair makes the seats what the ledger says now. It reads the ledger and runs the script under the
// screening's row lock, like a rebuild: nothing may be decided between the two.
func (e *Effects) repair(ctx context.Context, ref holdstore.Ref, seats []int) error {
	return e.store.InTx(ctx, func(tx *repo.Store) error {
		rows, err := tx.LockScreenings(ctx, []string{ref.ScreeningID})
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			return nil
		}
		truth, err := seatTruth(ctx, tx, ref.ScreeningID, seats)
		if err != nil {
			return err
		}
		_, err = e.holds.Repair(ctx, ref, rows[0].Epoch, truth, e.clock.Now())
		return err
	})
}

// seatTruth reads who owns the seats in the ledger.
func seatTruth(ctx context.Context, tx *repo.Store, screeningID string, seats []int) ([]holdstore.SeatTruth, error) {
	claims, err := tx.Claims(ctx, screeningID)
	if err != nil {
		return nil, err
	}
	byIndex := make(map[int]repo.Claim, len(claims))
	for _, c := range claims {
		byIndex[c.SeatIndex] = c
	}
	truth := make([]holdstore.SeatTruth, 0, len(seats))
	for _, index := range seats {
		t := holdstore.SeatTruth{Index: index, State: domain.SeatFree}
		if c, taken := byIndex[index]; taken {
			t.Owner, t.Attempt = c.OrderID, 1
			if c.Kind == domain.HoldBlock {
				t.State = domain.SeatBlocked
			} else {
				o, err := tx.Order(ctx, c.OrderID)
				if err != nil {
					return nil, err
				}
				t.State, t.UserID, t.ExpiresAt, t.Attempt = stateOfOrder(o.Status), o.UserID, o.ExpiresAt, o.Attempt
			}
		}
		truth = append(truth, t)
	}
	return truth, nil
}

func stateOfOrder(s domain.OrderStatus) domain.SeatState {
	if s == domain.OrderPaid {
		return domain.SeatSold
	}
	return domain.SeatHeld
}

func (e *Effects) postpone(ctx context.Context, f domain.Effect, cause error) error {
	now := e.clock.Now()
	if domain.KindOf(cause) == domain.KindUnavailable || ctx.Err() != nil {
		return e.store.PostponeEffect(context.WithoutCancel(ctx), f.ID, cause.Error(), now.Add(time.Second), false)
	}
	e.log.ErrorContext(ctx, "effect failed", "effect", f.Kind, "order_id", f.OrderID, "attempt", f.Attempts+1, "error", cause)
	if f.Attempts+1 < effectAttempts {
		pause := min(time.Second<<f.Attempts, effectPauseMax)
		return e.store.PostponeEffect(ctx, f.ID, cause.Error(), now.Add(pause), true)
	}
	return e.store.InTx(ctx, func(tx *repo.Store) error {
		if err := tx.BuryEffect(ctx, f.ID, cause.Error()); err != nil {
			return err
		}
		return tx.InsertDeadLetter(ctx, domain.DeadLetter{
			ID: NewID(), Source: "effect", Partition: domain.PartitionOf(f.ScreeningID), ScreeningID: f.ScreeningID, OrderID: f.OrderID,
			Payload: string(f.Kind) + " " + f.ID, LastError: cause.Error(), Deliveries: f.Attempts + 1, ExpiresAt: now, CreatedAt: now,
		})
	})
}

// Prune deletes delivered effects that are older than a day.
func (e *Effects) Prune(ctx context.Context) (int64, error) {
	return e.store.PruneEffects(ctx, e.clock.Now().Add(-24*time.Hour), 10_000)
}
