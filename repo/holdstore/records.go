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
	r.ExpiresAt = time.UnixMilli(number(f[3])).UTC()
	r.Quantity, r.AmountMinor, r.Attempt = int(number(f[4])), number(f[5]), int(number(f[6]))
	return r, nil
}

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
		n, err := strconv.Atoi(p)
		if err != nil {
			return nil, fmt.Errorf("seat index %q is not a number", p)
		}
		ns[i] = n
	}
	return ns, nil
}
