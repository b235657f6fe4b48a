// Package bench measures usher honestly: the load generator runs in the same process and its cost is part of
// every figure, ratios are taken within one run, and a run whose end state is wrong has no rate at all.
package bench

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sort"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service"
	"usher/service/domain"
)

// Env is an installation to measure: stores that hold nothing else, and what works on them.
type Env struct {
	Store      *repo.Store
	Redis      *holdstore.Store
	Clock      *service.Clock
	Catalog    *service.Catalog
	Settlement *service.Settlement
	Effects    *service.Effects
	Rebuild    *service.Rebuild
	Out        io.Writer
	Log        *slog.Logger
}

// seed makes screenings with a plan of the given size, all on sale, and warms them.
func (e *Env) seed(ctx context.Context, screenings, seats int) ([]domain.Screening, error) {
	now := e.Clock.Now()
	cinema := domain.Cinema{ID: service.NewID(), Name: "Bench " + service.NewID(), Zone: "UTC", Currency: "EUR"}
	room := domain.Auditorium{ID: service.NewID(), CinemaID: cinema.ID, Name: "Bench"}
	movie := domain.Movie{ID: service.NewID(), Title: "Bench"}
	layout := plan(room.ID, seats)
	for _, err := range []error{
		e.Store.InsertCinema(ctx, cinema, now), e.Store.InsertAuditorium(ctx, room, now), e.Store.InsertMovie(ctx, movie, now), e.Store.InsertLayout(ctx, layout, now),
	} {
		if err != nil {
			return nil, fmt.Errorf("seed: %w", err)
		}
	}
	list := make([]domain.Screening, screenings)
	byPartition := map[int][]domain.Screening{}
	for i := range list {
		id := service.NewID()
		list[i] = domain.Screening{
			ID: id, MovieID: movie.ID, AuditoriumID: room.ID, CinemaID: cinema.ID, LayoutID: layout.ID, Partition: domain.PartitionOf(id),
			HoldMode: domain.HoldModeRedis, Settings: 1, Status: domain.ScreeningOnSale, Kind: domain.KindSeated,
			StartsAt: now.Add(24 * time.Hour), EndsAt: now.Add(26 * time.Hour), OpensAt: now.Add(-time.Hour), ClosesAt: now.Add(24 * time.Hour),
			HoldLife: 30 * time.Minute, Capacity: seats, Remaining: seats, Version: 1, Currency: "EUR",
			Prices: map[string]int64{"standard": 1250}, CreatedAt: now,
		}
	}
	err := e.Store.InTx(ctx, func(tx *repo.Store) error {
		for i := range list {
			if err := tx.InsertScreening(ctx, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	for _, sc := range list {
		byPartition[sc.Partition] = append(byPartition[sc.Partition], sc)
	}
	for p, part := range byPartition {
		if err := e.Rebuild.Partition(ctx, p, part); err != nil {
			return nil, fmt.Errorf("warm: %w", err)
		}
	}
	for i := range list {
		l, err := e.Catalog.Screening(ctx, list[i].ID)
		if err != nil {
			return nil, err
		}
		list[i] = l.Screening
	}
	return list, nil
}

const planRow = 20

func plan(auditoriumID string, seats int) *domain.SeatLayout {
	l := &domain.SeatLayout{
		ID: service.NewID(), AuditoriumID: auditoriumID, Version: 1, Name: "Bench", Width: 10 * (planRow + 1),
		Height: float64(10 * (seats/planRow + 2)), Screen: domain.SideTop, Tiers: []domain.SeatTier{{Name: "standard"}},
	}
	for i := range seats {
		row, place := i/planRow+1, i%planRow+1
		l.Seats = append(l.Seats, domain.Seat{
			No: fmt.Sprintf("%d-%d", row, place), Row: fmt.Sprint(row), Label: fmt.Sprint(place), X: float64(10 * place), Y: float64(10 * row), Tier: "standard",
		})
	}
	return l
}

// check compares the end state of the screenings in both stores: no seat has two owners, and the ledger, the
// hold store and what was accepted are the same number of seats.
func (e *Env) check(ctx context.Context, list []domain.Screening, accepted int) error {
	claims, free := 0, 0
	for i := range list {
		c, err := e.Store.Claims(ctx, list[i].ID)
		if err != nil {
			return err
		}
		snap, err := e.Redis.Snapshot(ctx, list[i].Partition, list[i].ID)
		if err != nil {
			return err
		}
		row, err := e.Store.Screening(ctx, list[i].ID)
		if err != nil {
			return err
		}
		claims += len(c)
		free += list[i].Capacity - int(snap.Meta.Free)
		if len(snap.Owners) != len(c) || row.Capacity-row.Remaining != len(c) {
			return fmt.Errorf("screening %s: %d claims, %d owners in the hold store, remaining %d of %d", row.ID, len(c), len(snap.Owners), row.Remaining, row.Capacity)
		}
		for _, claim := range c {
			if snap.Owners[claim.SeatIndex] != claim.OrderID {
				return fmt.Errorf("screening %s seat %s: ledger %s, hold store %s", row.ID, claim.SeatNo, claim.OrderID, snap.Owners[claim.SeatIndex])
			}
		}
	}
	if claims != accepted || free != accepted {
		return fmt.Errorf("%d seats accepted, %d claimed in the ledger, %d taken in the hold store", accepted, claims, free)
	}
	return nil
}

// drained waits until nothing is in flight.
func (e *Env) drained(ctx context.Context) error {
	for {
		b, err := e.Settlement.Backlog(ctx)
		if err != nil || b.InFlight == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d holds still in flight: %w", b.InFlight, ctx.Err())
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// quantile returns the q-quantile of the durations, which it sorts.
func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	sort.Slice(d, func(i, j int) bool { return d[i] < d[j] })
	return d[min(len(d)-1, int(q*float64(len(d))))]
}
