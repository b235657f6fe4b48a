package service

import (
	"context"
	"errors"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/domain"
)

// Orders shows a buyer what became of a hold, by its one id.
type Orders struct {
	store    *repo.Store
	holds    *holdstore.Store
	catalog  *Catalog
	receipts *Receipts
}

// NewOrders makes the use case.
func NewOrders(store *repo.Store, holds *holdstore.Store, catalog *Catalog, receipts *Receipts) *Orders {
	return &Orders{store: store, holds: holds, catalog: catalog, receipts: receipts}
}

// View returns the user's own order. One that is in flight has the status confirming; a duplicate shows the
// order that survived. receipt may be empty: it tells a lost hold (ErrLost) from one that never was
// (ErrNotFound). Other people's orders do not exist.
func (o *Orders) View(ctx context.Context, id, userID, receipt string) (*domain.Order, error) {
	p, ok := partitionOfHold(id)
	if !ok || userID == "" {
		return nil, domain.ErrNotFound
	}
	order, err := o.store.Order(ctx, id)
	if err == nil && order.DuplicateOf != "" && order.UserID == userID {
		order, err = o.store.Order(ctx, order.DuplicateOf)
	}
	switch {
	case err == nil && order.UserID == userID:
		return order, nil
	case err == nil:
		return nil, domain.ErrNotFound
	case !errors.Is(err, domain.ErrNotFound):
		return nil, err
	}
	order, err = o.inFlight(ctx, p, id, userID)
	if err != nil || order != nil {
		return order, err
	}
	if order, err := o.store.Order(ctx, id); err == nil && order.UserID == userID {
		return order, nil // it was settled between the two looks
	}
	if order, err := o.deadLettered(ctx, id, userID); err == nil || !errors.Is(err, domain.ErrNotFound) {
		return order, err
	}
	if c, err := o.receipts.Verify(receipt); err == nil && c.HoldID == id && c.UserID == userID {
		return nil, domain.ErrLost
	}
	return nil, domain.ErrNotFound
}

// inFlight shows a hold that the ledger does not have yet; nil when the hold store does not have it either.
func (o *Orders) inFlight(ctx context.Context, p int, id, userID string) (*domain.Order, error) {
	screeningID, user, found, err := o.holds.InFlightRef(ctx, p, id)
	if err != nil || !found || user != userID {
		return nil, err
	}
	rec, found, err := o.holds.RecordOf(ctx, p, screeningID, id)
	if err != nil || !found {
		return nil, err
	}
	l, err := o.catalog.Screening(ctx, screeningID)
	if err != nil {
		return nil, err
	}
	order := &domain.Order{
		ID: id, ScreeningID: screeningID, UserID: userID, Status: domain.OrderConfirming, Attempt: rec.Attempt, Quantity: rec.Quantity,
		AmountMinor: rec.AmountMinor, Currency: l.Screening.Currency, ExpiresAt: rec.ExpiresAt, FirstExpiresAt: rec.ExpiresAt,
		AcceptedAt: rec.ExpiresAt.Add(-l.Screening.HoldLife),
	}
	for _, index := range rec.Seats {
		if l.Room != nil && index < len(l.Room.Layout.Seats) {
			seat := &l.Room.Layout.Seats[index]
			order.Seats = append(order.Seats, domain.SeatRef{No: seat.No, Index: index, Tier: seat.Tier, PriceMinor: l.Screening.Prices[seat.Tier]})
		}
	}
	return order, nil
}

// deadLettered shows a hold whose settlement waits for a person: it keeps its seats until its expiry, so it is
// still being confirmed. Errors: ErrNotFound.
func (o *Orders) deadLettered(ctx context.Context, id, userID string) (*domain.Order, error) {
	d, err := o.store.DeadLetterOf(ctx, id)
	if err != nil {
		return nil, err
	}
	e, ok := eventOf(*d)
	if !ok || e.UserID != userID {
		return nil, domain.ErrNotFound
	}
	return &domain.Order{
		ID: id, ScreeningID: e.ScreeningID, UserID: userID, Status: domain.OrderConfirming, Attempt: e.Attempt, Quantity: e.Quantity,
		AmountMinor: e.AmountMinor, Currency: e.Detail.Currency, AcceptedAt: e.AcceptedAt, ExpiresAt: e.ExpiresAt,
		FirstExpiresAt: e.ExpiresAt, Seats: e.Detail.Seats,
	}, nil
}

// InFlight reports whether the user's hold is accepted and not yet in the ledger.
func (o *Orders) InFlight(ctx context.Context, id, userID string) (bool, error) {
	p, ok := partitionOfHold(id)
	if !ok {
		return false, nil
	}
	_, user, found, err := o.holds.InFlightRef(ctx, p, id)
	if err != nil || found {
		return found && user == userID, err
	}
	_, err = o.deadLettered(ctx, id, userID)
	if errors.Is(err, domain.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// List returns the user's orders, newest first, without duplicates of others.
func (o *Orders) List(ctx context.Context, userID string, page domain.Page) (domain.List[domain.Order], error) {
	return o.store.ListOrders(ctx, userID, page)
}

// Due reports until when the order holds its seats; zero when it holds none by time.
func Due(o *domain.Order) time.Time {
	switch o.Status {
	case domain.OrderConfirming, domain.OrderReserved, domain.OrderPaying:
		return o.ExpiresAt
	default:
		return time.Time{}
	}
}
