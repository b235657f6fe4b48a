package repo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"usher/service/domain"
)

// layoutRow keeps the plan as one JSON text: seats are never queried one by one.
type layoutRow struct {
	ID           string
	AuditoriumID string
	Version      int
	Name         string
	Plan         string
}

func (r layoutRow) domain() (*domain.SeatLayout, error) {
	var l domain.SeatLayout
	if err := json.Unmarshal([]byte(r.Plan), &l); err != nil {
		return nil, fmt.Errorf("read the plan of seat layout %s: %w", r.ID, err)
	}
	l.ID, l.AuditoriumID, l.Version, l.Name = r.ID, r.AuditoriumID, r.Version, r.Name
	return &l, nil
}

const insertLayoutSQL = `
INSERT INTO seat_layouts (id, auditorium_id, version, name, seat_count, plan, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?)`

// InsertLayout adds a version of an auditorium's plan. ErrDuplicate when the version exists, ErrInvalid when
// the plan has no seat or there is no such auditorium.
func (s *Store) InsertLayout(ctx context.Context, l *domain.SeatLayout, at time.Time) error {
	plan, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("write the plan of seat layout %s: %w", l.ID, err)
	}
	_, err = s.exec(ctx, insertLayoutSQL, l.ID, l.AuditoriumID, l.Version, l.Name, len(l.Seats), string(plan), stamp(at))
	if err != nil {
		return fmt.Errorf("insert seat layout %s: %w", l.ID, err)
	}
	return nil
}

const layoutSQL = `SELECT id, auditorium_id, version, name, plan FROM seat_layouts WHERE id = ?`

// Layout returns one version of a plan. ErrNotFound when there is none.
func (s *Store) Layout(ctx context.Context, id string) (*domain.SeatLayout, error) {
	var row layoutRow
	if err := s.one(ctx, &row, layoutSQL, id); err != nil {
		return nil, fmt.Errorf("read seat layout %s: %w", id, err)
	}
	return row.domain()
}

const latestLayoutSQL = `
SELECT id, auditorium_id, version, name, plan FROM seat_layouts
WHERE auditorium_id = ? ORDER BY version DESC LIMIT 1`

// LatestLayout returns the newest version of an auditorium's plan (unique (auditorium_id, version)).
// ErrNotFound when it has none.
func (s *Store) LatestLayout(ctx context.Context, auditoriumID string) (*domain.SeatLayout, error) {
	var row layoutRow
	if err := s.one(ctx, &row, latestLayoutSQL, auditoriumID); err != nil {
		return nil, fmt.Errorf("read the latest seat layout of auditorium %s: %w", auditoriumID, err)
	}
	return row.domain()
}
