// Package migrations holds the ledger's schema as numbered SQL, one folder per dialect with the same numbers
// and names in both. Files are never edited after a release; they only move forward.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed postgres/*.sql sqlite/*.sql
var files embed.FS

// Dialect names a folder of this package.
type Dialect string

// The dialects.
const (
	Postgres Dialect = "postgres"
	SQLite   Dialect = "sqlite"
)

// Up applies every migration that the database does not have yet, each in its own transaction, and returns
// how many were applied.
func Up(ctx context.Context, db *sql.DB, dialect Dialect) (int, error) {
	p, err := provider(db, dialect)
	if err != nil {
		return 0, err
	}
	done, err := p.Up(ctx)
	if err != nil {
		return len(done), fmt.Errorf("migrate: %w", err)
	}
	return len(done), nil
}

// Pending reports whether the database lacks a migration.
func Pending(ctx context.Context, db *sql.DB, dialect Dialect) (bool, error) {
	p, err := provider(db, dialect)
	if err != nil {
		return false, err
	}
	return p.HasPending(ctx)
}

func provider(db *sql.DB, dialect Dialect) (*goose.Provider, error) {
	sub, err := fs.Sub(files, string(dialect))
	if err != nil {
		return nil, fmt.Errorf("open migrations of %s: %w", dialect, err)
	}
	d := goose.DialectSQLite3
	var options []goose.ProviderOption
	if dialect == Postgres {
		d = goose.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker() // instances that start together take turns
		if err != nil {
			return nil, fmt.Errorf("make the migration lock: %w", err)
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	p, err := goose.NewProvider(d, db, sub, options...)
	if err != nil {
		return nil, fmt.Errorf("read migrations of %s: %w", dialect, err)
	}
	return p, nil
}
