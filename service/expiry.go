package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"time"

	"usher/repo"
	"usher/service/domain"
)

// Expiry ends what ran out of time, ledger first: orders that were not paid, and dead letters whose holds are
// over.
type Expiry struct {
	store *repo.Store
	clock *Clock
	kick  func()
	log   *slog.Logger

	lastNow   time.Time // of the run before, by the ledger's clock
	lastLocal time.Time // and by this machine's monotonic clock
	local     func() time.Time
}

// Rules of expiry.
const (
	expiryGrace = 2 * time.Second
	expiryChunk = 500
	expiryRound = 20 // chunks of one run
	expiryLock  = time.Second
	clockJump   = 5 * time.Minute
	expiryActor = "expiry"
)

// NewExpiry makes the use case; local is this machine's clock with its monotonic reading.
func NewExpiry(store *repo.Store, clock *Clock, local func() time.Time, kick func(), log *slog.Logger) *Expiry {
	return &Expiry{store: store, clock: clock, kick: kick, local: local, log: log.With("component", "expiry")}
}

// errClockJump says that the ledger's clock moved against this machine's monotonic clock.
var errClockJump = errors.New("the ledger's clock jumped by more than five minutes: nothing was expired in this run")

// Run ends due orders and dead letters and returns how many. It is not safe for parallel use: one job runs it.
func (x *Expiry) Run(ctx context.Context) (int, error) {
	now, local := x.clock.Now(), x.local()
	lastNow, lastLocal := x.lastNow, x.lastLocal
	x.lastNow, x.lastLocal = now, local
	if !lastNow.IsZero() && (now.Sub(lastNow)-local.Sub(lastLocal)).Abs() > clockJump {
		return 0, errClockJump
	}
	ended := 0
	for range expiryRound {
		n, more, err := x.chunk(ctx, now)
		ended += n
		if err != nil {
			return ended, err
		}
		if !more {
			break
		}
	}
	n, err := x.deadLetters(ctx, now)
	return ended + n, err
}

func (x *Expiry) chunk(ctx context.Context, now time.Time) (ended int, more bool, err error) {
	due, err := x.store.DueOrders(ctx, now.Add(-expiryGrace), expiryChunk)
	if err != nil || len(due) == 0 {
		return 0, false, err
	}
	ids := make([]string, len(due))
	screenings := map[string]bool{}
	for i, o := range due {
		ids[i] = o.ID
		screenings[o.ScreeningID] = true
	}
	sort.Strings(ids)
	ended, err = x.endIn(ctx, sortedKeys(screenings), ids, now)
	if errors.Is(err, domain.ErrLockTimeout) && len(screenings) > 1 {
		ended, err = x.oneByOne(ctx, due, now)
	}
	if ended > 0 {
		x.kick()
	}
	return ended, err == nil && len(due) == expiryChunk, err
}

// oneByOne ends due orders screening by screening: one that somebody keeps locked must not hold up the others.
func (x *Expiry) oneByOne(ctx context.Context, due []repo.DueOrder, now time.Time) (int, error) {
	byScreening := map[string][]string{}
	for _, o := range due {
		byScreening[o.ScreeningID] = append(byScreening[o.ScreeningID], o.ID)
	}
	ended := 0
	var errs []error
	for _, id := range sortedKeys(byScreening) {
		n, err := x.endIn(ctx, []string{id}, byScreening[id], now)
		ended += n
		errs = append(errs, err)
	}
	return ended, errors.Join(errs...)
}

func (x *Expiry) endIn(ctx context.Context, screenings, ids []string, now time.Time) (ended int, err error) {
	err = x.store.InTx(ctx, func(tx *repo.Store) error {
		if err := tx.SetLockTimeout(ctx, expiryLock); err != nil {
			return err
		}
		ended, err = x.end(ctx, tx, screenings, ids, now)
		return err
	})
	if err != nil {
		return 0, err
	}
	return ended, nil
}

