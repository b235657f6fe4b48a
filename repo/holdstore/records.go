package holdstore

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"usher/service/domain"
)

// recordVersion leads every record and event, so that two binaries can stand side by side.
const recordVersion = "1"

// formatRecord writes a hold record as the scripts do: 1|state|user|expires_ms|qty|amount|attempt|seats|entry.
func formatRecord(r domain.HoldRecord) string {
	return strings.Join([]string{
		recordVersion, string([]byte{byte(r.State)}), r.UserID, strconv.FormatInt(r.ExpiresAt.UnixMilli(), 10),
		strconv.Itoa(r.Quantity), strconv.FormatInt(r.AmountMinor, 10), strconv.Itoa(r.Attempt), joinInts(r.Seats), r.StreamID,
	}, "|")
}

func parseRecord(id, text string) (domain.HoldRecord, error) {
	f := strings.Split(text, "|")
	if len(f) != 9 || f[0] != recordVersion || len(f[1]) != 1 {
		return domain.HoldRecord{}, domain.ErrScript.Because(fmt.Errorf("hold %s has a broken record %q", id, text))
	}
	seats, err := splitInts(f[7])
	if err != nil {
		return domain.HoldRecord{}, domain.ErrScript.Because(fmt.Errorf("hold %s: %w", id, err))
	}
	r := domain.HoldRecord{HoldID: id, State: domain.SeatState(f[1][0]), UserID: f[2], Seats: seats, StreamID: f[8]}
	var n numbers
	r.ExpiresAt = time.UnixMilli(n.of("expires", f[3])).UTC()
	r.Quantity, r.AmountMinor, r.Attempt = int(n.of("qty", f[4])), n.of("amount", f[5]), int(n.of("attempt", f[6]))
	if n.err != nil {
		return domain.HoldRecord{}, domain.ErrScript.Because(fmt.Errorf("hold %s: %w", id, n.err))
	}
	return r, nil
}

// numbers reads integers and keeps the first fault; an absent one is 0.
type numbers struct{ err error }

func (n *numbers) of(field, text string) int64 {
	if text == "" {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("%s %q is not an integer", field, text)
	}
	return v
}

// number reads a gauge; what is no number counts as 0 and shows as a difference.
func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

func joinInts(ns []int) string {
	var sb strings.Builder
	for i, n := range ns {
		if i > 0 {
			sb.WriteByte(',')
		}
		sb.WriteString(strconv.Itoa(n))
	}
	return sb.String()
}

func splitInts(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	parts := strings.Split(text, ",")
	ns := make([]int, len(parts))
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("seat index %q is not a number", p)
		}
		ns[i] = int(n)
	}
	return ns, nil
}
