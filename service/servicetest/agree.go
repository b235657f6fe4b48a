package servicetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"usher/service/domain"
)

// Agree waits until the box is at rest and both stores say the same of the screening, seat by seat, owner by
// owner and counter by counter. It reads the stores directly, never the code under test.
func (b *Box) Agree(t testing.TB, screeningID string) {
	t.Helper()
	Eventually(t, 15*time.Second, func() (bool, string) {
		reason := b.Differences(context.Background(), screeningID)
		return reason == "", reason
	})
}

// Differences names the first difference between the two stores, or what is still under way; empty when none.
func (b *Box) Differences(ctx context.Context, screeningID string) string {
	sc, err := b.Store.Screening(ctx, screeningID)
	if err != nil {
		return err.Error()
	}
	due, err := b.Store.EffectsDue(ctx)
	if err != nil || due.Count > 0 {
		return fmt.Sprintf("%d effects due, %v", due.Count, err)
	}
	snap, err := b.Redis.Snapshot(ctx, sc.Partition, sc.ID)
	if err != nil {
		return err.Error()
	}
	claims, err := b.Store.Claims(ctx, sc.ID)
	if err != nil {
		return err.Error()
	}
	orders, err := b.Store.LiveOrders(ctx, sc.ID)
	if err != nil {
		return err.Error()
	}
	if len(snap.InFlight) > 0 {
		return fmt.Sprintf("%d holds in flight", len(snap.InFlight))
	}
	if snap.Meta.Epoch != sc.Epoch || snap.Meta.Gate != 0 || snap.Meta.Store != snap.Store {
		return fmt.Sprintf("epochs %d and %d, gate %d", snap.Meta.Epoch, sc.Epoch, snap.Meta.Gate)
	}
	quantity := 0
	users := map[string]int64{}
	byID := map[string]domain.Order{}
	for _, o := range orders {
		quantity += o.Quantity
		users[o.UserID] += int64(o.Quantity)
		byID[o.ID] = o
		rec, ok := snap.Holds[o.ID]
		if !ok || rec.Quantity != o.Quantity || rec.UserID != o.UserID {
			return fmt.Sprintf("order %s (%s) has the record %+v", o.ID, o.Status, rec)
		}
	}
	if len(snap.Holds) != len(orders) {
		return fmt.Sprintf("%d hold records, %d live orders", len(snap.Holds), len(orders))
	}
	for u, n := range users {
		if snap.Users[u] != n {
			return fmt.Sprintf("user %s counts %d, owns %d", u, snap.Users[u], n)
		}
	}
	if len(snap.Users) != len(users) {
		return fmt.Sprintf("%d users counted, %d own seats", len(snap.Users), len(users))
	}
	if sc.Remaining != sc.Capacity-quantity || int(snap.Meta.Free) != sc.Remaining {
		return fmt.Sprintf("capacity %d, live %d, remaining %d, free %d", sc.Capacity, quantity, sc.Remaining, snap.Meta.Free)
	}
	if sc.Kind == domain.KindGeneral {
		return ""
	}
	want := make([]byte, sc.Capacity)
	for i := range want {
		want[i] = '.'
	}
	for _, c := range claims {
		o, ok := byID[c.OrderID]
		if !ok {
			return fmt.Sprintf("seat %s is claimed by %s, which is not live", c.SeatNo, c.OrderID)
		}
		want[c.SeatIndex] = 'h'
		if o.Status == domain.OrderPaid {
			want[c.SeatIndex] = 's'
		}
		if snap.Owners[c.SeatIndex] != c.OrderID {
			return fmt.Sprintf("seat %s is owned by %q, claimed by %s", c.SeatNo, snap.Owners[c.SeatIndex], c.OrderID)
		}
	}
	if len(claims) != quantity || len(snap.Owners) != len(claims) {
		return fmt.Sprintf("%d claims, %d owners, live quantity %d", len(claims), len(snap.Owners), quantity)
	}
	if snap.Map != string(want) {
		return fmt.Sprintf("map %s, ledger %s", snap.Map, want)
	}
	return ""
}
