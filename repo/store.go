// Package repo is the ledger: what is true. It is the only package that imports gorm and knows SQL.
//
// Services decide where a transaction begins and ends (Store.InTx); a method of a store never opens one of its
// own. Guarded updates check how many rows they changed. Errors leave as domain errors.
package repo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"gorm.io/gorm"

	"usher/migrations"
	"usher/service/domain"
)

// Store is a handle on the ledger, either on its pools or, inside InTx, on one transaction.
type Store struct {
	reader  *gorm.DB
	writer  *gorm.DB
	dialect migrations.Dialect
	bound   bool
}

// Dialect names the database behind the store.
func (s *Store) Dialect() migrations.Dialect { return s.dialect }

func (s *Store) postgres() bool { return s.dialect == migrations.Postgres }

// r starts a read. Inside a transaction it reads in the transaction.
func (s *Store) r(ctx context.Context) *gorm.DB { return s.reader.WithContext(ctx) }

// w starts a write.
func (s *Store) w(ctx context.Context) *gorm.DB { return s.writer.WithContext(ctx) }

// InTx runs fn in one transaction and commits when it returns nil. On SQLite the transaction begins as a
// writer. A deadlock, serialization failure or busy file rolls back and runs fn again, at most three times in
// all, so fn must have no effect outside the transaction. Inside fn only tx may be used; InTx on a bound store
// joins its transaction.
func (s *Store) InTx(ctx context.Context, fn func(tx *Store) error) error {
	return s.inTx(ctx, nil, fn)
}

// InSnapshot runs fn in one read-only transaction that sees a single state of the ledger.
func (s *Store) InSnapshot(ctx context.Context, fn func(tx *Store) error) error {
	if s.bound {
		return fn(s)
	}
	opts := &sql.TxOptions{ReadOnly: true}
	if s.postgres() {
		opts.Isolation = sql.LevelRepeatableRead
	} else {
		opts.ReadOnly = false // the driver knows no read-only transactions; the reader pool begins deferred
	}
	err := s.r(ctx).Transaction(func(db *gorm.DB) error {
		return fn(&Store{reader: db, writer: db, dialect: s.dialect, bound: true})
	}, opts)
	return translate(err)
}

const txAttempts = 3

func (s *Store) inTx(ctx context.Context, opts *sql.TxOptions, fn func(tx *Store) error) error {
	if s.bound {
		return fn(s)
	}
	var err error
	for attempt := 1; attempt <= txAttempts; attempt++ {
		err = translate(s.w(ctx).Transaction(func(db *gorm.DB) error {
			return fn(&Store{reader: db, writer: db, dialect: s.dialect, bound: true})
		}, opts))
		if err == nil || !errors.Is(err, domain.ErrSerialization) {
			return err
		}
		pause := time.NewTimer(time.Duration(attempt)*5*time.Millisecond + rand.N(5*time.Millisecond))
		select {
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("repeat transaction: %w", ctx.Err())
		case <-pause.C:
		}
	}
	return err
}

// exec runs one statement and returns how many rows it changed.
func (s *Store) exec(ctx context.Context, query string, args ...any) (int64, error) {
	res := s.w(ctx).Exec(query, args...)
	return res.RowsAffected, translate(res.Error)
}

// rows runs a writing statement with RETURNING and scans its rows into dest.
func (s *Store) returning(ctx context.Context, dest any, query string, args ...any) error {
	return translate(s.w(ctx).Raw(query, args...).Scan(dest).Error)
}

// query runs a reading statement and scans its rows into dest.
func (s *Store) query(ctx context.Context, dest any, query string, args ...any) error {
	return translate(s.r(ctx).Raw(query, args...).Scan(dest).Error)
}

// one runs a reading statement that must give a row; domain.ErrNotFound when it gives none.
func (s *Store) one(ctx context.Context, dest any, query string, args ...any) error {
	res := s.r(ctx).Raw(query, args...).Scan(dest)
	if res.Error != nil {
		return translate(res.Error)
	}
	if res.RowsAffected == 0 {
		return domain.ErrNotFound
	}
	return nil
}

// pick returns the statement for the store's dialect.
func (s *Store) pick(postgres, sqlite string) string {
	if s.postgres() {
		return postgres
	}
	return sqlite
}

// Ping asks the database for a sign of life.
func (s *Store) Ping(ctx context.Context) error {
	db, err := s.writer.DB()
	if err != nil {
		return translate(err)
	}
	return translate(db.PingContext(ctx))
}

// Now returns the ledger's clock, in UTC. usher's times are the ledger's.
func (s *Store) Now(ctx context.Context, local func() time.Time) (time.Time, error) {
	if !s.postgres() {
		return local().UTC().Truncate(time.Microsecond), nil
	}
	var now time.Time
	if err := s.query(ctx, &now, "SELECT clock_timestamp()"); err != nil {
		return time.Time{}, err
	}
	return now.UTC(), nil
}

// Close ends the pools. Calls after it fail.
func (s *Store) Close() error {
	var errs []error
	seen := map[*sql.DB]bool{}
	for _, g := range []*gorm.DB{s.reader, s.writer} {
		db, err := g.DB()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !seen[db] {
			seen[db] = true
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Migrate brings the schema up to date and returns how many migrations were applied.
func (s *Store) Migrate(ctx context.Context) (int, error) {
	db, err := s.writer.DB()
	if err != nil {
		return 0, translate(err)
	}
	n, err := migrations.Up(ctx, db, s.dialect)
	return n, translate(err)
}
