package service

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/domain"
)

// SeatFeed keeps a live map per screening in this process, fed by the event streams. Seat pages, the JSON map
// and the live viewers read from it, so that no viewer costs Redis a call. It decides nothing: a map that is a
// moment old can only make somebody ask for a seat that is gone.
type SeatFeed struct {
	store   *repo.Store
	holds   *holdstore.Store
	catalog *Catalog
	clock   *Clock
	log     *slog.Logger

	mu      sync.Mutex
	maps    map[string]*liveMap
	loading singleflight.Group
}

// Bounds of the feed.
const (
	feedMaps      = 5_000
	feedRing      = 512 // deltas kept for viewers that come back
	feedBuffer    = 64  // deltas a viewer may lag behind before it is told to reload
	feedTailBatch = 512
	ledgerMapLife = time.Second
)

// NewSeatFeed makes the use case; Follow must run for each partition.
func NewSeatFeed(store *repo.Store, holds *holdstore.Store, catalog *Catalog, clock *Clock, log *slog.Logger) *SeatFeed {
	return &SeatFeed{store: store, holds: holds, catalog: catalog, clock: clock, log: log.With("component", "seatfeed"), maps: map[string]*liveMap{}}
}

// SeatView is a screening's map as of one version. States and Mine are parallel to the layout's seats; both are
// empty for general admission.
type SeatView struct {
	Epoch   int64
	Version int64
	Free    int
	States  []domain.SeatState
	Mine    []int // indexes that the asking user owns
	Live    int   // seats or places of the asking user
}

// ETag names the version.
func (v SeatView) ETag() string { return fmt.Sprintf(`"%d-%d"`, v.Epoch, v.Version) }

// View returns the map, with what the user owns marked; an empty user owns nothing. Errors: ErrNotFound.
func (f *SeatFeed) View(ctx context.Context, screeningID, userID string) (SeatView, error) {
	m, err := f.live(ctx, screeningID)
	if err != nil {
		return SeatView{}, err
	}
	return m.view(userID), nil
}

// live returns the screening's map, from memory or from the hold store, or from the ledger when the hold store
// does not keep the screening warm or is away.
func (f *SeatFeed) live(ctx context.Context, screeningID string) (*liveMap, error) {
	f.mu.Lock()
	m := f.maps[screeningID]
	f.mu.Unlock()
	if m != nil && !m.outdated(f.clock.Now()) {
		return m, nil
	}
	v, err, _ := f.loading.Do(screeningID, func() (any, error) {
		return f.load(context.WithoutCancel(ctx), screeningID)
	})
	if err != nil {
		if m != nil && m.known() && domain.KindOf(err) == domain.KindUnavailable {
			return m, nil
		}
		return nil, err
	}
	return v.(*liveMap), nil
}

func (f *SeatFeed) load(ctx context.Context, screeningID string) (*liveMap, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	l, err := f.catalog.Screening(ctx, screeningID)
	if err != nil {
		return nil, err
	}
	m := f.entry(l)
	snap, err := f.holds.Snapshot(ctx, l.Screening.Partition, screeningID)
	if err == nil && snap.Meta.Gate == 0 {
		m.reset(fromSnapshot(snap))
		return m, nil
	}
	state, err := f.fromLedger(ctx, l)
	if err != nil {
		return nil, err
	}
	m.reset(state)
	return m, nil
}

// entry returns the map of the screening, made empty if there is none yet.
func (f *SeatFeed) entry(l *Listed) *liveMap {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.maps[l.Screening.ID]; m != nil {
		return m
	}
	if len(f.maps) >= feedMaps {
		for id, old := range f.maps {
			if old.unwatched() {
				delete(f.maps, id)
			}
		}
	}
	m := newLiveMap(l)
	f.maps[l.Screening.ID] = m
	return m
}

// mapState is what a snapshot gives a map.
type mapState struct {
	epoch, version int64
	free           int
	states         []byte
	users          []string         // owner's user per seat
	live           map[string]int64 // seats or places per user
	expires        time.Time        // zero when the events keep it up to date
}

func fromSnapshot(snap *holdstore.Snapshot) mapState {
	s := mapState{
		epoch: snap.Meta.Epoch, version: snap.Meta.Version, free: int(snap.Meta.Free), states: []byte(snap.Map),
		users: make([]string, len(snap.Map)), live: snap.Users,
	}
	for index, owner := range snap.Owners {
		if index < len(s.users) {
			s.users[index] = snap.Holds[owner].UserID
		}
	}
	return s
}

