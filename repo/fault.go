package repo

import (
	"fmt"

	"gorm.io/gorm"
)

// Rewrite lets a fault test change every writing statement before it is sent, for example into one that meets
// no row. The program never calls it.
func (s *Store) Rewrite(change func(query string) string) error {
	rewrite := func(db *gorm.DB) {
		before := db.Statement.SQL.String()
		after := change(before)
		if after == before {
			return
		}
		db.Statement.SQL.Reset()
		db.Statement.SQL.WriteString(after)
	}
	if err := s.writer.Callback().Row().Before("gorm:row").Register("usher:rewrite_row", rewrite); err != nil {
		return fmt.Errorf("register rewrite: %w", err)
	}
	if err := s.writer.Callback().Raw().Before("gorm:raw").Register("usher:rewrite_raw", rewrite); err != nil {
		return fmt.Errorf("register rewrite: %w", err)
	}
	return nil
}
