package repo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"usher/service/domain"
)

// InsertJournal records hold-store changes. An event that is there already stays as it is: two masters may
// make equal ids, and a batch may come twice.
func (s *Store) InsertJournal(ctx context.Context, events []domain.Event) error {
	if len(events) == 0 {
		return nil
	}
	n := len(events)
	partitions, epochs, versions, quantities := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	ids, types, screenings, holds, seats, states := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	ats := make([]time.Time, n)
	for i, e := range events {
		partitions[i], epochs[i], versions[i], quantities[i] = int64(e.Partition), e.Epoch, e.Version, int64(e.Quantity)
		ids[i], types[i], screenings[i], holds[i], ats[i] = e.StreamID, string(e.Type), e.ScreeningID, e.HoldID, stamp(e.AcceptedAt)
		seats[i] = seatText(e)
		if e.State != 0 {
			states[i] = string([]byte{e.State})
		}
	}
	from, args := s.from("r", intColumn("partition", partitions), intColumn("epoch", epochs), textColumn("stream_id", ids), textColumn("type", types),
		textColumn("screening_id", screenings), textColumn("hold_id", holds), intColumn("map_version", versions), intColumn("quantity", quantities),
		textColumn("seats", seats), textColumn("state", states), timeColumn("at", ats))
	_, err := s.exec(ctx, `INSERT INTO journal (partition, epoch, stream_id, type, screening_id, hold_id, map_version, quantity, seats, state, at)
SELECT partition, epoch, stream_id, type, screening_id, hold_id, map_version, quantity, seats, state, at FROM `+from+`
WHERE true ON CONFLICT DO NOTHING`, args...)
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}

// seatText is the changed indexes as "3,4", or the whole map of a rebuilt event.
func seatText(e domain.Event) string {
	if e.Type == domain.EventRebuilt {
		return e.Map
	}
	var sb strings.Builder
	for i, index := range e.Seats {
		if i > 0 {
			sb.WriteByte(',')
		}
		sb.WriteString(strconv.Itoa(index))
	}
	return sb.String()
}

// MoveCursor records how far a partition is settled; it only moves forward here. A rebuild sets it (SetCursor).
func (s *Store) MoveCursor(ctx context.Context, partition int, ms, seq int64, now time.Time) error {
	_, err := s.exec(ctx, `INSERT INTO settlement_cursors (partition, stream_ms, stream_seq, updated_at) VALUES (?, ?, ?, ?)
ON CONFLICT (partition) DO UPDATE SET stream_ms = excluded.stream_ms, stream_seq = excluded.stream_seq, updated_at = excluded.updated_at
WHERE (settlement_cursors.stream_ms, settlement_cursors.stream_seq) < (excluded.stream_ms, excluded.stream_seq)`, partition, ms, seq, stamp(now))
	if err != nil {
		return fmt.Errorf("move cursor of partition %d: %w", partition, err)
	}
	return nil
}

// SetCursor sets a partition's cursor, also downwards.
func (s *Store) SetCursor(ctx context.Context, partition int, ms, seq int64, now time.Time) error {
	_, err := s.exec(ctx, `INSERT INTO settlement_cursors (partition, stream_ms, stream_seq, updated_at) VALUES (?, ?, ?, ?)
ON CONFLICT (partition) DO UPDATE SET stream_ms = excluded.stream_ms, stream_seq = excluded.stream_seq, updated_at = excluded.updated_at`,
		partition, ms, seq, stamp(now))
	if err != nil {
		return fmt.Errorf("set cursor of partition %d: %w", partition, err)
	}
	return nil
}

// NextEpoch draws a number that no other rebuild has or will have. It is its own transaction, so a rebuild that
// rolls back does not give its number back. Never call it inside InTx.
func (s *Store) NextEpoch(ctx context.Context) (int64, error) {
	if s.bound {
		panic("repo: NextEpoch inside a transaction")
	}
	var n int64
	err := s.returning(ctx, &n, s.pick(`SELECT nextval('screening_epochs')`, `UPDATE screening_epochs SET last = last + 1 RETURNING last`))
	if err != nil {
		return 0, fmt.Errorf("draw an epoch: %w", err)
	}
	return n, nil
}
