package holdstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"usher/service/domain"
)

// embeddedServer is miniredis in this process. It keeps nothing: at each start the hold store is rebuilt from
// the ledger. Its keys age by a tick of fast-forward; expiry is clean-up only, nothing depends on it.
type embeddedServer struct {
	mini *miniredis.Miniredis
	done chan struct{}
	wg   sync.WaitGroup
}

const agingTick = 5 * time.Second

func openEmbedded(opts Options) (*Store, error) {
	mini := miniredis.NewMiniRedis()
	if err := mini.Start(); err != nil {
		return nil, fmt.Errorf("start the embedded hold store: %w", err)
	}
	password := rand.Text() // other programs of this machine cannot read or write it
	mini.RequireAuth(password)
	e := &embeddedServer{mini: mini, done: make(chan struct{})}
	e.wg.Go(e.age)
	o := &redis.Options{
		Addr: mini.Addr(), Password: password, MaxRetries: -1, ContextTimeoutEnabled: true, Protocol: 2,
		PoolSize: opts.PoolSize, ReadTimeout: opts.Timeout, WriteTimeout: opts.Timeout, DialTimeout: opts.Timeout,
		DisableIdentity: true,
	}
	waits := *o
	waits.PoolSize = 3 * domain.Partitions
	s := &Store{
		client: redis.NewClient(o), blocking: redis.NewClient(&waits), embedded: e, wake: newWakers(),
		scripts: newScripts(), runID: rand.Text(),
	}
	ctx, cancel := context.WithTimeout(context.Background(), opts.Timeout)
	defer cancel()
	if err := s.Mark(ctx); err != nil {
		return nil, fmt.Errorf("mark the embedded hold store: %w", err)
	}
	return s, nil
}

func (e *embeddedServer) age() {
	tick := time.NewTicker(agingTick)
	defer tick.Stop()
	for {
		select {
		case <-e.done:
			return
		case <-tick.C:
			e.mini.FastForward(agingTick)
		}
	}
}

func (e *embeddedServer) stop() {
	close(e.done)
	e.wg.Wait()
	e.mini.Close()
}

// renewEmbedded keeps the entries' delivery counts as they are, which the embedded server would raise.
func (s *Store) renewEmbedded(ctx context.Context, p int, consumer string, ids []string) error {
	events := keysOfPartition(p).events
	pending := make([]*redis.XPendingExtCmd, len(ids))
	_, err := s.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, id := range ids {
			pending[i] = pipe.XPendingExt(ctx, &redis.XPendingExtArgs{Stream: events, Group: group, Start: id, End: id, Count: 1})
		}
		return nil
	})
	if err != nil {
		return translate(err)
	}
	_, err = s.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, id := range ids {
			for _, e := range pending[i].Val() { // none when it was done meanwhile
				pipe.Do(ctx, "XCLAIM", events, group, consumer, 0, id, "RETRYCOUNT", e.RetryCount, "JUSTID")
			}
		}
		return nil
	})
	return translate(err)
}

// readOwnEmbedded claims what the consumer has already: the embedded server's own way of reading it again knows no
// count and raises the delivery count of everything.
func (s *Store) readOwnEmbedded(ctx context.Context, p int, consumer, after string, count int) ([]Entry, error) {
	events := keysOfPartition(p).events
	pending, err := s.client.XPendingExt(ctx, &redis.XPendingExtArgs{
		Stream: events, Group: group, Consumer: consumer, Start: nextID(after), End: "+", Count: int64(count),
	}).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, translate(err)
	}
	if len(pending) == 0 {
		return nil, nil
	}
	ids := make([]string, len(pending))
	for i, e := range pending {
		ids[i] = e.ID
	}
	messages, err := s.client.XClaim(ctx, &redis.XClaimArgs{Stream: events, Group: group, Consumer: consumer, Messages: ids}).Result()
	return parseEntries(p, messages), translate(err)
}
