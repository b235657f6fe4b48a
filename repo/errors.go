package repo

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"usher/service/domain"
)

// sqliteCode is what the SQLite driver's errors offer; naming the driver's type would link it by name.
type sqliteCode interface {
	error
	Code() int
}

// translate turns a driver's or gorm's error into a domain error. It is the only place that knows SQLSTATE
// and SQLite codes. Domain errors and context errors pass through.
func translate(err error) error {
	if err == nil {
		return nil
	}
	var known *domain.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, gorm.ErrRecordNotFound) || errors.Is(err, sql.ErrNoRows) {
		return domain.ErrNotFound.Because(err)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return translatePostgres(pg, err)
	}
	var lite sqliteCode
	if errors.As(err, &lite) {
		return translateSQLite(lite, err)
	}
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, driver.ErrBadConn),
		errors.Is(err, sql.ErrConnDone), errors.Is(err, sql.ErrTxDone), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), pgconn.SafeToRetry(err),
		strings.Contains(err.Error(), "conn closed"), strings.Contains(err.Error(), "closed pool"),
		strings.Contains(err.Error(), "database is closed"):
		return domain.ErrUnavailable.Because(err)
	}
	return err
}

func translatePostgres(pg *pgconn.PgError, err error) error {
	switch pg.Code {
	case "23505":
		return domain.ErrDuplicate.With("rule", pg.ConstraintName).Because(err)
	case "23503", "23514", "23502":
		return domain.ErrInvalid.With("rule", pg.ConstraintName).Because(err)
	case "22021", "22P05", "22003": // a text with NUL or broken UTF-8, a number too large
		return domain.ErrInvalid.Because(err)
	case "40001", "40P01":
		return domain.ErrSerialization.Because(err)
	case "55P03":
		return domain.ErrLockTimeout.Because(err)
	case "57014", "25P03":
		return domain.ErrUnavailable.Because(err)
	}
	switch pg.Code[:2] {
	case "08", "53", "57", "58":
		return domain.ErrUnavailable.Because(err)
	}
	return err
}

// SQLite primary result codes: https://www.sqlite.org/rescode.html
func translateSQLite(lite sqliteCode, err error) error {
	switch lite.Code() & 0xff {
	case 5, 6: // SQLITE_BUSY, SQLITE_LOCKED
		return domain.ErrSerialization.Because(err)
	case 19: // SQLITE_CONSTRAINT
		if c := lite.Code(); c == 2067 || c == 1555 { // UNIQUE, PRIMARYKEY
			return domain.ErrDuplicate.With("rule", uniqueRule(err.Error())).Because(err)
		}
		return domain.ErrInvalid.Because(err)
	case 10, 13, 14, 26: // IOERR, FULL, CANTOPEN, NOTADB
		return domain.ErrUnavailable.Because(err)
	}
	return err
}

// uniqueRule cuts "table.column, …" out of the driver's message, which reads
// "constraint failed: UNIQUE constraint failed: table.column (2067)".
func uniqueRule(message string) string {
	const before = "UNIQUE constraint failed: "
	_, rest, found := strings.Cut(message, before)
	if !found {
		return ""
	}
	rule, _, _ := strings.Cut(rest, " (")
	return rule
}
