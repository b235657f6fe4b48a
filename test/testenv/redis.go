package testenv

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// RedisOption changes how a Redis server is started.
type RedisOption func(*redisConfig)

type redisConfig struct{ directives []string }

// RedisSet adds or overrides one line of the server's configuration, for example RedisSet("appendfsync", "everysec").
func RedisSet(directive string, values ...string) RedisOption {
	return func(c *redisConfig) {
		c.directives = append(c.directives, "--"+directive)
		c.directives = append(c.directives, values...)
	}
}

// RedisServer is a redis-server process of one test. Its data outlive Kill and Stop, not the test.
type RedisServer struct {
	t testing.TB
	s *server
}

// Redis starts a Redis for the test: every write is on disk before its answer (appendfsync always), nothing is evicted.
func Redis(t testing.TB, opts ...RedisOption) *RedisServer {
	t.Helper()
	bin, err := find("redis-server", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
	if err != nil {
		missing(t, "redis-server is not installed, so nothing that needs a real Redis was tested")
	}
	config := &redisConfig{}
	for _, o := range append([]RedisOption{
		RedisSet("appendonly", "yes"),
		RedisSet("appendfsync", "always"),
		RedisSet("save", ""),
		RedisSet("maxmemory-policy", "noeviction"),
	}, opts...) {
		o(config)
	}
	s, err := newServer("redis", "KILL", nil)
	if err != nil {
		t.Fatalf("redis-server: %v", err)
	}
	r := &RedisServer{t: t, s: s}
	t.Cleanup(func() { r.check("remove", s.close()) })
	s.argv = func(port int) []string {
		return append([]string{
			bin, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", s.data(), "--daemonize", "no",
		}, config.directives...)
	}
	s.probe = pingRedis
	if err := s.firstStart(); err != nil {
		t.Fatalf("redis-server: %v", err)
	}
	return r
}

// URL returns the server's address as a redis:// URL. It stays the same for the life of the test.
func (r *RedisServer) URL() string { return "redis://" + r.Addr() + "/0" }

// Addr returns host:port.
func (r *RedisServer) Addr() string { return loopback(r.s.port) }

// Dir returns the folder with the server's append-only files.
func (r *RedisServer) Dir() string { return r.s.data() }

// Pid returns the process id, 0 while the server is down.
func (r *RedisServer) Pid() int { return r.s.pid() }

// Kill ends the server with SIGKILL, as a crash would, and waits until it is gone.
func (r *RedisServer) Kill() { r.t.Helper(); r.check("kill", r.s.stop(syscall.SIGKILL)) }

// Stop ends the server in good order.
func (r *RedisServer) Stop() { r.t.Helper(); r.check("stop", r.s.stop(syscall.SIGTERM)) }

// Start starts the server again, on the same port with the same data, and waits until it has loaded them.
func (r *RedisServer) Start() { r.t.Helper(); r.check("start", r.s.start()) }

// Pause freezes the server: connections stay open, nothing answers.
func (r *RedisServer) Pause() { r.t.Helper(); r.check("pause", r.s.pause()) }

// Resume lets a paused server go on.
func (r *RedisServer) Resume() { r.t.Helper(); r.check("resume", r.s.resume()) }

// Wipe deletes the data of a server that is down, so that it comes back empty.
func (r *RedisServer) Wipe() {
	r.t.Helper()
	r.check("wipe", r.wipe())
}

func (r *RedisServer) wipe() error {
	if r.Pid() != 0 {
		return errors.New("stop it first")
	}
	entries, err := os.ReadDir(r.s.data())
	if err != nil {
		return fmt.Errorf("list the data: %w", err)
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(r.s.data(), entry.Name())); err != nil {
			return fmt.Errorf("delete the data: %w", err)
		}
	}
	return nil
}

func (r *RedisServer) check(action string, err error) {
	if err != nil {
		r.t.Helper()
		r.t.Fatalf("%s redis-server: %v", action, err)
	}
}

// pingRedis succeeds when the server is done loading. Asking for a password is an answer too.
func pingRedis(ctx context.Context, port int) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", loopback(port))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return fmt.Errorf("set a deadline: %w", err)
		}
	}
	if _, err := conn.Write([]byte("PING\r\n")); err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if strings.HasPrefix(answer, "+PONG") || strings.HasPrefix(answer, "-NOAUTH") {
		return nil
	}
	return fmt.Errorf("answered %q", strings.TrimSpace(answer))
}
