package repo

import (
	"encoding/json"
	"fmt"

	"usher/service/domain"
)

// orNull is the parameter for a column in which NULL stands for "none".
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// mustBeBound panics outside a transaction: a method that runs more than one statement, or whose locks end
// with the statement, is useless there.
func (s *Store) mustBeBound(method string) {
	if !s.bound {
		panic("repo: " + method + " works inside InTx only")
	}
}

// changedOne is the end of a guarded update: it changed its row, or met another version of it.
func changedOne(n int64, err error, verb string) error {
	if err == nil && n == 0 {
		err = domain.ErrVersionConflict
	}
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	return nil
}

// list is one parameter that holds many ids: an array on PostgreSQL (= ANY(?::text[])), a JSON text on SQLite
// (IN (SELECT value FROM json_each(?))).
func (s *Store) list(ids []string) any {
	if s.postgres() {
		if ids == nil {
			ids = []string{}
		}
		return texts(ids).array()
	}
	if ids == nil {
		ids = []string{}
	}
	text, err := json.Marshal(ids)
	if err != nil {
		panic("list: " + err.Error()) // strings always marshal
	}
	return string(text)
}
