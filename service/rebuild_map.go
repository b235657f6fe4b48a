package service

import (
	"slices"

	"usher/repo"
	"usher/service/domain"
)

// rewrite computes a screening's map and records from the ledger's rows.
type rewrite struct {
	sc      *domain.Screening
	states  []byte // nil for general admission
	records map[string]*domain.HoldRecord
	taken   int
}

// settledEntry stands in a record for a stream entry that is settled.
const settledEntry = "0-0"

func newRewrite(sc *domain.Screening, orders []domain.Order, claims []repo.Claim) *rewrite {
	w := &rewrite{sc: sc, records: map[string]*domain.HoldRecord{}}
	if sc.Kind == domain.KindSeated {
		w.states = slices.Repeat([]byte{byte(domain.SeatFree)}, sc.Capacity)
	}
	for i := range orders {
		o := &orders[i]
		w.records[o.ID] = &domain.HoldRecord{
			HoldID: o.ID, State: stateOfOrder(o.Status), UserID: o.UserID, ExpiresAt: o.ExpiresAt, Quantity: o.Quantity,
			AmountMinor: o.AmountMinor, Attempt: o.Attempt, StreamID: settledEntry,
		}
		if w.states == nil {
			w.taken += o.Quantity
		}
	}
	for _, c := range claims {
		w.addClaim(c)
	}
	return w
}

func (w *rewrite) addClaim(c repo.Claim) {
	if c.SeatIndex >= len(w.states) {
		return
	}
	r := w.records[c.OrderID]
	if r == nil { // a block; a claim of a dead order cannot be
		r = &domain.HoldRecord{HoldID: c.OrderID, State: domain.SeatBlocked, UserID: "block", Attempt: 1, StreamID: settledEntry}
		w.records[c.OrderID] = r
	}
	r.Seats = append(r.Seats, c.SeatIndex)
	w.states[c.SeatIndex] = byte(r.State)
	w.taken++
}

// addDeadLetters keeps the seats of holds that wait for a person.
func (w *rewrite) addDeadLetters(letters []domain.DeadLetter) {
	for _, d := range letters {
		e, ok := eventOf(d)
		if !ok || e.Type != domain.EventHeld || w.records[e.HoldID] != nil {
			continue
		}
		r := &domain.HoldRecord{
			HoldID: e.HoldID, State: domain.SeatHeld, UserID: e.UserID, ExpiresAt: e.ExpiresAt, Quantity: e.Quantity,
			AmountMinor: e.AmountMinor, Attempt: e.Attempt, StreamID: settledEntry,
		}
		for _, index := range e.Seats {
			if index < len(w.states) && w.states[index] == byte(domain.SeatFree) {
				w.states[index] = byte(domain.SeatHeld)
				r.Seats = append(r.Seats, index)
				w.taken++
			}
		}
		if w.states == nil {
			w.taken += e.Quantity
		} else if r.Quantity = len(r.Seats); r.Quantity == 0 {
			continue
		}
		w.records[e.HoldID] = r
	}
}

func (w *rewrite) result() (seats string, free int, holds []domain.HoldRecord) {
	for _, id := range sortedKeys(w.records) {
		r := w.records[id]
		if w.states != nil {
			r.Quantity = len(r.Seats)
		}
		holds = append(holds, *r)
	}
	return string(w.states), w.sc.Capacity - w.taken, holds
}
