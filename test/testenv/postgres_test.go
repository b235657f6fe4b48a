package testenv_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"usher/test/testenv"
)

func TestPostgresDatabasesAreIsolated(t *testing.T) {
	t.Parallel()
	one, other := connect(t, testenv.Postgres(t)), connect(t, testenv.Postgres(t))

	mustExec(t, one, "CREATE TABLE seats (id text)")

	if got := count(t, other, "SELECT count(*) FROM pg_tables WHERE tablename = 'seats'"); got != 0 {
		t.Errorf("tables seen in the other database: got %d, want 0", got)
	}
}

func TestPostgresDatabaseIsDroppedWithOpenConnections(t *testing.T) {
	t.Parallel()
	watcher := connect(t, testenv.Postgres(t))
	var name string
	t.Run("inner", func(t *testing.T) {
		address := testenv.Postgres(t)
		name = databaseName(t, address)
		if _, err := pgx.Connect(context.Background(), address); err != nil {
			t.Fatal(err)
		}
		if got := count(t, watcher, "SELECT count(*) FROM pg_database WHERE datname = $1", name); got != 1 {
			t.Fatalf("databases named %s while the test runs: got %d, want 1", name, got)
		}
	})

	if got := count(t, watcher, "SELECT count(*) FROM pg_database WHERE datname = $1", name); got != 0 {
		t.Errorf("databases named %s after the test: got %d, want 0", name, got)
	}
}

var prepared atomic.Int64

func prepareSeats(address string) error {
	prepared.Add(1)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	_, err = conn.Exec(ctx, "CREATE TABLE seats (id text); INSERT INTO seats VALUES ('A1')")
	return errors.Join(err, conn.Close(ctx))
}

func TestPostgresFromCopiesOnePreparedDatabase(t *testing.T) {
	t.Parallel()
	one, other := connect(t, testenv.PostgresFrom(t, prepareSeats)), connect(t, testenv.PostgresFrom(t, prepareSeats))

	mustExec(t, one, "INSERT INTO seats VALUES ('A2')")

	if got := count(t, one, "SELECT count(*) FROM seats"); got != 2 {
		t.Errorf("rows in the changed copy: got %d, want 2", got)
	}
	if got := count(t, other, "SELECT count(*) FROM seats"); got != 1 {
		t.Errorf("rows in the other copy: got %d, want 1", got)
	}
	if got := prepared.Load(); got != 1 {
		t.Errorf("preparations: got %d, want 1", got)
	}
}

func TestPostgresServerKeepsCommitsAcrossAKill(t *testing.T) {
	t.Parallel()
	server := testenv.PostgresServer(t)
	conn := connect(t, server.URL())
	mustExec(t, conn, "CREATE TABLE seats (id text)")
	mustExec(t, conn, "INSERT INTO seats VALUES ('A1')")

	server.Kill()
	if _, err := conn.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("a connection of the killed server answered")
	}
	awaitRefused(t, server.Addr())
	server.Start()

	if got := count(t, connect(t, server.URL()), "SELECT count(*) FROM seats"); got != 1 {
		t.Errorf("rows after the restart: got %d, want 1", got)
	}
}

func TestPostgresServerPausedDoesNotAnswerUntilResumed(t *testing.T) {
	t.Parallel()
	server := testenv.PostgresServer(t)
	conn := connect(t, server.URL())

	server.Pause()
	answer := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "SELECT 1")
		answer <- err
	}()
	select {
	case err := <-answer:
		t.Fatalf("a paused server answered: %v", err)
	case <-briefly(t):
	}

	server.Resume()
	if err := <-answer; err != nil {
		t.Errorf("the query that waited: %v", err)
	}
}

func TestPostgresServerPausedCanBeKilledAndStarted(t *testing.T) {
	t.Parallel()
	server := testenv.PostgresServer(t)
	connect(t, server.URL())

	server.Pause()
	server.Kill()
	server.Start()

	if got := count(t, connect(t, server.URL()), "SELECT 1"); got != 1 {
		t.Errorf("after the restart: got %d, want 1", got)
	}
}

func TestPostgresServerKilledAtTheEndOfItsTestIsRemoved(t *testing.T) {
	t.Parallel()
	var pid int
	t.Run("inner", func(t *testing.T) {
		server := testenv.PostgresServer(t)
		pid = server.Pid()
		server.Kill()
	})
	if running(pid) {
		t.Errorf("process %d runs after its test", pid)
	}
}

// connect opens a connection that ends with the test. One that the test's server cut is fine.
func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func mustExec(t *testing.T, conn *pgx.Conn, statement string) pgconn.CommandTag {
	t.Helper()
	tag, err := conn.Exec(t.Context(), statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return tag
}

func count(t *testing.T, conn *pgx.Conn, query string, args ...any) int {
	t.Helper()
	var n int
	if err := conn.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func databaseName(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Path[1:]
}
