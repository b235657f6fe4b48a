package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// The server is as safe as a real one against a crash of its own, and cheap otherwise. Full page writes only matter when the
// machine itself goes down. No socket file: its path has a length limit that temporary folders can exceed.
var pgSettings = []string{
	"listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", "fsync=on", "synchronous_commit=on",
	"full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "shared_buffers=64MB", "jit=off",
	"dynamic_shared_memory_type=mmap", "checkpoint_timeout=30min", "logging_collector=off", "timezone=UTC",
}

// PGServer is a PostgreSQL of one test, for tests that break it. Its data outlive Kill, not the test.
type PGServer struct {
	t testing.TB
	s *server
}

// PostgresServer starts a PostgreSQL for this test alone. Tests that only need a database take Postgres, which is cheaper.
func PostgresServer(t testing.TB) *PGServer {
	t.Helper()
	s, err := newPostgres()
	if errors.Is(err, errNotInstalled) {
		missing(t, "PostgreSQL is not installed, so nothing that needs a real one was tested")
	}
	if err != nil {
		t.Fatalf("postgres: %v", err)
	}
	p := &PGServer{t: t, s: s}
	t.Cleanup(func() { p.check("remove", closePostgres(s)) })
	return p
}

// URL returns the address of the server's only database, which starts empty. It stays the same for the life of the test.
func (p *PGServer) URL() string { return postgresURL(p.s.port) }

// Addr returns host:port.
func (p *PGServer) Addr() string { return loopback(p.s.port) }

// Pid returns the process id of the postmaster, 0 while the server is down.
func (p *PGServer) Pid() int { return p.s.pid() }

// Kill ends the postmaster with SIGKILL, as a crash would, and waits until its children have noticed and are gone.
func (p *PGServer) Kill() { p.t.Helper(); p.check("kill", p.s.stop(syscall.SIGKILL)) }

// Stop ends the server in good order; open connections are cut.
func (p *PGServer) Stop() { p.t.Helper(); p.check("stop", p.s.stop(syscall.SIGINT)) }

// Start starts the server again, on the same port with the same data, and waits until it takes queries.
func (p *PGServer) Start() { p.t.Helper(); p.check("start", p.s.start()) }

// Pause freezes the postmaster and its children: connections stay open, nothing answers.
func (p *PGServer) Pause() { p.t.Helper(); p.check("pause", p.s.pause()) }

// Resume lets a paused server go on.
func (p *PGServer) Resume() { p.t.Helper(); p.check("resume", p.s.resume()) }

func (p *PGServer) check(action string, err error) {
	if err != nil {
		p.t.Helper()
		p.t.Fatalf("%s postgres: %v", action, err)
	}
}

// newPostgres makes a cluster in a new folder and starts it.
func newPostgres() (*server, error) {
	initdb, postgres, err := postgresBin()
	if err != nil {
		return nil, err
	}
	cred, err := postgresUser()
	if err != nil {
		return nil, err
	}
	s, err := newServer("postgres", "QUIT", cred)
	if err != nil {
		return nil, err
	}
	locale := "C.UTF-8"
	if runtime.GOOS == "darwin" {
		locale = "C" // there is no C.UTF-8 before macOS 15
	}
	s.argv = func(port int) []string {
		argv := []string{postgres, "-D", s.data(), "-p", strconv.Itoa(port)}
		for _, setting := range pgSettings {
			argv = append(argv, "-c", setting)
		}
		return argv
	}
	s.probe = pingPostgres
	err = s.runOnce(initdb, "-D", s.data(), "-U", "usher", "-A", "trust", "-E", "UTF8", "--locale="+locale, "--no-sync")
	if err == nil {
		err = s.firstStart()
	}
	if err != nil {
		return nil, errors.Join(err, closePostgres(s))
	}
	return s, nil
}

// runOnce runs a program in the server's folder to its end.
func (s *server) runOnce(argv ...string) error {
	log, err := os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	defer log.Close()
	p, err := launch(s.reaper, s.folder, log, s.cred, argv...)
	if err != nil {
		return err
	}
	if !p.goneWithin(startLimit) {
		err = p.signal(syscall.SIGKILL)
	}
	if err := errors.Join(err, p.reap()); err != nil {
		return fmt.Errorf("run %s: %w\n%s", argv[0], err, s.logTail())
	}
	return s.reaper.forget()
}

// closePostgres ends the server and removes its folder. SIGQUIT skips the last checkpoint but lets the server give its
// shared memory back; a server that was killed before could not.
func closePostgres(s *server) error {
	err := s.stop(syscall.SIGQUIT)
	if id := sharedMemoryID(s.data()); id != "" {
		_ = exec.Command("ipcrm", "-m", id).Run() //nolint:noctx // gone already is fine too
	}
	return errors.Join(err, s.close())
}

// sharedMemoryID returns the id of the segment that a killed server left, or "". It stands on line seven of the lock file.
func sharedMemoryID(data string) string {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return ""
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 7 {
		return ""
	}
	fields := strings.Fields(lines[6])
	if len(fields) != 2 {
		return ""
	}
	return fields[1]
}

// postgresUser returns whom to run PostgreSQL as: it refuses root.
func postgresUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if uidErr == nil && gidErr == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("run PostgreSQL: it refuses root, and there is neither a user postgres nor nobody")
}

func postgresURL(port int) string {
	return "postgres://usher@" + loopback(port) + "/postgres?sslmode=disable"
}

// pingPostgres succeeds when the server takes queries.
func pingPostgres(ctx context.Context, port int) error {
	conn, err := pgx.Connect(ctx, postgresURL(port))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "SELECT 1")
	return errors.Join(err, conn.Close(ctx))
}
