package holdstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"time"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

// call is one random call; it runs on each twin and returns what must be equal.
type call func(context.Context, *twin) (any, error)

// player draws calls for two screenings of one partition, one with seats and one without.
type player struct {
	*rand.Rand
	p      int
	seated *domain.Screening
	places *domain.Screening
	made   []holdstore.HoldArgs // everything that was ever asked for
}

const paritySeats = 12

func newPlayer(r *rand.Rand, p int) *player {
	y := &player{Rand: r, p: p}
	for _, target := range []struct {
		at *(*domain.Screening)
		n  int
	}{{&y.seated, paritySeats}, {&y.places, 0}} {
		sc := holdstoretest.In(p, target.n)
		sc.ID = y.id()
		sc.Epoch = 0
		*target.at = sc
	}
	return y
}

func (y *player) id() string { return fmt.Sprintf("%08x-%08x", y.Uint32(), y.Uint32()) }

func (y *player) user() string { return fmt.Sprintf("u%d", y.IntN(4)) }

func (y *player) oneIn(n int) bool { return y.IntN(n) == 0 }

func (y *player) screening() *domain.Screening {
	if y.oneIn(4) {
		return y.places
	}
	return y.seated
}

// next draws one call. Both screenings are written first.
func (y *player) next(i int) (string, call) {
	switch i {
	case 0:
		return "warm", y.rebuild(y.seated, 1)
	case 1:
		return "warm", y.rebuild(y.places, 1)
	}
	draws := []struct {
		weight int
		name   string
		make   func() call
	}{
		{30, "hold", y.hold},
		{4, "repeat", y.repeat},
		{4, "late", y.late},
		{14, "give back", y.giveBack},
		{8, "confirm", y.confirm},
		{8, "repair", y.repair},
		{4, "settings", y.settings},
		{1, "gate", y.gate},
		{3, "rebuild", func() call { return y.rebuild(y.screening(), y.Int64N(3)) }},
		{4, "look", y.look},
		{4, "read", y.readNew},
		{3, "done", y.done},
		{4, "stream", y.stream},
		{2, "spoil", y.spoil},
		{2, "mark", y.mark},
	}
	sum := 0
	for _, d := range draws {
		sum += d.weight
	}
	n := y.IntN(sum)
	for _, d := range draws {
		if n -= d.weight; n < 0 {
			return d.name, d.make()
		}
	}
	panic("not reached")
}

func (y *player) hold() call {
	sc := *y.screening()
	a := holdstoretest.Hold(&sc, y.user(), y.seats(sc.Kind)...)
	a.HoldID = y.id()
	if sc.Kind == domain.KindGeneral {
		a.Quantity = y.IntN(5)
	}
	a.Detail.Key, a.Detail.Fingerprint, a.Detail.Answer = y.id(), y.id(), "a|"+a.HoldID
	a.Runs = [][]int{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}}
	a.AnyTime = y.oneIn(10)
	switch y.IntN(24) {
	case 0:
		a.Now = now.Add(-2 * time.Hour)
	case 1:
		a.InFlightCap = y.IntN(4)
	case 2:
		sc.Epoch += y.Int64N(3) - 1
	case 3:
		a.Quantity++
	case 4, 5:
		a = asBlock(a)
	case 6, 7:
		if len(y.made) > 0 { // a key that is known already, with this or that request
			old := y.old()
			a.UserID, a.Detail.Key = old.UserID, old.Detail.Key
			if y.oneIn(2) {
				a.Detail.Fingerprint = old.Detail.Fingerprint
			}
		}
	}
	y.made = append(y.made, a)
	return send(a)
}

func send(a holdstore.HoldArgs) call {
	return func(ctx context.Context, w *twin) (any, error) { return w.s.HoldSeats(ctx, a) }
}

func (y *player) seats(kind domain.ScreeningKind) []int {
	if kind == domain.KindGeneral && !y.oneIn(12) {
		return nil
	}
	seats := y.Perm(paritySeats)[:1+y.IntN(4)]
	switch y.IntN(20) {
	case 0:
		seats[0] = paritySeats + y.IntN(2)
	case 1:
		seats = append(seats, seats[0])
	}
	return seats
}

// old returns one of the calls made before, mostly a young one.
func (y *player) old() holdstore.HoldArgs {
	if len(y.made) == 0 {
		return holdstoretest.Hold(y.seated, "nobody", 1)
	}
	from := 0
	if !y.oneIn(4) {
		from = max(0, len(y.made)-12)
	}
	return y.made[from+y.IntN(len(y.made)-from)]
}

func (y *player) repeat() call { return send(y.old()) }

func (y *player) late() call {
	a := y.old()
	a.Attempt, a.AnyTime, a.Detail.Key = 2, true, y.id()
	sc := *a.Screening
	sc.Epoch = y.seated.Epoch
	if sc.Kind == domain.KindGeneral {
		sc.Epoch = y.places.Epoch
	}
	a.Screening = &sc
	y.made = append(y.made, a)
	return send(a)
}

func (y *player) ref() (holdstore.Ref, holdstore.HoldArgs) {
	a := y.old()
	r := holdstore.Ref{Partition: y.p, ScreeningID: a.Screening.ID, HoldID: a.HoldID, Attempt: a.Attempt}
	if y.oneIn(10) {
		r.Attempt = 3 - r.Attempt
	}
	return r, a
}

