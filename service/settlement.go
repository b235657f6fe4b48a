package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sort"
	"sync/atomic"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/domain"
)

// Settlement writes holds into the ledger, a batch of one partition's events at a time.
//
// One batch is one transaction: lock the screenings, orders, limits, claims, remaining with its version,
// journal, cursor. A batch may come twice, to two workers at once, or from a worker that slept: the primary
// keys of orders and claims decide each hold and each seat once.
type Settlement struct {
	store *repo.Store
	holds *holdstore.Store
	clock *Clock
	kick  func() // wakes the effects runner
	log   *slog.Logger
	opts  SettlementOptions

	waiters *waiters
	settled atomic.Int64 // holds settled by this instance, for the rate
}

// SettlementOptions tune settlement.
type SettlementOptions struct {
	Batch        int           // entries of one batch, default and maximum 256
	Linger       time.Duration // wait for a fuller batch, default 5 ms
	LockTimeout  time.Duration // default 500 ms
	ConflictBase time.Duration // pause × attempt after a lost version, default 50 ms
	TakeOverIdle time.Duration // entries that nobody renewed for this long are taken over, default 10 s
}

// Limits of settlement (docs/settlement.md).
const (
	versionAttempts  = 3
	aloneDeliveries  = 5 // above: settled alone, dead-lettered when that fails with an error of its own
	finalDeliveries  = 8 // at this count: dead-lettered
	settlementActor  = "settlement"
	conflictJitterMS = 20
	batchPatience    = 20 * time.Second // for one transaction
	ackTries         = 8                // of an acknowledgement, before the batch is left to a later delivery
)

func (o *SettlementOptions) defaults() {
	if o.Batch <= 0 || o.Batch > 256 {
		o.Batch = 256
	}
	if o.Linger == 0 {
		o.Linger = 5 * time.Millisecond
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = 500 * time.Millisecond
	}
	if o.ConflictBase == 0 {
		o.ConflictBase = 50 * time.Millisecond
	}
	if o.TakeOverIdle == 0 {
		o.TakeOverIdle = 10 * time.Second
	}
}

// NewSettlement makes the use case; kick wakes the effects runner and may be nil.
func NewSettlement(store *repo.Store, holds *holdstore.Store, clock *Clock, kick func(), log *slog.Logger, opts SettlementOptions) *Settlement {
	opts.defaults()
	if kick == nil {
		kick = func() {}
	}
	return &Settlement{
		store: store, holds: holds, clock: clock, kick: kick, log: log.With("component", "settlement"), opts: opts, waiters: newWaiters(),
	}
}

// Settled returns how many holds this instance has settled since its start.
func (s *Settlement) Settled() int64 { return s.settled.Load() }

// Settle brings every entry of one partition's batch into the ledger (as an order in whatever state, or as a
// dead letter) and then acknowledges it. An error means that some entries are still owed: they stay pending and
// come again. domain.KindUnavailable says that the ledger is away or busy and nothing is anybody's fault.
func (s *Settlement) Settle(ctx context.Context, p int, entries []holdstore.Entry) error {
	var good []domain.Event
	for _, e := range entries {
		if e.Broken != nil {
			if err := s.bury(ctx, e.Event, e.Raw, e.Broken, 1); err != nil {
				return err
			}
			continue
		}
		good = append(good, e.Event)
	}
	failed, err := s.settleEvents(ctx, p, good)
	if err != nil {
		return err
	}
	done := entries
	if len(failed) > 0 {
		done = without(entries, failed)
	}
	return s.acknowledge(ctx, p, done)
}

// acknowledge tells the stream that the entries are in the ledger. It is repeated by itself: settling the batch
// anew would decide nothing and write effects again.
func (s *Settlement) acknowledge(ctx context.Context, p int, entries []holdstore.Entry) error {
	var err error
	pause := 50 * time.Millisecond
	for range ackTries {
		if err = s.holds.Done(ctx, p, entries); err == nil || domain.KindOf(err) != domain.KindUnavailable {
			break
		}
		if sleep(ctx, pause) != nil {
			break
		}
		pause = min(2*pause, 2*time.Second)
	}
	if err != nil {
		return fmt.Errorf("acknowledge batch of partition %d: %w", p, err)
	}
	return nil
}

func without(entries []holdstore.Entry, failed map[string]error) []holdstore.Entry {
	var out []holdstore.Entry
	for _, e := range entries {
		if failed[e.Event.StreamID] == nil {
			out = append(out, e)
		}
	}
	return out
}

// settleEvents returns the stream ids that failed with an error of their own.
func (s *Settlement) settleEvents(ctx context.Context, p int, events []domain.Event) (map[string]error, error) {
	if len(events) == 0 {
		return nil, nil
	}
	err := s.attempt(ctx, p, events, nil)
	var lost *versionLost
	switch {
	case err == nil:
		return nil, nil
	case errors.As(err, &lost):
		return s.settleConflicting(ctx, p, events, lost.screenings)
	case errors.Is(err, domain.ErrLockTimeout):
		return s.settleByScreening(ctx, p, events)
	case domain.KindOf(err) == domain.KindUnavailable || ctx.Err() != nil:
		return nil, err
	case len(events) == 1:
		s.log.ErrorContext(ctx, "entry cannot be settled", "stream_id", events[0].StreamID, "hold_id", events[0].HoldID, "error", err)
		return map[string]error{events[0].StreamID: err}, nil
	}
	s.log.WarnContext(ctx, "batch cannot be settled as a whole", "partition", p, "entries", len(events), "error", err)
	return s.each(ctx, p, events)
}

