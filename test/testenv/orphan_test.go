package testenv_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"usher/test/testenv"
)

// victim is set for the test binary that TestKilledTestBinaryLeavesNothing starts and kills.
const victim = "USHER_TESTENV_VICTIM"

func TestKilledTestBinaryLeavesNothing(t *testing.T) {
	t.Parallel()
	if _, ok := os.LookupEnv(victim); ok {
		t.Skip("this is the victim")
	}
	testenv.Redis(t)          // skips where the victim could not start one
	testenv.PostgresServer(t) // likewise

	folder := t.TempDir()
	makeOpen(t, folder)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestVictim$", "-test.count=1")
	cmd.Env = append(os.Environ(), victim+"=1", "TMPDIR="+folder, testenv.DatabaseURL+"=")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pids := readPids(t, stdout)
	for _, pid := range pids {
		if !running(pid) {
			t.Errorf("server %d does not run before the kill", pid)
		}
	}
	if got := folders(t, folder); got != 3 {
		t.Errorf("folders before the kill: got %d, want 3", got)
	}

	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // a killed process has no status worth telling

	await(t, "the servers are gone", func() bool {
		for _, pid := range pids {
			if running(pid) {
				return false
			}
		}
		return true
	})
	await(t, "the folders are gone", func() bool { return folders(t, folder) == 0 })
}

// TestVictim starts one server of each kind, one of them frozen, says so, and waits to be killed.
func TestVictim(t *testing.T) {
	if _, ok := os.LookupEnv(victim); !ok {
		t.Skip("runs only inside TestKilledTestBinaryLeavesNothing")
	}
	redis, postgres := testenv.Redis(t), testenv.PostgresServer(t)
	testenv.Postgres(t)
	redis.Pause()
	if _, err := os.Stdout.WriteString("pids " + strconv.Itoa(redis.Pid()) + " " + strconv.Itoa(postgres.Pid()) + "\n"); err != nil {
		t.Fatal(err)
	}
	select {}
}

// makeOpen lets another user, the one PostgreSQL runs as, pass through the folders that t.TempDir made.
func makeOpen(t *testing.T, folder string) {
	t.Helper()
	for _, path := range []string{folder, filepath.Dir(folder)} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func readPids(t *testing.T, stdout interface{ Read([]byte) (int, error) }) []int {
	t.Helper()
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		list, ok := strings.CutPrefix(lines.Text(), "pids ")
		if !ok {
			continue
		}
		var pids []int
		for _, word := range strings.Fields(list) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
		return pids
	}
	t.Fatalf("the victim named no servers: %v", lines.Err())
	return nil
}

func folders(t *testing.T, root string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "usher-test-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}
