package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sentinelMaster is the name under which the sentinel watches the master.
const sentinelMaster = "usher"

// RedisSentinelServer is a master, its replica and the one sentinel that watches both.
type RedisSentinelServer struct {
	Servers [2]*RedisServer // the first one begins as the master

	t        testing.TB
	cli      string
	sentinel *server
}

// RedisSentinel starts the three for the test and waits until the sentinel would let the replica take over.
func RedisSentinel(t testing.TB) *RedisSentinelServer {
	t.Helper()
	r := &RedisSentinelServer{t: t, cli: redisCLI(t)}
	r.Servers[0] = Redis(t, RedisSet("repl-diskless-sync-delay", "0"))
	port := r.Servers[0].s.port
	r.Servers[1] = Redis(t, RedisSet("repl-diskless-sync-delay", "0"), RedisSet("replicaof", "127.0.0.1", strconv.Itoa(port)))
	r.await("the replica's copy", func() (bool, error) { // a sentinel that comes earlier looks again only after 10 s
		role, err := ask(r.cli, r.Servers[1].s.port, "ROLE")
		return strings.Contains(role, "connected"), err
	})
	if err := r.startSentinel(port); err != nil {
		t.Fatalf("redis sentinel: %v", err)
	}
	r.await("the sentinel's view", func() (bool, error) {
		known, err := ask(r.cli, r.sentinel.port, "SENTINEL", "REPLICAS", sentinelMaster)
		return strings.Contains(known, "master-link-status\nok"), err
	})
	return r
}

// startSentinel writes the sentinel's configuration, which it rewrites itself later, and starts it.
func (r *RedisSentinelServer) startSentinel(port int) error {
	bin, err := find("redis-server", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
	if err != nil {
		return err
	}
	s, err := newServer("sentinel", "KILL", nil)
	if err != nil {
		return err
	}
	r.t.Cleanup(func() {
		if err := s.close(); err != nil {
			r.t.Errorf("remove redis sentinel: %v", err)
		}
	})
	conf := filepath.Join(s.data(), "sentinel.conf")
	lines := fmt.Sprintf("sentinel monitor %[1]s 127.0.0.1 %[2]d 1\nsentinel down-after-milliseconds %[1]s 2000\nsentinel failover-timeout %[1]s 5000\n",
		sentinelMaster, port)
	if err := os.WriteFile(conf, []byte(lines), 0o600); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	s.argv = func(port int) []string {
		return []string{bin, conf, "--sentinel", "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", s.data(), "--daemonize", "no"}
	}
	s.probe = pingRedis
	r.sentinel = s
	return s.firstStart()
}

// URL returns the sentinel's address as a redis+sentinel:// URL.
func (r *RedisSentinelServer) URL() string {
	return "redis+sentinel://" + loopback(r.sentinel.port) + "/0?master=" + sentinelMaster
}

// Failover makes the other server the master and waits until the sentinel says so. The old master is told to follow
// some eight seconds later only.
func (r *RedisSentinelServer) Failover() {
	r.t.Helper()
	next := r.Servers[1]
	if role, err := ask(r.cli, next.s.port, "ROLE"); err == nil && strings.HasPrefix(role, "master") {
		next = r.Servers[0]
	}
	r.await("the failover's start", func() (bool, error) {
		answer, err := ask(r.cli, r.sentinel.port, "SENTINEL", "FAILOVER", sentinelMaster)
		return answer == "OK", err
	})
	r.await("the promotion of the replica", func() (bool, error) {
		role, err := ask(r.cli, next.s.port, "ROLE")
		return strings.HasPrefix(role, "master"), err
	})
	want := "127.0.0.1\n" + strconv.Itoa(next.s.port)
	r.await("the sentinel's word", func() (bool, error) {
		addr, err := ask(r.cli, r.sentinel.port, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinelMaster)
		return addr == want, err
	})
}

func (r *RedisSentinelServer) await(what string, done func() (bool, error)) {
	r.t.Helper()
	if err := await(what, done); err != nil {
		r.t.Fatalf("redis sentinel: %v", err)
	}
}
