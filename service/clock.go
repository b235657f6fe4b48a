package service

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"usher/repo"
)

// Clock tells the ledger's time: what the ledger said when it was measured last, and what this machine's monotonic
// clock has counted since. A step of this machine's wall clock changes nothing. All times that usher writes or
// compares are the ledger's.
type Clock struct {
	local func() time.Time
	log   *slog.Logger

	mu     sync.RWMutex
	ledger time.Time // at the last measurement
	at     time.Time // the local clock then, with its monotonic reading
}

// Bounds of a clock that is off, and of a measurement that says something.
const (
	clockWarnAbove   = 2 * time.Second
	clockRefuseAbove = 5 * time.Minute
	clockRoundTrip   = 500 * time.Millisecond
)

// NewClock begins with the local time. local must keep its monotonic reading, as time.Now does.
func NewClock(local func() time.Time, log *slog.Logger) *Clock {
	now := local()
	return &Clock{local: local, log: log.With("component", "clock"), ledger: now, at: now}
}

// Now returns the ledger's time in UTC, in whole microseconds.
func (c *Clock) Now() time.Time {
	c.mu.RLock()
	ledger, at := c.ledger, c.at
	c.mu.RUnlock()
	return ledger.Add(c.local().Sub(at)).UTC().Round(0).Truncate(time.Microsecond)
}

// Offset returns how far this machine's wall clock is behind the ledger's.
func (c *Clock) Offset() time.Duration { return c.Now().Sub(c.local().Round(0)) }

// Usable reports whether the local clock is near enough to the ledger's to take holds.
func (c *Clock) Usable() bool { return c.Offset().Abs() <= clockRefuseAbove }

// Measure asks the ledger for its time. Half of the round trip is taken as the way back; one that took too long
// says nothing and is left out.
func (c *Clock) Measure(ctx context.Context, store *repo.Store) error {
	before := c.local()
	theirs, err := store.Now(ctx, c.local)
	if err != nil {
		return err
	}
	after := c.local()
	if trip := after.Sub(before); trip > clockRoundTrip {
		c.log.DebugContext(ctx, "clock not measured, the ledger answered slowly", "ms", trip.Milliseconds())
		return nil
	}
	c.mu.Lock()
	c.ledger, c.at = theirs, before.Add(after.Sub(before)/2)
	c.mu.Unlock()
	if offset := c.Offset(); offset.Abs() > clockWarnAbove {
		c.log.WarnContext(ctx, "this machine's clock differs from the ledger's", "offset_ms", offset.Milliseconds())
	}
	return nil
}
