package repo

import (
	"context"
	"fmt"
	"time"
)

type sessionRow struct {
	Data []byte
}

const saveSessionSQL = `
INSERT INTO sessions (token_hash, data, expires_at) VALUES (?, ?, ?)
ON CONFLICT (token_hash) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at`

// SaveSession adds a session or replaces what it held.
func (s *Store) SaveSession(ctx context.Context, tokenHash string, data []byte, expires time.Time) error {
	if data == nil {
		data = []byte{}
	}
	if _, err := s.exec(ctx, saveSessionSQL, tokenHash, data, stamp(expires)); err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	return nil
}

const sessionSQL = `SELECT data FROM sessions WHERE token_hash = ? AND expires_at > ?`

// Session returns what a session holds, and whether there is one that has not ended by now.
func (s *Store) Session(ctx context.Context, tokenHash string, now time.Time) (data []byte, found bool, err error) {
	var rows []sessionRow
	if err := s.query(ctx, &rows, sessionSQL, tokenHash, stamp(now)); err != nil {
		return nil, false, fmt.Errorf("read session: %w", err)
	}
	if len(rows) == 0 {
		return nil, false, nil
	}
	return rows[0].Data, true, nil
}

const deleteSessionSQL = `DELETE FROM sessions WHERE token_hash = ?`

// DeleteSession ends a session. One that is not there has ended already.
func (s *Store) DeleteSession(ctx context.Context, tokenHash string) error {
	if _, err := s.exec(ctx, deleteSessionSQL, tokenHash); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	return nil
}

const deleteExpiredSessionsSQL = `
DELETE FROM sessions WHERE token_hash IN (
	SELECT token_hash FROM sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`

// DeleteExpiredSessions removes at most limit sessions that have ended by now, the oldest first (index
// sessions_by_expiry), and returns how many it removed.
func (s *Store) DeleteExpiredSessions(ctx context.Context, now time.Time, limit int) (int64, error) {
	n, err := s.exec(ctx, deleteExpiredSessionsSQL, stamp(now), limit)
	if err != nil {
		return 0, fmt.Errorf("delete ended sessions: %w", err)
	}
	return n, nil
}
