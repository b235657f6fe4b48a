package service

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/domain"
)

// Watchdog looks at every on-sale screening each second and rebuilds those whose hold-store data cannot be
// trusted: other epochs, a shut gate without a rebuilder, another server process, a missing key. The condition
// decides, never what somebody remembers having begun.
type Watchdog struct {
	store   *repo.Store
	holds   *holdstore.Store
	catalog *Catalog
	rebuild *Rebuild
	clock   *Clock
	log     *slog.Logger

	mu      sync.Mutex
	waiting map[string]bool // screenings with waiting requests: rebuilt first
	wake    chan struct{}
	ready   bool
	ranAt   time.Time
}

// watchdogRest is the least pause between two runs that requests asked for.
const watchdogRest = 200 * time.Millisecond

// NewWatchdog makes the use case.
func NewWatchdog(store *repo.Store, holds *holdstore.Store, catalog *Catalog, rebuild *Rebuild, clock *Clock, log *slog.Logger) *Watchdog {
	return &Watchdog{
		store: store, holds: holds, catalog: catalog, rebuild: rebuild, clock: clock, log: log.With("component", "watchdog"),
		waiting: map[string]bool{}, wake: make(chan struct{}, 1),
	}
}

// Ask tells that a request waits for the screening.
func (w *Watchdog) Ask(screeningID string) {
	w.mu.Lock()
	w.waiting[screeningID] = true
	early := w.clock.Now().Sub(w.ranAt) < watchdogRest
	w.mu.Unlock()
	if early {
		return // the next run is near; a crowd of refused buyers must not make it run without a pause
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Woken receives after an Ask.
func (w *Watchdog) Woken() <-chan struct{} { return w.wake }

// Ready reports whether the last run found the hold store answering this instance. A ledger that is away or a
// screening that cannot be rebuilt is no reason to send buyers elsewhere: it would be the same there.
func (w *Watchdog) Ready() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ready
}

// Run is one look. It returns how many screenings were rebuilt.
func (w *Watchdog) Run(ctx context.Context) (rebuilt int, err error) {
	err = w.holds.Mark(ctx)
	w.answered(err == nil)
	if err != nil {
		return 0, err
	}
	states, err := w.store.ScreeningStates(ctx, w.clock.Now())
	if err != nil {
		return 0, err
	}
	w.catalog.Refresh(states)
	asked := w.takeWaiting()
	var byPartition [domain.Partitions][]domain.Screening
	for _, st := range states {
		if st.HoldMode == domain.HoldModeRedis {
			byPartition[st.Partition] = append(byPartition[st.Partition], domain.Screening{ID: st.ID, Kind: st.Kind, Epoch: st.Epoch, Partition: st.Partition})
		}
	}
	var errs []error
	for p, list := range byPartition {
		if len(list) == 0 {
			continue
		}
		n, err := w.partition(ctx, p, list, asked)
		rebuilt += n
		errs = append(errs, err)
	}
	return rebuilt, errors.Join(errs...)
}

func (w *Watchdog) answered(yes bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ready, w.ranAt = yes, w.clock.Now()
}

func (w *Watchdog) takeWaiting() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.waiting
	w.waiting = map[string]bool{}
	return taken
}

func (w *Watchdog) partition(ctx context.Context, p int, list []domain.Screening, asked map[string]bool) (int, error) {
	conditions, err := w.holds.Conditions(ctx, p, list)
	if err != nil {
		return 0, err
	}
	var first, rest []domain.Screening
	for _, sc := range list {
		if sound(conditions[sc.ID], sc.Epoch) {
			continue
		}
		if asked[sc.ID] {
			first = append(first, sc)
		} else {
			rest = append(rest, sc)
		}
	}
	n := 0
	for _, part := range [][]domain.Screening{first, rest} {
		if len(part) == 0 {
			continue
		}
		began := w.clock.Now()
		if err := w.rebuild.Partition(ctx, p, part); err != nil {
			return n, err
		}
		n += len(part)
		w.log.InfoContext(ctx, "partition rebuilt", "partition", p, "screenings", len(part), "ms", w.clock.Now().Sub(began).Milliseconds())
	}
	return n, nil
}
