package jobs

import (
	"context"
	"time"

	"usher/service"
)

const watchdogEvery = time.Second

// Watch runs the watchdog each second, or at once when a request waits for a screening.
func Watch(l *Loops, w *service.Watchdog) {
	l.Every("watchdog", watchdogEvery, w.Woken(), func(ctx context.Context) error {
		_, err := w.Run(ctx)
		return err
	})
}
