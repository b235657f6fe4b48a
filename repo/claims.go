package repo

import (
	"context"
	"fmt"
	"time"

	"usher/service/domain"
)

// Claim is the ledger's proof that a seat belongs to one order or block.
type Claim struct {
	ScreeningID string
	SeatNo      string
	SeatIndex   int
	OrderID     string
	Kind        domain.HoldKind
}

// InsertClaims inserts the claims whose seats are free and returns how many each order got.
func (s *Store) InsertClaims(ctx context.Context, claims []Claim) (map[string]int, error) {
	if len(claims) == 0 {
		return map[string]int{}, nil
	}
	n := len(claims)
	screenings, nos, ids, kinds, indexes := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]int64, n)
	for i, c := range claims {
		screenings[i], nos[i], ids[i], kinds[i], indexes[i] = c.ScreeningID, c.SeatNo, c.OrderID, string(c.Kind), int64(c.SeatIndex)
	}
	from, args := s.from("r", textColumn("screening_id", screenings), textColumn("seat_no", nos), intColumn("seat_index", indexes),
		textColumn("order_id", ids), textColumn("kind", kinds))
	var got []string
	err := s.returning(ctx, &got, `INSERT INTO claims (screening_id, seat_no, seat_index, order_id, kind)
SELECT screening_id, seat_no, seat_index, order_id, kind FROM `+from+` WHERE true
ON CONFLICT DO NOTHING RETURNING order_id`, args...)
	if err != nil {
		return nil, fmt.Errorf("insert claims: %w", err)
	}
	out := make(map[string]int, len(got))
	for _, id := range got {
		out[id]++
	}
	return out, nil
}

// DeleteClaims frees the seats of the orders of one screening and returns how many there were. Orders are found
// by their seats, so claims need no second index.
func (s *Store) DeleteClaims(ctx context.Context, screeningID string, orderIDs []string) (int64, error) {
	if len(orderIDs) == 0 {
		return 0, nil
	}
	from, args := s.from("w", textColumn("order_id", orderIDs))
	n, err := s.exec(ctx, `DELETE FROM claims WHERE screening_id = ? AND (seat_no, order_id) IN
(SELECT o.seat_no, o.order_id FROM `+from+` JOIN order_seats o ON o.order_id = w.order_id)`, append([]any{screeningID}, args...)...)
	if err != nil {
		return 0, fmt.Errorf("delete claims: %w", err)
	}
	return n, nil
}

type claimRow struct {
	ScreeningID, SeatNo string
	SeatIndex           int
	OrderID, Kind       string
}

func (r claimRow) domain() Claim {
	return Claim{ScreeningID: r.ScreeningID, SeatNo: r.SeatNo, SeatIndex: r.SeatIndex, OrderID: r.OrderID, Kind: domain.HoldKind(r.Kind)}
}

const claimsMax = 100_000

// Claims returns all claims of a screening by seat index, at most 100,000.
func (s *Store) Claims(ctx context.Context, screeningID string) ([]Claim, error) {
	var rows []claimRow
	err := s.query(ctx, &rows, `SELECT screening_id, seat_no, seat_index, order_id, kind FROM claims
WHERE screening_id = ? ORDER BY seat_index LIMIT ?`, screeningID, claimsMax)
	if err != nil {
		return nil, fmt.Errorf("read claims of screening %s: %w", screeningID, err)
	}
	return convert(rows, claimRow.domain), nil
}

// LiveOrders returns the live orders of a screening without their seats (index orders_by_screening), at most
// 100,000.
func (s *Store) LiveOrders(ctx context.Context, screeningID string) ([]domain.Order, error) {
	var rows []orderRow
	err := s.query(ctx, &rows, `SELECT `+orderColumns+` FROM orders
WHERE screening_id = ? AND status IN ('reserved', 'paying', 'paid') ORDER BY id LIMIT ?`, screeningID, claimsMax)
	if err != nil {
		return nil, fmt.Errorf("read live orders of screening %s: %w", screeningID, err)
	}
	return convert(rows, orderRow.domain), nil
}

// AnsweredOrders returns the orders of a screening with a key that were accepted since the instant (index
// orders_by_screening), at most 100,000: what a rebuild remembers under their keys.
func (s *Store) AnsweredOrders(ctx context.Context, screeningID string, since time.Time) ([]domain.Order, error) {
	var rows []orderRow
	err := s.query(ctx, &rows, `SELECT `+orderColumns+` FROM orders
WHERE screening_id = ? AND accepted_at >= ? AND idempotency_key IS NOT NULL ORDER BY id LIMIT ?`, screeningID, stamp(since), claimsMax)
	if err != nil {
		return nil, fmt.Errorf("read first answers of screening %s: %w", screeningID, err)
	}
	return convert(rows, orderRow.domain), nil
}

// BlockKnown reports whether the screening has claims of the block.
func (s *Store) BlockKnown(ctx context.Context, screeningID, blockID string) (bool, error) {
	var n int64
	err := s.query(ctx, &n, `SELECT count(*) FROM claims WHERE screening_id = ? AND order_id = ?`, screeningID, blockID)
	return n > 0, err
}

// DeleteBlock frees the seats of a block.
func (s *Store) DeleteBlock(ctx context.Context, screeningID, blockID string) error {
	_, err := s.exec(ctx, `DELETE FROM claims WHERE screening_id = ? AND order_id = ? AND kind = 'block'`, screeningID, blockID)
	if err != nil {
		return fmt.Errorf("delete block %s: %w", blockID, err)
	}
	return nil
}
