package service

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/domain"
)

// versionLost says that the guarded update of some screenings met another version; the batch rolled back.
type versionLost struct{ screenings map[string]bool }

func (e *versionLost) Error() string {
	return fmt.Sprintf("version lost on %d screenings", len(e.screenings))
}

// attempt settles the events in one transaction. forced names holds that end as failed whatever the ledger
// says. A panic becomes an error of the batch.
func (s *Settlement) attempt(ctx context.Context, p int, events []domain.Event, forced map[string]domain.Reason) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("settlement panicked: %v\n%s", r, debug.Stack())
		}
	}()
	now := s.clock.Now()
	var b *batch
	bounded, cancel := context.WithTimeout(ctx, batchPatience)
	defer cancel()
	err = s.store.InTx(bounded, func(tx *repo.Store) error {
		b = newBatch(p, events, forced, now)
		return b.settle(bounded, tx, s.opts.LockTimeout)
	})
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return domain.ErrUnavailable.Because(err) // a ledger that hangs is a ledger that is away
	}
	if err != nil {
		return err
	}
	if len(b.effects) > 0 {
		s.kick()
	}
	s.settled.Add(int64(len(b.fresh)))
	s.waiters.tell(b.outcomes())
	return nil
}

// batch is the work of one transaction.
type batch struct {
	partition int
	events    []domain.Event
	forced    map[string]domain.Reason
	now       time.Time

	screenings map[string]*domain.Screening
	orders     []domain.Order          // that this batch inserted, in stream order
	fresh      map[string]bool         // their ids
	byID       map[string]domain.Event // the events of all holds of the batch
	failed     map[string]domain.Reason
	effects    []domain.Effect
	blocks     []domain.Event
	fenced     map[string]bool // stream ids of an old epoch: they move no cursor
	unknown    []domain.Event  // of screenings that the ledger does not have
}

func newBatch(p int, events []domain.Event, forced map[string]domain.Reason, now time.Time) *batch {
	return &batch{
		partition: p, events: events, forced: forced, now: now, screenings: map[string]*domain.Screening{}, fresh: map[string]bool{},
		byID: map[string]domain.Event{}, failed: map[string]domain.Reason{}, fenced: map[string]bool{},
	}
}

