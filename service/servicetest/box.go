// Package servicetest wires the use cases on real stores for tests: SQLite with the embedded hold store, or
// PostgreSQL with a Redis server of the test's own. The loops run as they do in the program.
package servicetest

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"usher/jobs"
	"usher/repo"
	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
	"usher/test/testenv"
)

// Box is one instance of the box office without its pages.
type Box struct {
	Store      *repo.Store
	Redis      *holdstore.Store
	Server     *testenv.RedisServer // nil when embedded
	Clock      *service.Clock
	Catalog    *service.Catalog
	Settlement *service.Settlement
	Effects    *service.Effects
	Rebuild    *service.Rebuild
	Watchdog   *service.Watchdog
	Feed       *service.SeatFeed
	Holds      *service.Holds
	Orders     *service.Orders
	Expiry     *service.Expiry
	Now        *Time
	Log        *slog.Logger
}

// Options choose how a box behaves.
type Options struct {
	Ack        service.Ack
	Quiet      bool // no loops: the test drives every step itself
	Settlement service.SettlementOptions
	Consumer   string
}

// Time is a clock that can be moved; it runs.
type Time struct{ offset time.Duration }

// Now returns the moved time.
func (t *Time) Now() time.Time { return time.Now().Add(t.offset) }

// Forward moves the clock. Not safe while loops run.
func (t *Time) Forward(d time.Duration) { t.offset += d }

// Log returns a logger that is silent unless USHER_TEST_LOG is set.
func Log() *slog.Logger {
	if os.Getenv("USHER_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Embedded wires a box on SQLite and the hold store in this process.
func Embedded(t testing.TB, o Options) *Box {
	t.Helper()
	return Wire(t, repotest.New(t), holdstoretest.Embedded(t), nil, o)
}

// Real wires a box on PostgreSQL and Redis.
func Real(t testing.TB, o Options) *Box {
	t.Helper()
	hold, server := holdstoretest.Real(t)
	return Wire(t, repotest.Postgres(t), hold, server, o)
}

// Each runs the test on both pairs of stores.
func Each(t *testing.T, o Options, run func(t *testing.T, b *Box)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { t.Parallel(); run(t, Embedded(t, o)) })
	t.Run("production", func(t *testing.T) { t.Parallel(); run(t, Real(t, o)) })
}

// Wire makes a box on stores that are open already; a second box on the same stores is a second instance.
func Wire(t testing.TB, store *repo.Store, hold *holdstore.Store, server *testenv.RedisServer, o Options) *Box {
	t.Helper()
	log := Log()
	b := &Box{Store: store, Redis: hold, Server: server, Now: &Time{offset: time.Until(repotest.Now)}, Log: log}
	b.Clock = service.NewClock(b.Now.Now, log)
	b.Catalog = service.NewCatalog(store, b.Clock, log)
	b.Effects = service.NewEffects(store, hold, b.Clock, log)
	b.Settlement = service.NewSettlement(store, hold, b.Clock, b.Effects.Kick, log, o.Settlement)
	b.Rebuild = service.NewRebuild(store, hold, b.Settlement, b.Catalog, b.Clock, log)
	b.Watchdog = service.NewWatchdog(store, hold, b.Catalog, b.Rebuild, b.Clock, log)
	b.Feed = service.NewSeatFeed(store, hold, b.Catalog, b.Clock, log)
	receipts := service.NewReceipts([]byte("a secret of the tests"))
	ack := o.Ack
	if ack == "" {
		ack = service.AckRedis
		if hold.Embedded() {
			ack = service.AckSettled
		}
	}
	b.Holds = service.NewHolds(service.HoldsDeps{
		Store: store, Holds: hold, Catalog: b.Catalog, Feed: b.Feed, Settlement: b.Settlement, Rebuild: b.Rebuild, Watchdog: b.Watchdog,
		Receipts: receipts, Clock: b.Clock, Log: log,
	}, service.HoldsOptions{Ack: ack})
	b.Orders = service.NewOrders(store, hold, b.Catalog, receipts)
	b.Expiry = service.NewExpiry(store, b.Clock, time.Now, b.Effects.Kick, log)
	if !o.Quiet {
		b.loop(t, o.Consumer)
	}
	return b
}

func (b *Box) loop(t testing.TB, consumer string) {
	t.Helper()
	if consumer == "" {
		consumer = "box"
	}
	loops := jobs.NewLoops(context.Background(), b.Log)
	if err := jobs.FollowSeats(t.Context(), loops, b.Feed); err != nil {
		t.Fatalf("follow seats: %v", err)
	}
	jobs.Watch(loops, b.Watchdog)
	jobs.DeliverEffects(loops, b.Effects)
	loops.Every("expiry", time.Second, nil, func(ctx context.Context) error {
		_, err := b.Expiry.Run(ctx)
		return err
	})
	pool := jobs.NewPool(b.Settlement, consumer, 4, b.Log)
	pool.Start(context.Background())
	t.Cleanup(func() {
		pool.Stop(5 * time.Second)
		loops.Stop()
	})
}

// Eventually waits until the condition holds; it fails the test with the last reason when it does not in time.
func Eventually(t testing.TB, within time.Duration, condition func() (ok bool, reason string)) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		ok, reason := condition()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", within, reason)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Hold asks for seats under a key.
func (b *Box) Hold(ctx context.Context, sc *domain.Screening, user, key string, seats ...string) (service.Placed, error) {
	return b.Holds.Place(ctx, service.HoldRequest{ScreeningID: sc.ID, UserID: user, Key: key, Seats: seats})
}
