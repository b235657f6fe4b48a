package holdstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/redis/go-redis/v9"

	"usher/service/domain"
)

// Entry is one stream entry. Broken tells why it could not be read; then only the ids of Event are sure, and Raw
// has the first 4 KB of its fields as JSON.
type Entry struct {
	Event  domain.Event
	Raw    string
	Broken error
}

// parseEntries leaves out pending entries that no longer exist: they come without fields.
func parseEntries(p int, messages []redis.XMessage) []Entry {
	entries := make([]Entry, 0, len(messages))
	for _, m := range messages {
		if m.Values != nil {
			entries = append(entries, parseEntry(p, m))
		}
	}
	return entries
}

func parseEntry(p int, m redis.XMessage) Entry {
	e, err := parseEvent(p, m)
	entry := Entry{Event: e}
	if err != nil {
		raw, _ := json.Marshal(m.Values)
		raw = raw[:min(len(raw), 4096)]
		entry.Raw, entry.Broken = strings.ToValidUTF8(string(raw), ""), err // the cut may have split a letter
	}
	return entry
}

func parseEvent(p int, m redis.XMessage) (domain.Event, error) {
	text := func(k string) string { t, _ := m.Values[k].(string); return t }
	var n numbers
	integer := func(k string) int64 { return n.of(k, text(k)) }
	e := domain.Event{
		Partition: p, StreamID: m.ID, Type: domain.EventType(text("type")), Epoch: integer("epoch"), Attempt: int(integer("attempt")),
		Quantity: int(integer("qty")), AmountMinor: integer("amount"), AcceptedAt: time.UnixMilli(integer("at")).UTC(),
		Version: integer("ver"), Map: text("map"),
	}
	for k, id := range map[string]*string{"screening": &e.ScreeningID, "hold": &e.HoldID, "user": &e.UserID} {
		if *id = text(k); !plain(*id) {
			*id, n.err = "", fmt.Errorf("%s is no plain text", k)
		}
	}
	if text("v") != recordVersion {
		return e, fmt.Errorf("event format %q is not known", text("v"))
	}
	if x := text("expires"); x != "" {
		e.ExpiresAt = time.UnixMilli(n.of("expires", x)).UTC()
	}
	if n.err != nil {
		return e, n.err
	}
	if st := text("state"); len(st) > 1 || !strings.Contains(".hsx", st) {
		return e, fmt.Errorf("seat state %q is not known", st)
	} else if st != "" {
		e.State = st[0]
	}
	var err error
	if e.Seats, err = splitInts(text("seats")); err != nil {
		return e, err
	}
	if d := text("detail"); d != "" {
		if err := json.Unmarshal([]byte(d), &e.Detail); err != nil {
			return e, fmt.Errorf("read detail: %w", err)
		}
	}
	return e, checkEvent(e)
}

// plain tells whether an id can be stored: valid UTF-8 without control characters.
func plain(id string) bool {
	return utf8.ValidString(id) && !strings.ContainsFunc(id, unicode.IsControl)
}

func checkEvent(e domain.Event) error {
	switch e.Type {
	case domain.EventHeld, domain.EventBlocked:
		switch {
		case e.ScreeningID == "" || e.HoldID == "" || e.Quantity <= 0 || e.ExpiresAt.IsZero():
			return errors.New("held event lacks a field")
		case len(e.Detail.Seats) != len(e.Seats):
			return errors.New("held event names other seats than its detail")
		}
		for i, ref := range e.Detail.Seats {
			if ref.Index != e.Seats[i] {
				return errors.New("held event names other seats than its detail")
			}
		}
	case domain.EventReleased, domain.EventConfirmed, domain.EventUnblocked, domain.EventRebuilt, domain.EventRepaired:
		if e.ScreeningID == "" {
			return errors.New("event lacks its screening")
		}
	default:
		return fmt.Errorf("event type %q is not known", e.Type)
	}
	return nil
}