func (s *Settlement) each(ctx context.Context, p int, events []domain.Event) (map[string]error, error) {
	failed := map[string]error{}
	for _, e := range events {
		f, err := s.settleEvents(ctx, p, []domain.Event{e})
		if err != nil {
			return nil, err
		}
		for id, cause := range f {
			failed[id] = cause
		}
	}
	return failed, nil
}

// settleByScreening cuts a batch whose locks were not granted: a hot screening must not hold up the others.
func (s *Settlement) settleByScreening(ctx context.Context, p int, events []domain.Event) (map[string]error, error) {
	parts := byScreening(events)
	if len(parts) == 1 {
		return nil, domain.ErrLockTimeout
	}
	failed := map[string]error{}
	var busy error
	for _, part := range parts {
		f, err := s.settleEvents(ctx, p, part)
		if errors.Is(err, domain.ErrLockTimeout) {
			busy = err
			continue
		}
		if err != nil {
			return nil, err
		}
		for id, cause := range f {
			failed[id] = cause
		}
	}
	return failed, busy
}

// settleConflicting settles the screenings that kept their version, then each of the others by the rule of the
// optimistic lock: its part again after a growing pause, at most three attempts in all, then its orders one by
// one, and what still fails ends as failed with its seats given back.
func (s *Settlement) settleConflicting(ctx context.Context, p int, events []domain.Event, lost map[string]bool) (map[string]error, error) {
	var calm []domain.Event
	var hot [][]domain.Event
	for _, part := range byScreening(events) {
		if lost[part[0].ScreeningID] {
			hot = append(hot, part)
		} else {
			calm = append(calm, part...)
		}
	}
	failed, err := s.settleEvents(ctx, p, calm)
	if err != nil {
		return nil, err
	}
	if failed == nil {
		failed = map[string]error{}
	}
	for _, part := range hot {
		f, err := s.settleHot(ctx, p, part)
		if err != nil {
			return nil, err
		}
		for id, cause := range f {
			failed[id] = cause
		}
	}
	return failed, nil
}

func (s *Settlement) settleHot(ctx context.Context, p int, part []domain.Event) (map[string]error, error) {
	err := s.again(ctx, p, part, 1)
	var lost *versionLost
	if !errors.As(err, &lost) {
		return s.judged(ctx, p, part, err)
	}
	failed := map[string]error{}
	for _, e := range part {
		one := []domain.Event{e}
		err := s.again(ctx, p, one, 0)
		if errors.As(err, &lost) {
			s.log.WarnContext(ctx, "version lost for good", "hold_id", e.HoldID, "screening_id", e.ScreeningID)
			err = s.attempt(ctx, p, one, map[string]domain.Reason{e.HoldID: domain.ReasonVersionConflict})
		}
		f, err := s.judged(ctx, p, one, err)
		if err != nil {
			return nil, err
		}
		for id, cause := range f {
			failed[id] = cause
		}
	}
	return failed, nil
}

// again repeats an attempt that lost its version; made counts the attempts before.
func (s *Settlement) again(ctx context.Context, p int, part []domain.Event, made int) error {
	var err error
	var lost *versionLost
	for attempt := made + 1; attempt <= versionAttempts; attempt++ {
		if attempt > 1 {
			pause := s.opts.ConflictBase*time.Duration(attempt-1) + rand.N(conflictJitterMS*time.Millisecond)
			if err := sleep(ctx, pause); err != nil {
				return err
			}
		}
		s.log.InfoContext(ctx, "settle again after a lost version", "partition", p, "entries", len(part), "attempt", attempt)
		if err = s.attempt(ctx, p, part, nil); !errors.As(err, &lost) {
			return err
		}
	}
	return err
}

// judged sorts the outcome of one part like settleEvents does.
func (s *Settlement) judged(ctx context.Context, p int, part []domain.Event, err error) (map[string]error, error) {
	switch {
	case err == nil:
		return nil, nil
	case domain.KindOf(err) == domain.KindUnavailable || ctx.Err() != nil:
		return nil, err
	case len(part) == 1:
		return map[string]error{part[0].StreamID: err}, nil
	}
	return s.each(ctx, p, part)
}

// byScreening cuts events into one part per screening, each in stream order, parts in order of screening id.
func byScreening(events []domain.Event) [][]domain.Event {
	parts := map[string][]domain.Event{}
	var ids []string
	for _, e := range events {
		if parts[e.ScreeningID] == nil {
			ids = append(ids, e.ScreeningID)
		}
		parts[e.ScreeningID] = append(parts[e.ScreeningID], e)
	}
	sort.Strings(ids)
	out := make([][]domain.Event, len(ids))
	for i, id := range ids {
		out[i] = parts[id]
	}
	return out
}

// sleep waits for the pause or the end of the context.
func sleep(ctx context.Context, pause time.Duration) error {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait: %w", ctx.Err())
	case <-t.C:
		return nil
	}
}
