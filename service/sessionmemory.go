package service

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"time"

	"usher/service/domain"
)

// Bounds of what an instance remembers of sessions.
const (
	sessionMemoryMax  = 50_000
	sessionMemoryLife = 5 * time.Second
	// sessionMemoryGrace is how long a buyer's session is still believed while the ledger is away: holds go on.
	sessionMemoryGrace = 10 * time.Minute
)

// sessionMemory remembers sessions for a few seconds, the ones used last. A session that ended here is remembered
// as ended for as long, so that a reader who began before the end cannot bring it back.
type sessionMemory struct {
	mu     sync.Mutex
	max    int
	byHash map[[sha256.Size]byte]*list.Element
	recent *list.List // of sessionEntry, the one used last in front
}

type sessionEntry struct {
	hash    [sha256.Size]byte
	session domain.Session // the zero value when it has ended
	until   time.Time
}

func newSessionMemory(most int) *sessionMemory {
	return &sessionMemory{max: most, byHash: map[[sha256.Size]byte]*list.Element{}, recent: list.New()}
}

// get returns what is known of a token. A known session without a user has ended.
func (m *sessionMemory) get(token string, now time.Time) (session domain.Session, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entry(sha256.Sum256([]byte(token)), now)
	if e == nil {
		return domain.Session{}, false
	}
	return e.session, true
}

// put remembers a session until its deadline at the latest. It reports false when the session ended here.
func (m *sessionMemory) put(token string, session domain.Session, now, deadline time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	hash := sha256.Sum256([]byte(token))
	if e := m.entry(hash, now); e != nil && e.session.UserID == "" {
		return false
	}
	until := now.Add(sessionMemoryLife)
	if deadline.Before(until) {
		until = deadline
	}
	m.set(sessionEntry{hash: hash, session: session, until: until})
	return true
}

// lapsed returns a buyer's session that was known not long ago, for while the ledger cannot be asked. Staff are
// never believed from memory.
func (m *sessionMemory) lapsed(token string, now time.Time) (session domain.Session, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, ok := m.byHash[sha256.Sum256([]byte(token))]
	if !ok {
		return domain.Session{}, false
	}
	e, ok := at.Value.(sessionEntry)
	if !ok || e.session.UserID == "" || e.session.Kind == domain.UserStaff || !now.Before(e.until.Add(sessionMemoryGrace)) {
		return domain.Session{}, false
	}
	return e.session, true
}

// end remembers that a session is over.
func (m *sessionMemory) end(token string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(sessionEntry{hash: sha256.Sum256([]byte(token)), until: now.Add(sessionMemoryLife)})
}

// entry returns an entry that is not too old, and makes it the one used last.
func (m *sessionMemory) entry(hash [sha256.Size]byte, now time.Time) *sessionEntry {
	at, ok := m.byHash[hash]
	if !ok {
		return nil
	}
	e, ok := at.Value.(sessionEntry)
	if ok && !now.Before(e.until) && now.Before(e.until.Add(sessionMemoryGrace)) {
		return nil // kept for lapsed
	}
	if !ok || !now.Before(e.until) {
		m.recent.Remove(at)
		delete(m.byHash, hash)
		return nil
	}
	m.recent.MoveToFront(at)
	return &e
}

func (m *sessionMemory) set(e sessionEntry) {
	if at, ok := m.byHash[e.hash]; ok {
		at.Value = e
		m.recent.MoveToFront(at)
		return
	}
	m.byHash[e.hash] = m.recent.PushFront(e)
	for len(m.byHash) > m.max {
		last := m.recent.Back()
		if e, ok := m.recent.Remove(last).(sessionEntry); ok {
			delete(m.byHash, e.hash)
		}
	}
}
