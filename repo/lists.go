package repo

import (
	"strconv"
	"strings"
	"time"

	"usher/service/domain"
)

// convert maps rows to what they mean.
func convert[R, D any](rows []R, domain func(R) D) []D {
	out := make([]D, len(rows))
	for i := range rows {
		out[i] = domain(rows[i])
	}
	return out
}

// paged cuts the one item too many that tells whether there is another page.
func paged[T any](items []T, limit int, cursor func(T) string) domain.List[T] {
	if len(items) <= limit {
		return domain.List[T]{Items: items}
	}
	items = items[:limit]
	return domain.List[T]{Items: items, Next: cursor(items[limit-1])}
}

// timeCursor names the place after an item in a list ordered by (time, id).
func timeCursor(at time.Time, id string) string {
	return strconv.FormatInt(at.UnixMicro(), 36) + "." + id
}

// parseTimeCursor reads what timeCursor wrote. ErrMalformed when it did not.
func parseTimeCursor(cursor string) (time.Time, string, error) {
	micros, id, found := strings.Cut(cursor, ".")
	n, err := strconv.ParseInt(micros, 36, 64)
	if !found || err != nil || id == "" {
		return time.Time{}, "", domain.ErrMalformed.With("after", "not a cursor")
	}
	return time.UnixMicro(n).UTC(), id, nil
}
