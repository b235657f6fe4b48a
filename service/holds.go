package service

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/domain"
)

// Holds takes seats: it asks the hold store's script once, repeats what may be repeated, and answers as soon
// as the promise is as good as the installation wants it (Ack).
type Holds struct {
	store      *repo.Store
	holds      *holdstore.Store
	catalog    *Catalog
	feed       *SeatFeed
	settlement *Settlement
	rebuild    *Rebuild
	watchdog   *Watchdog
	receipts   *Receipts
	clock      *Clock
	log        *slog.Logger
	opts       HoldsOptions
}

// Ack says when a hold is answered.
type Ack string

// The moments of an answer.
const (
	AckRedis   Ack = "redis"   // as soon as the script has taken the seats
	AckSettled Ack = "settled" // after the ledger's commit, from the order
)

// HoldsOptions tune the hold path.
type HoldsOptions struct {
	Ack         Ack
	InFlightCap int           // per partition, default 50,000
	SettleWait  time.Duration // with AckSettled: answered "confirming" beyond, default 4 s
}

// HoldsDeps are what Holds works with.
type HoldsDeps struct {
	Store      *repo.Store
	Holds      *holdstore.Store
	Catalog    *Catalog
	Feed       *SeatFeed
	Settlement *Settlement
	Rebuild    *Rebuild
	Watchdog   *Watchdog
	Receipts   *Receipts
	Clock      *Clock
	Log        *slog.Logger
}

// NewHolds makes the use case.
func NewHolds(d HoldsDeps, opts HoldsOptions) *Holds {
	if opts.InFlightCap == 0 {
		opts.InFlightCap = 50_000
	}
	if opts.SettleWait == 0 {
		opts.SettleWait = 4 * time.Second
	}
	if opts.Ack == "" {
		opts.Ack = AckRedis
	}
	return &Holds{
		store: d.Store, holds: d.Holds, catalog: d.Catalog, feed: d.Feed, settlement: d.Settlement, rebuild: d.Rebuild,
		watchdog: d.Watchdog, receipts: d.Receipts, clock: d.Clock, log: d.Log.With("component", "holds"), opts: opts,
	}
}

// HoldRequest asks for seats by number, for the best seats, or for a quantity; exactly one of the three.
type HoldRequest struct {
	ScreeningID string
	UserID      string
	Key         string
	Lang        string
	Seats       []string
	Best        *BestRequest
	Quantity    int
}

// BestRequest asks for the best seats together. An empty tier means any.
type BestRequest struct {
	Count int
	Tier  string
}

// HoldAnswer is the first answer to an accepted hold. Its bytes are kept and given again.
type HoldAnswer struct {
	ID          string             `json:"id"`
	ScreeningID string             `json:"screening_id"`
	Status      domain.OrderStatus `json:"status"`
	Seats       []string           `json:"seats"`
	Quantity    int                `json:"quantity"`
	AmountMinor int64              `json:"amount_minor"`
	Currency    string             `json:"currency"`
	ExpiresAt   time.Time          `json:"expires_at"`
	Receipt     string             `json:"receipt"`
}

// Placed is the outcome of a request that was not refused.
type Placed struct {
	HoldID  string
	Body    []byte // the first answer, byte for byte
	Repeat  bool
	Pending bool // accepted, not yet settled when the time to answer was up
}

// Place takes the seats or tells why not. The id and the seats are fixed before the first try and kept on every
// repeat; only a refused "best" chooses anew.
//
// Errors: ErrKeyMissing, ErrNotFound, ErrSeatUnknown, ErrSeatTwice, ErrNoSeats, ErrTooManySeats, ErrOrphanSeat
// (Fields seats), ErrKeyReused, ErrSeatTaken (Fields taken, yours), ErrSoldOut, ErrLimit, ErrSaleClosed,
// ErrOneMoment, ErrBusy, ErrUnavailable, ErrScript, ErrLost.
func (h *Holds) Place(ctx context.Context, req HoldRequest) (Placed, error) {
	if err := checkKey(req.Key); err != nil {
		return Placed{}, err
	}
	l, err := h.catalog.Screening(ctx, req.ScreeningID)
	if err != nil {
		return Placed{}, err
	}
	if l.Screening.Status == domain.ScreeningDraft {
		return Placed{}, domain.ErrNotFound
	}
	if err := checkRequest(l, req); err != nil {
		return Placed{}, err
	}
	if !h.clock.Usable() {
		return Placed{}, domain.ErrUnavailable.Saying("This server's clock is off.")
	}
	fingerprint := fingerprintOf(req)
	onSale := l.Screening.OnSale(h.clock.Now())
	if !onSale || h.mayRepeat(ctx, req) {
		placed, found, err := h.known(ctx, l, req, fingerprint)
		if found || err != nil && !(onSale && domain.KindOf(err) == domain.KindUnavailable) {
			return placed, err
		}
	}
	if !onSale {
		return Placed{}, domain.ErrSaleClosed
	}
	for try := range bestTries {
		refs, err := h.choose(ctx, l, req)
		if errors.Is(err, domain.ErrSoldOut) {
			if placed, found, knownErr := h.known(ctx, l, req, fingerprint); found {
				return placed, knownErr
			}
		}
		if err != nil {
			return Placed{}, err
		}
		p := h.prepare(l, req, refs, fingerprint)
		placed, err := h.take(ctx, req, p)
		again := req.Best != nil && (errors.Is(err, domain.ErrSeatTaken) || errors.Is(err, domain.ErrOrphanSeat))
		if !again || try == bestTries-1 {
			return placed, h.named(ctx, l, err)
		}
		if err := h.refreshMap(ctx, req.ScreeningID, err); err != nil {
			return Placed{}, err
		}
	}
	return Placed{}, domain.ErrSoldOut
}

