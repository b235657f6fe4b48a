package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"usher/bench"
	"usher/service"
)

// benchCommands measure the stores that the settings name. They write into them: use empty ones.
type benchCommands struct {
	Hold   benchHoldCommand   `cmd:"" help:"Accepted holds per second: the bare script against the whole HTTP stack."`
	Settle benchSettleCommand `cmd:"" help:"Orders settled per second from a backlog, and the lag under a steady rate."`
}

type benchHoldCommand struct {
	Holds      int `help:"Holds of each round." default:"40000"`
	Screenings int `help:"Screenings that they are spread over." default:"200"`
	Clients    int `help:"Connections at once." default:"64"`
	Users      int `help:"Guests that hold." default:"2000"`
	Rounds     int `help:"Rounds of the ratio." default:"3"`
}

// Run measures the hold path.
func (c benchHoldCommand) Run(ctx context.Context, out io.Writer, s *Settings) error {
	return withBench(ctx, out, s, func(a *app, e *bench.Env) error {
		handler, err := a.handler(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, prometheus.NewRegistry(), nil)
		if err != nil {
			return err
		}
		h := &bench.HoldEnv{Env: *e, Handler: handler, Accounts: a.accounts, Sessions: a.sessions, BeforeCommit: a.cfg.ack == service.AckRedis}
		return h.Hold(ctx, bench.HoldOptions{
			Holds: c.Holds, Screenings: c.Screenings, Clients: c.Clients, Users: c.Users, Rounds: c.Rounds, Workers: a.cfg.workers,
		})
	})
}

type benchSettleCommand struct {
	Backlog    int           `help:"Holds prepared before settlement begins." default:"100000"`
	Screenings int           `help:"Screenings that they are spread over." default:"1000"`
	Rate       int           `help:"Holds per second of the second part; 0 leaves it out." default:"2000"`
	For        time.Duration `help:"Length of the second part." default:"10s"`
}

// Run measures settlement.
func (c benchSettleCommand) Run(ctx context.Context, out io.Writer, s *Settings) error {
	return withBench(ctx, out, s, func(a *app, e *bench.Env) error {
		return e.Settle(ctx, bench.SettleOptions{Backlog: c.Backlog, Screenings: c.Screenings, Rate: c.Rate, For: c.For, Workers: a.cfg.workers})
	})
}

func withBench(ctx context.Context, out io.Writer, s *Settings, do func(*app, *bench.Env) error) error {
	cfg, err := configured(s, out)
	if err != nil {
		return err
	}
	a, err := open(ctx, cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	stores := "PostgreSQL + Redis"
	if cfg.embedded() {
		stores = "embedded (SQLite + hold store in this process)"
	}
	fmt.Fprintln(out, "stores        "+stores)
	err = do(a, &bench.Env{
		Store: a.store, Redis: a.redis, Clock: a.clock, Catalog: a.catalog, Settlement: a.settlement, Effects: a.effects, Rebuild: a.rebuild,
		Out: out, Log: a.log,
	})
	return errors.Join(err, a.close())
}
