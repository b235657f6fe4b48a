package holdstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"usher/service/domain"
)

// IdempotencyLife is how long an accepted hold is remembered under its key.
const IdempotencyLife = 24 * time.Hour

// HoldArgs is one call of hold_seats.
type HoldArgs struct {
	Screening   *domain.Screening
	Kind        domain.HoldKind
	HoldID      string
	UserID      string
	Attempt     int
	Now         time.Time
	ExpiresAt   time.Time
	Quantity    int
	AmountMinor int64
	Runs        [][]int // row runs of the seats, for the orphan rule
	InFlightCap int
	AnyTime     bool // the sale window does not apply
	Detail      domain.HoldDetail
}

// HoldResult is an accepted hold, or the answer that the same request got before.
type HoldResult struct {
	Repeat   bool
	HoldID   string
	Answer   string // of the repeat; empty when only the hold's record knew it
	Version  int64
	Free     int64
	StreamID string
}

// HoldSeats claims the seats or the quantity, or nothing. Errors: ErrNotWarmed, ErrStoreChanged, ErrRebuilding,
// ErrStaleEpoch, ErrKeyReused, ErrSaleClosed, ErrLimit, ErrOrphanSeat (Fields index: []int), ErrBusy,
// ErrSeatTaken (Fields index: []int, live: int64), ErrSoldOut (Fields live, free), ErrScript, ErrUnavailable.
func (s *Store) HoldSeats(ctx context.Context, a HoldArgs) (HoldResult, error) {
	keys, args, err := holdCall(a)
	if err != nil {
		return HoldResult{}, err
	}
	ans, err := s.run(ctx, s.scripts.hold, keys, args...)
	if err != nil {
		return HoldResult{}, err
	}
	if err := ans.refusal(); err != nil {
		return HoldResult{}, err
	}
	switch ans.code {
	case 1:
		s.wake.wake(a.Screening.Partition)
		return HoldResult{HoldID: a.HoldID, Version: ans.int(0), Free: ans.int(1), StreamID: ans.at(2)}, nil
	case 2:
		return HoldResult{Repeat: true, HoldID: ans.at(0), Answer: ans.at(1)}, nil
	}
	return HoldResult{}, holdRefusal(ans)
}

func holdRefusal(ans answer) error {
	switch ans.code {
	case 0:
		if ans.reason == "INSUFFICIENT_STOCK" {
			return domain.ErrSoldOut.With("live", ans.int(0)).With("free", ans.int(1))
		}
		return domain.ErrSeatTaken.With("live", ans.int(0)).With("index", ans.indexes(1))
	case -2:
		return domain.ErrLimit.With("live", ans.int(0)).With("limit", ans.int(1))
	case -3:
		return domain.ErrSaleClosed
	case -5:
		return domain.ErrOrphanSeat.With("index", ans.indexes(0))
	case -6:
		return domain.ErrKeyReused
	case -7:
		return domain.ErrBusy
	}
	return domain.ErrScript.Because(fmt.Errorf("hold_seats answered %d %s", ans.code, ans.reason))
}

func (a answer) indexes(from int) []int {
	var ns []int
	for i := from; i < len(a.rest); i++ {
		ns = append(ns, int(a.int(i)))
	}
	return ns
}

// holdCall builds KEYS and ARGV of hold_seats; the measuring tool sends the very same call.
func holdCall(a HoldArgs) ([]string, []any, error) {
	detail, err := json.Marshal(a.Detail)
	if err != nil {
		return nil, nil, fmt.Errorf("encode hold %s: %w", a.HoldID, err)
	}
	p := a.Screening.Partition
	pk, sk := keysOfPartition(p), keysOfScreening(p, a.Screening.ID)
	seats := make([]int, len(a.Detail.Seats))
	for i, ref := range a.Detail.Seats {
		seats[i] = ref.Index
	}
	runs := make([]string, len(a.Runs))
	for i, r := range a.Runs {
		runs[i] = joinInts(r)
	}
	window := "1"
	if a.AnyTime {
		window = "0"
	}
	keys := []string{
		pk.store, sk.seats, sk.owners, sk.meta, sk.holds, sk.users,
		idemKey(p, a.Screening.ID, a.UserID, a.Detail.Key), pk.inflight, pk.inflightRef, pk.events,
	}
	args := []any{
		a.Now.UnixMilli(), a.HoldID, a.UserID, a.Screening.Epoch, string(a.Kind), a.Attempt, a.Detail.Fingerprint,
		a.ExpiresAt.UnixMilli(), a.Quantity, a.AmountMinor, joinInts(seats), strings.Join(runs, ";"), a.InFlightCap,
		IdempotencyLife.Milliseconds(), a.Screening.ID, a.Detail.Answer, detail, window,
	}
	return keys, args, nil
}

