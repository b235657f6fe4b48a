package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"usher/handlers"
	"usher/handlers/admin"
	"usher/handlers/site"
	"usher/handlers/site/frame"
	"usher/jobs"
	"usher/service/paygate"
)

type serveCommand struct{}

// Run is the box office. Start: ledger, schema, Redis, use cases, loops, cron, listeners. Stop is the reverse
// (docs/architecture.md).
func (serveCommand) Run(ctx context.Context, out io.Writer, s *Settings) error {
	cfg, err := configured(s, out)
	if err != nil {
		return err
	}
	log := newLogger(cfg, out)
	a, err := open(ctx, cfg, log)
	if err != nil {
		return err
	}
	return errors.Join(a.serve(ctx, out), a.close())
}

// Bounds of serving.
const (
	graceRequests = 10 * time.Second
	graceJobs     = 5 * time.Second
	graceWorkers  = 8 * time.Second
	headerTimeout = 10 * time.Second
	bodyTimeout   = 30 * time.Second
	idleTimeout   = 2 * time.Minute
	headerMax     = 32 << 10
)

func (a *app) serve(ctx context.Context, out io.Writer) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", a.cfg.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err := a.prepare(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	stopping := make(chan struct{})
	handler, err := a.handler(listener.Addr(), metrics, stopping)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	work, err := a.startWork(ctx, metrics)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	public := &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: bodyTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: headerMax, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	ops := a.opsServer(metrics)
	failed := make(chan error, 2)
	go func() { failed <- public.Serve(listener) }()
	if ops != nil {
		go func() { failed <- ops.ListenAndServe() }()
	}
	a.greet(ctx, out, listener.Addr())
	select {
	case <-ctx.Done():
		err = nil
	case err = <-failed:
	}
	a.log.InfoContext(ctx, "stopping")
	close(stopping) // live streams end
	down, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceRequests)
	defer cancel()
	if shut := public.Shutdown(down); shut != nil {
		err = errors.Join(err, shut, public.Close()) // no handler may outlive the stores
	}
	if ops != nil {
		err = errors.Join(err, ops.Close())
	}
	work.stop()
	return err
}

// prepare makes what must be there before the first request.
func (a *app) prepare(ctx context.Context) error {
	if a.cfg.demo {
		if _, err := a.programme.LoadDemo(ctx); err != nil {
			return fmt.Errorf("load the demo cinema: %w", err)
		}
	}
	var err error
	if a.isDemo, err = a.programme.IsDemo(ctx); err != nil {
		return fmt.Errorf("look for the demo cinema: %w", err)
	}
	if a.cfg.AdminEmail != "" {
		if err := a.accounts.EnsureAdmin(ctx, a.cfg.AdminEmail, a.cfg.AdminPassword); err != nil {
			return fmt.Errorf("first staff account: %w", named(err))
		}
	}
	return a.settlement.EnsureGroups(ctx)
}

// handler builds the public handler. The sandbox gateway reaches us on the address we listen on.
func (a *app) handler(addr net.Addr, metrics prometheus.Registerer, stopping <-chan struct{}) (http.Handler, error) {
	player := &paygate.Player{
		Sandbox: a.sandbox, Client: &http.Client{Timeout: graceRequests}, CallbackURL: loopback(addr.String()) + "/api/v1/payments/sandbox/callback",
		Now: a.clock.Now, After: func(d time.Duration, run func()) { time.AfterFunc(d, run) }, Log: a.log,
	}
	proxies := make([]string, len(a.cfg.proxies))
	for i, p := range a.cfg.proxies {
		proxies[i] = p.String()
	}
	return handlers.New(handlers.Deps{
		Catalog: a.catalog, Feed: a.feed, Holds: a.holds, Orders: a.orders, Checkout: a.checkout, Cancel: a.cancel, Payments: a.payments,
		Tickets: a.tickets, Sessions: a.sessions, Accounts: a.accounts, Overview: a.overview, Clock: a.clock, Sandbox: player,
		Pages: a.pages(player), Now: time.Now, Stopping: stopping, Metrics: metrics, Log: a.log,
		Options: handlers.Options{PublicURL: a.cfg.PublicURL, TrustedProxies: proxies},
	})
}

