package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"usher/service"
	"usher/service/domain"
)

// Pool settles holds: one reader per partition hands batches to a bounded number of workers. The batches of a
// partition run one at a time and in order, partitions in parallel.
type Pool struct {
	settlement *service.Settlement
	consumer   string
	slots      chan struct{}
	log        *slog.Logger
	turn       [domain.Partitions]sync.Mutex

	stopRead context.CancelFunc
	stopWork context.CancelFunc
	done     sync.WaitGroup
}

// Times of the pool.
const (
	poolBlock   = time.Second     // a reader waits this long for news
	poolRenew   = 3 * time.Second // entries in hand are renewed this often
	poolRescue  = 2 * time.Second // between looks for entries that nobody renews
	poolFirst   = 100 * time.Millisecond
	poolLongest = 2 * time.Second

	poolLockTries = 3 // then the partition goes on without the locked screening
)

// NewPool makes a pool of the given number of workers. The consumer name is stable per instance, so that an
// instance finds its own pending entries again.
func NewPool(settlement *service.Settlement, consumer string, workers int, log *slog.Logger) *Pool {
	return &Pool{settlement: settlement, consumer: consumer, slots: make(chan struct{}, max(1, workers)), log: log.With("component", "pool")}
}

// Start begins to read. It returns at once.
func (p *Pool) Start(ctx context.Context) {
	ctx = context.WithoutCancel(ctx) // Stop ends it, in two steps
	read, stopRead := context.WithCancel(ctx)
	work, stopWork := context.WithCancel(ctx)
	p.stopRead, p.stopWork = stopRead, stopWork
	for n := range domain.Partitions {
		p.done.Go(func() { p.follow(read, work, n) })
	}
	p.done.Go(func() { p.rescue(read, work) })
}

// Stop stops reading, lets the workers finish and acknowledge what was read, and gives up after the grace time:
// what is left stays pending and comes again.
func (p *Pool) Stop(grace time.Duration) {
	if p.stopRead == nil {
		return
	}
	p.stopRead()
	timer := time.AfterFunc(grace, p.stopWork)
	p.done.Wait()
	timer.Stop()
	p.stopWork()
}

func (p *Pool) follow(read, work context.Context, n int) {
	p.own(read, work, n)
	pause := poolFirst
	for read.Err() == nil {
		entries, err := p.settlement.Claim(read, n, p.consumer, poolBlock)
		if err != nil && read.Err() == nil {
			p.log.WarnContext(read, "reading events", "partition", n, "error", err)
			wait(read, pause)
			pause = min(2*pause, poolLongest)
			continue
		}
		pause = poolFirst
		if len(entries) > 0 {
			p.settle(work, n, entries)
		}
	}
}

// own settles what this consumer had pending before a restart.
func (p *Pool) own(read, work context.Context, n int) {
	after := "0"
	for read.Err() == nil {
		entries, err := p.settlement.Own(read, n, p.consumer, after)
		if err != nil {
			p.log.WarnContext(read, "reading own pending events", "partition", n, "error", err)
			wait(read, poolLongest)
			continue
		}
		if len(entries) == 0 {
			return
		}
		p.settle(work, n, entries)
		after = entries[len(entries)-1].Event.StreamID
	}
}

// settle brings one batch into the ledger. While the ledger is away the batch stays in hand and is renewed;
// nothing new is read for the partition. Entries that cannot be settled stay pending and are taken over later.
func (p *Pool) settle(ctx context.Context, n int, entries []service.Entry) {
	p.turn[n].Lock()
	defer p.turn[n].Unlock()
	p.slots <- struct{}{}
	defer func() { <-p.slots }()
	stop := p.renew(ctx, n, entries)
	defer stop()
	pause := poolFirst
	for try := 1; ctx.Err() == nil; try++ {
		err := p.settlement.Settle(ctx, n, entries)
		if err == nil {
			return
		}
		if domain.CodeOf(err) == "lock_timeout" && try >= poolLockTries {
			p.log.WarnContext(ctx, "a screening stays locked, its batch is left pending", "partition", n, "entries", len(entries))
			return
		}
		if domain.KindOf(err) != domain.KindUnavailable {
			p.log.ErrorContext(ctx, "batch left pending", "partition", n, "entries", len(entries), "error", err)
			return
		}
		p.log.WarnContext(ctx, "ledger or hold store is away, batch waits", "partition", n, "entries", len(entries), "error", err)
		<-p.slots // others may try meanwhile
		wait(ctx, pause)
		p.slots <- struct{}{}
		pause = min(2*pause, poolLongest)
	}
}

func (p *Pool) renew(ctx context.Context, n int, entries []service.Entry) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(poolRenew)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := p.settlement.Renew(ctx, n, p.consumer, entries); err != nil && ctx.Err() == nil {
					p.log.WarnContext(ctx, "renewing entries", "partition", n, "error", err)
				}
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// rescue looks in turn at all partitions for entries that nobody renews any more.
func (p *Pool) rescue(read, work context.Context) {
	for wait(read, poolRescue) {
		for n := range domain.Partitions {
			if read.Err() != nil {
				return
			}
			p.rescueOne(work, n)
		}
	}
}

func (p *Pool) rescueOne(ctx context.Context, n int) {
	if !p.turn[n].TryLock() {
		return // its own reader is at work: the ledger may be away
	}
	defer p.turn[n].Unlock()
	if _, err := p.settlement.Rescue(ctx, n, p.consumer); err != nil && ctx.Err() == nil {
		p.log.WarnContext(ctx, "taking over entries", "partition", n, "error", err)
	}
}

// wait pauses; false when the context ended.
func wait(ctx context.Context, pause time.Duration) bool {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
