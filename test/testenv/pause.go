package testenv

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// pause freezes the program and what it forked, and returns when all of them stand still.
//
// The program goes first, so that it forks nothing new while its children are looked for.
func (s *server) pause() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return errors.New("pause: it does not run")
	}
	s.paused = true
	deadline := time.Now().Add(stopLimit)
	for time.Now().Before(deadline) {
		moving, err := s.freeze()
		if err != nil {
			return err
		}
		if moving == 0 {
			return nil
		}
		if s.proc.goneWithin(pollEvery) {
			return errors.New("pause: it is dead")
		}
	}
	return fmt.Errorf("pause: it still moved after %s", stopLimit)
}

// freeze signals every member of the family that still moves and returns how many those were.
func (s *server) freeze() (int, error) {
	if err := s.proc.signal(syscall.SIGSTOP); err != nil {
		return 0, err
	}
	members, err := family(s.proc.pid())
	if err != nil {
		return 0, err
	}
	moving := 0
	for pid, info := range members {
		if info.state == 'T' || info.state == 'Z' {
			continue
		}
		moving++
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil && !errors.Is(err, syscall.ESRCH) {
			return moving, fmt.Errorf("freeze process %d: %w", pid, err)
		}
	}
	return moving, nil
}

// resume lets a frozen program go on, its children first.
func (s *server) resume() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return errors.New("resume: it does not run")
	}
	members, err := family(s.proc.pid())
	if err != nil {
		return err
	}
	for pid := range members {
		if pid == s.proc.pid() {
			continue
		}
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("resume process %d: %w", pid, err)
		}
	}
	s.paused = false
	return s.proc.signal(syscall.SIGCONT)
}
