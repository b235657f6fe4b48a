package service

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"usher/repo/holdstore"
	"usher/service/domain"
)

// answer turns what the script accepted, now or before, into what the buyer is told.
func (h *Holds) answer(ctx context.Context, p *prepared, res holdstore.HoldResult) (Placed, error) {
	placed := Placed{HoldID: res.HoldID, Repeat: res.Repeat, Body: []byte(p.args.Detail.Answer)}
	if res.Repeat && res.HoldID != p.args.HoldID {
		placed.Body = []byte(res.Answer)
	}
	if res.Repeat && res.HoldID == p.args.HoldID {
		placed.Repeat = false // our own command, sent again after its answer was lost
	}
	return h.accepted(ctx, placed)
}

// accepted answers a hold that the store has, at the moment that the installation wants.
func (h *Holds) accepted(ctx context.Context, placed Placed) (Placed, error) {
	if h.opts.Ack == AckRedis {
		return placed, nil
	}
	order, err := h.awaitOrder(ctx, placed.HoldID)
	if err != nil {
		return Placed{}, err
	}
	if order == nil {
		placed.Pending = true
		return placed, nil
	}
	if order.Answer == "" { // this instance's own word that it is reserved
		order.Answer = string(placed.Body)
	}
	return h.placedFrom(ctx, order, placed.Repeat)
}

// awaitOrder waits until the ledger has the order; nil when the time to answer is up. Where settlement in this
// process says "reserved" the order is not read again and has only its id and status.
func (h *Holds) awaitOrder(ctx context.Context, id string) (*domain.Order, error) {
	told, stop := h.settlement.waiters.wait(id)
	defer stop()
	wait, cancel := context.WithTimeout(ctx, h.opts.SettleWait)
	defer cancel()
	poll := time.NewTicker(settlePoll)
	defer poll.Stop()
	for first := true; ; first = false {
		if !first {
			select {
			case <-wait.Done():
				return nil, nil //nolint:nilnil // the answer is "confirming"
			case status := <-told:
				if status == domain.OrderReserved {
					return &domain.Order{ID: id, Status: status}, nil
				}
			case <-poll.C:
			}
		} else if status, ok := recv(wait, told, firstWait); ok && status == domain.OrderReserved {
			return &domain.Order{ID: id, Status: status}, nil
		}
		order, err := h.store.Order(wait, id)
		if err == nil {
			return order, nil
		}
		if !errors.Is(err, domain.ErrNotFound) && domain.KindOf(err) != domain.KindUnavailable && wait.Err() == nil {
			return nil, err
		}
	}
}

// settlePoll is how often the ledger is asked for a hold that another instance may settle; firstWait is how
// long only this instance's own word is waited for.
const (
	settlePoll = 100 * time.Millisecond
	firstWait  = 250 * time.Millisecond
)

func recv(ctx context.Context, told <-chan domain.OrderStatus, patience time.Duration) (domain.OrderStatus, bool) {
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case s := <-told:
		return s, true
	case <-t.C:
	case <-ctx.Done():
	}
	return domain.OrderNone, false
}

// placedFrom answers from the order: what settlement itself ended is refused the same way each time, everything
// else gives the first answer. A duplicate gives the answer of the order that survived.
func (h *Holds) placedFrom(ctx context.Context, o *domain.Order, repeat bool) (Placed, error) {
	switch {
	case o.Status == domain.OrderFailed:
		return Placed{}, failure(o)
	case o.Reason == domain.ReasonKeyReused:
		return Placed{}, domain.ErrKeyReused
	case o.Status == domain.OrderExpired && o.Version == 1:
		return Placed{}, domain.ErrExpired
	case o.DuplicateOf != "":
		survivor, err := h.store.Order(ctx, o.DuplicateOf)
		if err != nil {
			return Placed{}, err
		}
		o, repeat = survivor, true
	}
	return Placed{HoldID: o.ID, Repeat: repeat, Body: []byte(o.Answer)}, nil
}

// failure is the refusal that a failed order stands for.
func failure(o *domain.Order) error {
	switch o.Reason {
	case domain.ReasonSeatConflict:
		return domain.ErrSeatTaken.With("taken", seatNos(o.Seats))
	case domain.ReasonSoldOut:
		return domain.ErrSoldOut
	case domain.ReasonLimitExceeded:
		return domain.ErrLimit
	case domain.ReasonScreeningCancelled:
		return domain.ErrSaleClosed
	case domain.ReasonLost:
		return domain.ErrLost
	default:
		return domain.ErrNotConfirmed
	}
}

func seatNos(refs []domain.SeatRef) []string {
	out := make([]string, len(refs))
	for i, r := range refs {
		out[i] = r.No
	}
	return out
}

// answerOf writes the first answer of a hold.
func (h *Holds) answerOf(a holdstore.HoldArgs) string {
	nos := seatNos(a.Detail.Seats)
	status := domain.OrderConfirming
	if h.opts.Ack == AckSettled {
		status = domain.OrderReserved // it is given only after the commit
	}
	body, err := json.Marshal(HoldAnswer{
		ID: a.HoldID, ScreeningID: a.Screening.ID, Status: status, Seats: nos, Quantity: a.Quantity, AmountMinor: a.AmountMinor,
		Currency: a.Detail.Currency, ExpiresAt: a.ExpiresAt,
		Receipt: h.receipts.Sign(Receipt{HoldID: a.HoldID, ScreeningID: a.Screening.ID, UserID: a.UserID, Seats: nos, Quantity: a.Quantity, ExpiresAt: a.ExpiresAt}),
	})
	if err != nil {
		panic("hold answer: " + err.Error()) // texts, numbers and a time always marshal
	}
	return string(body)
}
