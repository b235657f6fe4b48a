package service

import (
	"context"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
)

// Instance is this process among its peers: a row in the ledger that is renewed each second.
type Instance struct {
	ID        string
	startedAt time.Time
	store     *repo.Store
	holds     *holdstore.Store
	clock     *Clock
}

// NewInstance names this process. The id is stable across restarts, so that it finds its own pending entries.
func NewInstance(id string, store *repo.Store, holds *holdstore.Store, clock *Clock) *Instance {
	return &Instance{ID: id, startedAt: clock.Now(), store: store, holds: holds, clock: clock}
}

const pingPatience = 500 * time.Millisecond

// Beat writes the heartbeat, with whether the hold store is out of reach from here.
func (i *Instance) Beat(ctx context.Context) error {
	ping, cancel := context.WithTimeout(ctx, pingPatience)
	away := i.holds.Ping(ping) != nil
	cancel()
	return i.store.Beat(ctx, i.ID, i.startedAt, i.clock.Now(), away)
}

// MeasureClock compares the clock with the ledger's.
func (i *Instance) MeasureClock(ctx context.Context) error { return i.clock.Measure(ctx, i.store) }

// Leave removes the heartbeat at a clean stop.
func (i *Instance) Leave(ctx context.Context) error { return i.store.RemoveInstance(ctx, i.ID) }
