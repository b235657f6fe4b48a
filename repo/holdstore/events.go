package holdstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"usher/service/domain"
)

// EnsureGroup makes the stream and its consumer group, beginning at the first entry.
func (s *Store) EnsureGroup(ctx context.Context, p int) error {
	err := s.client.XGroupCreateMkStream(ctx, keysOfPartition(p).events, group, "0-0").Err()
	if err != nil && strings.HasPrefix(err.Error(), "BUSYGROUP") {
		return nil
	}
	return translate(err)
}

// ReadNew delivers up to count new entries to the consumer. With block > 0 it waits that long for the first.
func (s *Store) ReadNew(ctx context.Context, p int, consumer string, count int, block time.Duration) ([]Entry, error) {
	if s.embedded == nil || block <= 0 {
		return s.read(ctx, p, consumer, ">", count, block)
	}
	woken := s.wake.on(p)
	entries, err := s.read(ctx, p, consumer, ">", count, 0)
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
	return s.read(ctx, p, consumer, ">", count, 0)
}

// ReadOwn delivers again up to count entries that the consumer has pending, beginning after the given id; it counts
// as a delivery. Entries that no longer exist stay out of the answer.
func (s *Store) ReadOwn(ctx context.Context, p int, consumer, after string, count int) ([]Entry, error) {
	if s.embedded != nil {
		return s.readOwnEmbedded(ctx, p, consumer, after, count)
	}
	return s.read(ctx, p, consumer, after, count, 0)
}

func (s *Store) read(ctx context.Context, p int, consumer, from string, count int, block time.Duration) ([]Entry, error) {
	client := s.client
	if block > 0 {
		client, block = s.blocking, max(block, time.Millisecond) // less would be sent as "for ever"
	} else {
		block = -1 // 0 would wait for ever
	}
	streams, err := client.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: group, Consumer: consumer, Streams: []string{keysOfPartition(p).events, from}, Count: int64(count), Block: block,
	}).Result()
	return entriesOf(p, streams, err)
}

// Done acknowledges the entries and takes their holds out of the in-flight list, in one step.
func (s *Store) Done(ctx context.Context, p int, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	pk := keysOfPartition(p)
	ids := make([]string, len(entries))
	var holds []any
	var refs []string
	for i, e := range entries {
		ids[i] = e.Event.StreamID
		if e.Event.HoldID != "" && (e.Event.Type == domain.EventHeld || e.Event.Type == domain.EventBlocked) {
			holds = append(holds, e.Event.HoldID)
			refs = append(refs, e.Event.HoldID)
		}
	}
	_, err := s.client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.XAck(ctx, pk.events, group, ids...)
		if len(holds) > 0 {
			pipe.ZRem(ctx, pk.inflight, holds...)
			pipe.HDel(ctx, pk.inflightRef, refs...)
		}
		return nil
	})
	return translate(err)
}

// Renew tells that the consumer still works on the entries; it does not count as a delivery.
func (s *Store) Renew(ctx context.Context, p int, consumer string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if s.embedded != nil {
		return s.renewEmbedded(ctx, p, consumer, ids)
	}
	return translate(s.client.XClaimJustID(ctx, &redis.XClaimArgs{
		Stream: keysOfPartition(p).events, Group: group, Consumer: consumer, MinIdle: 0, Messages: ids,
	}).Err())
}

// TakeOver claims up to count entries that nobody has renewed for idle; it counts as a delivery, which Pending
// tells. Entries that no longer exist stay out of the answer.
func (s *Store) TakeOver(ctx context.Context, p int, consumer string, idle time.Duration, count int) ([]Entry, error) {
	var entries []Entry
	start := "0-0"
	for len(entries) < count { // one call looks at ten times count entries; those behind may be idle too
		messages, next, err := s.client.XAutoClaim(ctx, &redis.XAutoClaimArgs{
			Stream: keysOfPartition(p).events, Group: group, Consumer: consumer, MinIdle: idle, Start: start, Count: int64(count - len(entries)),
		}).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, translate(err)
		}
		entries = append(entries, parseEntries(p, messages)...)
		if next == "" || next == "0-0" || CompareIDs(next, start) <= 0 {
			break
		}
		start = next
	}
	return entries, nil
}

// PendingEntry is one delivered, unacknowledged entry.
type PendingEntry struct {
	StreamID   string
	Consumer   string
	Idle       time.Duration
	Deliveries int64
}

// Pending lists up to count pending entries after the given id ("" = from the first), oldest first.
func (s *Store) Pending(ctx context.Context, p int, after string, count int) ([]PendingEntry, error) {
	start := "-"
	if after != "" {
		start = nextID(after)
	}
	list, err := s.client.XPendingExt(ctx, &redis.XPendingExtArgs{
		Stream: keysOfPartition(p).events, Group: group, Start: start, End: "+", Count: int64(count),
	}).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, translate(err)
	}
	out := make([]PendingEntry, len(list))
	for i, e := range list {
		out[i] = PendingEntry{StreamID: e.ID, Consumer: e.Consumer, Idle: e.Idle, Deliveries: e.RetryCount}
	}
	return out, nil
}

// Forget acknowledges ids whose entries no longer exist.
func (s *Store) Forget(ctx context.Context, p int, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return translate(s.client.XAck(ctx, keysOfPartition(p).events, group, ids...).Err())
}
