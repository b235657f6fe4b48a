package testenv

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// cliLimit bounds one run of redis-cli.
const cliLimit = 60 * time.Second

// redisCLI returns the path of redis-cli, or ends the test.
func redisCLI(t testing.TB) string {
	t.Helper()
	bin, err := find("redis-cli", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
	if err != nil {
		missing(t, "redis-cli is not installed, so nothing that needs several Redis servers was tested")
	}
	return bin
}

// ask runs one command on the server at a port and returns its answer.
func ask(bin string, port int, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), cliLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, append([]string{"-p", strconv.Itoa(port)}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("redis-cli %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// await asks again until the answer is the wished one.
func await(what string, done func() (bool, error)) error {
	deadline := time.Now().Add(startLimit)
	for {
		ok, err := done()
		if ok {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: not within %s (last error: %w)", what, startLimit, err)
		}
		time.Sleep(pollEvery)
	}
}
