// Package handlertest starts the whole box office behind its public listener for tests: SQLite with the embedded
// hold store, or PostgreSQL with a Redis server of the test's own. Loops run as they do in the program.
package handlertest

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"usher/handlers"
	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
	"usher/service/paygate"
	"usher/service/servicetest"
)

// House is a running box office.
type House struct {
	*servicetest.Box
	URL      string
	Server   *httptest.Server
	Handler  http.Handler
	Gateway  *paygate.Sandbox
	Sessions *service.Sessions
	Accounts *service.Accounts
	Overview *service.Overview
	Tickets  *service.Tickets
	Metrics  *prometheus.Registry
	Log      *Log

	stop func()
}

// Options choose how a house is built.
type Options struct {
	Box      servicetest.Options
	Handlers handlers.Options
	Change   func(*handlers.Deps) // last word on what the handlers get; may be nil
	Small    bool                 // connections with the smallest send buffers, so that a stalled reader is noticed soon
}

const secret = "a secret of the tests, long enough"

// Start opens a house on SQLite and the embedded hold store.
func Start(t testing.TB, o Options) *House {
	t.Helper()
	return Open(t, servicetest.Embedded(t, o.Box), o)
}

// Each runs the test on both pairs of stores.
func Each(t *testing.T, o Options, run func(t *testing.T, h *House)) {
	t.Helper()
	servicetest.Each(t, o.Box, func(t *testing.T, b *servicetest.Box) { run(t, Open(t, b, o)) })
}

// Open puts the public listener in front of a box.
func Open(t testing.TB, b *servicetest.Box, o Options) *House {
	t.Helper()
	h := &House{Box: b, Metrics: prometheus.NewRegistry(), Log: &Log{}}
	log := slog.New(slog.NewTextHandler(h.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	passwords, err := service.NewPasswords()
	must(t, "make passwords", err)
	h.Gateway, err = paygate.NewSandbox([]byte(secret))
	must(t, "make the gateway", err)
	h.Tickets, err = service.NewTickets([]byte(secret))
	must(t, "make tickets", err)
	h.Accounts = service.NewAccounts(b.Store, b.Clock, passwords, b.Log)
	h.Sessions = service.NewSessions(b.Store, b.Clock)
	h.Overview = service.NewOverview(b.Store, b.Redis, b.Settlement, b.Watchdog, b.Feed, b.Clock, b.Log)
	payments := service.NewPayments(b.Store, b.Clock, h.Gateway, b.Effects.Kick, b.Log)
	b.Effects.SetRefunds(payments.DeliverRefund)

	h.Server = httptest.NewUnstartedServer(nil)
	h.URL = "http://" + h.Server.Listener.Addr().String()
	if o.Handlers.PublicURL == "" {
		o.Handlers.PublicURL = h.URL
	}
	stopping := make(chan struct{})
	h.stop = sync.OnceFunc(func() { close(stopping) })
	player := &paygate.Player{
		Sandbox: h.Gateway, Client: h.Server.Client(), CallbackURL: h.URL + "/api/v1/payments/sandbox/callback", Now: b.Clock.Now,
		After: func(_ time.Duration, run func()) { run() }, Log: b.Log,
	}
	if player.Client == nil {
		player.Client = http.DefaultClient
	}
	deps := handlers.Deps{
		Catalog: b.Catalog, Feed: b.Feed, Holds: b.Holds, Orders: b.Orders, Payments: payments, Tickets: h.Tickets, Sessions: h.Sessions,
		Accounts: h.Accounts, Overview: h.Overview, Clock: b.Clock, Sandbox: player, Stopping: stopping, Metrics: h.Metrics, Log: log,
		Checkout: service.NewCheckout(b.Store, b.Clock, h.Gateway, b.Orders.InFlight, b.Effects.Kick, b.Log),
		Cancel:   service.NewCancel(b.Store, b.Clock, b.Orders.InFlight, b.Effects.Kick, b.Log),
		Now:      time.Now, //nolint:forbidigo // deadlines of real connections
		Options:  o.Handlers,
	}
	if o.Change != nil {
		o.Change(&deps)
	}
	h.Handler, err = handlers.New(deps)
	must(t, "build the handlers", err)
	h.Server.Config.Handler = h.Handler
	if o.Small {
		h.Server.Config.ConnContext = smallBuffer
	}
	h.Server.Start()
	t.Cleanup(func() {
		h.stop()
		h.Server.CloseClientConnections()
		h.Server.Close()
	})
	return h
}

func smallBuffer(ctx context.Context, c net.Conn) context.Context {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(1) // the system takes its least
	}
	return ctx
}

// Stop tells live streams that the process is about to end.
func (h *House) Stop() { h.stop() }

// Screening adds a screening and waits until the hold store takes holds for it.
func (h *House) Screening(t testing.TB, opts ...func(*repotest.Opts)) *domain.Screening {
	t.Helper()
	sc := repotest.Screening(t, h.Store, opts...)
	if !sc.OnSale(h.Clock.Now()) {
		return sc
	}
	servicetest.Eventually(t, 10*time.Second, func() (bool, string) {
		snap, err := h.Redis.Snapshot(context.Background(), sc.Partition, sc.ID)
		if err != nil {
			return false, err.Error()
		}
		return snap.Meta.Gate == 0, "its gate is shut"
	})
	h.Catalog.Forget(sc.ID)
	return sc
}

// Gauge reads one metric without labels.
func (h *House) Gauge(t testing.TB, name string) float64 {
	t.Helper()
	families, err := h.Metrics.Gather()
	must(t, "gather metrics", err)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// Log collects what the handlers log.
type Log struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write adds to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns all that was logged.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Line returns the first line that contains the text, empty when there is none.
func (l *Log) Line(text string) string {
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

func must(t testing.TB, verb string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", verb, err)
	}
}