func (x *Expiry) end(ctx context.Context, tx *repo.Store, screenings, ids []string, now time.Time) (int, error) {
	if _, err := tx.LockScreenings(ctx, screenings); err != nil {
		return 0, err
	}
	ended, err := tx.ExpireOrders(ctx, ids, now.Add(-expiryGrace), now)
	if err != nil {
		return 0, err
	}
	events := make([]domain.OrderEvent, len(ended))
	effects := make([]domain.Effect, len(ended))
	byScreening, places := map[string][]string{}, map[string]int{}
	for i, o := range ended {
		from := domain.OrderStatus(o.From)
		from.MustBecome(domain.OrderExpired)
		events[i] = domain.OrderEvent{OrderID: o.ID, Version: o.Version + 1, From: from, To: domain.OrderExpired, Actor: expiryActor, Reason: domain.ReasonTimeUp, At: now}
		effects[i] = domain.Effect{ID: NewID(), Kind: domain.EffectGiveBack, ScreeningID: o.ScreeningID, OrderID: o.ID, Attempt: o.Attempt, CreatedAt: now}
		byScreening[o.ScreeningID] = append(byScreening[o.ScreeningID], o.ID)
		places[o.ScreeningID] += o.Quantity
	}
	for _, id := range sortedKeys(byScreening) {
		if err := tx.ReturnRemaining(ctx, id, places[id]); err != nil {
			return 0, err
		}
	}
	if err := tx.InsertOrderEvents(ctx, events); err != nil {
		return 0, err
	}
	for _, id := range sortedKeys(byScreening) {
		if _, err := tx.DeleteClaims(ctx, id, byScreening[id]); err != nil {
			return 0, err
		}
	}
	return len(ended), tx.InsertEffects(ctx, effects)
}

// deadLetters ends holds that could not be settled once their time is up: the tombstone first, then the seats.
func (x *Expiry) deadLetters(ctx context.Context, now time.Time) (int, error) {
	due, err := x.store.DueDeadLetters(ctx, now.Add(-expiryGrace), expiryChunk)
	if err != nil {
		return 0, err
	}
	ended := 0
	var errs []error
	for _, d := range due {
		if err := x.compensate(ctx, d, now); err != nil { // it must not keep the ones behind it
			errs = append(errs, fmt.Errorf("compensate dead letter %s: %w", d.ID, err))
			continue
		}
		ended++
		x.kick()
	}
	return ended, errors.Join(errs...)
}

func (x *Expiry) compensate(ctx context.Context, d domain.DeadLetter, now time.Time) error {
	return x.store.InTx(ctx, func(tx *repo.Store) error {
		if _, err := tx.LockScreenings(ctx, []string{d.ScreeningID}); err != nil {
			return err
		}
		if err := tx.CloseDeadLetters(ctx, []string{d.OrderID}, domain.DeadLetterCompensated); err != nil {
			return err
		}
		tombstone := domain.Order{
			ID: d.OrderID, ScreeningID: d.ScreeningID, Status: domain.OrderExpired, Reason: domain.ReasonDeadLetter, Attempt: 1,
			Quantity: 1, AcceptedAt: d.CreatedAt, ExpiresAt: d.ExpiresAt,
		}
		if e, ok := eventOf(d); ok {
			tombstone.UserID, tombstone.Quantity, tombstone.AmountMinor = e.UserID, max(1, e.Quantity), max(0, e.AmountMinor)
		}
		inserted, err := tx.InsertOrders(ctx, []domain.Order{tombstone}, now)
		if err != nil || !inserted[d.OrderID] {
			return err
		}
		err = tx.InsertOrderEvents(ctx, []domain.OrderEvent{{OrderID: d.OrderID, Version: 1, To: domain.OrderExpired, Actor: expiryActor, Reason: domain.ReasonDeadLetter, At: now}})
		if err != nil {
			return err
		}
		return tx.InsertEffects(ctx, []domain.Effect{{ID: NewID(), Kind: domain.EffectGiveBack, ScreeningID: d.ScreeningID, OrderID: d.OrderID, Attempt: 1, CreatedAt: now}})
	})
}