// fromLedger builds the map of a screening that the hold store does not have.
func (f *SeatFeed) fromLedger(ctx context.Context, l *Listed) (mapState, error) {
	s := mapState{epoch: l.Screening.Epoch, free: l.Screening.Remaining, live: map[string]int64{}, expires: f.clock.Now().Add(ledgerMapLife)}
	s.version = l.Screening.Version
	orders, err := f.store.LiveOrders(ctx, l.Screening.ID)
	if err != nil {
		return s, err
	}
	byID := make(map[string]*domain.Order, len(orders))
	for i := range orders {
		byID[orders[i].ID] = &orders[i]
		s.live[orders[i].UserID] += int64(orders[i].Quantity)
	}
	if l.Room == nil {
		return s, nil
	}
	n := len(l.Room.Layout.Seats)
	s.states, s.users = make([]byte, n), make([]string, n)
	for i := range s.states {
		s.states[i] = byte(domain.SeatFree)
	}
	claims, err := f.store.Claims(ctx, l.Screening.ID)
	if err != nil {
		return s, err
	}
	for _, c := range claims {
		if c.SeatIndex >= n {
			continue
		}
		s.states[c.SeatIndex] = byte(domain.SeatBlocked)
		if o := byID[c.OrderID]; o != nil {
			s.states[c.SeatIndex], s.users[c.SeatIndex] = byte(stateOfOrder(o.Status)), o.UserID
		}
	}
	s.free = 0
	for _, st := range s.states {
		if st == byte(domain.SeatFree) {
			s.free++
		}
	}
	return s, nil
}

// Position returns where a partition's stream ends now. Follow begins there.
func (f *SeatFeed) Position(ctx context.Context, p int) (string, error) {
	return f.holds.LastID(ctx, p)
}

// Resume is called after the stream could not be read for a while. What was missed is read anew, from maps and
// not from events. It returns the id to go on from: a server that came back with an earlier stream, or with a
// clock behind, would never pass the old one.
func (f *SeatFeed) Resume(ctx context.Context, p int, after string) (string, error) {
	last, err := f.holds.LastID(ctx, p)
	if err != nil {
		return after, err
	}
	f.interrupted(p)
	if holdstore.CompareIDs(last, after) < 0 {
		return last, nil
	}
	return after, nil
}

// Follow takes over the events after the given id, waiting up to block for the first, and returns the id to go
// on from.
func (f *SeatFeed) Follow(ctx context.Context, p int, after string, block time.Duration) (string, error) {
	entries, err := f.holds.Tail(ctx, p, after, feedTailBatch, block)
	if err != nil {
		return after, err
	}
	for _, e := range entries {
		after = e.Event.StreamID
		if e.Broken == nil {
			f.apply(ctx, e.Event)
		}
	}
	return after, nil
}

func (f *SeatFeed) apply(ctx context.Context, e domain.Event) {
	f.mu.Lock()
	m := f.maps[e.ScreeningID]
	f.mu.Unlock()
	if m == nil || m.apply(e) {
		return
	}
	m.invalidate()
	if m.unwatched() {
		return // the next look loads it
	}
	if _, err := f.live(ctx, e.ScreeningID); err != nil {
		f.log.WarnContext(ctx, "seat map not refreshed", "screening_id", e.ScreeningID, "error", err)
	}
}

// interrupted marks the maps of a partition as outdated.
func (f *SeatFeed) interrupted(p int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.maps {
		if m.partition == p {
			m.invalidate()
		}
	}
}

// Viewers returns how many live viewers there are.
func (f *SeatFeed) Viewers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, m := range f.maps {
		n += m.viewers()
	}
	return n
}

// Watch adds a live viewer of the screening. lastID is the id of the last delta it saw, empty for a new one.
// Errors: ErrNotFound.
func (f *SeatFeed) Watch(ctx context.Context, screeningID, lastID string) (*Viewer, error) {
	m, err := f.live(ctx, screeningID)
	if err != nil {
		return nil, err
	}
	return m.watch(lastID), nil
}

// Refresh reads the map anew from the hold store.
func (f *SeatFeed) Refresh(ctx context.Context, screeningID string) error {
	_, err := f.load(ctx, screeningID)
	return err
}
