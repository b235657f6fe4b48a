package repo

import (
	"context"
	"fmt"
)

const systemValueSQL = `SELECT value FROM system_values WHERE name = ?`

// SystemValue returns what is stored under a name, and whether anything is. Values are in no error.
func (s *Store) SystemValue(ctx context.Context, name string) (string, bool, error) {
	var values []string
	if err := s.query(ctx, &values, systemValueSQL, name); err != nil {
		return "", false, fmt.Errorf("read system value %s: %w", name, err)
	}
	if len(values) == 0 {
		return "", false, nil
	}
	return values[0], true, nil
}

// The no-op update makes RETURNING give the row that is there already.
const setSystemValueOnceSQL = `
INSERT INTO system_values (name, value) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET value = system_values.value
RETURNING value`

// SetSystemValueOnce stores a value when its name has none, and returns the one that is stored, so that
// instances that start together agree.
func (s *Store) SetSystemValueOnce(ctx context.Context, name, value string) (string, error) {
	var stored string
	if err := s.returning(ctx, &stored, setSystemValueOnceSQL, name, value); err != nil {
		return "", fmt.Errorf("set system value %s: %w", name, err)
	}
	return stored, nil
}

const takeSystemValueSQL = `DELETE FROM system_values WHERE name = ? AND value = ?`

// TakeSystemValue removes a value when it is the given one, and reports whether it was: only one caller can
// take it.
func (s *Store) TakeSystemValue(ctx context.Context, name, value string) (bool, error) {
	n, err := s.exec(ctx, takeSystemValueSQL, name, value)
	if err != nil {
		return false, fmt.Errorf("take system value %s: %w", name, err)
	}
	return n == 1, nil
}
