package api

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"maps"
	"strconv"
	"sync"

	"usher/service"
	"usher/service/domain"
)

// seatBody is one map as it goes over the wire.
type seatBody struct {
	bytes []byte
	etag  string
}

// seatBodies keeps the last body of each screening as those see it who own nothing in it, and the parts of a
// body that never change. Both are bounded; what was dropped is made again.
type seatBodies struct {
	mu     sync.RWMutex
	common map[string]*commonBody // by screening
	plans  map[string]*pricedPlan // by screening
}

const bodiesKept = 512

type commonBody struct {
	epoch, version int64
	free           int
	states         []domain.SeatState
	plan           *pricedPlan
	body           seatBody
}

// pricedPlan has the text of each seat up to its state.
type pricedPlan struct {
	layout *domain.SeatLayout
	prices map[string]int64
	parts  [][]byte
	size   int
}

func newSeatBodies() *seatBodies {
	return &seatBodies{common: map[string]*commonBody{}, plans: map[string]*pricedPlan{}}
}

// of returns the body of a view.
func (b *seatBodies) of(l *service.Listed, v *service.SeatView) seatBody {
	plan := b.plan(l)
	if len(v.Mine) > 0 {
		return encode(plan, l.Screening.ID, v)
	}
	b.mu.RLock()
	c := b.common[l.Screening.ID]
	b.mu.RUnlock()
	if c != nil && c.shows(plan, v) {
		return c.body
	}
	c = &commonBody{epoch: v.Epoch, version: v.Version, free: v.Free, states: v.States, plan: plan, body: encode(plan, l.Screening.ID, v)}
	b.mu.Lock()
	defer b.mu.Unlock()
	keep(b.common, l.Screening.ID, c)
	return c.body
}

// shows compares the states too: a map that is read from the ledger can change within a version.
func (c *commonBody) shows(plan *pricedPlan, v *service.SeatView) bool {
	if c.plan != plan || c.epoch != v.Epoch || c.version != v.Version || c.free != v.Free || len(c.states) != len(v.States) {
		return false
	}
	for i, s := range v.States {
		if c.states[i] != s {
			return false
		}
	}
	return true
}

// plan returns the unchanging parts; nil for general admission.
func (b *seatBodies) plan(l *service.Listed) *pricedPlan {
	if l.Room == nil {
		return nil
	}
	b.mu.RLock()
	p := b.plans[l.Screening.ID]
	b.mu.RUnlock()
	if p != nil && p.layout == l.Room.Layout && maps.Equal(p.prices, l.Screening.Prices) {
		return p
	}
	p = newPricedPlan(l.Room.Layout, l.Screening.Prices)
	b.mu.Lock()
	defer b.mu.Unlock()
	keep(b.plans, l.Screening.ID, p)
	return p
}

// keep stores an entry and makes room for it if need be.
func keep[T any](in map[string]T, key string, v T) {
	if _, there := in[key]; !there && len(in) >= bodiesKept {
		for other := range in {
			delete(in, other)
			break
		}
	}
	in[key] = v
}

func newPricedPlan(layout *domain.SeatLayout, prices map[string]int64) *pricedPlan {
	p := &pricedPlan{layout: layout, prices: maps.Clone(prices), parts: make([][]byte, len(layout.Seats))}
	for i := range layout.Seats {
		s := &layout.Seats[i]
		text, err := json.Marshal(seatView{No: s.No, Zone: s.Zone, Row: s.Row, Label: s.Label, X: s.X, Y: s.Y, Tier: s.Tier, PriceMinor: prices[s.Tier]})
		if err != nil {
			panic("seat " + s.No + ": " + err.Error()) // a plan with coordinates that are no numbers is not stored
		}
		p.parts[i] = bytes.TrimSuffix(text, []byte(`"}`))
		p.size += len(p.parts[i]) + len(`blocked"},`)
	}
	return p
}

// encode writes the body. Its tag names the version and what it shows: the same version looks different to the
// one who owns a seat.
func encode(plan *pricedPlan, screeningID string, v *service.SeatView) seatBody {
	size := 200
	if plan != nil {
		size += plan.size
	}
	out := make([]byte, 0, size)
	out = append(append(out, `{"screening_id":"`...), screeningID...)
	out = strconv.AppendInt(append(out, `","epoch":`...), v.Epoch, 10)
	out = strconv.AppendInt(append(out, `,"version":`...), v.Version, 10)
	out = strconv.AppendInt(append(out, `,"free":`...), int64(v.Free), 10)
	out = append(out, `,"seats":[`...)
	if plan != nil {
		own := v.Mine // ascending, like the seats
		for i := range min(len(plan.parts), len(v.States)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, plan.parts[i]...)
			if len(own) > 0 && own[0] == i {
				own = own[1:]
				out = append(out, mine...)
			} else {
				out = append(out, v.States[i].Word()...)
			}
			out = append(out, `"}`...)
		}
	}
	out = append(out, `]}`...)
	return seatBody{bytes: out, etag: tagOf(v)}
}

func tagOf(v *service.SeatView) string {
	h := fnv.New64a()
	var word [8]byte
	put := func(n int64) {
		binary.LittleEndian.PutUint64(word[:], uint64(n)) //nolint:gosec // any bit pattern will do
		_, _ = h.Write(word[:])
	}
	put(int64(v.Free))
	states := make([]byte, len(v.States))
	for i, s := range v.States {
		states[i] = byte(s)
	}
	_, _ = h.Write(states)
	for _, i := range v.Mine {
		put(int64(i))
	}
	return `"` + strconv.FormatInt(v.Epoch, 10) + "-" + strconv.FormatInt(v.Version, 10) + "-" + strconv.FormatUint(h.Sum64(), 36) + `"`
}
