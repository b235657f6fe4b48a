package jobs

import (
	"context"
	"time"

	"usher/service"
	"usher/service/domain"
)

const (
	feedBlock = 5 * time.Second
	feedPause = 200 * time.Millisecond
)

// FollowSeats keeps the seat feed at the end of every partition's stream. The positions are taken before it
// returns, so that no map can be read before its events are followed.
func FollowSeats(ctx context.Context, l *Loops, feed *service.SeatFeed) error {
	for p := range domain.Partitions {
		at, err := feed.Position(ctx, p)
		if err != nil {
			return err
		}
		l.Go("seat feed", func(ctx context.Context) { follow(ctx, feed, p, at) })
	}
	return nil
}

func follow(ctx context.Context, feed *service.SeatFeed, p int, at string) {
	broken := false
	for ctx.Err() == nil {
		var next string
		var err error
		if broken {
			next, err = feed.Resume(ctx, p, at)
		} else {
			next, err = feed.Follow(ctx, p, at, feedBlock)
		}
		at, broken = next, err != nil
		if broken {
			wait(ctx, feedPause)
		}
	}
}
