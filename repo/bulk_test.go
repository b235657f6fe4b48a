package repo_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"usher/repo"
	"usher/repo/repotest"
)

func TestBulkRowsArriveAsSent(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("east", 5*3600+45*60)
	awkward := []string{
		"", " ", `"`, `\`, `\"`, `"}`, `{a,b}`, `a,b`, `'; DROP TABLE orders; --`, "NULL", "null", "?", "@name", "$1",
		"line\nbreak\ttab\r", "ärgerlich 座位 🎬", "a\u2028b<>&", "{}", `[1,"x"]`, "-0", "1e5", "true", "\x7f", "\x01",
	}
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		var want []repo.BulkRow
		for i, text := range awkward {
			at := time.Date(2031, 3, 14, 23, 59, 59, i*1001*1000, zone)
			want = append(want, repo.BulkRow{Txt: text, Num: int64(i), Yes: i%2 == 0, At: repo.At(at)})
		}
		want = append(want, repo.BulkRow{Txt: "edge", Num: math.MaxInt64, At: repo.At(time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC))})
		want = slices.Insert(want, 0, repo.BulkRow{Txt: "edge", Num: math.MinInt64, At: repo.At(time.Date(2999, 12, 31, 0, 0, 0, 1000, time.UTC))})
		got, err := s.Bulk(context.Background(), want)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i].At = repo.At(want[i].At.UTC())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestBulkOfNothingIsNothing(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		got, err := s.Bulk(context.Background(), nil)
		if err != nil || len(got) != 0 {
			t.Errorf("got %v, %v, want no rows", got, err)
		}
	})
}

func TestBulkTakesMoreRowsThanParametersExist(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		const many = 70_000
		rows := make([]repo.BulkRow, many)
		for i := range rows {
			rows[i] = repo.BulkRow{Txt: "x", Num: int64(i), At: repo.At(repotest.Now)}
		}
		got, err := s.Bulk(context.Background(), rows)
		if err != nil || len(got) != many {
			t.Errorf("got %d rows, %v, want %d", len(got), err, many)
		}
	})
}

func TestAnyTextSurvivesABulkColumnAndAList(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		ctx := context.Background()
		rapid.Check(t, func(rt *rapid.T) {
			// PostgreSQL keeps no NUL in a text.
			text := rapid.String().Filter(func(s string) bool { return !strings.Contains(s, "\x00") })
			ids := rapid.SliceOfNDistinct(text, 0, 8, rapid.ID).Draw(rt, "ids")
			got, err := s.Listed(ctx, append([]string{"not in the list \x01"}, ids...), ids)
			if err != nil {
				rt.Fatal(err)
			}
			slices.Sort(got)
			slices.Sort(ids)
			if !slices.Equal(ids, got) {
				rt.Errorf("got %q, want %q", got, ids)
			}
		})
	})
}

func TestAListOfNothingFindsNothing(t *testing.T) {
	t.Parallel()
	repotest.Each(t, func(t *testing.T, s *repo.Store) {
		for _, none := range [][]string{nil, {}} {
			got, err := s.Listed(context.Background(), []string{"a", ""}, none)
			if err != nil || len(got) != 0 {
				t.Errorf("got %q, %v, want nothing", got, err)
			}
		}
	})
}
