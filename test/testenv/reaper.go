package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// reaperScript waits for its standard input to end, which the kernel sees to when the test binary dies for whatever
// reason, then ends the last process it was told of and removes the folder. "done" sends it home without doing either.
const reaperScript = `
folder=$1 signal=$2 pid=
trap '' HUP INT TERM
while read -r word; do
  case $word in
    done) exit 0 ;;
    none) pid= ;;
    *) pid=$word ;;
  esac
done
if [ -n "$pid" ]; then
  kill -s CONT "$pid"
  kill -s "$signal" "$pid"
  tries=0
  while kill -0 "$pid" && [ "$tries" -lt 80 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  kill -s KILL "$pid"
fi
rm -rf "$folder" || { sleep 1; rm -rf "$folder"; }
`

// reaper is the process that cleans up when the test binary cannot.
type reaper struct {
	cmd  *exec.Cmd
	pipe *os.File // the reaper's standard input; started servers report their process id here
}

// startReaper starts the reaper of one folder. The signal is the one that ends the folder's server for good.
func startReaper(folder, signal string) (*reaper, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make the reaper's pipe: %w", err)
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", "-c", reaperScript, "usher-test-reaper", folder, signal) //nolint:noctx // outlives every context
	cmd.Stdin = r
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, fmt.Errorf("start the reaper: %w", err)
	}
	return &reaper{cmd: cmd, pipe: w}, nil
}

// forget tells the reaper that there is no process to end any more.
func (r *reaper) forget() error {
	if _, err := r.pipe.WriteString("none\n"); err != nil {
		return fmt.Errorf("tell the reaper: %w", err)
	}
	return nil
}

// dismiss ends the reaper without any clean-up.
func (r *reaper) dismiss() error {
	if _, err := r.pipe.WriteString("done\n"); err != nil {
		return fmt.Errorf("dismiss the reaper: %w", err)
	}
	if err := r.pipe.Close(); err != nil {
		return fmt.Errorf("close the reaper's pipe: %w", err)
	}
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("wait for the reaper: %w", err)
	}
	return nil
}
