package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"usher/bench"
)

// benchCommands measure the stores that the settings name. They write into them: use empty ones.
type benchCommands struct {
	Settle benchSettleCommand `cmd:"" help:"Orders settled per second from a backlog, and the lag under a steady rate."`
}

type benchSettleCommand struct {
	Backlog    int           `help:"Holds prepared before settlement begins." default:"100000"`
	Screenings int           `help:"Screenings that they are spread over." default:"1000"`
	Rate       int           `help:"Holds per second of the second part; 0 leaves it out." default:"2000"`
	For        time.Duration `help:"Length of the second part." default:"10s"`
}

// Run measures settlement.
func (c benchSettleCommand) Run(ctx context.Context, out io.Writer, s *Settings) error {
	return withBench(ctx, out, s, func(e *bench.Env, cfg *config) error {
		return e.Settle(ctx, bench.SettleOptions{Backlog: c.Backlog, Screenings: c.Screenings, Rate: c.Rate, For: c.For, Workers: cfg.workers})
	})
}

func withBench(ctx context.Context, out io.Writer, s *Settings, do func(*bench.Env, *config) error) error {
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
	err = do(&bench.Env{
		Store: a.store, Redis: a.redis, Clock: a.clock, Catalog: a.catalog, Settlement: a.settlement, Effects: a.effects, Rebuild: a.rebuild,
		Out: out, Log: a.log,
	}, cfg)
	return errors.Join(err, a.close())
}
