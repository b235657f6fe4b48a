package testenv_test

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"time"
)

// await polls until the condition holds, and fails the test after ten seconds.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("waited ten seconds in vain: %s", what)
		}
	}
}

func awaitRefused(t *testing.T, addr string) {
	t.Helper()
	await(t, "nobody listens on "+addr, func() bool {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err == nil {
			_ = conn.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
}

// running reports whether a process exists. One that is dead but not collected counts as existing.
func running(pid int) bool { return syscall.Kill(pid, 0) == nil }

// briefly returns a channel that delivers after a tenth of a second: how long a frozen server is given to prove it is not.
func briefly(t *testing.T) <-chan time.Time {
	t.Helper()
	timer := time.NewTimer(100 * time.Millisecond)
	t.Cleanup(func() { timer.Stop() })
	return timer.C
}
