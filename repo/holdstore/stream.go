package holdstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"usher/service/domain"
)

// LastID returns the id of the newest entry, "0-0" for an empty stream.
func (s *Store) LastID(ctx context.Context, p int) (string, error) {
	list, err := s.client.XRevRangeN(ctx, keysOfPartition(p).events, "+", "-", 1).Result()
	if err != nil {
		return "", translate(err)
	}
	if len(list) == 0 {
		return "0-0", nil
	}
	return list[0].ID, nil
}

// Range reads up to count entries after the given id, up to and with the last one.
func (s *Store) Range(ctx context.Context, p int, after, last string, count int) ([]Entry, error) {
	list, err := s.client.XRangeN(ctx, keysOfPartition(p).events, "("+after, last, int64(count)).Result()
	if err != nil {
		return nil, translate(err)
	}
	return parseEntries(p, list), nil
}

// Get reads the entries with the given ids; those that no longer exist are left out.
func (s *Store) Get(ctx context.Context, p int, ids []string) ([]Entry, error) {
	cmds := make([]*redis.XMessageSliceCmd, len(ids))
	_, err := s.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, id := range ids {
			cmds[i] = pipe.XRange(ctx, keysOfPartition(p).events, id, id)
		}
		return nil
	})
	if err != nil {
		return nil, translate(err)
	}
	var entries []Entry
	for _, c := range cmds {
		entries = append(entries, parseEntries(p, c.Val())...)
	}
	return entries, nil
}

// Tail reads entries after the given id, without a group. With block > 0 it waits that long for the first.
func (s *Store) Tail(ctx context.Context, p int, after string, count int, block time.Duration) ([]Entry, error) {
	if block <= 0 {
		return s.Range(ctx, p, after, "+", count)
	}
	if s.embedded != nil {
		woken := s.wake.on(p)
		entries, err := s.Range(ctx, p, after, "+", count)
		if err != nil || len(entries) > 0 {
			return entries, err
		}
		wait := time.NewTimer(block)
		defer wait.Stop()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-wait.C:
			return nil, nil
		case <-woken:
		}
		return s.Range(ctx, p, after, "+", count)
	}
	streams, err := s.blocking.XRead(ctx, &redis.XReadArgs{
		Streams: []string{keysOfPartition(p).events, after}, Count: int64(count), Block: max(block, time.Millisecond),
	}).Result()
	return entriesOf(p, streams, err)
}

// entriesOf reads the reply of a stream read; no news is no error.
func entriesOf(p int, streams []redis.XStream, err error) ([]Entry, error) {
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, translate(err)
	}
	var entries []Entry
	for _, st := range streams {
		entries = append(entries, parseEntries(p, st.Messages)...)
	}
	return entries, nil
}

// Progress is how far the group has read and what it still owes.
type Progress struct {
	LastDelivered string
	Pending       int64
	Length        int64
	InFlight      int64
	Oldest        time.Duration // age of the oldest in-flight hold
}

// Progress reads the partition's gauges.
func (s *Store) Progress(ctx context.Context, p int, now time.Time) (Progress, error) {
	pk := keysOfPartition(p)
	var groups *redis.XInfoGroupsCmd
	var length, inflight *redis.IntCmd
	var oldest *redis.ZSliceCmd
	_, err := s.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		groups = pipe.XInfoGroups(ctx, pk.events)
		length = pipe.XLen(ctx, pk.events)
		inflight = pipe.ZCard(ctx, pk.inflight)
		oldest = pipe.ZRangeWithScores(ctx, pk.inflight, 0, 0)
		return nil
	})
	if err != nil && !strings.Contains(err.Error(), "no such key") { // a stream that does not exist has no groups
		return Progress{}, translate(err)
	}
	if err := errors.Join(length.Err(), inflight.Err(), oldest.Err()); err != nil {
		return Progress{}, translate(err)
	}
	out := Progress{LastDelivered: "0-0", Length: length.Val(), InFlight: inflight.Val()}
	for _, g := range groups.Val() {
		if g.Name == group {
			out.LastDelivered, out.Pending = g.LastDeliveredID, g.Pending
		}
	}
	if list := oldest.Val(); len(list) > 0 {
		out.Oldest = max(0, now.Sub(time.UnixMilli(int64(list[0].Score))))
	}
	return out, nil
}

// TrimSafely drops entries that lie below both the first pending id and the group's last-delivered id, read in
// one step, and below the given age. Nothing that is not settled is ever cut.
func (s *Store) TrimSafely(ctx context.Context, p int, olderThan time.Time) (int64, error) {
	pk := keysOfPartition(p)
	var pending *redis.XPendingCmd
	var groups *redis.XInfoGroupsCmd
	_, err := s.client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pending = pipe.XPending(ctx, pk.events, group)
		groups = pipe.XInfoGroups(ctx, pk.events)
		return nil
	})
	if err != nil {
		if errors.Is(translate(err), errNoGroup) || strings.Contains(err.Error(), "no such key") {
			return 0, nil
		}
		return 0, translate(err)
	}
	limit := fmt.Sprintf("%d-0", olderThan.UnixMilli())
	found := false
	for _, g := range groups.Val() {
		if g.Name == group {
			found = true
			limit = lower(limit, g.LastDeliveredID)
		}
	}
	if !found {
		return 0, nil
	}
	if v := pending.Val(); v != nil && v.Count > 0 {
		limit = lower(limit, v.Lower)
	}
	n, err := s.client.XTrimMinID(ctx, pk.events, limit).Result()
	return n, translate(err)
}

// lower returns the smaller of two stream ids.
func lower(a, b string) string {
	if CompareIDs(a, b) <= 0 {
		return a
	}
	return b
}

// CompareIDs compares two stream ids as two numbers each.
func CompareIDs(a, b string) int {
	am, as := SplitID(a)
	bm, bs := SplitID(b)
	switch {
	case am < bm, am == bm && as < bs:
		return -1
	case am == bm && as == bs:
		return 0
	}
	return 1
}

// nextID returns the id after the given one; the embedded server does not know "(" everywhere.
func nextID(id string) string {
	ms, seq := SplitID(id)
	return fmt.Sprintf("%d-%d", ms, seq+1)
}

// SplitID returns the two numbers of a stream id.
func SplitID(id string) (ms, seq int64) {
	m, q, _ := strings.Cut(id, "-")
	ms, _ = strconv.ParseInt(m, 10, 64)
	seq, _ = strconv.ParseInt(q, 10, 64)
	return ms, seq
}

// RecordOf returns the hold store's record of a hold; found is false when it has none.
func (s *Store) RecordOf(ctx context.Context, p int, screeningID, holdID string) (record domain.HoldRecord, found bool, err error) {
	text, err := s.client.HGet(ctx, keysOfScreening(p, screeningID).holds, holdID).Result()
	if errors.Is(err, redis.Nil) {
		return record, false, nil
	}
	if err != nil {
		return record, false, translate(err)
	}
	record, err = parseRecord(holdID, text)
	return record, err == nil, err
}

// InFlightRef returns the screening and user of an in-flight hold; found is false when it is not in flight.
func (s *Store) InFlightRef(ctx context.Context, p int, holdID string) (screeningID, userID string, found bool, err error) {
	text, err := s.client.HGet(ctx, keysOfPartition(p).inflightRef, holdID).Result()
	if errors.Is(err, redis.Nil) {
		return "", "", false, nil
	}
	if err != nil {
		return "", "", false, translate(err)
	}
	screeningID, userID, _ = strings.Cut(text, "|")
	return screeningID, userID, true, nil
}
