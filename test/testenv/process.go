package testenv

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// launchScript reports the process id to the reaper before the program proper begins, so there is no moment in which a
// server runs that the reaper does not know. exec keeps the id; the reaper's pipe is closed on the way, or it would never end.
const launchScript = `echo "$$" >&3; exec "$@" 3>&-`

// process is one started program.
type process struct {
	cmd *exec.Cmd
	// life reads end-of-file once the program and everything it forked are gone: they all inherit the other end.
	life *os.File
}

// launch starts a program with its output going to log.
func launch(r *reaper, folder string, log *os.File, cred *syscall.Credential, argv ...string) (*process, error) {
	lifeR, lifeW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	defer lifeW.Close()
	args := append([]string{"-c", launchScript, "usher-test-launch"}, argv...)
	cmd := exec.Command("/bin/sh", args...) //nolint:noctx // ended by signal, see server
	cmd.Dir = folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "HOME=" + folder}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{r.pipe, lifeW}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: cred}
	if err := cmd.Start(); err != nil {
		lifeR.Close()
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	return &process{cmd: cmd, life: lifeR}, nil
}

// pid returns the process id.
func (p *process) pid() int { return p.cmd.Process.Pid }

// signal sends a signal to the program itself, not to what it forked.
func (p *process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %s to process %d: %w", s, p.pid(), err)
	}
	return nil
}

// goneWithin waits until the program and everything it forked are gone, and reports whether they are.
func (p *process) goneWithin(d time.Duration) bool {
	if err := p.life.SetReadDeadline(time.Now().Add(d)); err != nil {
		return false
	}
	_, err := p.life.Read(make([]byte, 1))
	return errors.Is(err, io.EOF)
}

// reap collects the exit status of a program that is gone or about to be.
func (p *process) reap() error {
	err := p.cmd.Wait()
	if closeErr := p.life.Close(); err == nil {
		err = closeErr
	}
	return err
}
