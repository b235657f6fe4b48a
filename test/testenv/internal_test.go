package testenv

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// recorder is a testing.TB that notes how a test would have ended.
type recorder struct {
	testing.TB
	ended string
}

func (r *recorder) Helper()               {}
func (r *recorder) Skip(...any)           { r.end("skipped") }
func (r *recorder) Fatalf(string, ...any) { r.end("failed") }

// end keeps the first ending: unlike a real one, the recorder runs on.
func (r *recorder) end(how string) {
	if r.ended == "" {
		r.ended = how
	}
}

func TestMissingServerSkipsOrFails(t *testing.T) {
	for value, want := range map[string]string{"": "skipped", "0": "skipped", "1": "failed"} {
		t.Setenv(RequireServers, value)
		r := &recorder{TB: t}
		if missing(r, "a server is not installed"); r.ended != want {
			t.Errorf("%s=%q: got %s, want %s", RequireServers, value, r.ended, want)
		}
	}
}

func TestFindLooksInPathThenInFolders(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", t.TempDir())
	if _, err := find("tool", folder); !errors.Is(err, errNotInstalled) {
		t.Errorf("absent: got %v, want errNotInstalled", err)
	}
	want := filepath.Join(folder, "tool")
	if err := os.WriteFile(want, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := find("tool", folder); err != nil || got != want {
		t.Errorf("outside PATH: got %q, %v, want %q", got, err, want)
	}
}

func TestPostgresIsFoundOutsidePath(t *testing.T) {
	if len(postgresFolders()) == 0 {
		t.Skip("PostgreSQL is not installed where packages put it")
	}
	t.Setenv("PATH", t.TempDir())
	initdb, postgres, err := postgresBin()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{initdb, postgres} {
		if _, err := exec.LookPath(path); err != nil {
			t.Error(err)
		}
	}
}

func TestChromiumIsAProgram(t *testing.T) {
	path, ok := Chromium()
	if !ok {
		t.Skip("Chromium is not installed")
	}
	if _, err := exec.LookPath(path); err != nil {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir())
	if again, ok := Chromium(); runtime.GOOS == "linux" && filepath.Dir(path) == "/usr/bin" && (!ok || again != path) {
		t.Errorf("outside PATH: got %q, %t, want %q", again, ok, path)
	}
}

func TestNewerPostgresIsPreferred(t *testing.T) {
	if versionIn("/usr/lib/postgresql/15/bin") <= versionIn("/usr/lib/postgresql/9.6/bin") {
		t.Error("15 must count as newer than 9.6")
	}
}

func TestProcessTableReadsNamesWithBlanksAndParentheses(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "42"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "42", "stat"), []byte("42 (a) b (c) T 7 42 42 0"), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := procTable(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := table[42], (processInfo{parent: 7, state: 'T'}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDatabasesOfDeadTestBinariesAreDropped(t *testing.T) {
	Postgres(t) // skips without a server
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	dead, living := "usher_test_999999999_1", c.url("postgres")
	if err := c.exec(ctx, "CREATE DATABASE "+quote(dead)); err != nil {
		t.Fatal(err)
	}
	other, err := openCluster(living)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := other.owner.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if exists(t, other, dead) {
		t.Errorf("%s is there after the next test binary began", dead)
	}
	mine, err := c.create(ctx, "template0")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.dropLeftovers(ctx); err != nil {
		t.Fatal(err)
	}
	if !exists(t, other, mine) {
		t.Errorf("%s of a living test binary was dropped", mine)
	}
	if err := c.drop(ctx, mine); err != nil {
		t.Error(err)
	}
}

func exists(t *testing.T, c *cluster, name string) bool {
	t.Helper()
	var found bool
	if err := c.owner.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&found); err != nil {
		t.Fatal(err)
	}
	return found
}
