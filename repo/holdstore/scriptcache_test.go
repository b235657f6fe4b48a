package holdstore_test

import (
	"errors"
	"sync"
	"testing"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
)

// TestScriptCacheLostUnderLoad (BC-26): the server forgets all scripts again and again; nobody notices.
func TestScriptCacheLostUnderLoad(t *testing.T) {
	t.Parallel()
	const workers, each = 8, 30
	holdstoretest.Each(t, func(t *testing.T, s *holdstore.Store) {
		f := warm(t, s, workers*each)
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					if err := f.rdb.ScriptFlush(t.Context()).Err(); err != nil {
						t.Errorf("flush: %v", err)
						return
					}
				}
			}
		}()
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := range each {
					a := holdstoretest.Hold(f.sc, "u", w*each+i)
					_, err := s.HoldSeats(t.Context(), a)
					_, confirmErr := s.Confirm(t.Context(), f.ref(a), now)
					if i%2 == 0 {
						_, backErr := s.GiveBack(t.Context(), f.ref(a), nil, now)
						confirmErr = errors.Join(confirmErr, backErr)
					}
					if err := errors.Join(err, confirmErr); err != nil {
						t.Errorf("worker %d, hold %d: %v", w, i, err)
					}
				}
			})
		}
		wg.Wait()
		close(stop)
		<-stopped
		snap := f.snapshot(t)
		consistent(t, snap, workers*each)
		if got := snap.Meta.Free; got != workers*each/2 {
			t.Errorf("free: got %d, want %d", got, workers*each/2)
		}
	})
}

// TestPingNeedsScripts (BC-26): a server that answers PING but lets this user run no script is of no use.
func TestPingNeedsScripts(t *testing.T) {
	t.Parallel()
	s, server := holdstoretest.Real(t)
	acl := func(rules ...any) {
		t.Helper()
		if err := holdstore.Client(s).Do(t.Context(), append([]any{"ACL", "SETUSER", "desk"}, rules...)...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	acl("on", ">secret", "~*", "+@all", "-@scripting")
	desk, err := holdstore.Open(holdstore.Options{URL: "redis://desk:secret@" + server.Addr() + "/0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = desk.Close() })
	if err := holdstore.Client(desk).Ping(t.Context()).Err(); err != nil {
		t.Errorf("a plain PING: %v", err)
	}
	if err := desk.Ping(t.Context()); !errors.Is(err, domain.ErrUnavailable) {
		t.Errorf("ping without the right to run scripts: got %v, want %v", err, domain.ErrUnavailable)
	}
	acl("+@scripting")
	if err := desk.Ping(t.Context()); err != nil {
		t.Errorf("ping after the repair: %v", err)
	}
}
