package repo

import (
	"context"
	"fmt"
	"time"

	"usher/service/domain"
)

// ScreeningState is the part of a screening that is compared with the hold store every second.
type ScreeningState struct {
	ID        string
	Kind      domain.ScreeningKind
	Partition int
	Epoch     int64
	HoldMode  domain.HoldMode
	Settings  int64
	Status    domain.ScreeningStatus
	Version   int64
	Remaining int
}

const screeningStatesSQL = `
SELECT id, kind, partition, epoch, hold_mode, settings, status, version, remaining FROM screenings
WHERE status = 'on_sale' AND closes_at > ? ORDER BY id LIMIT ?`

// ScreeningStates returns the states of all screenings on sale whose window has not closed, at most 20,000, in
// the order of their ids (index screenings_by_status).
func (s *Store) ScreeningStates(ctx context.Context, now time.Time) ([]ScreeningState, error) {
	var rows []ScreeningState
	if err := s.query(ctx, &rows, screeningStatesSQL, stamp(now), screeningsMax); err != nil {
		return nil, fmt.Errorf("list states of screenings: %w", err)
	}
	return rows, nil
}

const updateScreeningStatusSQL = `
UPDATE screenings SET status = ?, settings = settings + 1, version = version + 1
WHERE id = ? AND status = ? AND version = ?`

// UpdateScreeningStatus moves a screening from one status to another and raises its settings.
// ErrVersionConflict when the row has another status or version, or is not there.
func (s *Store) UpdateScreeningStatus(ctx context.Context, id string, from, to domain.ScreeningStatus, version int64) error {
	n, err := s.exec(ctx, updateScreeningStatusSQL, string(to), id, string(from), version)
	return changedOne(n, err, "set status of screening "+id)
}

const updateRebuiltSQL = `
UPDATE screenings SET epoch = ?, hold_mode = ?, version = version + 1
WHERE id = ? AND version = ? AND epoch < ?`

// UpdateRebuilt records the epoch and mode of a rebuild. ErrVersionConflict when the row has another version,
// has this or a greater epoch, or is not there.
func (s *Store) UpdateRebuilt(ctx context.Context, id string, epoch int64, mode domain.HoldMode, version int64) error {
	n, err := s.exec(ctx, updateRebuiltSQL, epoch, string(mode), id, version, epoch)
	return changedOne(n, err, "record rebuild of screening "+id)
}
