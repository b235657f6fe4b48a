package holdstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
	"usher/test/testenv"
)

// reply is an error that a server answered.
type reply string

func (r reply) Error() string { return string(r) }
func (reply) RedisError()     {}

func TestErrorsAreTranslatedOnce(t *testing.T) {
	t.Parallel()
	for text, want := range map[error]string{
		reply("LOADING Redis is loading the dataset in memory"):                                         "unavailable",
		reply("READONLY You can't write against a read only replica. script: abc, on @user_script:82."): "unavailable",
		reply("MASTERDOWN Link with MASTER is down"):                                                    "unavailable",
		reply("CLUSTERDOWN The cluster is down"):                                                        "unavailable",
		reply("TRYAGAIN Multiple keys request during rehashing of slot"):                                "unavailable",
		reply("MOVED 3999 127.0.0.1:6381"):                                                              "unavailable",
		reply("ASK 3999 127.0.0.1:6381"):                                                                "unavailable",
		reply("BUSY Redis is busy running a script."):                                                   "unavailable",
		reply("NOREPLICAS Not enough good replicas to write."):                                          "unavailable",
		reply("MISCONF Errors writing to the AOF file: No space left on device"):                        "unavailable",
		reply("OOM command not allowed when used memory > 'maxmemory'."):                                "unavailable",
		reply("ERR max number of clients reached"):                                                      "unavailable",
		reply("EXECABORT Transaction discarded because of previous errors."):                            "unavailable",
		reply("NOPERM User desk has no permissions to run the 'evalsha' command"):                       "unavailable",
		reply("NOAUTH Authentication required."):                                                        "unavailable",
		reply("WRONGPASS invalid username-password pair or user is disabled."):                          "unavailable",
		reply("NOGROUP No such key 'x' or consumer group 'settlers'"):                                   "no_group",
		reply("WRONGTYPE Operation against a key holding the wrong kind of value"):                      "script_error",
		reply("CROSSSLOT Keys in request don't hash to the same slot"):                                  "script_error",
		reply("ERR Error compiling script"):                                                             "script_error",
		reply("BUSYGROUP Consumer Group name already exists"):                                           "script_error",
		reply("NOSCRIPT No matching script."):                                                           "script_error",
		fmt.Errorf("read run id: %w", reply("LOADING Redis is loading the dataset in memory")):          "unavailable",
		context.DeadlineExceeded:                                                                        "unavailable",
		context.Canceled:                                                                                "internal",
		io.EOF:                                                                                          "unavailable",
		io.ErrUnexpectedEOF:                                                                             "unavailable",
		net.ErrClosed:                                                                                   "unavailable",
		redis.ErrClosed:                                                                                 "unavailable",
		redis.ErrPoolTimeout:                                                                            "unavailable",
		errors.New("redis: all sentinels specified are unreachable"):                                    "unavailable",
		&net.OpError{Op: "dial", Err: errors.New("connection refused")}:                                 "unavailable",
		redis.Nil:                  "script_error",
		errors.New("what is this"): "script_error",
		fmt.Errorf("hold: %w", domain.ErrSeatTaken.With("index", []int{1})): "seat_taken",
	} {
		if got := domain.CodeOf(holdstore.Translate(text)); got != want {
			t.Errorf("%v: got %s, want %s", text, got, want)
		}
	}
	if err := holdstore.Translate(nil); err != nil {
		t.Errorf("no error: got %v", err)
	}
	if err := holdstore.Translate(context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: got %v", err)
	}
	if err := holdstore.Translate(io.EOF); !errors.Is(err, io.EOF) {
		t.Errorf("the cause is lost: %v", err)
	}
}

func (f *fixture) away(t *testing.T, what string) {
	t.Helper()
	if _, err := f.s.HoldSeats(t.Context(), holdstoretest.Hold(f.sc, "u", 5)); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("hold on a server that %s: got %v, want %v", what, err, domain.ErrUnavailable)
	}
}

func TestServerThatTakesNoWrites(t *testing.T) {
	t.Parallel()
	s, _ := holdstoretest.Real(t)
	f := warm(t, s, 6)
	f.hold(t, "u", 1)
	entries, err := s.ReadNew(t.Context(), f.sc.Partition, "c", 10, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.unchanged(t, func() {
		f.rdb.ConfigSet(t.Context(), "maxmemory", "1")
		f.away(t, "has no memory left")
		f.rdb.ConfigSet(t.Context(), "maxmemory", "0")
		f.rdb.ConfigSet(t.Context(), "min-replicas-to-write", "1")
		f.away(t, "misses its replicas")
		if err := s.Done(t.Context(), f.sc.Partition, entries); !errors.Is(err, domain.ErrUnavailable) {
			t.Errorf("done on a server that misses its replicas: %v", err)
		}
		f.rdb.ConfigSet(t.Context(), "min-replicas-to-write", "0")
	})
	f.hold(t, "u", 4)
	f.rdb.Do(t.Context(), "REPLICAOF", "127.0.0.1", "1") // the connections outlive the demotion
	f.away(t, "was demoted")
	if err := s.Mark(t.Context()); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("mark on a demoted server: %v", err)
	}
}

func TestServerThatIsBusy(t *testing.T) {
	t.Parallel()
	server := testenv.Redis(t, testenv.RedisSet("busy-reply-threshold", "1"))
	f := warm(t, holdstoretest.At(t, server.URL()), 6)
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		done <- f.rdb.Eval(ctx, "while redis.call('EXISTS', KEYS[1]) == 0 do end", []string{"never"}).Err()
	}()
	var err error
	for err == nil {
		err = f.s.Ping(t.Context())
	}
	if !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("ping of a busy server: %v", err)
	}
	f.away(t, "is busy")
	for f.rdb.ScriptKill(t.Context()).Err() != nil {
		if t.Context().Err() != nil {
			t.Fatal("the script cannot be killed")
		}
	}
	if err := <-done; err == nil {
		t.Error("the script was not killed")
	}
	f.hold(t, "u", 4)
}

func TestServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	server := testenv.Redis(t)
	s, err := holdstore.Open(holdstore.Options{URL: server.URL(), Timeout: 300 * time.Millisecond, PoolSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	f := warm(t, s, 6)
	server.Pause()
	f.away(t, "is frozen")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.HoldSeats(ctx, holdstoretest.Hold(f.sc, "u", 4)); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("past the deadline: got %v", err)
	}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	if _, err := s.HoldSeats(cancelled, holdstoretest.Hold(f.sc, "u", 4)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the caller left: got %v", err)
	}
	server.Resume()
	if err := calm(t, func() error { return s.Ping(t.Context()) }); err != nil {
		t.Errorf("after the freeze: %v", err)
	}
	server.Kill()
	f.away(t, "is dead")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	f.away(t, "we closed the clients of")
}
