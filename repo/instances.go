package repo

import (
	"context"
	"fmt"
	"time"
)

const beatSQL = `
INSERT INTO instances (id, started_at, beat_at, redis_away) VALUES (?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, beat_at = excluded.beat_at, redis_away = excluded.redis_away`

// Beat records that an instance lives, and whether it is cut off from the hold store.
func (s *Store) Beat(ctx context.Context, id string, startedAt, now time.Time, redisAway bool) error {
	if _, err := s.exec(ctx, beatSQL, id, stamp(startedAt), stamp(now), redisAway); err != nil {
		return fmt.Errorf("record heartbeat of %s: %w", id, err)
	}
	return nil
}

const liveInstancesSQL = `SELECT count(*) FROM instances WHERE beat_at > ?`

// LiveInstances returns how many instances gave a sign of life within the time before now.
func (s *Store) LiveInstances(ctx context.Context, now time.Time, within time.Duration) (int64, error) {
	var n int64
	if err := s.query(ctx, &n, liveInstancesSQL, stamp(now.Add(-within))); err != nil {
		return 0, fmt.Errorf("count live instances: %w", err)
	}
	return n, nil
}

type awayRow struct {
	Live int64
	Away int64
}

const awayInstancesSQL = `
SELECT count(*) AS live, COALESCE(sum(CASE WHEN redis_away THEN 1 ELSE 0 END), 0) AS away
FROM instances WHERE beat_at > ?`

// EveryInstanceAway reports whether there is a live instance and every live one is cut off from the hold
// store: the condition of the ledger mode.
func (s *Store) EveryInstanceAway(ctx context.Context, now time.Time, within time.Duration) (bool, error) {
	var row awayRow
	if err := s.query(ctx, &row, awayInstancesSQL, stamp(now.Add(-within))); err != nil {
		return false, fmt.Errorf("count instances cut off: %w", err)
	}
	return row.Live > 0 && row.Away == row.Live, nil
}

const removeInstanceSQL = `DELETE FROM instances WHERE id = ?`

// RemoveInstance forgets an instance that stops. One that is not there is forgotten already.
func (s *Store) RemoveInstance(ctx context.Context, id string) error {
	if _, err := s.exec(ctx, removeInstanceSQL, id); err != nil {
		return fmt.Errorf("remove instance %s: %w", id, err)
	}
	return nil
}
