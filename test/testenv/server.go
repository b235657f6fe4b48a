package testenv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	startLimit = 60 * time.Second // a machine under full load starts PostgreSQL in a few seconds
	stopLimit  = 20 * time.Second
	probeLimit = time.Second
	pollEvery  = 10 * time.Millisecond
)

// server is a program that is started, ended and started again in one folder on one port.
type server struct {
	folder string
	cred   *syscall.Credential
	reaper *reaper

	// Set by whoever builds the server, before its first start.
	argv  func(port int) []string
	probe func(ctx context.Context, port int) error

	mu     sync.Mutex
	port   int
	proc   *process // nil while stopped
	paused bool
}

// newServer makes the folder, owned by the user the program will run as, and the reaper that watches over both.
func newServer(name, lastSignal string, cred *syscall.Credential) (*server, error) {
	folder, err := os.MkdirTemp("", "usher-test-"+name+"-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	r, err := startReaper(folder, lastSignal)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	s := &server{folder: folder, cred: cred, reaper: r}
	if err := s.mkdir(s.data()); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *server) data() string { return filepath.Join(s.folder, "data") }

// mkdir makes a folder, and gives it and the one it is in to the user the program runs as.
func (s *server) mkdir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if s.cred == nil {
		return nil
	}
	for _, p := range []string{s.folder, path} {
		if err := os.Chown(p, int(s.cred.Uid), int(s.cred.Gid)); err != nil {
			return fmt.Errorf("give a folder away: %w", err)
		}
	}
	return nil
}

// firstStart looks for a port and starts. Another process may take the port in between, so there is more than one try.
func (s *server) firstStart() error {
	var errs []error
	for range 5 {
		port, err := freePort()
		if err != nil {
			return err
		}
		s.port = port
		if err = s.start(); err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// start starts the program and waits until it answers.
func (s *server) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.collect(); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(s.folder, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open the log: %w", err)
	}
	defer log.Close()
	p, err := launch(s.reaper, s.folder, log, s.cred, s.argv(s.port)...)
	if err != nil {
		return err
	}
	s.proc = p
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if err := s.awaitReady(ctx); err != nil {
		return errors.Join(fmt.Errorf("start on port %d: %w\n%s", s.port, err, s.logTail()), s.end(syscall.SIGKILL))
	}
	return nil
}

// collect clears away a program that ended by itself, as one does on a full disk. A running one is an error.
func (s *server) collect() error {
	if s.proc == nil {
		return nil
	}
	if !s.proc.goneWithin(pollEvery) {
		return errors.New("start: it runs already")
	}
	return s.end(syscall.SIGKILL)
}

// awaitReady probes until the program answers, is gone, or the time is over.
func (s *server) awaitReady(ctx context.Context) error {
	for {
		probeCtx, cancel := context.WithTimeout(ctx, probeLimit)
		err := s.probe(probeCtx, s.port)
		cancel()
		if err == nil {
			return nil
		}
		if s.proc.goneWithin(pollEvery) {
			return errors.New("it ended before it answered")
		}
		if ctx.Err() != nil {
			return fmt.Errorf("it did not answer in %s: %w", startLimit, err)
		}
	}
}

// stop ends the program with a signal and waits until nothing of it runs. A stopped server stays stopped without error.
func (s *server) stop(sig syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return nil
	}
	return s.end(sig)
}

// end signals, waits and collects. What the program forked may outlive it for a moment; that is waited for too.
func (s *server) end(sig syscall.Signal) error {
	p := s.proc
	relatives, err := family(p.pid())
	if err != nil {
		return err
	}
	if err := p.signal(sig); err != nil {
		return err
	}
	if s.paused {
		for pid := range relatives {
			_ = syscall.Kill(pid, syscall.SIGCONT) // one that is gone needs no waking
		}
		s.paused = false
	}
	gone := p.goneWithin(stopLimit)
	if !gone {
		for pid := range relatives {
			_ = syscall.Kill(pid, syscall.SIGKILL) // the error below tells
		}
		gone = p.goneWithin(stopLimit)
		err = fmt.Errorf("stop: %s did not end it in %s", sig, stopLimit)
	}
	if !gone {
		return errors.Join(err, errors.New("stop: not even a kill ended it"))
	}
	_ = p.reap() // a program ended by a signal has no status worth telling
	s.proc = nil
	return errors.Join(err, s.reaper.forget())
}

// close ends everything and removes the folder.
func (s *server) close() error {
	return errors.Join(s.stop(syscall.SIGKILL), s.reaper.dismiss(), os.RemoveAll(s.folder))
}

// pid returns the process id, 0 while stopped.
func (s *server) pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return 0
	}
	return s.proc.pid()
}

// logTail returns the end of what the program wrote, for error messages.
func (s *server) logTail() string {
	const tail = 2000
	text, err := os.ReadFile(filepath.Join(s.folder, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-tail):])
}
