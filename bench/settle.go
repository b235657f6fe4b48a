package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"usher/jobs"
	"usher/repo/holdstore"
	"usher/service"
	"usher/service/domain"
)

// SettleOptions shape the settlement measurement.
type SettleOptions struct {
	Backlog    int           // holds prepared before settlement begins
	Screenings int           // that they are spread over
	Rate       int           // holds per second of the second part; 0 leaves it out
	For        time.Duration // of the second part
	Workers    int
}

// Settle prepares a backlog of holds with the real script, then measures how fast the pool brings it into the
// ledger; afterwards it measures the lag while holds arrive at a fixed rate.
func (e *Env) Settle(ctx context.Context, o SettleOptions) error {
	seats := (o.Backlog + o.Screenings - 1) / o.Screenings
	list, err := e.seed(ctx, o.Screenings, seats)
	if err != nil {
		return err
	}
	if err := e.Settlement.EnsureGroups(ctx); err != nil {
		return err
	}
	prepared, err := e.prepare(ctx, list, o.Backlog)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "prepared      %d holds of one seat on %d screenings, by hold_seats, in %.1f s\n", o.Backlog, o.Screenings, prepared.Seconds())
	pool := jobs.NewPool(e.Settlement, "bench", o.Workers, e.Log)
	began := time.Now()
	pool.Start(ctx)
	err = e.drained(ctx)
	took := time.Since(began)
	pool.Stop(10 * time.Second)
	if err != nil {
		return err
	}
	if err := e.check(ctx, list, o.Backlog); err != nil {
		return fmt.Errorf("no rate: %w", err)
	}
	fmt.Fprintf(e.Out, "backlog       %d orders settled in %.2f s with %d workers: %.0f orders/s, end state right\n", o.Backlog, took.Seconds(), o.Workers, float64(o.Backlog)/took.Seconds())
	if o.Rate == 0 {
		return nil
	}
	return e.lag(ctx, o)
}

func (e *Env) prepare(ctx context.Context, list []domain.Screening, n int) (time.Duration, error) {
	began := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range 32 {
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if _, err := e.Redis.HoldSeats(ctx, e.hold(&list[i%len(list)], i/len(list), i)); err != nil {
					return fmt.Errorf("hold %d: %w", i, err)
				}
			}
		})
	}
	err := g.Wait()
	return time.Since(began), err
}

// hold is the call of one buyer for one seat, as the hold path makes it.
func (e *Env) hold(sc *domain.Screening, seat, buyer int) holdstore.HoldArgs {
	id := service.NewID()
	id = id[:len(id)-1] + fmt.Sprintf("%x", sc.Partition)
	now := e.Clock.Now()
	return holdstore.HoldArgs{
		Screening: sc, Kind: domain.HoldByBuyer, HoldID: id, UserID: fmt.Sprintf("bench-user-%08d", buyer), Attempt: 1, Now: now,
		ExpiresAt: now.Add(sc.HoldLife), Quantity: 1, AmountMinor: 1250, InFlightCap: 10_000_000,
		Detail: domain.HoldDetail{
			Seats:    []domain.SeatRef{{No: fmt.Sprintf("%d-%d", seat/planRow+1, seat%planRow+1), Index: seat, Tier: "standard", PriceMinor: 1250}},
			Currency: "EUR", Key: "key-" + id, Fingerprint: "5f2c1e0b9a8d7c6f5e4d3c2b1a0f9e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b3a2f", Answer: sampleAnswer(id, sc.ID), Lang: "en",
		},
	}
}

// sampleAnswer is as long as a real first answer with its receipt.
func sampleAnswer(id, screeningID string) string {
	return fmt.Sprintf(`{"id":%q,"screening_id":%q,"status":"confirming","seats":["12-34"],"quantity":1,"amount_minor":1250,"currency":"EUR","expires_at":"2027-01-01T00:00:00Z","receipt":"%0300d"}`, id, screeningID, 0)
}

// lag lets holds arrive at a fixed rate, whatever the answers do, and watches the age of the oldest one that is
// not settled.
func (e *Env) lag(ctx context.Context, o SettleOptions) error {
	total := int(float64(o.Rate) * o.For.Seconds())
	list, err := e.seed(ctx, o.Screenings, (total+o.Screenings-1)/o.Screenings)
	if err != nil {
		return err
	}
	pool := jobs.NewPool(e.Settlement, "bench", o.Workers, e.Log)
	pool.Start(ctx)
	defer pool.Stop(10 * time.Second)
	stop := make(chan struct{})
	var lags []time.Duration
	var watch sync.WaitGroup
	watch.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				if b, err := e.Settlement.Backlog(ctx); err == nil {
					lags = append(lags, b.Lag)
				}
			}
		}
	})
	began := time.Now()
	var g errgroup.Group
	g.SetLimit(256)
	for i := range total {
		if ahead := time.Duration(i)*time.Second/time.Duration(o.Rate) - time.Since(began); ahead > time.Millisecond {
			time.Sleep(ahead)
		}
		g.Go(func() error {
			_, err := e.Redis.HoldSeats(ctx, e.hold(&list[i%len(list)], i/len(list), i))
			return err
		})
	}
	err = g.Wait()
	took := time.Since(began)
	close(stop)
	watch.Wait()
	if err != nil {
		return fmt.Errorf("hold: %w", err)
	}
	if err := e.drained(ctx); err != nil {
		return err
	}
	if err := e.check(ctx, list, total); err != nil {
		return fmt.Errorf("no figure: %w", err)
	}
	fmt.Fprintf(e.Out, "arriving      %d holds at %.0f/s: lag p50 %s, p99 %s, most %s, end state right\n", total, float64(total)/took.Seconds(),
		quantile(lags, 0.5).Round(time.Millisecond), quantile(lags, 0.99).Round(time.Millisecond), quantile(lags, 1).Round(time.Millisecond))
	return nil
}
