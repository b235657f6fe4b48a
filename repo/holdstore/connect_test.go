package holdstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
	"usher/test/testenv"
)

// calm repeats a call while the store says that it is away, as the service does.
func calm(t *testing.T, call func() error) error {
	t.Helper()
	err := call()
	for tries := 0; errors.Is(err, domain.ErrUnavailable) && tries < 100; tries++ {
		err = call()
	}
	return err
}

func TestEveryConnectionMarksEveryPartition(t *testing.T) {
	t.Parallel()
	s, _ := holdstoretest.Real(t)
	rdb := holdstore.Client(s)
	want := runIDOf(t, rdb)
	for p := range domain.Partitions {
		if got := rdb.Get(t.Context(), holdstore.KeysOf(p, "x").Store).Val(); got != want || want == "" {
			t.Errorf("partition %d: got %q, want %q", p, got, want)
		}
	}
}

// TestRestartedServerRefuses (M1): with all its data still there, every screening waits for its rebuild.
func TestRestartedServerRefuses(t *testing.T) {
	t.Parallel()
	s, server := holdstoretest.Real(t)
	f := warm(t, s, 6)
	kept := f.hold(t, "u", 1)
	server.Kill()
	if err := s.Ping(t.Context()); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("ping of a killed server: got %v, want %v", err, domain.ErrUnavailable)
	}
	server.Start()
	if err := calm(t, func() error { return s.Ping(t.Context()) }); err != nil {
		t.Fatalf("ping of the restarted server: %v", err)
	}
	if _, found, err := s.RecordOf(t.Context(), f.sc.Partition, f.sc.ID, kept.HoldID); !found || err != nil {
		t.Fatalf("the hold from before: %v, %v", found, err)
	}
	f.refused(t, holdstoretest.Hold(f.sc, "u", 2), domain.ErrStoreChanged)
	f.refused(t, kept, domain.ErrStoreChanged) // not even a repeat is answered from what may be too old
	rebuild(t, s, f, 2)
	f.hold(t, "u", 2)
}

func TestEmptiedServerRefuses(t *testing.T) {
	t.Parallel()
	s, server := holdstoretest.Real(t)
	f := warm(t, s, 6)
	server.Stop()
	server.Wipe()
	server.Start()
	if err := calm(t, func() error { return s.Ping(t.Context()) }); err != nil {
		t.Fatal(err)
	}
	f.refused(t, holdstoretest.Hold(f.sc, "u", 2), domain.ErrNotWarmed)
	rebuild(t, s, f, 2)
	f.hold(t, "u", 2)
}

// TestFlushedServer: the connections live on, so only Mark writes the run id again.
func TestFlushedServer(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 6)
		if err := f.rdb.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		f.refused(t, holdstoretest.Hold(f.sc, "u", 2), domain.ErrNotWarmed)
		if _, err := s.Write(t.Context(), holdstore.Rebuild{Screening: f.sc, Epoch: 2, Map: "......", Free: 6, Now: now}); !errors.Is(err, domain.ErrStoreChanged) {
			t.Errorf("write before the mark: got %v, want %v", err, domain.ErrStoreChanged)
		}
		if err := s.Mark(t.Context()); err != nil {
			t.Fatal(err)
		}
		rebuild(t, s, f, 2)
		f.hold(t, "u", 2)
	})
}

func TestEmbeddedStoresAreStrangers(t *testing.T) {
	t.Parallel()
	one, two := holdstoretest.Embedded(t), holdstoretest.Embedded(t)
	a, b := warm(t, one, 6).snapshot(t).Store, warm(t, two, 6).snapshot(t).Store
	if a == b || a == "" || b == "" {
		t.Errorf("run ids of two embedded stores: %q and %q", a, b)
	}
	if faults, err := one.Faults(t.Context()); len(faults) != 0 || err != nil {
		t.Errorf("faults of the embedded store: %v, %v", faults, err)
	}
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("", "us") // short: the path of a socket has 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	path := filepath.Join(folder, "s")
	testenv.Redis(t, testenv.RedisSet("unixsocket", path))
	s := holdstoretest.At(t, "unix://"+path)
	warm(t, s, 6).hold(t, "u", 2)
}

func TestURLsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"http://:hunter2@h", "redis://:hunter2@h/x", "redis+sentinel://:hunter2@h:1/0", "redis+sentinel://:hunter2@h:1/x?master=m", "::hunter2",
	} {
		s, err := holdstore.Open(holdstore.Options{URL: raw})
		if err == nil {
			_ = s.Close()
			t.Errorf("%s was accepted", raw)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error tells the password: %v", err)
		}
	}
}

func TestFaultsNameWhatLosesPromises(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts []testenv.RedisOption
		want []string
	}{
		"fit":            {nil, nil},
		"evicts":         {[]testenv.RedisOption{testenv.RedisSet("maxmemory-policy", "allkeys-lru")}, []string{"maxmemory-policy"}},
		"no persistence": {[]testenv.RedisOption{testenv.RedisSet("appendonly", "no")}, []string{"persistence"}},
		"snapshots only": {[]testenv.RedisOption{testenv.RedisSet("appendonly", "no"), testenv.RedisSet("save", "60 1")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := holdstoretest.At(t, testenv.Redis(t, c.opts...).URL())
			faults, err := s.Faults(t.Context())
			if err != nil || len(faults) != len(c.want) {
				t.Fatalf("faults: got %v, %v; want %v", faults, err, c.want)
			}
			for i, word := range c.want {
				if !strings.Contains(faults[i], word) {
					t.Errorf("fault %q does not name %q", faults[i], word)
				}
			}
		})
	}
}
