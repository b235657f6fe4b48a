package service

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
)

// Overview gathers what staff look at first: what settlement owes, what waits for a person, whether the stores
// answer. It reads gauges and decides nothing.
type Overview struct {
	store      *repo.Store
	holds      *holdstore.Store
	settlement *Settlement
	watchdog   *Watchdog
	feed       *SeatFeed
	clock      *Clock
	log        *slog.Logger

	mu      sync.Mutex
	samples []rateSample // ascending, the last rateWindow and one before
}

type rateSample struct {
	at    time.Time
	count int64
}

// Bounds of the overview.
const (
	rateWindow  = 10 * time.Second
	rateSpacing = 500 * time.Millisecond // samples that come sooner are left out
	storeSlow   = 250 * time.Millisecond
	storeDown   = time.Second
)

// NewOverview makes the use case.
func NewOverview(store *repo.Store, holds *holdstore.Store, settlement *Settlement, watchdog *Watchdog, feed *SeatFeed, clock *Clock, log *slog.Logger) *Overview { //nolint:revive // it looks at all of them
	o := &Overview{
		store: store, holds: holds, settlement: settlement, watchdog: watchdog, feed: feed, clock: clock, log: log.With("component", "overview"),
	}
	o.Sample()
	return o
}

// StoreState says whether a store answers.
type StoreState string

// The states of a store.
const (
	StoreUp   StoreState = "up"
	StoreSlow StoreState = "slow"
	StoreDown StoreState = "down"
)

// Gauges is the overview as of now. Numbers of a store that is down are zero.
type Gauges struct {
	InFlight          int64
	Lag               time.Duration // age of the oldest hold that is not settled
	Rate              float64       // holds that this instance settled, per second, over the last ten
	DeadLetters       int64
	DeadLettersOldest time.Duration
	EffectsDue        int64
	EffectsOldest     time.Duration
	Viewers           int // of seat maps, live, on this instance
	Ledger            StoreState
	HoldStore         StoreState
}

// Sample notes how much is settled. A job that calls it each second lets the first look at the overview have a
// rate; without one the rate begins with the second look.
func (o *Overview) Sample() { o.rate(o.clock.Now()) }

// Now reads the gauges. A store that is away is part of the answer, not an error.
func (o *Overview) Now(ctx context.Context) (Gauges, error) {
	now := o.clock.Now()
	g := Gauges{Rate: o.rate(now), Viewers: o.feed.Viewers()}
	g.Ledger, g.HoldStore = pinged(ctx, o.store.Ping), pinged(ctx, o.holds.Ping)
	if g.Ledger == StoreDown || g.HoldStore == StoreDown {
		return g, ctx.Err()
	}
	b, err := o.settlement.Backlog(ctx)
	if err != nil {
		o.log.WarnContext(ctx, "overview without the backlog", "error", err)
		return g, err
	}
	g.InFlight, g.Lag = b.InFlight, b.Lag
	g.DeadLetters, g.DeadLettersOldest = b.DeadLetters.Count, ageOf(b.DeadLetters.Oldest, now)
	g.EffectsDue, g.EffectsOldest = b.EffectsDue.Count, ageOf(b.EffectsDue.Oldest, now)
	return g, nil
}

func ageOf(oldest, now time.Time) time.Duration {
	if oldest.IsZero() {
		return 0
	}
	return max(0, now.Sub(oldest))
}

// pinged asks a store for a sign of life within storeDown.
func pinged(ctx context.Context, ping func(context.Context) error) StoreState {
	patient, cancel := context.WithTimeout(ctx, storeDown)
	defer cancel()
	quick, done := context.WithTimeout(patient, storeSlow)
	defer done()
	answered := make(chan error, 1)
	go func() { answered <- ping(patient) }()
	select {
	case err := <-answered:
		return stateAfter(err, StoreUp)
	case <-quick.Done():
		return stateAfter(<-answered, StoreSlow)
	}
}

func stateAfter(err error, state StoreState) StoreState {
	if err != nil {
		return StoreDown
	}
	return state
}

// rate notes a sample and returns the holds per second since the oldest one of the window.
func (o *Overview) rate(now time.Time) float64 {
	count := o.settlement.Settled()
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.samples); n == 0 || now.Sub(o.samples[n-1].at) >= rateSpacing {
		o.samples = append(o.samples, rateSample{at: now, count: count})
	}
	for len(o.samples) > 1 && (now.Sub(o.samples[1].at) >= rateWindow || now.Sub(o.samples[0].at) > 2*rateWindow) {
		o.samples = o.samples[1:]
	}
	first := o.samples[0]
	if passed := now.Sub(first.at).Seconds(); passed > 0 {
		return float64(count-first.count) / max(passed, rateSpacing.Seconds())
	}
	return 0
}

// Readiness names what keeps this instance from taking requests; empty when nothing does. A ledger that is away
// does not: holds go on.
func (o *Overview) Readiness() []string {
	var reasons []string
	if !o.watchdog.Ready() {
		reasons = append(reasons, "hold_store_not_ready")
	}
	if !o.clock.Usable() {
		reasons = append(reasons, "clock_off")
	}
	return reasons
}
