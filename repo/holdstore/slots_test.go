package holdstore_test

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
	"usher/test/testenv"
)

// keyRecorder notes the keys of every script call and every transaction that a client sends.
type keyRecorder struct {
	mu    sync.Mutex
	calls [][]string
}

func (r *keyRecorder) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (r *keyRecorder) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		args := cmd.Args()
		switch cmd.Name() {
		case "evalsha", "eval":
			n, err := strconv.Atoi(text(args[2]))
			if err != nil {
				return err
			}
			r.note(args[3 : 3+n])
		}
		return next(ctx, cmd)
	}
}

func (r *keyRecorder) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if cmds[0].Name() == "multi" {
			var keys []any
			for _, cmd := range cmds[1 : len(cmds)-1] {
				at := 1
				if cmd.Name() == "xinfo" {
					at = 2
				}
				keys = append(keys, cmd.Args()[at])
			}
			r.note(keys)
		}
		return next(ctx, cmds)
	}
}

func (r *keyRecorder) note(keys []any) {
	call := make([]string, len(keys))
	for i, k := range keys {
		call[i] = text(k)
	}
	r.mu.Lock()
	r.calls = append(r.calls, call)
	r.mu.Unlock()
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	}
	return "?"
}

// TestEveryScriptStaysInOneSlot (BC-28): the keys of each script call and of each transaction share one slot, and
// screenings of different partitions lie in different ones.
func TestEveryScriptStaysInOneSlot(t *testing.T) {
	t.Parallel()
	s, _ := holdstoretest.Real(t)
	recorder := &keyRecorder{}
	rdb := holdstore.Client(s)
	rdb.AddHook(recorder)
	ruler := redis.NewClient(&redis.Options{Addr: testenv.Redis(t, testenv.RedisSet("cluster-enabled", "yes")).Addr()})
	t.Cleanup(func() { _ = ruler.Close() })
	slots := map[int64]bool{}
	for _, p := range []int{0, 5, 15} {
		wholeLife(t, s, p)
		slots[ruler.ClusterKeySlot(t.Context(), holdstore.KeysOf(p, "x").Store).Val()] = true
	}
	if len(recorder.calls) < 3*10 {
		t.Fatalf("only %d calls were recorded", len(recorder.calls))
	}
	if len(slots) != 3 {
		t.Errorf("three partitions lie in %d slots", len(slots))
	}
	seen := map[string]int64{}
	for _, keys := range recorder.calls {
		var in []int64
		for _, key := range keys {
			if _, known := seen[key]; !known {
				slot, err := ruler.ClusterKeySlot(t.Context(), key).Result()
				if err != nil {
					t.Fatal(err)
				}
				seen[key] = slot
			}
			in = append(in, seen[key])
		}
		if len(in) == 0 || slices.Min(in) != slices.Max(in) {
			t.Errorf("keys in several slots: %v", keys)
		}
	}
}

// TestOnlyDeclaredKeysAreTouched (BC-28): with a user who may reach one partition's keys only, that partition's
// whole life goes without a denial.
func TestOnlyDeclaredKeysAreTouched(t *testing.T) {
	t.Parallel()
	s, server := holdstoretest.Real(t)
	rules := []any{"ACL", "SETUSER", "desk", "on", ">secret", "+@all", "resetkeys", "~usher:{p05}:*", "~usher:{p*}:store"}
	if err := holdstore.Client(s).Do(t.Context(), rules...).Err(); err != nil {
		t.Fatal(err)
	}
	desk, err := holdstore.Open(holdstore.Options{URL: "redis://desk:secret@" + server.Addr() + "/0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = desk.Close() })
	wholeLife(t, desk, 5)
}

// wholeLife makes every kind of call for one screening of a partition.
func wholeLife(t *testing.T, s *holdstore.Store, p int) {
	t.Helper()
	f := warm(t, s, 8, func(sc *domain.Screening) { sc.Partition = p })
	ctx := t.Context()
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("partition %d: %s: %v", p, what, err)
		}
	}
	must("group", s.EnsureGroup(ctx, p))
	a, b, c := f.hold(t, "u", 0, 1), f.hold(t, "v", 2, 3), f.block(t, 7)
	f.confirmed(t, f.ref(a), true)
	f.givenBack(t, b, 2)
	f.repaired(t, c, 1, free(7))
	must("settings", s.SetSettings(ctx, f.sc))
	conditions, err := s.Conditions(ctx, p, []domain.Screening{*f.sc})
	must("conditions", err)
	if c := conditions[f.sc.ID]; !c.Warmed || !c.Marked {
		t.Errorf("partition %d: condition %+v", p, c)
	}
	entries, err := s.ReadNew(ctx, p, "c", 100, 0)
	must("read", err)
	if len(entries) < 7 {
		t.Errorf("partition %d: %d entries, want 7", p, len(entries))
	}
	own, err := s.ReadOwn(ctx, p, "c", "0-0", 100)
	must("read own", err)
	must("renew", s.Renew(ctx, p, "c", []string{own[0].Event.StreamID}))
	taken, err := s.TakeOver(ctx, p, "d", 0, 100)
	must("take over", err)
	if len(taken) != len(entries) || len(own) != len(entries) {
		t.Errorf("partition %d: %d entries, %d own, %d taken over", p, len(entries), len(own), len(taken))
	}
	must("done", s.Done(ctx, p, taken))
	progress, err := s.Progress(ctx, p, now)
	must("progress", err)
	if progress.Pending != 0 || progress.InFlight != 0 {
		t.Errorf("partition %d: %+v", p, progress)
	}
	n, err := s.TrimSafely(ctx, p, now.AddDate(100, 0, 0))
	must("trim", err)
	if n == 0 {
		t.Errorf("partition %d: nothing was trimmed", p)
	}
	tail, err := s.Tail(ctx, p, "0-0", 10, 0)
	must("tail", err)
	got, err := s.Get(ctx, p, []string{tail[0].Event.StreamID, "1-1"})
	must("get", err)
	if len(got) != 1 {
		t.Errorf("partition %d: got %d entries, want 1", p, len(got))
	}
	consistent(t, f.snapshot(t), 8)
	must("shut", s.ShutGate(ctx, p, f.sc.ID, 1<<50))
	_, err = s.Write(ctx, holdstore.Rebuild{Screening: f.sc, Epoch: 2, Map: "........", Free: 8, Now: now, Answers: []holdstore.FirstAnswer{{UserID: "u", Key: "k", Life: holdstore.IdempotencyLife}}})
	must("rebuild", err)
}
