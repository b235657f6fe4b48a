package jobs

import (
	"context"
	"time"

	"usher/service"
)

// ExpireOrders ends due orders every second.
func ExpireOrders(x *service.Expiry) Entry {
	return Entry{Name: "expire_orders", Spec: "@every 1s", Timeout: 10 * time.Second, Run: func(ctx context.Context) error {
		_, err := x.Run(ctx)
		return err
	}}
}

// TrimStreams drops settled stream entries every minute.
func TrimStreams(s *service.Settlement) Entry {
	return Entry{Name: "trim_streams", Spec: "@every 1m", Timeout: 30 * time.Second, Run: s.Trim}
}

// Prune deletes delivered effects and ended sessions every hour.
func Prune(effects *service.Effects, sessions func(context.Context) error) Entry {
	return Entry{Name: "prune", Spec: "17 * * * *", Timeout: time.Minute, Run: func(ctx context.Context) error {
		if _, err := effects.Prune(ctx); err != nil {
			return err
		}
		return sessions(ctx)
	}}
}
