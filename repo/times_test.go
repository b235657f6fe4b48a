package repo_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"usher/repo"
	"usher/repo/repotest"
	"usher/service/domain"
)

func TestTimesComeBackInUTCFromAnyZone(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		rapid.Check(t, func(rt *rapid.T) {
			zone := time.FixedZone("somewhere", rapid.IntRange(-12*60, 14*60).Draw(rt, "zone minutes")*60)
			nanos := rapid.SampledFrom([]int64{0, 1, 999, 1000, 100_000_000, 120_000_000, 999_999_999}).Draw(rt, "nanos")
			at := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(rt, "seconds"), nanos).In(zone)
			u := domain.User{ID: repotest.ID(), Kind: domain.UserGuest, CreatedAt: at}
			if err := s.InsertUser(ctx, u); err != nil {
				rt.Fatal(err)
			}
			got, err := s.User(ctx, u.ID)
			if err != nil {
				rt.Fatal(err)
			}
			if want := at.UTC().Truncate(time.Microsecond); got.CreatedAt != want { // the zone counts too
				rt.Errorf("got %v, want %v", got.CreatedAt, want)
			}
		})
	})
}

func TestTimesAreComparedAsInstants(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		rapid.Check(t, func(rt *rapid.T) {
			zone := func(label string) *time.Location {
				return time.FixedZone(label, rapid.SampledFrom([]int{-12, -1, 0, 1, 14}).Draw(rt, label)*3600)
			}
			// Close together, with fractions of different length, around the start of a year.
			near := func(label string) time.Time {
				micros := rapid.SampledFrom([]int64{-1_000_000, -1, 0, 1, 10, 100_000, 110_000, 999_999, 1_000_000}).Draw(rt, label)
				return time.UnixMicro(1_924_992_000_000_000 + micros)
			}
			end, now := near("end").In(zone("end zone")), near("now").In(zone("now zone"))
			if err := s.SaveSession(ctx, "h", []byte("x"), end); err != nil {
				rt.Fatal(err)
			}
			_, found, err := s.Session(ctx, "h", now)
			if err != nil {
				rt.Fatal(err)
			}
			if want := end.After(now); found != want {
				rt.Errorf("a session that ends at %v is alive at %v: got %v, want %v", end, now, found, want)
			}
		})
	})
}

func TestTimesOfExpressionsAndReturning(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		at := time.Date(2031, 3, 14, 1, 2, 3, 450_000_000, time.FixedZone("east", 3600))
		wantNil(t, "add", s.InsertUser(ctx, domain.User{ID: "u", Kind: domain.UserGuest, CreatedAt: at}))
		want := "2031-03-14T00:02:03.45Z"
		for name, read := range map[string]func() (time.Time, error){
			"expression": func() (time.Time, error) { return s.ReadInstant(ctx, "SELECT max(created_at) AS at FROM users") },
			"subquery":   func() (time.Time, error) { return s.ReadInstant(ctx, "SELECT (SELECT created_at FROM users) AS at") },
			"returning": func() (time.Time, error) {
				return s.ReturnedInstant(ctx, "UPDATE users SET name = 'n' RETURNING created_at AS at")
			},
		} {
			got, err := read()
			wantNil(t, name, err)
			wantSame(t, name, got.Format(time.RFC3339Nano), want)
		}
		none, err := s.ReadInstant(ctx, "SELECT max(created_at) AS at FROM users WHERE id = 'none'")
		wantNil(t, "no time", err)
		wantSame(t, "no time is the zero time", none.IsZero(), true)
	})
}

func TestTimeCursorIsReadAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		at := time.UnixMicro(rapid.Int64Range(-1e15, 1e16).Draw(rt, "at")).UTC()
		id := rapid.StringN(1, 40, -1).Draw(rt, "id")
		gotAt, gotID, err := repo.ParseTimeCursor(repo.TimeCursor(at, id))
		if err != nil || gotAt != at || gotID != id {
			rt.Errorf("got %v, %q, %v, want %v, %q", gotAt, gotID, err, at, id)
		}
	})
}