func (y *player) giveBack() call {
	r, a := y.ref()
	var some []int
	if y.oneIn(4) {
		for _, ref := range a.Detail.Seats {
			if y.oneIn(2) {
				some = append(some, ref.Index)
			}
		}
	}
	return func(ctx context.Context, w *twin) (any, error) { return w.s.GiveBack(ctx, r, some, now) }
}

func (y *player) confirm() call {
	r, _ := y.ref()
	return func(ctx context.Context, w *twin) (any, error) { return w.s.Confirm(ctx, r, now) }
}

func (y *player) repair() call {
	r, a := y.ref()
	if y.oneIn(6) {
		r.HoldID = ""
	}
	var truth []holdstore.SeatTruth
	for _, ref := range a.Detail.Seats {
		switch y.IntN(4) {
		case 0, 1:
			truth = append(truth, free(ref.Index))
		case 2:
			truth = append(truth, heldBy(y.old(), ref.Index))
		case 3:
			truth = append(truth, soldTo(y.old(), ref.Index))
		}
	}
	epoch := y.seated.Epoch
	if y.oneIn(12) {
		epoch--
	}
	return func(ctx context.Context, w *twin) (any, error) { return w.s.Repair(ctx, r, epoch, truth, now) }
}

func (y *player) settings() call {
	sc := y.screening()
	next := *sc
	next.Settings += y.Int64N(3) - 1
	next.Limit, next.OrphanRule, next.Status = y.IntN(5)*3, y.oneIn(2), domain.ScreeningOnSale
	if y.oneIn(5) {
		next.Status = domain.ScreeningPaused
	}
	if next.Settings >= sc.Settings {
		*sc = next
	}
	return func(ctx context.Context, w *twin) (any, error) { return nil, w.s.SetSettings(ctx, &next) }
}

func (y *player) gate() call {
	id := y.screening().ID
	return func(ctx context.Context, w *twin) (any, error) { return nil, w.s.ShutGate(ctx, y.p, id, 1<<50) }
}

// rebuild writes a screening anew with some of the holds that were asked for. A step of 0 is refused.
func (y *player) rebuild(sc *domain.Screening, step int64) call {
	r := holdstore.Rebuild{Epoch: sc.Epoch + step, Free: sc.Capacity, Now: now}
	layout := []byte(strings.Repeat(".", paritySeats))
	for _, a := range y.made[max(0, len(y.made)-8):] {
		fits := a.Screening.ID == sc.ID && a.Quantity > 0 && a.Quantity <= r.Free && !slices.ContainsFunc(r.Holds, func(h domain.HoldRecord) bool { return h.HoldID == a.HoldID })
		rec := domain.HoldRecord{
			HoldID: a.HoldID, State: domain.SeatHeld, UserID: a.UserID, ExpiresAt: a.ExpiresAt, Quantity: a.Quantity, AmountMinor: a.AmountMinor,
			Attempt: a.Attempt,
		}
		for _, ref := range a.Detail.Seats {
			fits = fits && ref.Index < paritySeats && layout[ref.Index] == '.'
			rec.Seats = append(rec.Seats, ref.Index)
		}
		if !fits || (sc.Kind == domain.KindSeated) != (len(rec.Seats) == a.Quantity) {
			continue
		}
		for _, index := range rec.Seats {
			layout[index] = 'h'
		}
		r.Holds, r.Free = append(r.Holds, rec), r.Free-a.Quantity
		r.Answers = append(r.Answers, holdstore.FirstAnswer{
			UserID: a.UserID, Key: a.Detail.Key, Fingerprint: a.Detail.Fingerprint, HoldID: a.HoldID, Answer: a.Detail.Answer, Life: time.Hour,
		})
	}
	if sc.Kind == domain.KindSeated {
		r.Map = string(layout)
	}
	sc.Epoch = r.Epoch
	frozen := *sc
	r.Screening = &frozen
	return func(ctx context.Context, w *twin) (any, error) { return w.s.Write(ctx, r) }
}

func (y *player) look() call {
	r, _ := y.ref()
	list := []domain.Screening{*y.seated, *y.places}
	switch y.IntN(4) {
	case 0:
		return func(ctx context.Context, w *twin) (any, error) { return w.s.Conditions(ctx, y.p, list) }
	case 1:
		return func(ctx context.Context, w *twin) (any, error) {
			record, found, err := w.s.RecordOf(ctx, y.p, r.ScreeningID, r.HoldID)
			return []any{record, found}, err
		}
	case 2:
		return func(ctx context.Context, w *twin) (any, error) {
			screening, user, found, err := w.s.InFlightRef(ctx, y.p, r.HoldID)
			return []any{screening, user, found}, err
		}
	}
	return func(ctx context.Context, w *twin) (any, error) {
		snap, err := w.s.Snapshot(ctx, y.p, r.ScreeningID)
		if snap != nil {
			sort.Strings(snap.InFlight) // a hash has no order
		}
		return snap, err
	}
}

func (y *player) mark() call {
	return func(ctx context.Context, w *twin) (any, error) { return nil, w.s.Mark(ctx) }
}
