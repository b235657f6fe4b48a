// Package holdstore is the Redis side of usher: who holds what right now. It is the only package that imports
// go-redis, builds keys and runs the scripts of package lua. It decides nothing that the ledger decides.
//
// Answers of the scripts leave as typed results or domain errors. go-redis' own re-sending is off: the service
// repeats what may be repeated. On a cluster its redirections stay on, which may send a command again after a lost
// connection too; that is harmless, since a hold sent twice gets its first answer and every other script's
// repeat changes nothing.
package holdstore

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"usher/service/domain"
)

// Options say where the hold store is.
type Options struct {
	// URL is redis://, rediss:// or unix:// for one server; redis+sentinel://host:port,host:port/db?master=name;
	// redis+cluster://host:port,host:port. Empty means embedded.
	URL string
	// PoolSize bounds the connections for commands (default 64). Blocking reads have a pool of their own.
	PoolSize int
	// Timeout bounds one command (default 1 s).
	Timeout time.Duration
}

// Store is a handle on the hold store.
type Store struct {
	client   redis.UniversalClient // commands
	blocking redis.UniversalClient // reads that wait for events
	embedded *embeddedServer
	wake     *wakers
	scripts  scripts
	runID    string // embedded only
}

// Open makes the clients; with an external server it connects lazily, Ping tells whether it answers.
func Open(opts Options) (*Store, error) {
	if opts.PoolSize == 0 {
		opts.PoolSize = 64
	}
	if opts.Timeout == 0 {
		opts.Timeout = time.Second
	}
	if opts.URL == "" {
		return openEmbedded(opts)
	}
	u, err := parseURL(opts.URL)
	if err != nil {
		return nil, err
	}
	s := &Store{wake: newWakers(), scripts: newScripts()}
	u.ContextTimeoutEnabled = true
	u.MaxRetries = -1 // 0 would mean 3
	u.DialTimeout = opts.Timeout
	u.DialerRetries = 1 // 0 would mean 5, a tenth of a second apart
	u.ReadTimeout = opts.Timeout
	u.WriteTimeout = opts.Timeout
	u.PoolTimeout = opts.Timeout
	u.OnConnect = onConnect
	commands := *u
	commands.PoolSize = opts.PoolSize
	s.client = redis.NewUniversalClient(&commands)
	waits := *u
	waits.PoolSize = 3 * domain.Partitions
	s.blocking = redis.NewUniversalClient(&waits)
	return s, nil
}

// Embedded reports whether the hold store lives in this process.
func (s *Store) Embedded() bool { return s.embedded != nil }

// Ping asks for a sign of life: that a script runs, since a server that answers but may not run scripts is of no
// use.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.Snapshot(ctx, 0, "none")
	if errors.Is(err, domain.ErrNotWarmed) {
		return nil
	}
	return err
}

// Close ends the clients and the embedded server.
func (s *Store) Close() error {
	err := errors.Join(s.client.Close(), s.blocking.Close())
	if s.embedded != nil {
		s.embedded.stop()
	}
	return err
}

// retryable are the server's ways to say "not now", or "not to you" until somebody mends its rules.
var retryable = []string{
	"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY ", "MOVED", "ASK ", "NOREPLICAS", "MISCONF", "OOM ",
	"ERR max number of clients", "NOAUTH", "WRONGPASS", "NOPERM", "EXECABORT",
}

// translate turns a client error into a domain error: unavailable when trying again may help, script_error
// when a script or its data is broken. Context errors pass through.
func translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return err
	}
	var known *domain.Error
	if errors.As(err, &known) {
		return err
	}
	var network net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, redis.ErrClosed) || errors.Is(err, redis.ErrPoolTimeout) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, errReplica) {
		return domain.ErrUnavailable.Because(err)
	}
	text := err.Error()
	var reply redis.Error
	if errors.As(err, &reply) { // without what the opening of a connection put around it
		text = reply.Error()
	}
	for _, word := range retryable {
		if strings.HasPrefix(text, word) {
			return domain.ErrUnavailable.Because(err)
		}
	}
	if strings.HasPrefix(text, "NOGROUP") {
		return errNoGroup
	}
	if strings.HasPrefix(text, "redis: ") && !strings.HasPrefix(text, "redis: nil") {
		return domain.ErrUnavailable.Because(err)
	}
	return domain.ErrScript.Because(err)
}

var errNoGroup = &domain.Error{Kind: domain.KindUnavailable, Code: "no_group", Message: "The event stream has no group yet."}
