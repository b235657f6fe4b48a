package service

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"usher/repo"
)

// Clock tells the ledger's time: the local clock plus the offset that was measured last. All times that usher
// writes or compares are the ledger's.
type Clock struct {
	local  func() time.Time
	offset atomic.Int64
	log    *slog.Logger
}

// Bounds of a clock that is off.
const (
	clockWarnAbove   = 2 * time.Second
	clockRefuseAbove = 5 * time.Minute
)

// NewClock begins with no offset.
func NewClock(local func() time.Time, log *slog.Logger) *Clock {
	return &Clock{local: local, log: log.With("component", "clock")}
}

// Now returns the ledger's time in UTC, in whole microseconds.
func (c *Clock) Now() time.Time {
	return c.local().Add(time.Duration(c.offset.Load())).UTC().Truncate(time.Microsecond)
}

// Offset returns what is added to the local clock.
func (c *Clock) Offset() time.Duration { return time.Duration(c.offset.Load()) }

// Usable reports whether the local clock is near enough to the ledger's to take holds.
func (c *Clock) Usable() bool { return c.Offset().Abs() <= clockRefuseAbove }

// Measure asks the ledger for its time. Half of the round trip is taken as the way back.
func (c *Clock) Measure(ctx context.Context, store *repo.Store) error {
	before := c.local()
	theirs, err := store.Now(ctx, c.local)
	if err != nil {
		return err
	}
	after := c.local()
	offset := theirs.Sub(before.Add(after.Sub(before) / 2))
	if offset.Abs() > clockWarnAbove {
		c.log.WarnContext(ctx, "this machine's clock differs from the ledger's", "offset_ms", offset.Milliseconds())
	}
	c.offset.Store(int64(offset))
	return nil
}
