package bench

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sort"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"usher/jobs"
	"usher/service"
	"usher/service/domain"
)

// HoldOptions shape the measurement of the hold path.
type HoldOptions struct {
	Holds      int // of each round
	Screenings int
	Clients    int
	Users      int
	Rounds     int
	Workers    int // settlement workers of the last part
}

// HoldEnv is an Env whose public handler and sessions are measured too.
type HoldEnv struct {
	Env
	Handler  http.Handler
	Accounts *service.Accounts
	Sessions *service.Sessions
	// BeforeCommit is true where holds are answered from the hold store; false where each waits for its commit,
	// so that settlement has to run and a bare script loop is no measure.
	BeforeCommit bool
}

// Hold measures accepted holds per second: the bare script, the whole HTTP stack with the same script, in turn,
// and the HTTP stack with settlement at work beside it.
func (e *HoldEnv) Hold(ctx context.Context, o HoldOptions) error {
	server, addr, err := e.listen(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	tokens, err := e.tokens(ctx, o.Users)
	if err != nil {
		return err
	}
	if err := e.Settlement.EnsureGroups(ctx); err != nil {
		return err
	}
	if e.BeforeCommit {
		if err := e.ratio(ctx, o, addr, tokens); err != nil {
			return err
		}
	}
	pool := jobs.NewPool(e.Settlement, "bench", o.Workers, e.Log)
	pool.Start(ctx)
	defer pool.Stop(10 * time.Second)
	rate, list, lat, err := e.overHTTP(ctx, o, addr, tokens)
	if err != nil {
		return err
	}
	if err := e.drained(ctx); err != nil {
		return err
	}
	if err := e.check(ctx, list, o.Holds); err != nil {
		return fmt.Errorf("no rate: %w", err)
	}
	what := "HTTP with settlement running"
	if !e.BeforeCommit {
		what = "HTTP, each answered after its commit"
	}
	fmt.Fprintf(e.Out, "%-38s %7.0f holds/s, p50 %s, p99 %s, end state right\n", what, rate, quantile(lat, 0.5).Round(10*time.Microsecond), quantile(lat, 0.99).Round(10*time.Microsecond))
	return nil
}

// ratio alternates the bare script and the HTTP stack; nothing is settled meanwhile, the backlog afterwards.
func (e *HoldEnv) ratio(ctx context.Context, o HoldOptions, addr string, tokens []string) error {
	var ratios []float64
	for round := range o.Rounds {
		bare, first, err := e.bare(ctx, o)
		if err != nil {
			return err
		}
		rate, second, lat, err := e.overHTTP(ctx, o, addr, tokens)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Out, "round %d   bare EVALSHA %7.0f/s   HTTP %7.0f/s (p50 %s, p99 %s)   ratio %.2f\n", round+1, bare, rate,
			quantile(lat, 0.5).Round(10*time.Microsecond), quantile(lat, 0.99).Round(10*time.Microsecond), rate/bare)
		ratios = append(ratios, rate/bare)
		pool := jobs.NewPool(e.Settlement, "bench", o.Workers, e.Log)
		pool.Start(ctx)
		err = e.drained(ctx)
		pool.Stop(10 * time.Second)
		if err == nil {
			err = e.check(ctx, append(first, second...), 2*o.Holds)
		}
		if err != nil {
			return fmt.Errorf("no rate: %w", err)
		}
	}
	sort.Float64s(ratios)
	fmt.Fprintf(e.Out, "ratio HTTP / bare script   median %.2f (%.2f to %.2f), end states right\n", ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	return nil
}

func (e *HoldEnv) listen(ctx context.Context) (*http.Server, string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: e.Handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(l) }()
	return server, l.Addr().String(), nil
}

func (e *HoldEnv) tokens(ctx context.Context, n int) ([]string, error) {
	out := make([]string, n)
	for i := range out {
		u, err := e.Accounts.Guest(ctx)
		if err != nil {
			return nil, fmt.Errorf("make guest: %w", err)
		}
		if out[i], _, err = e.Sessions.Create(ctx, u); err != nil {
			return nil, fmt.Errorf("make session: %w", err)
		}
	}
	return out, nil
}

// bare calls the script in a loop, with the client and the connections that the program has.
func (e *HoldEnv) bare(ctx context.Context, o HoldOptions) (float64, []domain.Screening, error) {
	list, err := e.seed(ctx, o.Screenings, (o.Holds+o.Screenings-1)/o.Screenings)
	if err != nil {
		return 0, nil, err
	}
	var next atomic.Int64
	began := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	for range o.Clients {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < o.Holds; i = int(next.Add(1)) - 1 {
				if _, err := e.Redis.HoldSeats(ctx, e.hold(&list[i%len(list)], i/len(list), i)); err != nil {
					return fmt.Errorf("hold %d: %w", i, err)
				}
			}
			return nil
		})
	}
	err = g.Wait()
	return float64(o.Holds) / time.Since(began).Seconds(), list, err
}

// overHTTP takes the same number of seats by requests.
func (e *HoldEnv) overHTTP(ctx context.Context, o HoldOptions, addr string, tokens []string) (float64, []domain.Screening, []time.Duration, error) {
	list, err := e.seed(ctx, o.Screenings, (o.Holds+o.Screenings-1)/o.Screenings)
	if err != nil {
		return 0, nil, nil, err
	}
	lat := make([]time.Duration, o.Holds)
	var next atomic.Int64
	began := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	for range o.Clients {
		g.Go(func() error {
			c, err := dial(ctx, addr)
			if err != nil {
				return err
			}
			defer func() { _ = c.conn.Close() }()
			for i := int(next.Add(1)) - 1; i < o.Holds; i = int(next.Add(1)) - 1 {
				seat := i / len(list)
				body := fmt.Sprintf(`{"seats":["%d-%d"]}`, seat/planRow+1, seat%planRow+1)
				req := request("/api/v1/screenings/"+list[i%len(list)].ID+"/holds", tokens[i%len(tokens)], fmt.Sprintf("bench-%d", i), body)
				sent := time.Now()
				status, err := c.do(req)
				lat[i] = time.Since(sent)
				if err != nil || status != http.StatusCreated {
					return fmt.Errorf("hold %d: status %d, %w", i, status, err)
				}
			}
			return nil
		})
	}
	err = g.Wait()
	return float64(o.Holds) / time.Since(began).Seconds(), list, lat, err
}
