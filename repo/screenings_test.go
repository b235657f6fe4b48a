package repo_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

func ids(list []domain.Screening) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].ID
	}
	return out
}

func TestScreeningComesBackAsItWas(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		seated := repotest.Screening(t, s, func(o *repotest.Opts) { o.Limit, o.HoldLife, o.Orphans = 6, 1500*time.Millisecond, true })
		general := repotest.Screening(t, s, func(o *repotest.Opts) {
			o.Kind, o.Capacity, o.Mode, o.Status = domain.KindGeneral, 7, domain.HoldModeLedger, domain.ScreeningDraft
		})
		for _, want := range []*domain.Screening{seated, general} {
			got, err := s.Screening(ctx, want.ID)
			wantNil(t, "read a screening", err)
			wantSame(t, "screening", got, want)
		}
		_, err := s.Screening(ctx, "none")
		wantErr(t, "unknown screening", err, domain.ErrNotFound)
	})
}

func TestScreeningRulesOfTheTable(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		good := repotest.Screening(t, s)
		for name, spoil := range map[string]func(*domain.Screening){
			"partition out of range":       func(sc *domain.Screening) { sc.Partition = domain.Partitions },
			"unknown mode":                 func(sc *domain.Screening) { sc.HoldMode = "paper" },
			"unknown status":               func(sc *domain.Screening) { sc.Status = "open" },
			"unknown kind":                 func(sc *domain.Screening) { sc.Kind = "standing" },
			"ends before it starts":        func(sc *domain.Screening) { sc.EndsAt = sc.StartsAt },
			"hold life below a second":     func(sc *domain.Screening) { sc.HoldLife = 999 * time.Millisecond },
			"hold life above half an hour": func(sc *domain.Screening) { sc.HoldLife = 31 * time.Minute },
			"negative limit":               func(sc *domain.Screening) { sc.Limit = -1 },
			"more remaining than capacity": func(sc *domain.Screening) { sc.Remaining = sc.Capacity + 1 },
			"negative remaining":           func(sc *domain.Screening) { sc.Remaining = -1 },
			"seated without a layout":      func(sc *domain.Screening) { sc.LayoutID = "" },
			"general with a layout":        func(sc *domain.Screening) { sc.Kind = domain.KindGeneral },
			"unknown layout":               func(sc *domain.Screening) { sc.LayoutID = "none" },
			"unknown movie":                func(sc *domain.Screening) { sc.MovieID = "none" },
			"negative price":               func(sc *domain.Screening) { sc.Prices = map[string]int64{"a": 1, "b": -1} },
		} {
			bad := *good
			bad.ID = repotest.ID()
			spoil(&bad)
			err := s.InTx(ctx, func(tx *repo.Store) error { return tx.InsertScreening(ctx, &bad) })
			wantErr(t, name, err, domain.ErrInvalid)
			_, err = s.Screening(ctx, bad.ID)
			wantErr(t, name+": nothing is left", err, domain.ErrNotFound)
		}
		err := s.InTx(ctx, func(tx *repo.Store) error { return tx.InsertScreening(ctx, good) })
		wantErr(t, "same id", err, domain.ErrDuplicate)
	})
}

func TestListScreenings(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		cinema, movie, other := repotest.Cinema(t, s).ID, repotest.Movie(t, s).ID, repotest.Movie(t, s).ID
		day := repotest.Now.Add(24 * time.Hour)
		add := func(after time.Duration, movie string, st domain.ScreeningStatus) string {
			return repotest.Screening(t, s, func(o *repotest.Opts) {
				o.CinemaID, o.MovieID, o.Status, o.Starts, o.Seats = cinema, movie, st, day.Add(after), 4
			}).ID
		}
		// Made out of order; b and c start at the same instant, half a second after a. Texts of whole and broken
		// seconds differ in length.
		d := add(time.Hour, other, domain.ScreeningPaused)
		a := add(0, movie, domain.ScreeningOnSale)
		b := add(500*time.Millisecond, movie, domain.ScreeningOnSale)
		c := add(500*time.Millisecond, other, domain.ScreeningDraft)
		e := add(2*time.Hour, movie, domain.ScreeningCancelled)
		tokyo := time.FixedZone("tokyo", 9*3600)

		for name, tc := range map[string]struct {
			filter domain.ScreeningFilter
			want   []string
		}{
			"all":             {domain.ScreeningFilter{}, []string{a, b, c, d, e}},
			"from":            {domain.ScreeningFilter{From: day.Add(time.Microsecond)}, []string{b, c, d, e}},
			"from, inclusive": {domain.ScreeningFilter{From: day.Add(500 * time.Millisecond).In(tokyo)}, []string{b, c, d, e}},
			"to, exclusive":   {domain.ScreeningFilter{To: day.Add(time.Hour).In(tokyo)}, []string{a, b, c}},
			"movie":           {domain.ScreeningFilter{MovieID: movie}, []string{a, b, e}},
			"statuses": {
				domain.ScreeningFilter{Statuses: []domain.ScreeningStatus{domain.ScreeningDraft, domain.ScreeningPaused}}, []string{c, d},
			},
			"everything": {domain.ScreeningFilter{
				From: day, To: day.Add(time.Hour), MovieID: movie, Statuses: []domain.ScreeningStatus{domain.ScreeningOnSale},
			}, []string{a, b}},
			"nothing": {domain.ScreeningFilter{MovieID: "none"}, []string{}},
		} {
			for limit := 1; limit <= 6; limit++ {
				wantSame(t, fmt.Sprintf("%s, pages of %d", name, limit), allPages(t, s, tc.filter, limit), tc.want)
			}
		}

		list, err := s.ListScreenings(ctx, domain.ScreeningFilter{}, domain.Page{Limit: 2})
		wantNil(t, "list", err)
		for _, sc := range list.Items {
			wantSame(t, "prices come along", sc.Prices, map[string]int64{"standard": 1200, "premium": 1650})
		}
		for _, cursor := range []string{"x", "zz", ".id", "1.", "!." + a} {
			_, err = s.ListScreenings(ctx, domain.ScreeningFilter{}, domain.Page{After: cursor})
			wantErr(t, "cursor "+cursor, err, domain.ErrMalformed)
		}
	})
}

