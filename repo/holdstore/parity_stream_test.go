package holdstore_test

import (
	"context"
	"time"

	"usher/repo/holdstore"
)

func (y *player) consumer() string { return []string{"one", "two"}[y.IntN(2)] }

func (y *player) readNew() call {
	consumer, count := y.consumer(), 1+y.IntN(8)
	return func(ctx context.Context, w *twin) (any, error) {
		entries, err := w.s.ReadNew(ctx, y.p, consumer, count, 0)
		w.read = append(w.read, entries...)
		return entries, err
	}
}

// done acknowledges some of what was delivered; what is kept may be taken over.
func (y *player) done() call {
	count := y.IntN(10)
	return func(ctx context.Context, w *twin) (any, error) {
		n := min(count, len(w.read))
		err := w.s.Done(ctx, y.p, w.read[:n])
		w.read = w.read[n:]
		return n, err
	}
}

func (y *player) stream() call {
	consumer, count, age := y.consumer(), 1+y.IntN(6), time.UnixMilli(0)
	if y.oneIn(2) {
		age = now.AddDate(100, 0, 0)
	}
	calls := []call{
		func(ctx context.Context, w *twin) (any, error) { return w.s.ReadOwn(ctx, y.p, consumer, "0-0", count) },
		func(ctx context.Context, w *twin) (any, error) { return w.s.TakeOver(ctx, y.p, consumer, 0, count) },
		func(ctx context.Context, w *twin) (any, error) { return w.s.Progress(ctx, y.p, now.Add(time.Second)) },
		func(ctx context.Context, w *twin) (any, error) { return w.s.TrimSafely(ctx, y.p, age) },
		func(ctx context.Context, w *twin) (any, error) { return w.s.LastID(ctx, y.p) },
		func(ctx context.Context, w *twin) (any, error) { return w.s.Tail(ctx, y.p, "0-0", count, 0) },
		func(ctx context.Context, w *twin) (any, error) {
			ids := idsOf(w.read)
			return nil, w.s.Renew(ctx, y.p, consumer, ids[:min(count, len(ids))])
		},
		func(ctx context.Context, w *twin) (any, error) {
			after := ""
			if ids := idsOf(w.read); len(ids) > 0 {
				after = ids[min(count, len(ids))-1]
			}
			list, err := w.s.Pending(ctx, y.p, after, count)
			for i := range list {
				list[i].Idle = 0
			}
			return list, err
		},
	}
	return calls[y.IntN(len(calls))]
}

// spoil breaks one thing by hand, as a person or an eviction would.
func (y *player) spoil() call {
	k := holdstore.KeysOf(y.p, y.screening().ID)
	user, hold := y.user(), y.old().HoldID
	field := []string{"free", "ver", "epoch", "limit", "opens_ms", "gate", "store"}[y.IntN(7)]
	key := []string{k.Seats, k.Owners, k.Meta, k.Holds, k.Users, k.InFlight, k.InFlightRef}[y.IntN(7)]
	calls := []call{
		func(ctx context.Context, w *twin) (any, error) {
			return nil, w.rdb.HSet(ctx, k.Meta, field, "abc").Err()
		},
		func(ctx context.Context, w *twin) (any, error) { return nil, w.rdb.HDel(ctx, k.Meta, field).Err() },
		func(ctx context.Context, w *twin) (any, error) {
			return nil, w.rdb.HSet(ctx, k.Users, user, "abc").Err()
		},
		func(ctx context.Context, w *twin) (any, error) {
			return nil, w.rdb.HSet(ctx, k.Holds, hold, "1|h|x").Err()
		},
		func(ctx context.Context, w *twin) (any, error) { return nil, w.rdb.Set(ctx, k.Seats, "..h", 0).Err() },
		func(ctx context.Context, w *twin) (any, error) {
			return nil, w.rdb.Set(ctx, k.Store, "another", 0).Err()
		},
		func(ctx context.Context, w *twin) (any, error) { return nil, w.rdb.Del(ctx, key).Err() },
		func(ctx context.Context, w *twin) (any, error) {
			w.rdb.Del(ctx, key)
			return nil, w.rdb.RPush(ctx, key, "spoiled").Err()
		},
	}
	chosen := calls[y.IntN(len(calls))]
	return func(ctx context.Context, w *twin) (any, error) {
		_, err := chosen(ctx, w)
		return err == nil, nil // what is broken already may refuse the hand
	}
}
