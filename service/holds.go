package service

import (
	"context"
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
	if !onSale || len(req.Seats) == 0 && h.ownsHere(ctx, req) { // seats by number collide with themselves, in the script
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

// known answers a request that was accepted before. The hold store is asked first, by one read; the ledger only
// where the user has live seats, so that a rush on a screening that is sold out or not open yet costs no query.
func (h *Holds) known(ctx context.Context, l *Listed, req HoldRequest, fingerprint string) (Placed, bool, error) {
	placed, found, err := h.remembered(ctx, l, req, fingerprint)
	if found || !h.ownsHere(ctx, req) {
		return placed, found, err
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
