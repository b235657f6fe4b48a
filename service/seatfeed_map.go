package service

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"usher/service/domain"
)

// liveMap is one screening's map with its viewers.
type liveMap struct {
	partition int
	nos       []string

	mu     sync.Mutex
	loaded bool
	ever   bool // loaded once: an old map is better than none, an empty one is a lie
	mapState
	ring    []Delta
	viewing map[*Viewer]bool
}

// SeatChange is one seat's new state.
type SeatChange struct {
	No    string `json:"no"`
	State string `json:"state"`
}

// Delta is what changed from one version to the next. Reload says that the viewer must read the whole map.
type Delta struct {
	Epoch   int64
	Version int64
	Free    int
	Changes []SeatChange
	Reload  bool
}

// ID is the event id of the delta in a viewer's stream.
func (d Delta) ID() string { return fmt.Sprintf("%d-%d", d.Epoch, d.Version) }

// Viewer receives a screening's deltas. One that does not keep up gets a single Reload and its channel closed;
// it never holds up others.
type Viewer struct {
	C    chan Delta
	from *liveMap
}

func newLiveMap(l *Listed) *liveMap {
	m := &liveMap{partition: l.Screening.Partition, viewing: map[*Viewer]bool{}}
	if l.Room != nil {
		for i := range l.Room.Layout.Seats {
			m.nos = append(m.nos, l.Room.Layout.Seats[i].No)
		}
	}
	return m
}

func (m *liveMap) outdated(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.loaded || (!m.expires.IsZero() && now.After(m.expires))
}

func (m *liveMap) known() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ever
}

func (m *liveMap) invalidate() {
	m.mu.Lock()
	m.loaded = false
	m.mu.Unlock()
}

func (m *liveMap) unwatched() bool { return m.viewers() == 0 }

func (m *liveMap) viewers() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.viewing)
}

// reset replaces the map; viewers who saw another version read it anew.
func (m *liveMap) reset(s mapState) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded && m.epoch == s.epoch && m.version > s.version && s.expires.IsZero() && m.expires.IsZero() {
		return // events have overtaken the snapshot
	}
	moved := m.epoch != s.epoch || m.version != s.version
	m.mapState, m.loaded, m.ever = s, true, true
	if moved {
		m.ring = nil
		m.send(Delta{Epoch: m.epoch, Version: m.version, Free: m.free, Reload: true})
	}
}

func (m *liveMap) view(userID string) SeatView {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := SeatView{Epoch: m.epoch, Version: m.version, Free: m.free, States: make([]domain.SeatState, len(m.states))}
	for i, b := range m.states {
		v.States[i] = domain.SeatState(b)
	}
	if userID == "" {
		return v
	}
	v.Live = int(m.live[userID])
	if v.Live > 0 {
		for i, u := range m.users {
			if u == userID {
				v.Mine = append(v.Mine, i)
			}
		}
	}
	return v
}

// apply takes over one event; false means that the map must be read anew.
func (m *liveMap) apply(e domain.Event) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case !m.loaded || !m.expires.IsZero():
		return false
	case e.Epoch < m.epoch, e.Epoch == m.epoch && e.Version <= m.version:
		return true // known already
	case e.Epoch > m.epoch, e.Version != m.version+1, e.Type == domain.EventRepaired:
		return false
	}
	m.version = e.Version
	m.count(e)
	d := Delta{Epoch: m.epoch, Version: m.version}
	for _, index := range e.Seats {
		if index < 0 || index >= len(m.states) || e.State == 0 {
			return false
		}
		m.states[index] = e.State
		m.users[index] = e.UserID
		if e.State == byte(domain.SeatFree) {
			m.users[index] = ""
		}
		d.Changes = append(d.Changes, SeatChange{No: m.nos[index], State: domain.SeatState(e.State).Word()})
	}
	d.Free = m.free
	if len(m.ring) == feedRing {
		m.ring = append(m.ring[:0], m.ring[1:]...)
	}
	m.ring = append(m.ring, d)
	m.send(d)
	return true
}

// count moves the counters by what the event changed.
func (m *liveMap) count(e domain.Event) {
	switch e.Type {
	case domain.EventHeld:
		m.free -= e.Quantity
		m.live[e.UserID] += int64(e.Quantity)
	case domain.EventReleased:
		m.free += e.Quantity
		m.live[e.UserID] -= int64(e.Quantity)
		if m.live[e.UserID] <= 0 {
			delete(m.live, e.UserID)
		}
	case domain.EventBlocked:
		m.free -= e.Quantity
	case domain.EventUnblocked:
		m.free += e.Quantity
	case domain.EventConfirmed, domain.EventRepaired, domain.EventRebuilt:
	}
}

// send gives the delta to every viewer; the caller holds the lock.
func (m *liveMap) send(d Delta) {
	for v := range m.viewing {
		select {
		case v.C <- d:
			if len(v.C) == cap(v.C) { // the last place is for the word that it lags
				m.drop(v)
			}
		default:
			m.drop(v)
		}
	}
}

// drop lets a viewer go that does not keep up: what it still has to read ends with a reload.
func (m *liveMap) drop(v *Viewer) {
	delete(m.viewing, v)
	select {
	case <-v.C: // make room
	default:
	}
	v.C <- Delta{Epoch: m.epoch, Version: m.version, Free: m.free, Reload: true}
	close(v.C)
}

// watch adds a viewer. lastID is the last delta that it saw; what it missed is sent first, or a reload when
// that is no longer known.
func (m *liveMap) watch(lastID string) *Viewer {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := &Viewer{C: make(chan Delta, feedBuffer), from: m}
	if lastID != "" {
		for _, d := range m.missed(lastID) {
			v.C <- d
		}
	}
	m.viewing[v] = true
	return v
}

func (m *liveMap) missed(lastID string) []Delta {
	reload := []Delta{{Epoch: m.epoch, Version: m.version, Free: m.free, Reload: true}}
	e, ver, ok := strings.Cut(lastID, "-")
	epoch, err1 := strconv.ParseInt(e, 10, 64)
	version, err2 := strconv.ParseInt(ver, 10, 64)
	if !ok || err1 != nil || err2 != nil || epoch != m.epoch || version > m.version {
		return reload
	}
	n := int(m.version - version)
	if n > len(m.ring) || n > feedBuffer/2 {
		return reload
	}
	return m.ring[len(m.ring)-n:]
}

// Close ends the viewing; it is safe to call more than once.
func (v *Viewer) Close() {
	v.from.mu.Lock()
	delete(v.from.viewing, v)
	v.from.mu.Unlock()
}