func (b *batch) settle(ctx context.Context, tx *repo.Store, lockTimeout time.Duration) error {
	steps := []func(context.Context, *repo.Store) error{
		b.insertOrders, b.checkLimits, b.claimSeats, b.claimBlocks, b.takeRemaining, b.writeOrders, b.writeRest,
	}
	if err := b.lock(ctx, tx, lockTimeout); err != nil {
		return err
	}
	for _, step := range steps {
		if err := step(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// lock is step 0: the screenings of all holds and blocks, ids ascending, before any other row.
func (b *batch) lock(ctx context.Context, tx *repo.Store, timeout time.Duration) error {
	if err := tx.SetLockTimeout(ctx, timeout); err != nil {
		return err
	}
	var ids []string
	seen := map[string]bool{}
	for _, e := range b.events {
		if (e.Type == domain.EventHeld || e.Type == domain.EventBlocked) && !seen[e.ScreeningID] {
			seen[e.ScreeningID] = true
			ids = append(ids, e.ScreeningID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	rows, err := tx.LockScreenings(ctx, ids)
	if err != nil {
		return err
	}
	for i := range rows {
		b.screenings[rows[i].ID] = &rows[i]
	}
	return nil
}

// insertOrders is step 1. The insert itself tells which holds are new; the others are looked up.
func (b *batch) insertOrders(ctx context.Context, tx *repo.Store) error {
	var wanted []domain.Order
	for _, e := range b.events {
		sc := b.screenings[e.ScreeningID]
		switch {
		case e.Type == domain.EventBlocked && sc != nil && e.Epoch == sc.Epoch:
			b.blocks = append(b.blocks, e)
			continue
		case e.Type != domain.EventHeld && e.Type != domain.EventBlocked:
			continue
		case sc == nil:
			b.unknown = append(b.unknown, e)
			continue
		}
		if e.Epoch != sc.Epoch {
			b.fenced[e.StreamID] = true
		}
		if e.Type == domain.EventBlocked { // a block of an old epoch: the rebuild did not know it
			b.effect(domain.EffectGiveBack, e, nil)
			continue
		}
		if _, twice := b.byID[e.HoldID]; !twice {
			b.byID[e.HoldID] = e
			wanted = append(wanted, b.order(e, sc))
		}
	}
	if err := b.deadLetterUnknown(ctx, tx); err != nil {
		return err
	}
	inserted, err := tx.InsertOrders(ctx, wanted, b.now)
	if err != nil {
		return err
	}
	var missing []domain.Order
	for _, o := range wanted {
		if inserted[o.ID] {
			b.keep(o)
		} else {
			missing = append(missing, o)
		}
	}
	return b.explain(ctx, tx, missing)
}

// order is the row that the event asks for, ended already where the screening or the clock says so.
func (b *batch) order(e domain.Event, sc *domain.Screening) domain.Order {
	o := domain.Order{
		ID: e.HoldID, ScreeningID: e.ScreeningID, UserID: e.UserID, Status: domain.OrderReserved, Attempt: e.Attempt, Version: 1,
		Quantity: e.Quantity, AmountMinor: e.AmountMinor, Currency: e.Detail.Currency, IdempotencyKey: e.Detail.Key,
		Fingerprint: e.Detail.Fingerprint, Answer: e.Detail.Answer, AcceptedAt: e.AcceptedAt, ExpiresAt: e.ExpiresAt,
		Lang: e.Detail.Lang, Seats: e.Detail.Seats,
	}
	switch {
	case e.Epoch != sc.Epoch:
		o.Status, o.Reason = domain.OrderFailed, domain.ReasonLost
		o.IdempotencyKey = "" // an honest retry under the key must not meet this row
	case b.forced[e.HoldID] != domain.ReasonNone:
		o.Status, o.Reason = domain.OrderFailed, b.forced[e.HoldID]
	case sc.Status == domain.ScreeningCancelled:
		o.Status, o.Reason = domain.OrderFailed, domain.ReasonScreeningCancelled
	case !b.now.Before(e.ExpiresAt):
		o.Status, o.Reason = domain.OrderExpired, domain.ReasonTimeUp
	}
	return o
}

// keep takes a row that this batch inserted; one that is ended already gives back what its hold took.
func (b *batch) keep(o domain.Order) {
	b.fresh[o.ID] = true
	b.orders = append(b.orders, o)
	if o.Status != domain.OrderReserved {
		b.effect(domain.EffectGiveBack, b.byID[o.ID], nil)
	}
}

// explain finds out why rows were not inserted: the id is there (live: nothing to do; terminal: the hold landed
// after its own end, a new give-back), or only the key is (a duplicate, or the key with other content).
func (b *batch) explain(ctx context.Context, tx *repo.Store, missing []domain.Order) error {
	if len(missing) == 0 {
		return nil
	}
	ids := make([]string, len(missing))
	for i, o := range missing {
		ids[i] = o.ID
	}
	known, err := tx.OrderHeads(ctx, ids)
	if err != nil {
		return err
	}
	var strangers []domain.Order
	var keys []repo.OrderKey
	for _, o := range missing {
		head, found := known[o.ID]
		switch {
		case !found:
			strangers = append(strangers, o)
			keys = append(keys, repo.OrderKey{UserID: o.UserID, ScreeningID: o.ScreeningID, Key: o.IdempotencyKey})
		case !domain.OrderStatus(head.Status).Live():
			b.effect(domain.EffectGiveBack, b.byID[o.ID], nil)
		}
	}
	return b.insertDuplicates(ctx, tx, strangers, keys)
}

func (b *batch) insertDuplicates(ctx context.Context, tx *repo.Store, orders []domain.Order, keys []repo.OrderKey) error {
	if len(orders) == 0 {
		return nil
	}
	survivors, err := tx.OrderHeadsByKey(ctx, keys)
	if err != nil {
		return err
	}
	for i := range orders {
		o := &orders[i]
		survivor, found := survivors[keys[i]]
		if !found {
			return fmt.Errorf("order %s met a rule that nobody knows", o.ID)
		}
		o.Status, o.Reason, o.IdempotencyKey = domain.OrderCancelled, domain.ReasonKeyReused, ""
		if survivor.Fingerprint == o.Fingerprint {
			o.Reason, o.DuplicateOf = domain.ReasonDuplicate, survivor.ID
		}
	}
	inserted, err := tx.InsertOrders(ctx, orders, b.now)
	if err != nil {
		return err
	}
	for _, o := range orders {
		if inserted[o.ID] {
			b.fresh[o.ID] = true
			b.orders = append(b.orders, o)
			kind := domain.EffectRepair
			if len(o.Seats) == 0 {
				kind = domain.EffectGiveBack // places are counted, nobody else can own them
			}
			b.effect(kind, b.byID[o.ID], seatIndexes(o.Seats))
		}
	}
	return nil
}

func (b *batch) effect(kind domain.EffectKind, e domain.Event, seats []int) {
	b.effects = append(b.effects, domain.Effect{
		ID: NewID(), Kind: kind, ScreeningID: e.ScreeningID, OrderID: e.HoldID, Attempt: e.Attempt, Seats: seats, CreatedAt: b.now,
	})
}

func seatIndexes(refs []domain.SeatRef) []int {
	out := make([]int, len(refs))
	for i, r := range refs {
		out[i] = r.Index
	}
	return out
}

// deadLetterUnknown puts away events of screenings that the ledger does not have; no repetition mends them.
func (b *batch) deadLetterUnknown(ctx context.Context, tx *repo.Store) error {
	for _, e := range b.unknown {
		if err := tx.InsertDeadLetter(ctx, deadLetterOf(e, "", "the ledger has no screening "+e.ScreeningID, 1, b.now)); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) outcomes() map[string]domain.OrderStatus {
	out := make(map[string]domain.OrderStatus, len(b.orders))
	for i := range b.orders {
		out[b.orders[i].ID] = b.orders[i].Status
	}
	return out
}

// cursor returns the highest stream id of the batch that an event of the current epoch has.
func (b *batch) cursor() (ms, seq int64) {
	top := "0-0"
	for _, e := range b.events {
		if !b.fenced[e.StreamID] && holdstore.CompareIDs(e.StreamID, top) > 0 {
			top = e.StreamID
		}
	}
	return holdstore.SplitID(top)
}
