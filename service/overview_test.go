package service_test

import (
	"fmt"
	"testing"
	"time"

	"usher/repo/repotest"
	"usher/service"
	"usher/service/servicetest"
)

// The rate is that of the last seconds, also when nobody looked for an hour.
func TestOverviewRate(t *testing.T) {
	t.Parallel()
	b := servicetest.Embedded(t, servicetest.Options{})
	now := b.Now.Now()
	clock := service.NewClock(func() time.Time { return now }, b.Log) // of the overview alone
	o := service.NewOverview(b.Store, b.Redis, b.Settlement, b.Watchdog, b.Feed, clock, b.Log)
	rate := func(after time.Duration) string {
		t.Helper()
		now = now.Add(after)
		g, err := o.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%.2f", g.Rate)
	}
	sc := repotest.Screening(t, b.Store).ID
	hold := func(n int) {
		t.Helper()
		for i := range n {
			if _, err := b.Holds.Place(t.Context(), service.HoldRequest{
				ScreeningID: sc, UserID: "mia", Key: fmt.Sprint(now.UnixNano(), "-", i), Best: &service.BestRequest{Count: 1},
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	hold(4)
	if got := rate(2 * time.Second); got != "2.00" {
		t.Errorf("4 holds in 2 s: %s", got)
	}
	if got := rate(6 * time.Second); got != "0.50" {
		t.Errorf("4 holds in 8 s: %s", got)
	}
	if got := rate(8 * time.Second); got != "0.00" {
		t.Errorf("none for 14 s: %s", got)
	}
	hold(3)
	if got := rate(time.Hour); got != "0.00" {
		t.Errorf("3 holds at some time of an hour: %s", got)
	}
	hold(3)
	if got := rate(3 * time.Second); got != "1.00" {
		t.Errorf("3 holds in 3 s: %s", got)
	}
}
