// Package holdstoretest opens hold stores for tests: embedded always, a real Redis of the test's own when the
// machine has one.
package holdstoretest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"usher/repo/holdstore"
	"usher/service/domain"
	"usher/test/testenv"
)

// Embedded opens a store on the server inside this process.
func Embedded(t testing.TB) *holdstore.Store {
	t.Helper()
	return open(t, "")
}

// Real opens a store on a Redis server of this test's own.
func Real(t testing.TB) (*holdstore.Store, *testenv.RedisServer) {
	t.Helper()
	server := testenv.Redis(t)
	return open(t, server.URL()), server
}

// At opens a store on the servers behind a URL.
func At(t testing.TB, url string) *holdstore.Store {
	t.Helper()
	return open(t, url)
}

func open(t testing.TB, url string) *holdstore.Store {
	t.Helper()
	s, err := holdstore.Open(holdstore.Options{URL: url})
	if err != nil {
		t.Fatalf("open hold store: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for p := range domain.Partitions {
		if err := s.EnsureGroup(t.Context(), p); err != nil {
			t.Fatalf("ensure group: %v", err)
		}
	}
	return s
}

// Each runs the test on both servers.
func Each(t *testing.T, run func(t *testing.T, s *holdstore.Store)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { t.Parallel(); run(t, Embedded(t)) })
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		s, _ := Real(t)
		run(t, s)
	})
}

// Now is the instant at which these tests play.
var Now = time.Date(2027, 3, 1, 19, 0, 0, 0, time.UTC)

// Screening returns a screening on sale with n seats (0 = general admission for 10), epoch 1.
func Screening(n int) *domain.Screening {
	id := uuid.Must(uuid.NewV7()).String()
	sc := &domain.Screening{
		ID: id, Partition: domain.PartitionOf(id), Epoch: 1, Settings: 1, Status: domain.ScreeningOnSale, Kind: domain.KindSeated,
		OpensAt: Now.Add(-time.Hour), ClosesAt: Now.Add(time.Hour), Capacity: n, Currency: "EUR",
	}
	if n == 0 {
		sc.Kind, sc.Capacity = domain.KindGeneral, 10
	}
	return sc
}

// In returns a screening like Screening, in a partition of the caller's choice.
func In(p, n int) *domain.Screening {
	sc := Screening(n)
	sc.Partition = p
	return sc
}

// Warm writes the screening with nothing held.
func Warm(t testing.TB, s *holdstore.Store, sc *domain.Screening) {
	t.Helper()
	r := holdstore.Rebuild{Screening: sc, Epoch: sc.Epoch, Free: sc.Capacity, Now: Now}
	if sc.Kind == domain.KindSeated {
		for range sc.Capacity {
			r.Map += "."
		}
	}
	if _, err := s.Write(t.Context(), r); err != nil {
		t.Fatalf("warm: %v", err)
	}
}

// Hold returns the arguments of a hold of the seats by the user, under a new id and a key of its own.
func Hold(sc *domain.Screening, user string, seats ...int) holdstore.HoldArgs {
	id := uuid.Must(uuid.NewV7()).String()
	a := holdstore.HoldArgs{
		Screening: sc, Kind: domain.HoldByBuyer, HoldID: id, UserID: user, Attempt: 1, Now: Now, ExpiresAt: Now.Add(5 * time.Minute),
		Quantity: len(seats), AmountMinor: int64(1250 * len(seats)), InFlightCap: 50_000,
		Detail: domain.HoldDetail{Currency: "EUR", Key: "key-" + id, Fingerprint: "fp-" + id, Answer: `{"id":"` + id + `"}`},
	}
	for _, i := range seats {
		a.Detail.Seats = append(a.Detail.Seats, domain.SeatRef{No: fmt.Sprintf("A%d", i+1), Index: i, Tier: "standard", PriceMinor: 1250})
	}
	return a
}
