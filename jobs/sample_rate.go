package jobs

import (
	"context"
	"time"

	"usher/service"
)

const rateEvery = time.Second

// SampleRate lets the overview know each second how much is settled.
func SampleRate(l *Loops, o *service.Overview) {
	l.Every("rate", rateEvery, nil, func(context.Context) error {
		o.Sample()
		return nil
	})
}
