package repo

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// stamp makes an instant what the ledger keeps: UTC, whole microseconds. Every time that becomes a parameter
// goes through it; SQLite compares times as texts, so a zone or a nanosecond would break the order.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// instant scans a timestamp whatever the driver makes of it: PostgreSQL answers in the local zone, and SQLite
// knows the declared type of plain columns only and gives texts for expressions.
type instant struct{ time.Time }

// Scan reads a time or a text of the ledger's time form. NULL becomes the zero time.
func (i *instant) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		i.Time = time.Time{}
	case time.Time:
		i.Time = v.UTC()
	case string:
		return i.parse(v)
	case []byte:
		return i.parse(string(v))
	default:
		return fmt.Errorf("read an instant: %T is not a time", src)
	}
	return nil
}

// Value returns the time as the ledger keeps it.
func (i instant) Value() (driver.Value, error) { return stamp(i.Time), nil }

func (i *instant) parse(text string) error {
	t, err := time.Parse(sqliteTime, text)
	if err != nil {
		return fmt.Errorf("read an instant: %w", err)
	}
	i.Time = t.UTC()
	return nil
}
