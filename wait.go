package main

import (
	"context"
	"fmt"
	"time"
)

// pingPatience bounds one look at a store that may not answer at all.
const pingPatience = 3 * time.Second

// waitReady asks a store for a sign of life until it answers or patience is used up; waiting is told once a
// second what is being waited for.
func waitReady(ctx context.Context, patience time.Duration, ping func(context.Context) error, waiting func(error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		try, done := context.WithTimeout(ctx, pingPatience)
		err := ping(try)
		done()
		if err == nil {
			return nil
		}
		waiting(err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("gave up after %s: %w", patience, err)
		case <-tick.C:
		}
	}
}
