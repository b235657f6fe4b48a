package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/domain"
)

// checkKey: 1 to 255 visible ASCII characters.
func checkKey(key string) error {
	if key == "" || len(key) > 255 {
		return domain.ErrKeyMissing
	}
	for i := range len(key) {
		if key[i] < 0x21 || key[i] > 0x7e {
			return domain.ErrKeyMissing
		}
	}
	return nil
}

// checkRequest judges everything that needs no store: the form of the request and the seats' names.
func checkRequest(l *Listed, req HoldRequest) error {
	forms := 0
	count := 0
	if len(req.Seats) > 0 {
		forms, count = forms+1, len(req.Seats)
	}
	if req.Best != nil {
		forms, count = forms+1, req.Best.Count
	}
	if req.Quantity != 0 {
		forms, count = forms+1, req.Quantity
	}
	switch {
	case forms == 0:
		return domain.ErrNoSeats
	case forms > 1:
		return domain.ErrInvalid.Saying("Send one of seats, best and quantity.")
	case count < 1:
		return domain.ErrNoSeats
	case count > domain.MaxSeatsPerHold:
		return domain.ErrTooManySeats.With("max", domain.MaxSeatsPerHold)
	}
	if l.Room == nil {
		if req.Quantity == 0 {
			return domain.ErrInvalid.Saying("This screening has no numbered seats: send a quantity.")
		}
		return nil
	}
	if req.Quantity != 0 {
		return domain.ErrInvalid.Saying("This screening has numbered seats: send seats or best.")
	}
	if req.Best != nil && req.Best.Tier != "" {
		if _, priced := l.Screening.Prices[req.Best.Tier]; !priced {
			return domain.ErrInvalid.Saying("The plan has no such tier.").With("tier", req.Best.Tier)
		}
	}
	return checkSeats(l.Room, req.Seats)
}

func checkSeats(room *Room, seats []string) error {
	seen := make(map[string]bool, len(seats))
	var unknown, twice []string
	for _, no := range seats {
		if _, ok := room.Index[no]; !ok {
			unknown = append(unknown, no)
		}
		if seen[no] {
			twice = append(twice, no)
		}
		seen[no] = true
	}
	switch {
	case len(unknown) > 0:
		return domain.ErrSeatUnknown.With("unknown", unknown)
	case len(twice) > 0:
		return domain.ErrSeatTwice.With("duplicated", twice)
	}
	return nil
}

// fingerprintOf is SHA-256 of the request in canonical form: seats sorted.
func fingerprintOf(req HoldRequest) string {
	var sb strings.Builder
	switch {
	case req.Best != nil:
		fmt.Fprintf(&sb, "best\n%d\n%s", req.Best.Count, req.Best.Tier)
	case req.Quantity != 0:
		fmt.Fprintf(&sb, "quantity\n%d", req.Quantity)
	default:
		seats := slices.Clone(req.Seats)
		slices.Sort(seats)
		sb.WriteString("seats\n" + strings.Join(seats, "\n"))
	}
	sum := sha256.Sum256([]byte(sb.String()))
	return hex.EncodeToString(sum[:])
}

// choose turns the request into seats with their prices. For "best" it reads the live map.
func (h *Holds) choose(ctx context.Context, l *Listed, req HoldRequest) ([]domain.SeatRef, error) {
	if l.Room == nil {
		return nil, nil
	}
	var indexes []int
	if req.Best != nil {
		v, err := h.feed.View(ctx, req.ScreeningID, "")
		if err != nil {
			return nil, err
		}
		free := func(i int) bool { return i < len(v.States) && v.States[i] == domain.SeatFree }
		found, ok := l.Room.Map.Best(free, req.Best.Count, req.Best.Tier, l.Screening.OrphanRule)
		if !ok {
			return nil, domain.ErrSoldOut.With("free", v.Free)
		}
		indexes = found
	} else {
		for _, no := range req.Seats {
			indexes = append(indexes, l.Room.Index[no])
		}
	}
	slices.Sort(indexes)
	refs := make([]domain.SeatRef, len(indexes))
	for i, index := range indexes {
		seat := &l.Room.Layout.Seats[index]
		price, priced := l.Screening.Prices[seat.Tier]
		if !priced {
			return nil, domain.ErrSaleClosed.Saying("A seat of this choice has no price yet.").With("seats", []string{seat.No})
		}
		refs[i] = domain.SeatRef{No: seat.No, Index: index, Tier: seat.Tier, PriceMinor: price}
	}
	return refs, nil
}

// prepared is one hold as it will be asked for, however often.
type prepared struct{ args holdstore.HoldArgs }

func (h *Holds) prepare(l *Listed, req HoldRequest, refs []domain.SeatRef, fingerprint string) *prepared {
	sc := &l.Screening
	now := h.clock.Now()
	a := holdstore.HoldArgs{
		Screening: sc, Kind: domain.HoldByBuyer, HoldID: newHoldID(sc.Partition), UserID: req.UserID, Attempt: 1, Now: now,
		ExpiresAt: now.Add(sc.HoldLife).Truncate(time.Millisecond), Quantity: len(refs), InFlightCap: h.opts.InFlightCap,
		Detail: domain.HoldDetail{Seats: refs, Currency: sc.Currency, Key: req.Key, Fingerprint: fingerprint, Lang: req.Lang},
	}
	for _, r := range refs {
		a.AmountMinor += r.PriceMinor
	}
	if l.Room == nil {
		a.Quantity = req.Quantity
		a.AmountMinor = int64(req.Quantity) * sc.Prices[domain.GeneralTier]
	} else if sc.OrphanRule {
		a.Runs = l.Room.Map.RunsOf(seatIndexes(refs))
	}
	a.Detail.Answer = h.answerOf(a)
	return &prepared{args: a}
}