// pages makes the moviegoers' and the staff's pages.
func (a *app) pages(player *paygate.Player) handlers.Pages {
	opts := frame.Options{Secure: a.cfg.public.Scheme == "https"}
	notes := admin.StoreNotes{Ledger: "PostgreSQL", HoldStore: "Redis"}
	if a.cfg.embedded() {
		notes = admin.StoreNotes{Ledger: "SQLite", HoldStore: admin.InProcess}
	}
	if a.isDemo {
		opts.Environment = "Demo"
	}
	f, visits := frame.New(a.catalog, a.clock, opts), frame.NewVisits(a.sessions, a.clock, opts)
	return frame.Pages{Frame: f, Parts: []frame.Routes{
		site.New(site.Deps{
			Frame: f, Visits: visits, Catalog: a.catalog, Feed: a.feed, Holds: a.holds, Orders: a.orders, Checkout: a.checkout, Cancel: a.cancel,
			Payments: a.payments, Tickets: a.tickets, Accounts: a.accounts, Sandbox: player, Secure: opts.Secure,
		}),
		admin.New(admin.Deps{
			Frame: f, Visits: visits, Catalog: a.catalog, Feed: a.feed, Accounts: a.accounts, Overview: a.overview, Sale: a.sale, Rebuild: a.rebuild,
			Owners: a.orders.Owners, Stores: notes,
		}),
	}}
}

// loopback is how this process reaches its own listener.
func loopback(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return (&url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}).String()
}

func (a *app) opsServer(metrics *prometheus.Registry) *http.Server {
	if a.cfg.OpsAddr == "off" {
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return &http.Server{Addr: a.cfg.OpsAddr, Handler: mux, ReadHeaderTimeout: headerTimeout}
}

// greet prints where the box office is, and the link with which the first staff member signs up.
func (a *app) greet(ctx context.Context, out io.Writer, addr net.Addr) {
	fmt.Fprintf(out, "\nusher %s is open: %s (listening on %s)\n", version(), a.cfg.PublicURL, addr)
	token, needed, err := a.accounts.SetupToken(ctx)
	switch {
	case err != nil:
		a.log.WarnContext(ctx, "no set-up link", "error", err)
	case needed:
		fmt.Fprintf(out, "First staff account: %s/staff/setup?token=%s\n\n", a.cfg.PublicURL, url.QueryEscape(token))
	default:
		fmt.Fprintf(out, "Staff: %s/staff\n\n", a.cfg.PublicURL)
	}
}

// work is everything that runs beside the listeners.
type work struct {
	app       *app
	loops     *jobs.Loops
	pool      *jobs.Pool
	scheduler *jobs.Scheduler
}

func (a *app) startWork(ctx context.Context, metrics prometheus.Registerer) (*work, error) {
	took := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "usher_job_seconds", Help: "Duration of cron jobs by name and outcome.", Buckets: prometheus.ExponentialBuckets(0.001, 4, 8),
	}, []string{"job", "outcome"})
	settled := prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "usher_holds_settled_total", Help: "Holds settled by this instance."},
		func() float64 { return float64(a.settlement.Settled()) })
	for _, c := range []prometheus.Collector{took, settled} {
		if err := metrics.Register(c); err != nil {
			return nil, fmt.Errorf("metrics: %w", err)
		}
	}
	w := &work{app: a, loops: jobs.NewLoops(ctx, a.log), pool: jobs.NewPool(a.settlement, a.instance.ID, a.cfg.workers, a.log)}
	w.scheduler = jobs.NewScheduler(a.store, a.instance.ID, a.clock.Now, func(job string, d time.Duration, err error) {
		outcome := "done"
		if err != nil {
			outcome = "failed"
		}
		took.WithLabelValues(job, outcome).Observe(d.Seconds())
	}, a.log)
	if err := jobs.FollowSeats(ctx, w.loops, a.feed); err != nil {
		w.loops.Stop()
		return nil, fmt.Errorf("follow the seats: %w", err)
	}
	jobs.Watch(w.loops, a.watchdog)
	jobs.DeliverEffects(w.loops, a.effects)
	jobs.Heartbeat(w.loops, a.instance)
	jobs.SampleRate(w.loops, a.overview)
	w.pool.Start(ctx)
	prune := func(ctx context.Context) error {
		_, err := a.sessions.Prune(ctx, 10_000)
		return err
	}
	for _, e := range []jobs.Entry{jobs.ExpireOrders(a.expiry), jobs.TrimStreams(a.settlement), jobs.Prune(a.effects, prune)} {
		if err := w.scheduler.Add(e); err != nil {
			return nil, fmt.Errorf("cron entry %s: %w", e.Name, err)
		}
	}
	w.scheduler.Start()
	return w, nil
}

// stop ends the work in the reverse order of its start; each step has its own patience.
func (w *work) stop() {
	w.scheduler.Stop(graceJobs)
	w.pool.Stop(graceWorkers)
	w.loops.Stop()
	leave, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := w.app.instance.Leave(leave); err != nil {
		w.app.log.Debug("heartbeat row not removed, it goes stale by itself", "error", err)
	}
}
