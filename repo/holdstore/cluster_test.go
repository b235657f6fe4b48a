package holdstore_test

import (
	"errors"
	"testing"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
	"usher/test/testenv"
)

// TestClusterServesEveryPartition (BC-28): all calls of several partitions on three nodes, and the run id of the
// right node in each.
func TestClusterServesEveryPartition(t *testing.T) {
	t.Parallel()
	cluster := testenv.RedisCluster(t, testenv.RedisSet("appendonly", "no"))
	s := holdstoretest.At(t, cluster.URL())
	ids := map[string]bool{}
	for p := range domain.Partitions {
		wholeLife(t, s, p)
		ids[holdstore.Client(s).Get(t.Context(), holdstore.KeysOf(p, "x").Store).Val()] = true
	}
	if len(ids) != len(cluster.Nodes) || ids[""] {
		t.Errorf("16 partitions carry the run ids %v, want those of %d nodes", ids, len(cluster.Nodes))
	}
	if err := s.Mark(t.Context()); err != nil {
		t.Errorf("mark: %v", err)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	if faults, err := s.Faults(t.Context()); err != nil || len(faults) == 0 {
		t.Errorf("faults of nodes without persistence: %v, %v", faults, err)
	}
}

// TestClusterNodeThatRestarts: its screenings refuse until they are rebuilt, those of other nodes are not touched.
func TestClusterNodeThatRestarts(t *testing.T) {
	t.Parallel()
	cluster := testenv.RedisCluster(t)
	s := holdstoretest.At(t, cluster.URL())
	var fs []*fixture
	for p := range domain.Partitions {
		fs = append(fs, warm(t, s, 4, func(sc *domain.Screening) { sc.Partition = p }))
	}
	cluster.Nodes[0].Kill()
	cluster.Nodes[0].Start()
	refused := 0
	for _, f := range fs {
		a := holdstoretest.Hold(f.sc, "u", 1)
		_, err := s.HoldSeats(t.Context(), a)
		for errors.Is(err, domain.ErrUnavailable) { // the cluster looks at its nodes again
			_, err = s.HoldSeats(t.Context(), a)
		}
		if errors.Is(err, domain.ErrStoreChanged) {
			refused++
			rebuild(t, s, f, 2)
			_, err = s.HoldSeats(t.Context(), holdstoretest.Hold(f.sc, "u", 2))
		}
		if err != nil {
			t.Errorf("partition %d: %v", f.sc.Partition, err)
		}
	}
	if refused == 0 || refused == len(fs) {
		t.Errorf("%d of %d partitions refused, want those of one node", refused, len(fs))
	}
}

// rebuild writes the screening again, with nothing held.
func rebuild(t *testing.T, s *holdstore.Store, f *fixture, epoch int64) {
	t.Helper()
	f.sc.Epoch = epoch
	holdstoretest.Warm(t, s, f.sc)
}