// ownsHere reports whether the user has live seats at the screening, or nobody can tell.
func (h *Holds) ownsHere(ctx context.Context, req HoldRequest) bool {
	v, err := h.feed.View(ctx, req.ScreeningID, req.UserID)
	return err != nil || v.Live > 0
}

// fromLedger answers a request whose key the ledger knows.
func (h *Holds) fromLedger(ctx context.Context, req HoldRequest, fingerprint string) (Placed, bool, error) {
	soon, cancel := context.WithTimeout(ctx, ledgerPatience)
	defer cancel()
	o, err := h.store.OrderByKey(soon, repo.OrderKey{UserID: req.UserID, ScreeningID: req.ScreeningID, Key: req.Key})
	switch {
	case err != nil && soon.Err() != nil && ctx.Err() == nil, domain.KindOf(err) == domain.KindUnavailable:
		return Placed{}, false, errLedgerAway
	case errors.Is(err, domain.ErrNotFound):
		return Placed{}, false, nil
	case err != nil:
		return Placed{}, false, err
	case o.Fingerprint != fingerprint:
		return Placed{}, true, domain.ErrKeyReused
	}
	if h.opts.Ack == AckSettled {
		p, err := h.placedFrom(ctx, o, true)
		return p, true, err
	}
	return Placed{HoldID: o.ID, Body: []byte(o.Answer), Repeat: true}, true, nil
}

// ledgerPatience bounds the look for an order under a key; errLedgerAway says that it could not be had.
const ledgerPatience = 500 * time.Millisecond

var errLedgerAway = domain.ErrUnavailable.Because(errors.New("the ledger could not be asked for the key"))

// remembered answers a request whose key the hold store knows, before it is refused for a reason that the first
// one did not meet: the sale has closed since, or its own seats are the ones that "best" misses.
func (h *Holds) remembered(ctx context.Context, l *Listed, req HoldRequest, fingerprint string) (Placed, bool, error) {
	first, found, err := h.holds.Remembered(ctx, l.Screening.Partition, holdstore.KeyOf{ScreeningID: req.ScreeningID, UserID: req.UserID, Key: req.Key})
	switch {
	case err != nil || !found:
		return Placed{}, false, err
	case first.Fingerprint != fingerprint:
		return Placed{}, true, domain.ErrKeyReused
	}
	placed, err := h.accepted(ctx, Placed{HoldID: first.HoldID, Body: []byte(first.Answer), Repeat: true})
	return placed, true, err
}

// refused looks, only for a user with live seats here, whether the ledger gave these seats out under the same
// key: a forgotten success gets its first answer, and a sold-out storm costs no query. Where the user owns the
// very seats, the settlement of that hold is waited for.
func (h *Holds) refused(ctx context.Context, req HoldRequest, p *prepared, refusal error) (Placed, error) {
	var e *domain.Error
	if !errors.As(refusal, &e) {
		return Placed{}, refusal
	}
	if live, _ := e.Fields["live"].(int64); live == 0 {
		return Placed{}, refusal
	}
	tries := 1
	if h.ownsAll(ctx, req, e) {
		tries = ownTries
	}
	for range tries {
		placed, found, err := h.fromLedger(ctx, req, p.args.Detail.Fingerprint)
		if errors.Is(err, errLedgerAway) {
			break // the refusal is true all the same
		}
		if err != nil || found {
			return placed, err
		}
		if tries > 1 && sleep(ctx, settlePoll) != nil {
			break
		}
	}
	return Placed{}, e.With("yours", true)
}

// ownTries × settlePoll is how long a repeat waits for the settlement of its own forgotten success.
const ownTries = 15

func (h *Holds) ownsAll(ctx context.Context, req HoldRequest, e *domain.Error) bool {
	taken, _ := e.Fields["index"].([]int)
	v, err := h.feed.View(ctx, req.ScreeningID, req.UserID)
	if err != nil || len(taken) == 0 || len(taken) != len(req.Seats) {
		return false
	}
	for _, index := range taken {
		if !slices.Contains(v.Mine, index) {
			return false
		}
	}
	return true
}

// named puts seat numbers in place of indexes.
func (h *Holds) named(_ context.Context, l *Listed, err error) error {
	var e *domain.Error
	if !errors.As(err, &e) || l.Room == nil {
		return err
	}
	indexes, ok := e.Fields["index"].([]int)
	if !ok {
		return err
	}
	nos := make([]string, len(indexes))
	for i, index := range indexes {
		nos[i] = l.Room.Layout.Seats[index].No
	}
	out := &domain.Error{Kind: e.Kind, Code: e.Code, Message: e.Message, Err: e.Err, Fields: map[string]any{}}
	for k, v := range e.Fields {
		if k != "index" && k != "live" {
			out.Fields[k] = v
		}
	}
	field := "taken"
	if errors.Is(err, domain.ErrOrphanSeat) {
		field = "seats"
	}
	out.Fields[field] = nos
	return out
}

// refreshMap makes "best" see that seats it chose are gone, also when the feed has not heard of it yet.
func (h *Holds) refreshMap(ctx context.Context, screeningID string, refusal error) error {
	h.log.DebugContext(ctx, "best seats were gone, choosing anew", "screening_id", screeningID, "error", refusal)
	return h.feed.Refresh(ctx, screeningID)
}
