package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/alexedwards/scs/v2"

	"usher/repo"
	"usher/service/domain"
)

// Lives of sessions. They are absolute: using a session does not make it longer, so finding one never writes.
const (
	sessionLife      = 12 * time.Hour
	staffSessionLife = 8 * time.Hour
)

// Sessions binds tokens to users. The ledger keeps a token's hash only. Each instance remembers what it found for
// a few seconds, so that taking holds costs no query: a session that was ended, or a role that was changed, on
// another instance counts here 5 s later at most; one that was ended here is over at once.
type Sessions struct {
	scs   *scs.SessionManager
	store *repo.Store
	clock *Clock
	seen  *sessionMemory
}

// NewSessions returns the sessions of a ledger.
func NewSessions(store *repo.Store, clock *Clock) *Sessions {
	return &Sessions{
		// Not scs.New: that starts a goroutine for a store of its own, which nobody ends.
		scs: &scs.SessionManager{
			Lifetime: sessionLife, HashTokenInStore: true, Codec: sessionCodec{}, Store: sessionStore{store: store, clock: clock},
		},
		store: store, clock: clock, seen: newSessionMemory(sessionMemoryMax),
	}
}

const (
	keyUserID = "user_id"
	keyKind   = "kind"
	keyRole   = "role"
)

// Create begins a session and returns its token, which is known to its holder only. Call it at every sign-in, and
// end the session before.
func (s *Sessions) Create(ctx context.Context, u domain.User) (token string, expires time.Time, err error) {
	ctx, err = s.scs.Load(ctx, "")
	if err != nil {
		return "", time.Time{}, fmt.Errorf("begin session: %w", err)
	}
	life := sessionLife
	if u.Kind == domain.UserStaff {
		life = staffSessionLife
	}
	s.scs.Put(ctx, keyUserID, u.ID)
	s.scs.Put(ctx, keyKind, string(u.Kind))
	s.scs.Put(ctx, keyRole, string(u.Role))
	s.scs.SetDeadline(ctx, s.clock.Now().Add(life))
	token, expires, err = s.scs.Commit(ctx)
	if err != nil {
		return "", time.Time{}, fmt.Errorf("begin session: %w", err)
	}
	return token, expires, nil
}

// sessionTokenLength is that of scs's tokens: 32 random bytes in base64url.
const sessionTokenLength = 43

// Find returns the session of a token, and whether there is one. A staff member's role is the one of now, and
// somebody who is no longer staff has no session.
func (s *Sessions) Find(ctx context.Context, token string) (domain.Session, bool, error) {
	if len(token) != sessionTokenLength {
		return domain.Session{}, false, nil
	}
	now := s.clock.Now()
	if session, known := s.seen.get(token, now); known {
		return session, session.UserID != "", nil
	}
	session, deadline, err := s.loadSoon(ctx, token)
	if domain.KindOf(err) == domain.KindUnavailable {
		if old, known := s.seen.lapsed(token, now); known {
			return old, true, nil
		}
	}
	if err != nil || session.UserID == "" {
		return domain.Session{}, false, err
	}
	if !s.seen.put(token, session, now, deadline) { // ended while it was read
		return domain.Session{}, false, nil
	}
	return session, true, nil
}

// sessionPatience bounds a look at the ledger: every request begins with one.
const sessionPatience = 500 * time.Millisecond

// loadSoon loads a session, or says that the ledger is unavailable when it does not answer soon.
func (s *Sessions) loadSoon(ctx context.Context, token string) (domain.Session, time.Time, error) {
	soon, cancel := context.WithTimeout(ctx, sessionPatience)
	defer cancel()
	session, deadline, err := s.load(soon, token)
	if err != nil && soon.Err() != nil && ctx.Err() == nil {
		err = domain.ErrUnavailable.Because(err)
	}
	return session, deadline, err
}

func (s *Sessions) load(ctx context.Context, token string) (domain.Session, time.Time, error) {
	ctx, err := s.scs.Load(ctx, token)
	if err != nil {
		return domain.Session{}, time.Time{}, fmt.Errorf("find session: %w", err)
	}
	session := domain.Session{
		UserID: s.scs.GetString(ctx, keyUserID), Kind: domain.UserKind(s.scs.GetString(ctx, keyKind)), Role: domain.Role(s.scs.GetString(ctx, keyRole)),
	}
	if session.UserID == "" || session.Kind != domain.UserStaff {
		return session, s.scs.Deadline(ctx), nil
	}
	u, err := s.store.User(ctx, session.UserID)
	if errors.Is(err, domain.ErrNotFound) || err == nil && u.Kind != domain.UserStaff {
		return domain.Session{}, time.Time{}, nil
	}
	if err != nil {
		return domain.Session{}, time.Time{}, err
	}
	session.Role = u.Role
	return session, s.scs.Deadline(ctx), nil
}

// End ends a session. One that is not there has ended already.
func (s *Sessions) End(ctx context.Context, token string) error {
	if len(token) != sessionTokenLength {
		return nil
	}
	ctx, err := s.scs.Load(ctx, token)
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	if s.scs.Token(ctx) != "" { // found
		if err := s.scs.Destroy(ctx); err != nil {
			return fmt.Errorf("end session: %w", err)
		}
	}
	s.seen.end(token, s.clock.Now())
	return nil
}

// Prune deletes at most limit sessions that are over and returns how many it deleted.
func (s *Sessions) Prune(ctx context.Context, limit int) (int64, error) {
	return s.store.DeleteExpiredSessions(ctx, s.clock.Now(), limit)
}

// sessionStore lets scs keep sessions in the ledger. scs hands it hashes of tokens.
type sessionStore struct {
	store *repo.Store
	clock *Clock
}

var _ scs.CtxStore = sessionStore{}

func (s sessionStore) FindCtx(ctx context.Context, hash string) ([]byte, bool, error) {
	return s.store.Session(ctx, hash, s.clock.Now())
}

func (s sessionStore) CommitCtx(ctx context.Context, hash string, data []byte, expires time.Time) error {
	return s.store.SaveSession(ctx, hash, data, expires)
}

func (s sessionStore) DeleteCtx(ctx context.Context, hash string) error {
	return s.store.DeleteSession(ctx, hash)
}

// The methods without a context are for scs's older interface, which its manager leaves aside for the above.

func (s sessionStore) Find(hash string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), hash)
}

func (s sessionStore) Commit(hash string, data []byte, expires time.Time) error {
	return s.CommitCtx(context.Background(), hash, data, expires)
}

func (s sessionStore) Delete(hash string) error { return s.DeleteCtx(context.Background(), hash) }

// sessionCodec writes sessions as JSON, which can be read without this program. Values are texts.
type sessionCodec struct{}

type sessionData struct {
	Deadline time.Time      `json:"deadline"`
	Values   map[string]any `json:"values"`
}

func (sessionCodec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	return json.Marshal(sessionData{Deadline: deadline, Values: values})
}

func (sessionCodec) Decode(data []byte) (time.Time, map[string]any, error) {
	var d sessionData
	if err := json.Unmarshal(data, &d); err != nil {
		return time.Time{}, nil, fmt.Errorf("decode session: %w", err)
	}
	return d.Deadline, d.Values, nil
}
