package holdstore_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

func idsOf(entries []holdstore.Entry) []string {
	ids := []string{}
	for _, e := range entries {
		ids = append(ids, e.Event.StreamID)
	}
	return ids
}

// read is ReadNew without waiting; it must succeed.
func (f *fixture) read(t *testing.T, consumer string, count int) []holdstore.Entry {
	t.Helper()
	entries, err := f.s.ReadNew(t.Context(), f.sc.Partition, consumer, count, 0)
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return entries
}

func (f *fixture) holds(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		f.hold(t, "u", i)
	}
}

func TestGroupDeliversEachEntryOnceAndKeepsItUntilDone(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 10)
		p := f.sc.Partition
		f.holds(t, 4) // with the rebuilt event: 5 entries
		one, two := f.read(t, "one", 2), f.read(t, "two", 10)
		if len(one) != 2 || len(two) != 3 || len(f.read(t, "one", 10)) != 0 {
			t.Fatalf("delivered %d and %d of 5 entries", len(one), len(two))
		}
		own, err := s.ReadOwn(t.Context(), p, "one", "0-0", 10)
		if diff := cmp.Diff(idsOf(one), idsOf(own)); diff != "" || err != nil {
			t.Errorf("own entries: %v (-want +got):\n%s", err, diff)
		}
		after, err := s.ReadOwn(t.Context(), p, "two", idsOf(two)[0], 1)
		if diff := cmp.Diff(idsOf(two)[1:2], idsOf(after)); diff != "" || err != nil {
			t.Errorf("own entries after the first: %v (-want +got):\n%s", err, diff)
		}
		if err := s.Done(t.Context(), p, append(one, two[0])); err != nil {
			t.Fatal(err)
		}
		if err := s.Done(t.Context(), p, nil); err != nil {
			t.Errorf("nothing done: %v", err)
		}
		pending, err := s.Pending(t.Context(), p, "", 10)
		if err != nil || len(pending) != 2 || pending[0].StreamID != idsOf(two)[1] || pending[0].Consumer != "two" {
			t.Errorf("pending: %+v, %v", pending, err)
		}
		if rest, err := s.Pending(t.Context(), p, pending[0].StreamID, 10); err != nil || len(rest) != 1 || rest[0].StreamID != pending[1].StreamID {
			t.Errorf("pending after the first: %+v, %v", rest, err)
		}
		progress, err := s.Progress(t.Context(), p, now.Add(3*time.Second))
		want := holdstore.Progress{LastDelivered: idsOf(two)[2], Pending: 2, Length: 5, InFlight: 2, Oldest: 3 * time.Second}
		if diff := cmp.Diff(want, progress); diff != "" || err != nil {
			t.Errorf("progress: %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestRenewedEntriesAreNotTakenOver(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 60)
		p := f.sc.Partition
		f.holds(t, 24)
		ids := idsOf(f.read(t, "dead", 100))
		if err := s.Renew(t.Context(), p, "alive", ids[:1]); err != nil {
			t.Fatal(err)
		}
		if taken, err := s.TakeOver(t.Context(), p, "other", time.Hour, 100); len(taken) != 0 || err != nil {
			t.Errorf("fresh entries: took %d, %v", len(taken), err)
		}
		f.idle(t, ids[20:], time.Hour) // far behind those that are still worked on
		taken, err := s.TakeOver(t.Context(), p, "other", time.Minute, 1)
		if diff := cmp.Diff(ids[20:21], idsOf(taken)); diff != "" || err != nil {
			t.Errorf("the first idle one: %v (-want +got):\n%s", err, diff)
		}
		taken, err = s.TakeOver(t.Context(), p, "other", time.Minute, 100)
		if diff := cmp.Diff(ids[21:], idsOf(taken)); diff != "" || err != nil {
			t.Errorf("the other idle ones: %v (-want +got):\n%s", err, diff)
		}
		pending, err := s.Pending(t.Context(), p, "", 100)
		if err != nil || len(pending) != 25 {
			t.Fatalf("pending: %d, %v", len(pending), err)
		}
		for i, e := range pending {
			want := holdstore.PendingEntry{StreamID: ids[i], Consumer: "dead", Deliveries: 1}
			switch {
			case i == 0:
				want.Consumer = "alive" // renewing is no delivery
			case i >= 20:
				want.Consumer, want.Deliveries = "other", 2
			}
			if e.Idle = 0; e != want {
				t.Errorf("pending entry %d: got %+v, want %+v", i, e, want)
			}
		}
	})
}

