package jobs

import (
	"context"
	"time"

	"usher/service"
)

const effectsEvery = time.Second

// DeliverEffects delivers what is due, as soon as it is decided on this instance and each second otherwise.
func DeliverEffects(l *Loops, effects *service.Effects) {
	l.Every("effects", effectsEvery, effects.Woken(), func(ctx context.Context) error {
		for {
			n, err := effects.DeliverDue(ctx)
			if err != nil || n == 0 {
				return err
			}
		}
	})
}