func allPages(t *testing.T, s *repo.Store, f domain.ScreeningFilter, limit int) []string {
	t.Helper()
	got := []string{}
	for page := (domain.Page{Limit: limit}); len(got) < 50; {
		list, err := s.ListScreenings(context.Background(), f, page)
		wantNil(t, "list screenings", err)
		if len(list.Items) > limit {
			t.Fatalf("a page of %d has %d items", limit, len(list.Items))
		}
		got = append(got, ids(list.Items)...)
		if page.After = list.Next; page.After == "" {
			break
		}
	}
	return got
}

func TestStatesOfScreeningsOnSale(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		open := repotest.Screening(t, s)
		later := repotest.Screening(t, s, func(o *repotest.Opts) { o.Starts = repotest.Now.Add(48 * time.Hour) })
		repotest.Screening(t, s, func(o *repotest.Opts) { o.Starts = repotest.Now }) // closes at Now exactly
		repotest.Screening(t, s, func(o *repotest.Opts) { o.Status = domain.ScreeningPaused })

		states, err := s.ScreeningStates(ctx, repotest.Now)
		wantNil(t, "list states", err)
		var want []repo.ScreeningState
		for _, sc := range []*domain.Screening{open, later} {
			want = append(want, repo.ScreeningState{
				ID: sc.ID, Kind: sc.Kind, Partition: sc.Partition, Epoch: sc.Epoch, HoldMode: sc.HoldMode, Settings: sc.Settings,
				Status: sc.Status, Version: sc.Version, Remaining: sc.Remaining,
			})
		}
		wantSame(t, "states", states, want)
	})
}

func TestUpdateScreeningStatusIsGuarded(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		want := repotest.Screening(t, s)
		update := func(id string, from, to domain.ScreeningStatus, version int64) error {
			return s.UpdateScreeningStatus(ctx, id, from, to, version)
		}
		wantNil(t, "pause", update(want.ID, domain.ScreeningOnSale, domain.ScreeningPaused, 1))
		wantErr(t, "old version", update(want.ID, domain.ScreeningPaused, domain.ScreeningOnSale, 1), domain.ErrVersionConflict)
		wantErr(t, "other status", update(want.ID, domain.ScreeningOnSale, domain.ScreeningPaused, 2), domain.ErrVersionConflict)
		wantErr(t, "unknown", update("none", domain.ScreeningOnSale, domain.ScreeningPaused, 1), domain.ErrVersionConflict)
		wantErr(t, "no status", update(want.ID, domain.ScreeningPaused, "open", 2), domain.ErrInvalid)

		want.Status, want.Settings, want.Version = domain.ScreeningPaused, 2, 2
		got, err := s.Screening(ctx, want.ID)
		wantNil(t, "read", err)
		wantSame(t, "after one pause", got, want)
	})
}

func TestUpdateRebuiltIsGuardedAndEpochsGrow(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		want := repotest.Screening(t, s)
		wantNil(t, "rebuild", s.UpdateRebuilt(ctx, want.ID, 9, domain.HoldModeLedger, 1))
		for name, err := range map[string]error{
			"same epoch":    s.UpdateRebuilt(ctx, want.ID, 9, domain.HoldModeRedis, 2),
			"smaller epoch": s.UpdateRebuilt(ctx, want.ID, 8, domain.HoldModeRedis, 2),
			"old version":   s.UpdateRebuilt(ctx, want.ID, 10, domain.HoldModeRedis, 1),
			"unknown":       s.UpdateRebuilt(ctx, "none", 10, domain.HoldModeRedis, 2),
		} {
			wantErr(t, name, err, domain.ErrVersionConflict)
		}
		want.Epoch, want.HoldMode, want.Version = 9, domain.HoldModeLedger, 2
		got, err := s.Screening(ctx, want.ID)
		wantNil(t, "read", err)
		wantSame(t, "after one rebuild", got, want)
	})
}
