package service

import (
	"context"
	"time"

	"usher/service/domain"
)

// PasswordProblem says what is wrong with a password.
func (p *Passwords) PasswordProblem(password, email string) string { return p.problem(password, email) }

// Matches compares a password with a stored form.
func (p *Passwords) Matches(ctx context.Context, password, hash string) (bool, error) {
	return p.matches(ctx, password, hash)
}

// FillQueue pretends that as many wait as may.
func (p *Passwords) FillQueue() { p.waiting.Add(hashesWaiting + hashesAtOnce) }

// SessionMemory is sessionMemory for tests.
type SessionMemory struct{ m *sessionMemory }

// NewSessionMemory remembers at most the given number.
func NewSessionMemory(most int) SessionMemory { return SessionMemory{newSessionMemory(most)} }

// Get looks a token up.
func (m SessionMemory) Get(token string, now time.Time) (domain.Session, bool) {
	return m.m.get(token, now)
}

// Put remembers a session.
func (m SessionMemory) Put(token string, s domain.Session, now, deadline time.Time) bool {
	return m.m.put(token, s, now, deadline)
}

// End remembers that a session is over.
func (m SessionMemory) End(token string, now time.Time) { m.m.end(token, now) }

// Len returns how many are remembered.
func (m SessionMemory) Len() int { return len(m.m.byHash) }
