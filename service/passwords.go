package service

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/text/unicode/norm"

	"usher/service/domain"
)

// Bounds of a password, in characters. There are no rules of composition.
const (
	passwordMin = 8
	passwordMax = 128
)

// Hashing takes tens of milliseconds of a core and 19 MiB, so few run at once and few wait; a wave of sign-ins
// must not take the machine from those who hold seats.
const (
	hashesAtOnce  = 2
	hashesWaiting = 64
)

// hashParams are the second of OWASP's equal choices for Argon2id.
func hashParams() *argon2id.Params {
	return &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

//go:embed passwords_common.txt
var commonPasswordsText string

// Passwords hashes and compares.
type Passwords struct {
	slots   chan struct{}
	waiting atomic.Int64
	common  map[string]bool
	dummy   string // compared with when there is no such user, so that the answer takes the same time
}

// NewPasswords returns a hasher with a queue of its own.
func NewPasswords() (*Passwords, error) {
	p := &Passwords{slots: make(chan struct{}, hashesAtOnce), common: map[string]bool{}}
	lines := bufio.NewScanner(strings.NewReader(commonPasswordsText))
	for lines.Scan() {
		p.common[lines.Text()] = true
	}
	dummy, err := argon2id.CreateHash("nobody has this password", hashParams())
	if err != nil {
		return nil, fmt.Errorf("hash the dummy password: %w", err)
	}
	p.dummy = dummy
	return p, nil
}

// problem says what is wrong with a password; empty when nothing is. An account's own address is no password.
func (p *Passwords) problem(password, email string) string {
	if !utf8.ValidString(password) {
		return "This password has signs that cannot be read."
	}
	password = norm.NFKC.String(password)
	n := utf8.RuneCountInString(password)
	lower := strings.ToLower(password)
	local, _, _ := strings.Cut(email, "@")
	switch {
	case n < passwordMin:
		return fmt.Sprintf("Use at least %d characters.", passwordMin)
	case n > passwordMax:
		return fmt.Sprintf("Use at most %d characters.", passwordMax)
	case p.common[lower]:
		return "This is one of the first passwords anybody tries. Choose another one."
	case email != "" && (lower == email || lower == local):
		return "Choose a password that is not your e-mail address."
	}
	return ""
}

// hash returns the stored form of a password. ErrBusy when too many wait.
func (p *Passwords) hash(ctx context.Context, password string) (string, error) {
	release, err := p.enter(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	h, err := argon2id.CreateHash(norm.NFKC.String(password), hashParams())
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return h, nil
}

// matches compares a password with a stored form; with the dummy when there is none, which never matches.
func (p *Passwords) matches(ctx context.Context, password, hash string) (bool, error) {
	release, err := p.enter(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	known := hash != ""
	if !known {
		hash = p.dummy
	}
	same, err := argon2id.ComparePasswordAndHash(norm.NFKC.String(password), hash)
	if err != nil {
		return false, fmt.Errorf("compare password: %w", err)
	}
	return same && known, nil
}

// enter waits for a slot.
func (p *Passwords) enter(ctx context.Context) (release func(), err error) {
	if p.waiting.Add(1) > hashesWaiting+hashesAtOnce {
		p.waiting.Add(-1)
		return nil, domain.ErrBusy
	}
	select {
	case p.slots <- struct{}{}:
		return func() {
			<-p.slots
			p.waiting.Add(-1)
		}, nil
	case <-ctx.Done():
		p.waiting.Add(-1)
		return nil, domain.ErrBusy.Because(ctx.Err())
	}
}
