package repo

import (
	"context"
	"fmt"
	"time"

	"usher/service/domain"
)

// DueOrder is an order whose time is up.
type DueOrder struct{ ID, ScreeningID string }

// DueOrders returns orders that hold seats beyond the instant, oldest first (index orders_due). It decides
// nothing: ExpireOrders guards.
func (s *Store) DueOrders(ctx context.Context, before time.Time, limit int) ([]DueOrder, error) {
	var rows []DueOrder
	err := s.query(ctx, &rows, `SELECT id, screening_id FROM orders
WHERE status IN ('reserved', 'paying') AND expires_at < ? ORDER BY expires_at LIMIT ?`, stamp(before), limit)
	if err != nil {
		return nil, fmt.Errorf("list due orders: %w", err)
	}
	return rows, nil
}

// ExpiredOrder is an order that ExpireOrders ended.
type ExpiredOrder struct {
	ID, ScreeningID string
	From            string
	Version         int64
	Attempt         int
	Quantity        int
}

// ExpireOrders ends those of the orders whose time is up at this very statement; a checkout that extended one
// meanwhile wins. The transaction holds the row locks of their screenings.
func (s *Store) ExpireOrders(ctx context.Context, ids []string, before, now time.Time) ([]ExpiredOrder, error) {
	s.mustBeBound("ExpireOrders")
	from, args := s.from("w", textColumn("id", ids))
	var heads []ExpiredOrder
	err := s.query(ctx, &heads, `SELECT o.id, o.screening_id, o.status AS "from", o.version, o.attempt, o.quantity FROM `+from+`
JOIN orders o ON o.id = w.id WHERE o.status IN ('reserved', 'paying') AND o.expires_at < ? ORDER BY o.id`, append(args, stamp(before))...)
	if err != nil {
		return nil, fmt.Errorf("read due orders: %w", err)
	}
	if len(heads) == 0 {
		return nil, nil
	}
	due, versions := make([]string, len(heads)), make([]int64, len(heads))
	for i, h := range heads {
		due[i], versions[i] = h.ID, h.Version
	}
	from, args = s.from("w", textColumn("id", due), intColumn("version", versions))
	var done []string
	err = s.returning(ctx, &done, `UPDATE orders SET status = 'expired', reason = '`+string(domain.ReasonTimeUp)+`', version = orders.version + 1,
updated_at = ? FROM `+from+` WHERE orders.id = w.id AND orders.version = w.version AND orders.status IN ('reserved', 'paying')
AND orders.expires_at < ? RETURNING orders.id`, append(append([]any{stamp(now)}, args...), stamp(before))...)
	if err != nil {
		return nil, fmt.Errorf("expire orders: %w", err)
	}
	ended := set(done)
	out := heads[:0]
	for _, h := range heads {
		if ended[h.ID] {
			out = append(out, h)
		}
	}
	return out, nil
}
