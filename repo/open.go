package repo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/libtnb/sqlite"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"usher/migrations"
)

// Options say where the ledger is. URL (postgres://…) wins; without it File names the SQLite file.
type Options struct {
	URL         string
	File        string
	MaxConns    int           // PostgreSQL pool, default 24; SQLite readers, default 4
	SlowQueries time.Duration // logged above this, default 1 s
}

// Open connects to the ledger without asking it anything: Ping does. The schema is not touched.
func Open(opts Options, log *slog.Logger) (*Store, error) {
	if opts.SlowQueries == 0 {
		opts.SlowQueries = time.Second
	}
	if opts.URL != "" {
		return openPostgres(opts, log)
	}
	return openSQLite(opts, log)
}

// sessionBounds keep a process that was stopped, or whose machine is gone, from holding row locks for ever, and a
// waiter from waiting for them for ever. The URL may name other values (?lock_timeout=…).
var sessionBounds = map[string]string{
	"idle_in_transaction_session_timeout": "5s",
	"lock_timeout":                        "3s",
	"tcp_user_timeout":                    "15s",
}

func openPostgres(opts Options, log *slog.Logger) (*Store, error) {
	conf, err := pgx.ParseConfig(opts.URL)
	if err != nil {
		return nil, errors.New("database URL: cannot be read as a URL") // the parser's own words repeat it, password and all
	}
	for name, value := range sessionBounds {
		if _, given := conf.RuntimeParams[name]; !given {
			conf.RuntimeParams[name] = value
		}
	}
	db := stdlib.OpenDB(*conf)
	conns := opts.MaxConns
	if conns == 0 {
		conns = 24
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	g, err := gorm.Open(postgres.New(postgres.Config{Conn: db}), config(log, opts))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open postgres: %w", err), db.Close())
	}
	return &Store{reader: g, writer: g, dialect: migrations.Postgres}, nil
}

func openSQLite(opts Options, log *slog.Logger) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(opts.File), 0o750); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	writer, err := sqliteHandle(opts, log, "immediate", 1)
	if err != nil {
		return nil, err
	}
	conns := opts.MaxConns
	if conns == 0 {
		conns = 4
	}
	reader, err := sqliteHandle(opts, log, "deferred", conns)
	if err != nil {
		return nil, err
	}
	return &Store{reader: reader, writer: writer, dialect: migrations.SQLite}, nil
}

func sqliteHandle(opts Options, log *slog.Logger, txlock string, conns int) (*gorm.DB, error) {
	q := url.Values{}
	q.Set("_txlock", txlock)
	q.Set("_time_format", "sqlite")
	for _, p := range []string{"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "foreign_keys(1)", "cache_size(-32000)"} {
		q.Add("_pragma", p)
	}
	path := (&url.URL{Path: opts.File}).EscapedPath() // SQLite reads a URI: ?, # and % must not end the name
	g, err := gorm.Open(sqlite.Open("file:"+path+"?"+q.Encode()), config(log, opts))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", opts.File, err)
	}
	db, err := g.DB()
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", opts.File, err)
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	db.SetConnMaxLifetime(0)
	return g, nil
}

func config(log *slog.Logger, opts Options) *gorm.Config {
	return &gorm.Config{
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		NowFunc:                func() time.Time { return time.Time{} }, // times are always given, never made here
		Logger: slowOnly{logger.NewSlogLogger(log.With("component", "ledger"), logger.Config{
			SlowThreshold:        opts.SlowQueries,
			LogLevel:             logger.Warn,
			ParameterizedQueries: true,
		})},
	}
}

// slowOnly lets gorm speak of slow statements. Its errors are returned, and logged once by whoever ends the work.
type slowOnly struct{ logger.Interface }

// Trace drops what failed.
func (l slowOnly) Trace(ctx context.Context, begin time.Time, statement func() (string, int64), err error) {
	if err == nil {
		l.Interface.Trace(ctx, begin, statement, nil)
	}
}
