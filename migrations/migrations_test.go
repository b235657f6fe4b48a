package migrations_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
	_ "github.com/libtnb/sqlite"       // driver "sqlite"

	"usher/migrations"
	"usher/test/testenv"
)

func openSQLite(t *testing.T) *sql.DB {
	t.Helper()
	return open(t, "sqlite", filepath.Join(t.TempDir(), "ledger.db"))
}

func open(t *testing.T, driver, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatalf("open %s: %v", driver, err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close %s: %v", driver, err)
		}
	})
	return db
}

func numbered(t *testing.T, dialect migrations.Dialect) []string {
	t.Helper()
	entries, err := os.ReadDir(string(dialect))
	if err != nil {
		t.Fatalf("list migrations: %v", err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

func TestBothDialectsHaveTheSameNumbersAndNames(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(numbered(t, migrations.Postgres), numbered(t, migrations.SQLite)); diff != "" {
		t.Errorf("postgres and sqlite differ:\n%s", diff)
	}
}

func TestUpAppliesEachMigrationOnce(t *testing.T) {
	t.Parallel()
	for dialect, database := range map[migrations.Dialect]func(*testing.T) *sql.DB{
		migrations.SQLite:   openSQLite,
		migrations.Postgres: func(t *testing.T) *sql.DB { return open(t, "pgx", testenv.Postgres(t)) },
	} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			ctx, db := context.Background(), database(t)
			for round, want := range []int{len(numbered(t, dialect)), 0} {
				pending, err := migrations.Pending(ctx, db, dialect)
				if err != nil || pending != (want > 0) {
					t.Errorf("round %d: pending: got %v, %v, want %v", round, pending, err, want > 0)
				}
				if got, err := migrations.Up(ctx, db, dialect); err != nil || got != want {
					t.Errorf("round %d: applied: got %d, %v, want %d", round, got, err, want)
				}
			}
		})
	}
}

func TestMigratorsThatStartTogetherTakeTurns(t *testing.T) {
	t.Parallel()
	url := testenv.Postgres(t)
	const many = 2
	var applied [many]int
	var all sync.WaitGroup
	for i := range many {
		db := open(t, "pgx", url)
		all.Go(func() {
			var err error
			if applied[i], err = migrations.Up(context.Background(), db, migrations.Postgres); err != nil {
				t.Errorf("migrator %d: %v", i, err)
			}
		})
	}
	all.Wait()
	total := 0
	for _, n := range applied {
		total += n
	}
	if want := len(numbered(t, migrations.Postgres)); total != want {
		t.Errorf("applied %d by all together, want %d", total, want)
	}
}

// The queries give one line per thing that both dialects must have alike: tables with their columns, and the
// indexes that are named in a migration. A column of a primary key is not null in either; SQLite does not say so.
const (
	postgresColumns = `
SELECT c.table_name || '.' || c.column_name || CASE c.is_nullable WHEN 'YES' THEN ' null ' ELSE ' not null ' END || c.data_type
FROM information_schema.columns c WHERE c.table_schema = 'public'`
	sqliteColumns = `
SELECT m.name || '.' || c.name || CASE WHEN c."notnull" OR c.pk THEN ' not null ' ELSE ' null ' END || lower(c.type)
FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`
	postgresIndexes = `
SELECT i.tablename || ' has ' || i.indexname FROM pg_indexes i WHERE i.schemaname = 'public'
AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conname = i.indexname)`
	sqliteIndexes = `
SELECT tbl_name || ' has ' || name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`
	postgresKeys = `
SELECT c.conrelid::regclass || CASE c.contype WHEN 'p' THEN ' key ' ELSE ' refers ' END || a.attname || COALESCE(' ' || NULLIF(c.confrelid, 0)::regclass, '')
FROM pg_constraint c CROSS JOIN unnest(c.conkey) AS k(no) JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.no
WHERE c.connamespace = 'public'::regnamespace AND c.contype IN ('p', 'f')`
	sqliteKeys = `
SELECT m.name || ' key ' || c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND c.pk > 0
UNION ALL
SELECT m.name || ' refers ' || f."from" || ' ' || f."table" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
WHERE m.type = 'table'`
)

func TestBothDialectsHaveTheSameSchema(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	lite, pg := openSQLite(t), open(t, "pgx", testenv.Postgres(t))
	if _, err := migrations.Up(ctx, lite, migrations.SQLite); err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.Up(ctx, pg, migrations.Postgres); err != nil {
		t.Fatal(err)
	}
	types := strings.NewReplacer("timestamp with time zone", "datetime", "bigint", "integer", "bytea", "blob")
	for what, queries := range map[string][2]string{
		"columns": {postgresColumns, sqliteColumns},
		"indexes": {postgresIndexes, sqliteIndexes},
		"keys":    {postgresKeys, sqliteKeys},
	} {
		want, got := schema(t, pg, queries[0]), schema(t, lite, queries[1])
		for i := range want {
			want[i] = types.Replace(want[i])
		}
		slices.Sort(want)
		slices.Sort(got)
		if len(want) < 10 {
			t.Errorf("%s: only %d were read from PostgreSQL", what, len(want))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-postgres +sqlite):\n%s", what, diff)
		}
	}
}

// schema runs a query for lines and leaves out what is meant to differ: the migrations' own table, and the
// epochs, which are a sequence on PostgreSQL and a table on SQLite.
func schema(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatalf("read the schema: %v", err)
	}
	defer func() { _ = rows.Close() }()
	var lines []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatalf("read the schema: %v", err)
		}
		if !strings.HasPrefix(line, "goose_db_version") && !strings.HasPrefix(line, "screening_epochs") {
			lines = append(lines, line)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("read the schema: %v", err)
	}
	return lines
}
