package repo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"usher/service/domain"
)

type effectRow struct {
	ID, Kind, ScreeningID, OrderID string
	Attempt                        int
	Seats, Ref, Status             string
	Attempts                       int
	NextAttemptAt                  instant
	LastError                      string
	CreatedAt                      instant
}

func (r effectRow) domain() domain.Effect {
	e := domain.Effect{
		ID: r.ID, Kind: domain.EffectKind(r.Kind), ScreeningID: r.ScreeningID, OrderID: r.OrderID, Attempt: r.Attempt, Ref: r.Ref,
		Status: domain.EffectStatus(r.Status), Attempts: r.Attempts, NextAttemptAt: r.NextAttemptAt.Time, LastError: r.LastError,
		CreatedAt: r.CreatedAt.Time,
	}
	_ = json.Unmarshal([]byte(r.Seats), &e.Seats) // written by InsertEffects only
	return e
}

// InsertEffects writes the effects of a decision, in the transaction that decides it. They are due at once.
func (s *Store) InsertEffects(ctx context.Context, effects []domain.Effect) error {
	if len(effects) == 0 {
		return nil
	}
	s.mustBeBound("InsertEffects")
	n := len(effects)
	ids, kinds, screenings, orders, seats, refs := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	attempts, ats := make([]int64, n), make([]time.Time, n)
	for i, e := range effects {
		text, err := json.Marshal(e.Seats)
		if err != nil {
			return fmt.Errorf("encode effect: %w", err)
		}
		ids[i], kinds[i], screenings[i], orders[i], seats[i], refs[i] = e.ID, string(e.Kind), e.ScreeningID, e.OrderID, string(text), e.Ref
		attempts[i], ats[i] = int64(e.Attempt), stamp(e.CreatedAt)
	}
	from, args := s.from("r", textColumn("id", ids), textColumn("kind", kinds), textColumn("screening_id", screenings),
		textColumn("order_id", orders), intColumn("attempt", attempts), textColumn("seats", seats), textColumn("ref", refs), timeColumn("at", ats))
	_, err := s.exec(ctx, `INSERT INTO effects (id, kind, screening_id, order_id, attempt, seats, ref, status, attempts,
next_attempt_at, last_error, created_at)
SELECT id, kind, screening_id, order_id, attempt, seats, ref, 'due', 0, at, '', at FROM `+from, args...)
	if err != nil {
		return fmt.Errorf("write effects: %w", err)
	}
	return nil
}

const effectColumns = `id, kind, screening_id, order_id, attempt, seats, ref, status, attempts, next_attempt_at, last_error, created_at`

// ClaimEffects takes up to limit due effects for one runner: nobody else claims them before until (index
// effects_due). Delivery more than once is harmless, so a runner that dies costs only that time.
func (s *Store) ClaimEffects(ctx context.Context, now, until time.Time, limit int) ([]domain.Effect, error) {
	var rows []effectRow
	err := s.returning(ctx, &rows, `UPDATE effects SET next_attempt_at = ? WHERE id IN (
SELECT id FROM effects WHERE status = 'due' AND next_attempt_at <= ? ORDER BY next_attempt_at, id LIMIT ?`+
		s.pick(" FOR UPDATE SKIP LOCKED", "")+`) AND status = 'due' RETURNING `+effectColumns, stamp(until), stamp(now), limit)
	if err != nil {
		return nil, fmt.Errorf("claim effects: %w", err)
	}
	return convert(rows, effectRow.domain), nil
}

// FinishEffects marks delivered effects done.
func (s *Store) FinishEffects(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	from, args := s.from("w", textColumn("id", ids))
	_, err := s.exec(ctx, `UPDATE effects SET status = 'done' WHERE status = 'due' AND id IN (SELECT id FROM `+from+`)`, args...)
	if err != nil {
		return fmt.Errorf("finish effects: %w", err)
	}
	return nil
}

// PostponeEffect records a failed delivery and when to try again; counted tells whether it was an attempt.
func (s *Store) PostponeEffect(ctx context.Context, id, lastError string, next time.Time, counted bool) error {
	by := 0
	if counted {
		by = 1
	}
	n, err := s.exec(ctx, `UPDATE effects SET attempts = attempts + ?, last_error = ?, next_attempt_at = ? WHERE id = ? AND status = 'due'`,
		by, lastError, stamp(next), id)
	return changedOne(n, err, "postpone effect "+id)
}

// BuryEffect marks an effect dead: it has become a dead letter in the same transaction.
func (s *Store) BuryEffect(ctx context.Context, id, lastError string) error {
	s.mustBeBound("BuryEffect")
	n, err := s.exec(ctx, `UPDATE effects SET status = 'dead', attempts = attempts + 1, last_error = ? WHERE id = ? AND status = 'due'`, lastError, id)
	return changedOne(n, err, "bury effect "+id)
}

// Backlog counts rows and tells the age of the oldest.
type Backlog struct {
	Count  int64
	Oldest time.Time // zero when there is none
}

// EffectsDue counts the effects that wait (index effects_due).
func (s *Store) EffectsDue(ctx context.Context) (Backlog, error) {
	return s.backlog(ctx, `SELECT count(*) AS count, min(created_at) AS oldest FROM effects WHERE status = 'due'`)
}

// DueEffectsOf returns the effects that wait for one screening, at most 100,000.
func (s *Store) DueEffectsOf(ctx context.Context, screeningID string) ([]domain.Effect, error) {
	var rows []effectRow
	err := s.query(ctx, &rows, `SELECT `+effectColumns+` FROM effects WHERE status = 'due' AND screening_id = ? LIMIT ?`, screeningID, claimsMax)
	if err != nil {
		return nil, fmt.Errorf("read effects of screening %s: %w", screeningID, err)
	}
	return convert(rows, effectRow.domain), nil
}

func (s *Store) backlog(ctx context.Context, query string) (Backlog, error) {
	var row struct {
		Count  int64
		Oldest instant
	}
	if err := s.query(ctx, &row, query); err != nil {
		return Backlog{}, fmt.Errorf("count: %w", err)
	}
	return Backlog{Count: row.Count, Oldest: row.Oldest.Time}, nil
}

// PruneEffects deletes up to limit done effects from before the instant (index effects_done).
func (s *Store) PruneEffects(ctx context.Context, before time.Time, limit int) (int64, error) {
	n, err := s.exec(ctx, `DELETE FROM effects WHERE id IN (
SELECT id FROM effects WHERE status = 'done' AND created_at < ? ORDER BY created_at LIMIT ?)`, stamp(before), limit)
	if err != nil {
		return 0, fmt.Errorf("prune effects: %w", err)
	}
	return n, nil
}
