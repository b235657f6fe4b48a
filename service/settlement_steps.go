package service

import (
	"context"
	"sort"

	"usher/repo"
	"usher/service/domain"
)

// checkLimits is step 2: under the lock, what each user owns elsewhere at the screening plus this batch, in
// stream order, may not exceed the limit.
func (b *batch) checkLimits(ctx context.Context, tx *repo.Store) error {
	var of []repo.UserScreening
	var batchIDs []string
	seen := map[repo.UserScreening]bool{}
	for i := range b.orders {
		o := &b.orders[i]
		if o.Status != domain.OrderReserved || b.screenings[o.ScreeningID].Limit == 0 {
			continue
		}
		batchIDs = append(batchIDs, o.ID)
		k := repo.UserScreening{UserID: o.UserID, ScreeningID: o.ScreeningID}
		if !seen[k] {
			seen[k] = true
			of = append(of, k)
		}
	}
	live, err := tx.LiveQuantities(ctx, of, batchIDs)
	if err != nil {
		return err
	}
	for i := range b.orders {
		o := &b.orders[i]
		limit := b.screenings[o.ScreeningID].Limit
		if o.Status != domain.OrderReserved || limit == 0 {
			continue
		}
		k := repo.UserScreening{UserID: o.UserID, ScreeningID: o.ScreeningID}
		if live[k]+o.Quantity > limit {
			b.fail(o, domain.ReasonLimitExceeded, domain.EffectGiveBack)
			continue
		}
		live[k] += o.Quantity
	}
	return nil
}

// fail ends an order that this batch inserted as reserved.
func (b *batch) fail(o *domain.Order, reason domain.Reason, effect domain.EffectKind) {
	o.Status, o.Reason = domain.OrderFailed, reason
	b.failed[o.ID] = reason
	var seats []int
	if effect == domain.EffectRepair {
		seats = seatIndexes(o.Seats)
	}
	b.effect(effect, b.byID[o.ID], seats)
}

// claimSeats is step 3. An order that misses a claim loses its others; its seats are repaired, since they may
// belong to somebody else.
func (b *batch) claimSeats(ctx context.Context, tx *repo.Store) error {
	var claims []repo.Claim
	for i := range b.orders {
		o := &b.orders[i]
		if o.Status != domain.OrderReserved {
			continue
		}
		for _, ref := range o.Seats {
			claims = append(claims, repo.Claim{ScreeningID: o.ScreeningID, SeatNo: ref.No, SeatIndex: ref.Index, OrderID: o.ID, Kind: domain.HoldByBuyer})
		}
	}
	got, err := tx.InsertClaims(ctx, claims)
	if err != nil {
		return err
	}
	for i := range b.orders {
		o := &b.orders[i]
		if o.Status == domain.OrderReserved && got[o.ID] < len(o.Seats) {
			b.fail(o, domain.ReasonSeatConflict, domain.EffectRepair)
		}
	}
	return nil
}

// claimBlocks writes the claims of staff blocks; one that misses a seat is undone by a repair.
func (b *batch) claimBlocks(ctx context.Context, tx *repo.Store) error {
	kept := b.blocks[:0]
	for _, e := range b.blocks {
		claims := make([]repo.Claim, len(e.Detail.Seats))
		for i, ref := range e.Detail.Seats {
			claims[i] = repo.Claim{ScreeningID: e.ScreeningID, SeatNo: ref.No, SeatIndex: ref.Index, OrderID: e.HoldID, Kind: domain.HoldBlock}
		}
		known, err := tx.BlockKnown(ctx, e.ScreeningID, e.HoldID)
		if err != nil {
			return err
		}
		if known {
			continue
		}
		got, err := tx.InsertClaims(ctx, claims)
		if err != nil {
			return err
		}
		if got[e.HoldID] == len(claims) {
			kept = append(kept, e)
			continue
		}
		if err := tx.DeleteBlock(ctx, e.ScreeningID, e.HoldID); err != nil {
			return err
		}
		b.effect(domain.EffectRepair, e, seatIndexes(e.Detail.Seats))
	}
	b.blocks = kept
	return nil
}

// takeRemaining is step 4. Under the lock the row that was read is the row that is there, so too few left is
// decided here, in stream order; a version that is lost all the same belongs to a writer outside the rule.
func (b *batch) takeRemaining(ctx context.Context, tx *repo.Store) error {
	sums := map[string]int{}
	for _, e := range b.blocks {
		sums[e.ScreeningID] += e.Quantity
	}
	for i := range b.orders {
		o := &b.orders[i]
		if o.Status != domain.OrderReserved {
			continue
		}
		if sums[o.ScreeningID]+o.Quantity > b.screenings[o.ScreeningID].Remaining {
			b.fail(o, domain.ReasonSoldOut, domain.EffectGiveBack)
			continue
		}
		sums[o.ScreeningID] += o.Quantity
	}
	takes := make([]repo.TakeRemaining, 0, len(sums))
	for id, n := range sums {
		takes = append(takes, repo.TakeRemaining{ScreeningID: id, N: n, Version: b.screenings[id].Version})
	}
	sort.Slice(takes, func(i, j int) bool { return takes[i].ScreeningID < takes[j].ScreeningID })
	done, err := tx.TakeRemaining(ctx, takes)
	if err != nil {
		return err
	}
	lost := map[string]bool{}
	for _, t := range takes {
		if !done[t.ScreeningID] {
			lost[t.ScreeningID] = true
		}
	}
	if len(lost) > 0 {
		return &versionLost{screenings: lost}
	}
	return nil
}

// writeOrders brings the rows to their final state and writes their seats and their first step.
func (b *batch) writeOrders(ctx context.Context, tx *repo.Store) error {
	if err := tx.FailOrders(ctx, b.failed); err != nil {
		return err
	}
	events := make([]domain.OrderEvent, len(b.orders))
	conflicting := map[string][]string{}
	for i := range b.orders {
		o := &b.orders[i]
		domain.OrderNone.MustBecome(o.Status)
		events[i] = domain.OrderEvent{OrderID: o.ID, Version: 1, To: o.Status, Actor: settlementActor, Reason: o.Reason, At: b.now}
		if b.failed[o.ID] == domain.ReasonSeatConflict || b.failed[o.ID] == domain.ReasonSoldOut {
			conflicting[o.ScreeningID] = append(conflicting[o.ScreeningID], o.ID)
		}
	}
	if err := tx.InsertOrderSeats(ctx, b.orders); err != nil {
		return err
	}
	for screeningID, ids := range conflicting {
		if _, err := tx.DeleteClaims(ctx, screeningID, ids); err != nil {
			return err
		}
	}
	return tx.InsertOrderEvents(ctx, events)
}

// writeRest writes effects, journal and cursor, and ends dead letters that this batch settled.
func (b *batch) writeRest(ctx context.Context, tx *repo.Store) error {
	ids := make([]string, 0, len(b.byID))
	for id := range b.byID {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	if err := tx.CloseDeadLetters(ctx, ids, domain.DeadLetterSettled); err != nil {
		return err
	}
	if err := tx.InsertEffects(ctx, b.effects); err != nil {
		return err
	}
	if err := tx.InsertJournal(ctx, b.events); err != nil {
		return err
	}
	ms, seq := b.cursor()
	if ms == 0 {
		return nil
	}
	return tx.MoveCursor(ctx, b.partition, ms, seq, b.now)
}