// idle makes entries look as if nobody had renewed them for a while.
func (f *fixture) idle(t *testing.T, ids []string, by time.Duration) {
	t.Helper()
	for _, id := range ids {
		err := f.rdb.Do(t.Context(), "XCLAIM", f.k.Events, "settlers", "dead", 0, id, "IDLE", by.Milliseconds(), "RETRYCOUNT", 1, "JUSTID").Err()
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestEntriesThatNoLongerExist: pending ids whose entries were cut are left out of a take-over and can be
// forgotten.
func TestEntriesThatNoLongerExist(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 10)
		p := f.sc.Partition
		f.holds(t, 3)
		ids := idsOf(f.read(t, "c", 10))
		f.rdb.XDel(t.Context(), f.k.Events, ids[1])
		got, err := s.Get(t.Context(), p, ids)
		if diff := cmp.Diff([]string{ids[0], ids[2], ids[3]}, idsOf(got)); diff != "" || err != nil {
			t.Errorf("get: %v (-want +got):\n%s", err, diff)
		}
		own, err := s.ReadOwn(t.Context(), p, "c", "0-0", 10)
		if diff := cmp.Diff([]string{ids[0], ids[2], ids[3]}, idsOf(own)); diff != "" || err != nil {
			t.Errorf("own: %v (-want +got):\n%s", err, diff)
		}
		taken, err := s.TakeOver(t.Context(), p, "d", 0, 10)
		if diff := cmp.Diff([]string{ids[0], ids[2], ids[3]}, idsOf(taken)); diff != "" || err != nil {
			t.Errorf("take-over: %v (-want +got):\n%s", err, diff)
		}
		if err := s.Forget(t.Context(), p, ids[1:2]); err != nil {
			t.Fatal(err)
		}
		if progress, err := s.Progress(t.Context(), p, now); err != nil || progress.Pending != 3 {
			t.Errorf("progress: %+v, %v", progress, err)
		}
	})
}

// TestGroupLostWithTheServersData: every reader is told, and a group made again begins at the first entry.
func TestGroupLostWithTheServersData(t *testing.T) {
	t.Parallel()
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 10)
		p := f.sc.Partition
		f.rdb.FlushAll(t.Context())
		if err := s.Mark(t.Context()); err != nil {
			t.Fatal(err)
		}
		progress, err := s.Progress(t.Context(), p, now)
		if diff := cmp.Diff(holdstore.Progress{LastDelivered: "0-0"}, progress); diff != "" || err != nil {
			t.Errorf("progress without a stream: %v (-want +got):\n%s", err, diff)
		}
		for range 2 { // without the stream, then without the group only
			for name, read := range map[string]func() ([]holdstore.Entry, error){
				"new":       func() ([]holdstore.Entry, error) { return s.ReadNew(t.Context(), p, "c", 10, 0) },
				"own":       func() ([]holdstore.Entry, error) { return s.ReadOwn(t.Context(), p, "c", "0-0", 10) },
				"take over": func() ([]holdstore.Entry, error) { return s.TakeOver(t.Context(), p, "c", 0, 10) },
				"pending": func() ([]holdstore.Entry, error) {
					_, err := s.Pending(t.Context(), p, "", 10)
					return nil, err
				},
				"renew": func() ([]holdstore.Entry, error) { return nil, s.Renew(t.Context(), p, "c", []string{"1-1"}) },
			} {
				if got, err := read(); domain.CodeOf(err) != "no_group" || len(got) != 0 {
					t.Errorf("%s: got %v, %v; want no_group", name, got, err)
				}
			}
			if n, err := s.TrimSafely(t.Context(), p, now.AddDate(100, 0, 0)); n != 0 || err != nil {
				t.Errorf("trim: got %d, %v", n, err)
			}
			if last, err := s.LastID(t.Context(), p); err != nil || (last != "0-0") != (f.sc.Epoch == 2) {
				t.Errorf("last id: %s, %v", last, err)
			}
			if f.sc.Epoch == 1 {
				rebuild(t, s, f, 2)
			}
		}
		if err := errors.Join(s.EnsureGroup(t.Context(), p), s.EnsureGroup(t.Context(), p)); err != nil {
			t.Fatal(err)
		}
		if got := f.read(t, "c", 10); len(got) != 1 || got[0].Event.Type != domain.EventRebuilt {
			t.Errorf("the new group was delivered %+v, want the rebuilt event", got)
		}
	})
}

