package repo

import (
	"context"
	"fmt"
	"time"

	"usher/service/domain"
)

type deadLetterRow struct {
	ID, Source                     string
	Partition                      int
	StreamID, ScreeningID, OrderID string
	Payload, LastError             string
	Deliveries                     int
	Status                         string
	ExpiresAt, CreatedAt           instant
}

func (r deadLetterRow) domain() domain.DeadLetter {
	return domain.DeadLetter{
		ID: r.ID, Source: r.Source, Partition: r.Partition, StreamID: r.StreamID, ScreeningID: r.ScreeningID, OrderID: r.OrderID,
		Payload: r.Payload, LastError: r.LastError, Deliveries: r.Deliveries, Status: domain.DeadLetterStatus(r.Status),
		ExpiresAt: r.ExpiresAt.Time, CreatedAt: r.CreatedAt.Time,
	}
}

const deadLetterColumns = `id, source, partition, stream_id, screening_id, order_id, payload, last_error, deliveries, status, expires_at, created_at`

// InsertDeadLetter records work that used up its attempts. A hold that has an open dead letter keeps the one.
func (s *Store) InsertDeadLetter(ctx context.Context, d domain.DeadLetter) error {
	_, err := s.exec(ctx, `INSERT INTO dead_letters (`+deadLetterColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING`, d.ID, d.Source, d.Partition, d.StreamID, d.ScreeningID, d.OrderID, d.Payload, d.LastError, d.Deliveries,
		string(domain.DeadLetterOpen), stamp(d.ExpiresAt), stamp(d.CreatedAt))
	if err != nil {
		return fmt.Errorf("write dead letter: %w", err)
	}
	return nil
}

// CloseDeadLetters ends the open dead letters of the holds: they are settled now.
func (s *Store) CloseDeadLetters(ctx context.Context, orderIDs []string, status domain.DeadLetterStatus) error {
	if len(orderIDs) == 0 {
		return nil
	}
	from, args := s.from("w", textColumn("id", orderIDs))
	_, err := s.exec(ctx, `UPDATE dead_letters SET status = ? WHERE status = 'open' AND source = 'settlement' AND order_id <> ''
AND order_id IN (SELECT id FROM `+from+`)`, append([]any{string(status)}, args...)...)
	if err != nil {
		return fmt.Errorf("close dead letters: %w", err)
	}
	return nil
}

// OpenDeadLetters returns the open dead letters, oldest expiry first (index dead_letters_open), at most 1,000.
// A screening id narrows the list.
func (s *Store) OpenDeadLetters(ctx context.Context, screeningID string) ([]domain.DeadLetter, error) {
	var rows []deadLetterRow
	err := s.query(ctx, &rows, `SELECT `+deadLetterColumns+` FROM dead_letters
WHERE status = 'open' AND (? = '' OR screening_id = ?) ORDER BY expires_at LIMIT 1000`, screeningID, screeningID)
	if err != nil {
		return nil, fmt.Errorf("list dead letters: %w", err)
	}
	return convert(rows, deadLetterRow.domain), nil
}

// DeadLetterOf returns the open dead letter of a hold (index dead_letters_by_order). ErrNotFound when there is none.
func (s *Store) DeadLetterOf(ctx context.Context, orderID string) (*domain.DeadLetter, error) {
	var row deadLetterRow
	err := s.one(ctx, &row, `SELECT `+deadLetterColumns+` FROM dead_letters
WHERE status = 'open' AND source = 'settlement' AND order_id <> '' AND order_id = ?`, orderID)
	if err != nil {
		return nil, fmt.Errorf("read dead letter of %s: %w", orderID, err)
	}
	d := row.domain()
	return &d, nil
}

// DueDeadLetters returns open dead letters of settlement whose holds have expired, at most limit.
func (s *Store) DueDeadLetters(ctx context.Context, now time.Time, limit int) ([]domain.DeadLetter, error) {
	var rows []deadLetterRow
	err := s.query(ctx, &rows, `SELECT `+deadLetterColumns+` FROM dead_letters
WHERE status = 'open' AND source = 'settlement' AND order_id <> '' AND expires_at < ? ORDER BY expires_at LIMIT ?`, stamp(now), limit)
	if err != nil {
		return nil, fmt.Errorf("list due dead letters: %w", err)
	}
	return convert(rows, deadLetterRow.domain), nil
}

// DeadLettersOpen counts the open dead letters.
func (s *Store) DeadLettersOpen(ctx context.Context) (Backlog, error) {
	return s.backlog(ctx, `SELECT count(*) AS count, min(created_at) AS oldest FROM dead_letters WHERE status = 'open'`)
}