// known answers a request that was accepted before, from the hold store or the ledger.
func (h *Holds) known(ctx context.Context, l *Listed, req HoldRequest, fingerprint string) (Placed, bool, error) {
	placed, found, err := h.remembered(ctx, l, req, fingerprint)
	if found {
		return placed, true, err
	}
	if fromLedger, found, ledgerErr := h.fromLedger(ctx, req, fingerprint); found || ledgerErr != nil {
		return fromLedger, found, ledgerErr
	}
	return Placed{}, false, err
}

// bestTries bounds how often a refused "best" chooses anew.
const bestTries = 4

// takeRounds and takePause bound how often a call is made again after the screening was read anew. A rebuild
// writes the hold store just before its transaction commits: until then the ledger still has the epoch before,
// so each round waits longer than the one before it.
const (
	takeRounds = 6
	takePause  = 10 * time.Millisecond
)

// take runs the script and judges its answer. A screening that must be rebuilt or read anew first is asked once
// more after each.
func (h *Holds) take(ctx context.Context, req HoldRequest, p *prepared) (Placed, error) {
	for round := range takeRounds {
		res, err := h.try(ctx, p)
		switch {
		case err == nil:
			return h.answer(ctx, p, res)
		case errors.Is(err, domain.ErrStaleEpoch) && round < takeRounds-1:
			if round > 0 {
				if err := sleep(ctx, takePause<<round); err != nil {
					return Placed{}, err
				}
			}
			h.catalog.Forget(req.ScreeningID)
			if err := h.reload(ctx, p); err != nil {
				return Placed{}, err
			}
		case errors.Is(err, domain.ErrNotWarmed) && round == 0:
			if err := h.rebuild.Screening(ctx, req.ScreeningID); err != nil {
				h.watchdog.Ask(req.ScreeningID)
				return Placed{}, domain.ErrOneMoment.Because(err)
			}
			if err := h.reload(ctx, p); err != nil {
				return Placed{}, err
			}
		case domain.CodeOf(err) == "rebuilding", domain.CodeOf(err) == "store_changed", domain.CodeOf(err) == "stale_epoch", domain.CodeOf(err) == "not_warmed":
			h.watchdog.Ask(req.ScreeningID)
			return Placed{}, domain.ErrOneMoment.Because(err)
		case errors.Is(err, domain.ErrSeatTaken), errors.Is(err, domain.ErrSoldOut):
			return h.refused(ctx, req, p, err)
		default:
			return Placed{}, err
		}
	}
	return Placed{}, domain.ErrOneMoment
}

func (h *Holds) reload(ctx context.Context, p *prepared) error {
	l, err := h.catalog.Screening(ctx, p.args.Screening.ID)
	if err != nil {
		return err
	}
	p.args.Screening = &l.Screening
	return nil
}

// The retry controller: three attempts, 100 ms, doubled, at most 2 s, with jitter, inside the request's deadline.
const (
	retryAttempts = 3
	retryFirst    = 100 * time.Millisecond
	retryMax      = 2 * time.Second
)

// try calls the script; only "not now" answers of the server are repeated, with the same id and seats.
func (h *Holds) try(ctx context.Context, p *prepared) (holdstore.HoldResult, error) {
	pause := &backoff.ExponentialBackOff{InitialInterval: retryFirst, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: retryMax}
	return backoff.Retry(ctx, func() (holdstore.HoldResult, error) {
		p.args.Now = h.clock.Now()
		res, err := h.holds.HoldSeats(ctx, p.args)
		if err != nil && !errors.Is(err, domain.ErrUnavailable) {
			return res, backoff.Permanent(err)
		}
		return res, err
	}, backoff.WithBackOff(pause), backoff.WithMaxTries(retryAttempts))
}

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