// TestBrokenEntriesAreDelivered: what cannot be read is not skipped; it comes with its text.
func TestBrokenEntriesAreDelivered(t *testing.T) {
	t.Parallel()
	detail, err := json.Marshal(holdstoretest.Hold(holdstoretest.Screening(10), "u", 4).Detail)
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]any{
		"v": "1", "type": "held", "epoch": "1", "screening": "s", "hold": "h", "user": "u", "attempt": "1", "qty": "1", "amount": "5",
		"at": "1", "expires": "2", "ver": "3", "seats": "4", "state": "h", "detail": string(detail),
	}
	changes := map[string]string{
		"v": "2", "type": "sold", "epoch": "x", "screening": "", "hold": "", "user": "a\x00b", "attempt": "1.5", "qty": "0", "amount": "1e3",
		"at": "soon", "expires": "", "ver": "v", "seats": "-4", "state": "q", "detail": "{",
	}
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, 10)
		for field, value := range changes {
			values := map[string]any{}
			for k, v := range good {
				values[k] = v
			}
			values[field] = value
			id, err := f.rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: f.k.Events, Values: values}).Result()
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Get(t.Context(), f.sc.Partition, []string{id})
			if err != nil || len(got) != 1 {
				t.Fatal(got, err)
			}
			if e := got[0]; e.Broken == nil || e.Raw == "" || e.Event.StreamID != id || e.Event.Partition != f.sc.Partition {
				t.Errorf("%s = %q: %+v is not broken, or lacks its id or text", field, value, e)
			}
		}
		if _, err := f.rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: f.k.Events, Values: good}).Result(); err != nil {
			t.Fatal(err)
		}
		entries := f.read(t, "c", 100)
		if e := entries[len(entries)-1]; e.Broken != nil || e.Raw != "" {
			t.Errorf("the sound entry: %+v", e)
		}
		if len(entries) != len(changes)+2 {
			t.Errorf("delivered %d entries, want %d", len(entries), len(changes)+2)
		}
		if err := s.Done(t.Context(), f.sc.Partition, entries); err != nil {
			t.Error(err)
		}
	})
}

func TestIDsAreComparedAsTwoNumbers(t *testing.T) {
	t.Parallel()
	ordered := []string{"0-0", "0-1", "9-5", "10-0", "10-9", "10-10", "1900000000000-0", "1900000000000-18446744073"}
	for i, a := range ordered {
		for j, b := range ordered {
			want := min(1, max(-1, i-j))
			if got := holdstore.CompareIDs(a, b); got != want {
				t.Errorf("%s against %s: got %d, want %d", a, b, got, want)
			}
		}
		ms, seq := holdstore.SplitID(a)
		if got := fmt.Sprintf("%d-%d", ms, seq); got != a {
			t.Errorf("split %s: got %s", a, got)
		}
	}
}
