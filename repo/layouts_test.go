package repo_test

import (
	"context"
	"testing"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

func TestLayouts(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		room := repotest.Auditorium(t, s, repotest.Cinema(t, s).ID)
		_, err := s.LatestLayout(ctx, room.ID)
		wantErr(t, "a room without a plan", err, domain.ErrNotFound)

		first := repotest.Layout(t, s, room.ID, 25)
		second := &domain.SeatLayout{
			ID: repotest.ID(), AuditoriumID: room.ID, Version: 2, Name: "Große \"Bühne\"", Width: 12.5, Height: 3.25,
			Screen: domain.SideBottom, Tiers: []domain.SeatTier{{Name: "a", Color: "#fff"}}, Placed: true,
			Seats: []domain.Seat{
				{No: "L1", Zone: "<b>", Row: "1", Label: "左", X: 0.1, Y: 1e-9, Tier: "a", Kind: domain.SeatLove, Pair: "L2"},
				{No: "L2", Zone: "<b>", Row: "1", Label: "右", X: 123456.789, Y: -4, Tier: "a", Kind: domain.SeatLove, Pair: "L1"},
			},
		}
		wantNil(t, "add a second version", s.InsertLayout(ctx, second, repotest.Now))

		got, err := s.Layout(ctx, first.ID)
		wantNil(t, "read a layout", err)
		wantSame(t, "first version", got, first)
		got, err = s.LatestLayout(ctx, room.ID)
		wantNil(t, "read the latest layout", err)
		wantSame(t, "latest version", got, second)

		_, err = s.Layout(ctx, "none")
		wantErr(t, "unknown layout", err, domain.ErrNotFound)
		again := *second
		again.ID = repotest.ID()
		wantErr(t, "the same version again", s.InsertLayout(ctx, &again, repotest.Now), domain.ErrDuplicate)
		empty := domain.SeatLayout{ID: repotest.ID(), AuditoriumID: room.ID, Version: 3}
		wantErr(t, "no seats", s.InsertLayout(ctx, &empty, repotest.Now), domain.ErrInvalid)
	})
}
