package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/domain"
)

// Claim delivers the next batch of new entries to the consumer. It waits up to block for the first one and then
// lingers a little for a fuller batch.
func (s *Settlement) Claim(ctx context.Context, p int, consumer string, block time.Duration) ([]holdstore.Entry, error) {
	entries, err := s.holds.ReadNew(ctx, p, consumer, s.opts.Batch, block)
	if err != nil || len(entries) == 0 {
		return nil, s.regroup(ctx, p, err)
	}
	deadline := time.NewTimer(s.opts.Linger)
	defer deadline.Stop()
	for len(entries) < s.opts.Batch {
		select {
		case <-ctx.Done():
			return entries, nil
		case <-deadline.C:
			more, err := s.holds.ReadNew(ctx, p, consumer, s.opts.Batch-len(entries), 0)
			if err != nil {
				return entries, nil // what was read is settled; the next read meets the error again
			}
			return append(entries, more...), nil
		}
	}
	return entries, nil
}

// Own delivers once more what the consumer has pending, from before a restart, beginning after the given id.
func (s *Settlement) Own(ctx context.Context, p int, consumer, after string) ([]holdstore.Entry, error) {
	entries, err := s.holds.ReadOwn(ctx, p, consumer, after, s.opts.Batch)
	return entries, s.regroup(ctx, p, err)
}

// regroup makes the consumer group again after the server lost it; it begins at the first entry.
func (s *Settlement) regroup(ctx context.Context, p int, err error) error {
	if domain.CodeOf(err) != "no_group" {
		return err
	}
	return s.holds.EnsureGroup(ctx, p)
}

// EnsureGroups makes the event streams and their consumer groups.
func (s *Settlement) EnsureGroups(ctx context.Context) error {
	for p := range domain.Partitions {
		if err := s.holds.EnsureGroup(ctx, p); err != nil {
			return fmt.Errorf("make the group of partition %d: %w", p, err)
		}
	}
	return nil
}

// Renew tells the group that the batch is still being worked on.
func (s *Settlement) Renew(ctx context.Context, p int, consumer string, entries []holdstore.Entry) error {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.Event.StreamID
	}
	return s.holds.Renew(ctx, p, consumer, ids)
}

// Rescue takes over entries that nobody has renewed, settles them, and ends those that were delivered too
// often. Each that was delivered more than five times is settled alone; it becomes a dead letter when that
// fails with an error of its own, or at the eighth delivery. It returns how many entries it took.
func (s *Settlement) Rescue(ctx context.Context, p int, consumer string) (int, error) {
	if err := s.ledgerAlive(ctx); err != nil {
		return 0, err // nobody takes over while the ledger is away: it would only count as deliveries
	}
	if err := s.forgetCut(ctx, p); err != nil {
		return 0, s.regroup(ctx, p, err)
	}
	entries, err := s.holds.TakeOver(ctx, p, consumer, s.opts.TakeOverIdle, s.opts.Batch)
	if err != nil || len(entries) == 0 {
		return 0, s.regroup(ctx, p, err)
	}
	deliveries, err := s.deliveries(ctx, p)
	if err != nil {
		return 0, err
	}
	var together, alone []holdstore.Entry
	for _, e := range entries {
		if deliveries[e.Event.StreamID] <= aloneDeliveries {
			together = append(together, e)
		} else {
			alone = append(alone, e)
		}
	}
	s.log.InfoContext(ctx, "took over entries", "partition", p, "entries", len(entries))
	if err := s.Settle(ctx, p, together); err != nil {
		return 0, err
	}
	for _, e := range alone {
		if err := s.settleAlone(ctx, p, e, deliveries[e.Event.StreamID]); err != nil {
			return 0, err
		}
	}
	return len(entries), nil
}

func (s *Settlement) deliveries(ctx context.Context, p int) (map[string]int64, error) {
	out := map[string]int64{}
	after := ""
	for {
		list, err := s.holds.Pending(ctx, p, after, 1000)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			out[e.StreamID] = e.Deliveries
		}
		if len(list) < 1000 {
			return out, nil
		}
		after = list[len(list)-1].StreamID
	}
}

func (s *Settlement) settleAlone(ctx context.Context, p int, e holdstore.Entry, deliveries int64) error {
	cause := e.Broken
	if cause == nil {
		failed, err := s.settleEvents(ctx, p, []domain.Event{e.Event})
		switch {
		case err == nil:
			cause = failed[e.Event.StreamID]
		case deliveries >= finalDeliveries && s.toBlame(ctx, err):
			again, err := s.settleEvents(ctx, p, []domain.Event{e.Event}) // the ledger answers: once more before the end
			if cause = again[e.Event.StreamID]; err != nil {
				cause = err
			}
		default:
			return err
		}
	}
	if cause != nil {
		if err := s.bury(ctx, e.Event, e.Raw, cause, int(deliveries)); err != nil {
			return err
		}
	}
	return s.holds.Done(ctx, p, []holdstore.Entry{e})
}

