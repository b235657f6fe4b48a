package holdstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/redis/go-redis/v9"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

// fixture is a store with one warmed screening.
type fixture struct {
	s   *holdstore.Store
	rdb redis.UniversalClient
	sc  *domain.Screening
	k   holdstore.Keys
}

// warm makes a screening with n seats (0 = general admission for 10); change adapts it before it is written.
func warm(t testing.TB, s *holdstore.Store, n int, change ...func(*domain.Screening)) *fixture {
	t.Helper()
	sc := holdstoretest.Screening(n)
	for _, c := range change {
		c(sc)
	}
	holdstoretest.Warm(t, s, sc)
	return &fixture{s: s, rdb: holdstore.Client(s), sc: sc, k: holdstore.KeysOf(sc.Partition, sc.ID)}
}

// hold makes a hold that must succeed.
func (f *fixture) hold(t testing.TB, user string, seats ...int) holdstore.HoldArgs {
	t.Helper()
	a := holdstoretest.Hold(f.sc, user, seats...)
	f.place(t, a)
	return a
}

// places makes a hold of a quantity that must succeed.
func (f *fixture) places(t testing.TB, user string, n int) holdstore.HoldArgs {
	t.Helper()
	a := holdstoretest.Hold(f.sc, user)
	a.Quantity = n
	f.place(t, a)
	return a
}

// block makes a block that must succeed.
func (f *fixture) block(t testing.TB, seats ...int) holdstore.HoldArgs {
	t.Helper()
	a := asBlock(holdstoretest.Hold(f.sc, "staff", seats...))
	f.place(t, a)
	return a
}

func (f *fixture) place(t testing.TB, a holdstore.HoldArgs) holdstore.HoldResult {
	t.Helper()
	res, err := f.s.HoldSeats(t.Context(), a)
	if err != nil || res.Repeat {
		t.Fatalf("hold of %s: got %+v, %v", a.UserID, res, err)
	}
	return res
}

func asBlock(a holdstore.HoldArgs) holdstore.HoldArgs {
	a.Kind, a.Detail.Key = domain.HoldBlock, ""
	return a
}

// ref names attempt 1 of the hold.
func (f *fixture) ref(a holdstore.HoldArgs) holdstore.Ref {
	return holdstore.Ref{Partition: f.sc.Partition, ScreeningID: f.sc.ID, HoldID: a.HoldID, Attempt: a.Attempt}
}

func (f *fixture) snapshot(t testing.TB) *holdstore.Snapshot {
	t.Helper()
	snap, err := f.s.Snapshot(t.Context(), f.sc.Partition, f.sc.ID)
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	return snap
}

// set writes one field of a hash by hand.
func (f *fixture) set(t testing.TB, key, field, value string) {
	t.Helper()
	if err := f.rdb.HSet(t.Context(), key, field, value).Err(); err != nil {
		t.Fatal(err)
	}
}

// unchanged runs a call and fails when any key of the partition is another one afterwards.
//
// Every key of a call lies in the screening's partition, which TestEveryScriptStaysInOneSlot makes sure of.
func (f *fixture) unchanged(t testing.TB, call func()) {
	t.Helper()
	before := f.dump(t)
	call()
	if diff := cmp.Diff(before, f.dump(t)); diff != "" {
		t.Errorf("the call changed keys (-before +after):\n%s", diff)
	}
}

// refused runs a hold that must be refused and must change nothing.
func (f *fixture) refused(t testing.TB, a holdstore.HoldArgs, want *domain.Error) {
	t.Helper()
	f.unchanged(t, func() {
		res, err := f.s.HoldSeats(t.Context(), a)
		var got *domain.Error
		if !errors.As(err, &got) || got.Code != want.Code {
			t.Fatalf("refusal: got %+v, %v; want %s", res, err, want.Code)
		}
		if diff := cmp.Diff(want.Fields, got.Fields, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("fields of the refusal (-want +got):\n%s", diff)
		}
	})
}

