package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service"
	"usher/service/paygate"
)

// app is the box office without its pages and loops.
type app struct {
	cfg    *config
	log    *slog.Logger
	store  *repo.Store
	redis  *holdstore.Store
	secret []byte

	clock      *service.Clock
	catalog    *service.Catalog
	effects    *service.Effects
	settlement *service.Settlement
	rebuild    *service.Rebuild
	watchdog   *service.Watchdog
	feed       *service.SeatFeed
	holds      *service.Holds
	orders     *service.Orders
	expiry     *service.Expiry
	checkout   *service.Checkout
	cancel     *service.Cancel
	payments   *service.Payments
	tickets    *service.Tickets
	accounts   *service.Accounts
	sessions   *service.Sessions
	programme  *service.Programme
	sale       *service.Sale
	instance   *service.Instance
	overview   *service.Overview
	isDemo     bool // the ledger's cinema is the demo's; every page says so
	sandbox    *paygate.Sandbox
}

func newLogger(cfg *config, out io.Writer) *slog.Logger {
	if cfg.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(out, nil))
	}
	return slog.New(slog.NewTextHandler(out, nil))
}

// openLedger opens the ledger, waits for it and brings its schema up to date.
func openLedger(ctx context.Context, cfg *config, log *slog.Logger) (*repo.Store, error) {
	store, err := repo.Open(repo.Options{URL: cfg.DatabaseURL, File: filepath.Join(cfg.DataDir, "usher.db")}, log)
	if err != nil {
		return nil, err
	}
	err = waitReady(ctx, cfg.patience, store.Ping, func(err error) { log.WarnContext(ctx, "waiting for the ledger", "error", err) })
	if err == nil {
		_, err = store.Migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ledger: %w", err), store.Close())
	}
	return store, nil
}

// openHoldStore opens the hold store, waits for it and refuses one that forgets.
func openHoldStore(ctx context.Context, cfg *config, log *slog.Logger) (*holdstore.Store, error) {
	redis, err := holdstore.Open(holdstore.Options{URL: cfg.RedisURL})
	if err != nil {
		return nil, err
	}
	err = waitReady(ctx, cfg.patience, redis.Ping, func(err error) { log.WarnContext(ctx, "waiting for Redis", "error", err) })
	if err == nil && !cfg.anyRedis {
		var faults []string
		if faults, err = redis.Faults(ctx); len(faults) > 0 {
			err = fmt.Errorf("%s (USHER_ANY_REDIS=yes starts all the same)", strings.Join(faults, "; "))
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("redis: %w", err), redis.Close())
	}
	return redis, nil
}

// open opens both stores and makes every use case.
func open(ctx context.Context, cfg *config, log *slog.Logger) (*app, error) {
	store, err := openLedger(ctx, cfg, log)
	if err != nil {
		return nil, err
	}
	redis, err := openHoldStore(ctx, cfg, log)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	a := &app{cfg: cfg, log: log, store: store, redis: redis}
	if a.secret, err = cfg.secret(); err == nil {
		err = a.wire(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

func (a *app) close() error { return errors.Join(a.redis.Close(), a.store.Close()) }

// wire makes the use cases, leaf first.
func (a *app) wire(ctx context.Context) error {
	log, store, redis := a.log, a.store, a.redis
	a.clock = service.NewClock(time.Now, log)
	if err := a.clock.Measure(ctx, store); err != nil {
		return fmt.Errorf("measure the clock: %w", err)
	}
	a.catalog = service.NewCatalog(store, a.clock, log)
	a.effects = service.NewEffects(store, redis, a.clock, log)
	a.settlement = service.NewSettlement(store, redis, a.clock, a.effects.Kick, log, service.SettlementOptions{})
	a.rebuild = service.NewRebuild(store, redis, a.settlement, a.catalog, a.clock, log)
	a.watchdog = service.NewWatchdog(store, redis, a.catalog, a.rebuild, a.clock, log)
	a.feed = service.NewSeatFeed(store, redis, a.catalog, a.clock, log)
	receipts := service.NewReceipts(a.secret)
	a.holds = service.NewHolds(service.HoldsDeps{
		Store: store, Holds: redis, Catalog: a.catalog, Feed: a.feed, Settlement: a.settlement, Rebuild: a.rebuild,
		Watchdog: a.watchdog, Receipts: receipts, Clock: a.clock, Log: log,
	}, service.HoldsOptions{Ack: a.cfg.ack})
	a.orders = service.NewOrders(store, redis, a.catalog, receipts)
	a.expiry = service.NewExpiry(store, a.clock, time.Now, a.effects.Kick, log)
	a.sale = service.NewSale(store, a.catalog, a.clock, a.effects.Kick)
	a.programme = service.NewProgramme(store, a.clock)
	a.instance = service.NewInstance(a.cfg.instance, store, redis, a.clock)
	a.overview = service.NewOverview(store, redis, a.settlement, a.watchdog, a.feed, a.clock, log)
	return a.wirePeople()
}

func (a *app) wirePeople() error {
	var err error
	if a.sandbox, err = paygate.NewSandbox(service.DeriveKey(a.secret, "usher sandbox gateway v1")); err != nil {
		return err
	}
	if a.tickets, err = service.NewTickets(a.secret); err != nil {
		return err
	}
	passwords, err := service.NewPasswords()
	if err != nil {
		return err
	}
	a.checkout = service.NewCheckout(a.store, a.clock, a.sandbox, a.orders.InFlight, a.effects.Kick, a.log)
	a.cancel = service.NewCancel(a.store, a.clock, a.orders.InFlight, a.effects.Kick, a.log)
	a.payments = service.NewPayments(a.store, a.clock, a.sandbox, a.effects.Kick, a.log)
	a.effects.SetRefunds(a.payments.DeliverRefund)
	a.accounts = service.NewAccounts(a.store, a.clock, passwords, a.log)
	a.sessions = service.NewSessions(a.store, a.clock)
	return nil
}

// secret returns the configured secret, or the one that the data folder keeps; embedded mode makes it once.
func (c *config) secret() ([]byte, error) {
	if c.Secret != "" {
		return []byte(c.Secret), nil
	}
	file := filepath.Join(c.DataDir, "secret")
	text, err := os.ReadFile(file) //nolint:gosec // the person who deploys names the folder
	if err == nil && len(text) >= minSecret {
		return text, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the secret: %w", err)
	}
	text = []byte(rand.Text() + rand.Text())
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, fmt.Errorf("keep the secret: %w", err)
	}
	return text, nil
}
