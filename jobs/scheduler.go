package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/robfig/cron/v3"
)

// Leaser hands out leases, so that a cron entry runs on one instance at a time. The fence grows with every
// acquisition.
type Leaser interface {
	AcquireLease(ctx context.Context, name, owner string, now time.Time, life time.Duration) (fence int64, ok bool, err error)
	ReleaseLease(ctx context.Context, name, owner string, fence int64, now time.Time) error
}

// Entry is one cron entry.
type Entry struct {
	Name    string
	Spec    string // robfig/cron, in UTC
	Timeout time.Duration
	Run     func(context.Context) error
}

// Scheduler runs cron entries in UTC, each with recover, skip-if-running, a lease, a timeout and a measured
// duration.
type Scheduler struct {
	cron    *cron.Cron
	leases  Leaser
	owner   string
	now     func() time.Time
	observe func(job string, took time.Duration, err error)
	log     *slog.Logger
	ctx     context.Context //nolint:containedctx // it is the life of the entries, ended by Stop
	cancel  context.CancelFunc
}

// NewScheduler makes the scheduler. observe is told of every run and may be nil.
func NewScheduler(leases Leaser, owner string, now func() time.Time, observe func(string, time.Duration, error), log *slog.Logger) *Scheduler {
	if observe == nil {
		observe = func(string, time.Duration, error) {}
	}
	s := &Scheduler{leases: leases, owner: owner, now: now, observe: observe, log: log.With("component", "cron")}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	logger := cronLogger{s.log}
	// Recover stands innermost: the skip wrapper stays shut after a panic that passes through it.
	s.cron = cron.New(cron.WithLocation(time.UTC), cron.WithLogger(logger),
		cron.WithChain(cron.SkipIfStillRunning(logger), cron.Recover(logger)))
	return s
}

// Add registers an entry; a spec that cannot be read is an error.
func (s *Scheduler) Add(e Entry) error {
	_, err := s.cron.AddFunc(e.Spec, func() { s.run(e) })
	return err
}

// Start begins to run entries.
func (s *Scheduler) Start() { s.cron.Start() }

// Stop starts no more runs and waits for those that run, at most for the grace time.
func (s *Scheduler) Stop(grace time.Duration) {
	running := s.cron.Stop()
	select {
	case <-running.Done():
	case <-time.After(grace):
	}
	s.cancel()
	<-running.Done()
}

func (s *Scheduler) run(e Entry) {
	ctx, cancel := context.WithTimeout(s.ctx, e.Timeout)
	defer cancel()
	fence, ok, err := s.leases.AcquireLease(ctx, e.Name, s.owner, s.now(), e.Timeout)
	if err != nil {
		s.report(ctx, e, 0, err)
		return
	}
	if !ok {
		return // another instance runs it
	}
	began := s.now()
	defer func() {
		free, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer done()
		if err := s.leases.ReleaseLease(free, e.Name, s.owner, fence, s.now()); err != nil {
			s.log.Debug("lease not released, it runs out by itself", "job", e.Name, "error", err)
		}
	}()
	err = e.Run(ctx)
	s.report(ctx, e, s.now().Sub(began), err)
}

func (s *Scheduler) report(ctx context.Context, e Entry, took time.Duration, err error) {
	s.observe(e.Name, took, err)
	if err != nil && !errors.Is(err, context.Canceled) {
		s.log.WarnContext(ctx, "job failed", "job", e.Name, "error", err)
	}
}

// cronLogger passes robfig/cron's words on; its routine ones are not worth a line.
type cronLogger struct{ log *slog.Logger }

func (l cronLogger) Info(string, ...any) {}

func (l cronLogger) Error(err error, msg string, kv ...any) {
	l.log.Error("cron", append(kv, "what", msg, "error", err)...)
}