// consistent checks what must hold at every moment: map, owners, records, users and free tell the same.
func consistent(t testing.TB, snap *holdstore.Snapshot, capacity int) {
	t.Helper()
	owners, users, taken := map[int]string{}, map[string]int64{}, 0
	for id, r := range snap.Holds {
		for _, index := range r.Seats {
			owners[index] = id
			if got := snap.Map[index]; got != byte(r.State) {
				t.Errorf("seat %d of %s: map says %c, record %c", index, id, got, r.State)
			}
		}
		taken += r.Quantity
		if r.State != domain.SeatBlocked {
			users[r.UserID] += int64(r.Quantity)
		}
	}
	if diff := cmp.Diff(owners, snap.Owners); diff != "" {
		t.Errorf("owners (-records +owners):\n%s", diff)
	}
	if diff := cmp.Diff(users, snap.Users); diff != "" {
		t.Errorf("users (-records +users):\n%s", diff)
	}
	if got := snap.Meta.Free; got != int64(capacity-taken) {
		t.Errorf("free: got %d, want %d", got, capacity-taken)
	}
	if snap.Map != "" && strings.Count(snap.Map, ".") != capacity-taken {
		t.Errorf("map %q has not %d free seats", snap.Map, capacity-taken)
	}
}

// dump is a set of keys with their values.
type dump map[string]any

// dump reads every key of the screening's partition.
func (f *fixture) dump(t testing.TB) dump {
	t.Helper()
	return dumpOf(t, f.rdb, strings.TrimSuffix(f.k.Store, "store"))
}

type streamDump struct {
	Entries []streamEntry
	Groups  map[string]groupDump
}

type streamEntry struct {
	ID     string
	Values map[string]any
}

type groupDump struct {
	LastDelivered string
	Pending       []string // "id consumer deliveries"
}

func dumpOf(t testing.TB, rdb redis.UniversalClient, prefix string) dump {
	t.Helper()
	ctx, out := t.Context(), dump{}
	keys, err := rdb.Keys(ctx, prefix+"*").Result()
	if err != nil {
		t.Fatalf("list keys: %v", err)
	}
	for _, key := range keys {
		var value any
		kind, err := rdb.Type(ctx, key).Result()
		switch kind {
		case "string":
			value, err = rdb.Get(ctx, key).Result()
		case "hash":
			value, err = rdb.HGetAll(ctx, key).Result()
		case "zset":
			value, err = rdb.ZRangeWithScores(ctx, key, 0, -1).Result()
		case "stream":
			value = dumpStream(t, rdb, key)
		default:
			value, err = kind, errors.Join(err, nil)
		}
		if err != nil {
			t.Fatalf("read %s: %v", key, err)
		}
		out[key] = value
	}
	return out
}

func dumpStream(t testing.TB, rdb redis.UniversalClient, key string) streamDump {
	t.Helper()
	d := streamDump{Groups: map[string]groupDump{}}
	entries, err := rdb.XRange(t.Context(), key, "-", "+").Result()
	if err != nil {
		t.Fatalf("read %s: %v", key, err)
	}
	for _, e := range entries {
		d.Entries = append(d.Entries, streamEntry{ID: e.ID, Values: e.Values})
	}
	groups, err := rdb.XInfoGroups(t.Context(), key).Result()
	if err != nil {
		t.Fatalf("read the groups of %s: %v", key, err)
	}
	for _, g := range groups {
		gd := groupDump{LastDelivered: g.LastDeliveredID}
		pending, err := rdb.XPendingExt(t.Context(), &redis.XPendingExtArgs{Stream: key, Group: g.Name, Start: "-", End: "+", Count: 10_000}).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			t.Fatalf("read the pending entries of %s: %v", key, err)
		}
		for _, p := range pending {
			gd.Pending = append(gd.Pending, strings.Join([]string{p.ID, p.Consumer, string(rune('0' + p.RetryCount))}, " "))
		}
		d.Groups[g.Name] = gd
	}
	return d
}