// toBlame reports whether an error that may pass is the entry's own all the same: the ledger answers, and
// nobody holds a lock.
func (s *Settlement) toBlame(ctx context.Context, err error) bool {
	return !errors.Is(err, domain.ErrLockTimeout) && !errors.Is(err, domain.ErrSerialization) && ctx.Err() == nil && s.ledgerAlive(ctx) == nil
}

// ledgerAlive asks the ledger for a sign of life, and not for longer than one is worth.
func (s *Settlement) ledgerAlive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, alivePatience)
	defer cancel()
	return s.store.Ping(ctx)
}

const alivePatience = 2 * time.Second

// bury makes a dead letter of an event. Its seats stay until its expiry, then the expiry job gives them back.
func (s *Settlement) bury(ctx context.Context, e domain.Event, raw string, cause error, deliveries int) error {
	s.log.ErrorContext(ctx, "dead letter", "stream_id", e.StreamID, "hold_id", e.HoldID, "error", cause)
	err := s.store.InsertDeadLetter(ctx, deadLetterOf(e, raw, cause.Error(), deliveries, s.clock.Now()))
	if err != nil {
		return fmt.Errorf("write dead letter of %s: %w", e.StreamID, err)
	}
	return nil
}

func deadLetterOf(e domain.Event, raw, lastError string, deliveries int, now time.Time) domain.DeadLetter {
	expires := e.ExpiresAt
	if expires.IsZero() {
		expires = now
	}
	if raw == "" {
		text, err := json.Marshal(e)
		if err != nil {
			panic("dead letter: " + err.Error()) // an event always marshals
		}
		raw = string(text)
	}
	return domain.DeadLetter{
		ID: NewID(), Source: settlementActor, Partition: e.Partition, StreamID: e.StreamID, ScreeningID: e.ScreeningID, OrderID: e.HoldID,
		Payload: raw, LastError: lastError[:min(len(lastError), 2000)], Deliveries: deliveries, ExpiresAt: expires, CreatedAt: now,
	}
}

// forgetCut acknowledges pending ids whose entries were cut from the stream by somebody else; the holds behind
// them are found by reconciliation, one log line each.
func (s *Settlement) forgetCut(ctx context.Context, p int) error {
	pending, err := s.holds.Pending(ctx, p, "", s.opts.Batch)
	if err != nil {
		return err
	}
	var idle []string
	for _, e := range pending {
		if e.Idle >= s.opts.TakeOverIdle {
			idle = append(idle, e.StreamID)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	there, err := s.holds.Get(ctx, p, idle)
	if err != nil || len(there) == len(idle) {
		return err
	}
	found := map[string]bool{}
	for _, e := range there {
		found[e.Event.StreamID] = true
	}
	var cut []string
	for _, id := range idle {
		if !found[id] {
			s.log.ErrorContext(ctx, "an entry was cut from the stream before it was settled", "partition", p, "stream_id", id)
			cut = append(cut, id)
		}
	}
	return s.holds.Forget(ctx, p, cut)
}

// Trim drops settled entries that are older than ten minutes.
func (s *Settlement) Trim(ctx context.Context) error {
	var errs []error
	for p := range domain.Partitions {
		_, err := s.holds.TrimSafely(ctx, p, s.clock.Now().Add(-streamKept))
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// streamKept is how long settled entries stay, so that a ledger that fell back can be settled forward again.
const streamKept = 10 * time.Minute

// Backlog is what settlement still owes.
type Backlog struct {
	InFlight     int64
	Lag          time.Duration // age of the oldest hold that is not settled
	StreamLength int64
	DeadLetters  repo.Backlog
	EffectsDue   repo.Backlog
}

// Backlog reads the gauges of all partitions and of the ledger.
func (s *Settlement) Backlog(ctx context.Context) (Backlog, error) {
	var out Backlog
	for p := range domain.Partitions {
		pr, err := s.holds.Progress(ctx, p, s.clock.Now())
		if err != nil {
			return out, err
		}
		out.InFlight += pr.InFlight
		out.StreamLength += pr.Length
		out.Lag = max(out.Lag, pr.Oldest)
	}
	var err error
	if out.DeadLetters, err = s.store.DeadLettersOpen(ctx); err != nil {
		return out, err
	}
	out.EffectsDue, err = s.store.EffectsDue(ctx)
	return out, err
}

// Drain settles the entries for a rebuild, whoever they are pending for. What cannot be settled becomes a dead
// letter at once: the rebuild must know of every hold.
func (s *Settlement) Drain(ctx context.Context, p int, entries []holdstore.Entry) error {
	var good []domain.Event
	for _, e := range entries {
		if e.Broken == nil {
			good = append(good, e.Event)
		} else if err := s.bury(ctx, e.Event, e.Raw, e.Broken, 1); err != nil {
			return err
		}
	}
	failed, err := s.settleEvents(ctx, p, good)
	if err != nil {
		return err
	}
	for _, e := range good {
		if cause := failed[e.StreamID]; cause != nil {
			if err := s.bury(ctx, e, "", cause, finalDeliveries); err != nil {
				return err
			}
		}
	}
	return s.holds.Done(ctx, p, entries)
}

// Entry is one delivered entry of an event stream, as jobs hand it from Claim to Settle.
type Entry = holdstore.Entry
