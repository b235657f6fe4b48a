package api

import (
	"context"

	"usher/service"
	"usher/service/domain"
)

func (h *Orders) show(ctx context.Context, id, userID, receipt string) (*orderOutput, error) {
	order, err := h.Orders.View(ctx, id, userID, receipt)
	if err != nil {
		return nil, err
	}
	view, err := h.view(ctx, order)
	if err != nil {
		return nil, err
	}
	return &orderOutput{Body: view}, nil
}

func (h *Orders) view(ctx context.Context, o *domain.Order) (orderView, error) {
	v := orderView{
		ID: o.ID, ScreeningID: o.ScreeningID, Status: o.Status, Reason: string(o.Reason), Seats: []orderSeat{}, Quantity: o.Quantity,
		AmountMinor: o.AmountMinor, Currency: o.Currency, BookingCode: o.BookingCode, DuplicateOf: o.DuplicateOf, CreatedAt: o.CreatedAt.UTC(),
	}
	if o.CreatedAt.IsZero() { // in flight: the ledger has not written it yet
		v.CreatedAt = o.AcceptedAt.UTC()
	}
	if due := service.Due(o); !due.IsZero() {
		due = due.UTC()
		v.ExpiresAt = &due
	}
	if o.Status == domain.OrderPaid {
		code, err := h.Tickets.Code(o)
		if err != nil {
			return orderView{}, err
		}
		v.TicketCode = code
	}
	if len(o.Seats) == 0 {
		return v, nil
	}
	listed, err := h.Catalog.Screening(ctx, o.ScreeningID)
	if err != nil {
		return orderView{}, err
	}
	for _, ref := range o.Seats {
		seat := orderSeat{No: ref.No, Tier: ref.Tier, PriceMinor: ref.PriceMinor}
		if listed.Room != nil {
			if i, ok := listed.Room.Index[ref.No]; ok {
				s := &listed.Room.Layout.Seats[i]
				seat.Zone, seat.Row, seat.Label = s.Zone, s.Row, s.Label
			}
		}
		v.Seats = append(v.Seats, seat)
	}
	return v, nil
}