// Ref names one attempt of one hold of one screening.
type Ref struct {
	Partition   int
	ScreeningID string
	HoldID      string
	Attempt     int
}

// GiveBack frees what the attempt took and still owns; seats narrows it to some of them. It returns how many
// seats or places became free; a repeat frees none. A screening that is not warmed has nothing to free: its
// rebuild reads the ledger.
func (s *Store) GiveBack(ctx context.Context, r Ref, seats []int, now time.Time) (int, error) {
	pk, sk := keysOfPartition(r.Partition), keysOfScreening(r.Partition, r.ScreeningID)
	ans, err := s.run(ctx, s.scripts.giveBack, []string{sk.seats, sk.owners, sk.meta, sk.holds, sk.users, pk.events},
		now.UnixMilli(), r.HoldID, r.Attempt, r.ScreeningID, joinInts(seats))
	if err != nil {
		return 0, err
	}
	switch {
	case ans.code == 1:
		s.wake.wake(r.Partition)
		return int(ans.int(1)), nil
	case ans.code == 0 || ans.code == -1:
		return 0, nil
	}
	return 0, ans.refusal()
}

// Confirm turns a paid hold's seats from held to sold. A repeat, an unknown hold or another attempt changes
// nothing; changed tells.
func (s *Store) Confirm(ctx context.Context, r Ref, now time.Time) (changed bool, err error) {
	pk, sk := keysOfPartition(r.Partition), keysOfScreening(r.Partition, r.ScreeningID)
	ans, err := s.run(ctx, s.scripts.confirm, []string{sk.seats, sk.owners, sk.meta, sk.holds, pk.events},
		now.UnixMilli(), r.HoldID, r.Attempt, r.ScreeningID)
	if err != nil {
		return false, err
	}
	switch {
	case ans.code == 1:
		s.wake.wake(r.Partition)
		return true, nil
	case ans.code == 0 || ans.code == -1:
		return false, nil
	}
	return false, ans.refusal()
}

// SeatTruth is what the ledger says of one seat. An empty Owner means free.
type SeatTruth struct {
	Index     int
	State     domain.SeatState
	Owner     string
	UserID    string
	ExpiresAt time.Time
	Attempt   int
}

// Repair ends the attempt and makes the seats what truth says. The caller holds the screening's row lock, and
// epoch is what the ledger has under that lock. It returns how many seats changed. Errors: ErrStaleEpoch.
func (s *Store) Repair(ctx context.Context, r Ref, epoch int64, truth []SeatTruth, now time.Time) (int, error) {
	pk, sk := keysOfPartition(r.Partition), keysOfScreening(r.Partition, r.ScreeningID)
	args := []any{now.UnixMilli(), r.ScreeningID, r.HoldID, r.Attempt, epoch}
	for _, t := range truth {
		args = append(args, t.Index, string([]byte{byte(t.State)}), t.Owner, t.UserID, strconv.FormatInt(t.ExpiresAt.UnixMilli(), 10), 0, t.Attempt)
	}
	ans, err := s.run(ctx, s.scripts.repair, []string{sk.seats, sk.owners, sk.meta, sk.holds, sk.users, pk.events}, args...)
	if err != nil {
		return 0, err
	}
	switch {
	case ans.code == 1:
		s.wake.wake(r.Partition)
		return int(ans.int(1)), nil
	case ans.code == 0 || ans.code == -1:
		return 0, nil
	}
	return 0, ans.refusal()
}

// SetSettings mirrors the screening's sale settings; an older number is ignored.
func (s *Store) SetSettings(ctx context.Context, sc *domain.Screening) error {
	sk := keysOfScreening(sc.Partition, sc.ID)
	ans, err := s.run(ctx, s.scripts.settings, []string{sk.meta}, settingsArgs(sc)...)
	if err != nil {
		return err
	}
	if ans.code == -1 { // not warmed: a rebuild reads the ledger
		return nil
	}
	return ans.refusal()
}

func settingsArgs(sc *domain.Screening) []any {
	return []any{sc.Settings, flag(sc.Status == domain.ScreeningOnSale), sc.OpensAt.UnixMilli(), sc.ClosesAt.UnixMilli(), sc.Limit, flag(sc.OrphanRule)}
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
