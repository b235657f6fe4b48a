package holdstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
	"usher/test/testenv"
)

// TestSentinelFailover (M1): whatever the promoted replica has or lacks, it refuses until it is marked and each
// screening is rebuilt.
func TestSentinelFailover(t *testing.T) {
	t.Parallel()
	group := testenv.RedisSentinel(t)
	s := holdstoretest.At(t, group.URL())
	f := warm(t, s, 6)
	kept := f.hold(t, "u", 1)
	if err := f.rdb.Do(t.Context(), "WAIT", 1, 5000).Err(); err != nil {
		t.Fatal(err)
	}
	before := f.snapshot(t).Store

	group.Failover()

	id := before
	for id == before || id == "" { // until the client has heard of the new master
		id = runIDOf(t, f.rdb)
	}
	a := holdstoretest.Hold(f.sc, "v", 2)
	f.refused(t, a, domain.ErrStoreChanged)
	if err := s.Mark(t.Context()); err != nil {
		t.Fatalf("mark: %v", err)
	}
	f.refused(t, a, domain.ErrStoreChanged)
	if _, found, err := s.RecordOf(t.Context(), f.sc.Partition, f.sc.ID, kept.HoldID); !found || err != nil {
		t.Errorf("the replicated hold: %v, %v", found, err)
	}
	conditions, err := s.Conditions(t.Context(), f.sc.Partition, []domain.Screening{*f.sc})
	if c := conditions[f.sc.ID]; err != nil || !c.Warmed || c.Marked {
		t.Errorf("condition: %+v, %v", c, err)
	}
	rebuild(t, s, f, 2)
	f.hold(t, "v", 2)
	if after := f.snapshot(t).Store; after == before || after == "" {
		t.Errorf("run id: got %q, before %q", after, before)
	}
}

// runIDOf returns the run id of the server that the client talks to, "" while it talks to none.
func runIDOf(t *testing.T, rdb redis.UniversalClient) string {
	t.Helper()
	_, rest, _ := strings.Cut(rdb.Info(t.Context(), "server").Val(), "run_id:")
	id, _, _ := strings.Cut(rest, "\r\n")
	return id
}

// TestReplicasAreRefused: a server that follows another takes no connection of ours.
func TestReplicasAreRefused(t *testing.T) {
	t.Parallel()
	group := testenv.RedisSentinel(t)
	replica, err := holdstore.Open(holdstore.Options{URL: group.Servers[1].URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = replica.Close() })
	if err := replica.Ping(t.Context()); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("ping of a replica: got %v, want %v", err, domain.ErrUnavailable)
	}
	if err := replica.Mark(t.Context()); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("mark of a replica: got %v, want %v", err, domain.ErrUnavailable)
	}
}
