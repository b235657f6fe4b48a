package jobs

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// Loops runs work for as long as the instance lives, each in a goroutine of its own. A panic is logged and the
// work begins anew.
type Loops struct {
	log  *slog.Logger
	stop context.CancelFunc
	ctx  context.Context //nolint:containedctx // it is the life of the loops, ended by Stop
	done sync.WaitGroup
}

// NewLoops makes the group; Stop ends it.
func NewLoops(ctx context.Context, log *slog.Logger) *Loops {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	return &Loops{log: log.With("component", "loops"), ctx: ctx, stop: stop}
}

// Stop ends all loops and waits for them.
func (l *Loops) Stop() {
	l.stop()
	l.done.Wait()
}

const loopRestart = time.Second

// Go runs work until Stop; work returns when its context ends.
func (l *Loops) Go(name string, work func(context.Context)) {
	l.done.Go(func() {
		for l.ctx.Err() == nil {
			l.guarded(name, work)
			wait(l.ctx, loopRestart)
		}
	})
}

func (l *Loops) guarded(name string, work func(context.Context)) {
	defer func() {
		if r := recover(); r != nil {
			l.log.Error("loop panicked", "loop", name, "panic", r, "stack", string(debug.Stack()))
		}
	}()
	work(l.ctx)
}

// Every runs step at once, then after each pause, or sooner when woken (woken may be nil). Errors are logged
// when they change, so that a store that is away for a minute is two lines and not sixty.
func (l *Loops) Every(name string, pause time.Duration, woken <-chan struct{}, step func(context.Context) error) {
	l.Go(name, func(ctx context.Context) {
		last := ""
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for {
			l.report(ctx, name, &last, bounded(ctx, step))
			select {
			case <-ctx.Done():
				return
			case <-woken:
			case <-tick.C:
			}
		}
	})
}

// stepPatience bounds one step: a store that hangs must not keep its loop for as long as the network waits.
const stepPatience = 30 * time.Second

func bounded(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, stepPatience)
	defer cancel()
	return step(ctx)
}

func (l *Loops) report(ctx context.Context, name string, last *string, err error) {
	if ctx.Err() != nil {
		return
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text == *last {
		return
	}
	if err != nil {
		l.log.WarnContext(ctx, "loop step failed", "loop", name, "error", err)
	} else {
		l.log.InfoContext(ctx, "loop step works again", "loop", name)
	}
	*last = text
}
