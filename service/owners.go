package service

import (
	"context"

	"usher/repo"
	"usher/service/domain"
)

// Owners returns the live orders of a screening, each with the seats that it owns in the ledger now, as of one
// moment. Staff see it beside the map.
func (o *Orders) Owners(ctx context.Context, screeningID string) (orders []domain.Order, err error) {
	err = o.store.InSnapshot(ctx, func(tx *repo.Store) error {
		if orders, err = tx.LiveOrders(ctx, screeningID); err != nil {
			return err
		}
		claims, err := tx.Claims(ctx, screeningID)
		if err != nil {
			return err
		}
		at := make(map[string]int, len(orders))
		for i := range orders {
			at[orders[i].ID] = i
		}
		for _, c := range claims {
			if i, live := at[c.OrderID]; live {
				orders[i].Seats = append(orders[i].Seats, domain.SeatRef{No: c.SeatNo, Index: c.SeatIndex})
			}
		}
		return nil
	})
	return orders, err
}
