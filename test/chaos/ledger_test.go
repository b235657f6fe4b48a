package chaos

import (
	"context"
	"net/http"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/service/servicetest"
	"usher/test/testenv"
)

// TestLedgerRestartsUnderLoad kills PostgreSQL in the middle of a sale: holds go on, settlement resumes by itself.
func TestLedgerRestartsUnderLoad(t *testing.T) {
	t.Parallel()
	pg := testenv.PostgresServer(t)
	server := testenv.Redis(t)
	store, err := repo.Open(repo.Options{URL: pg.URL()}, servicetest.Log())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	redis, err := holdstore.Open(holdstore.Options{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = redis.Close() })
	h := &house{env: []string{"USHER_DATABASE_URL=" + pg.URL(), "USHER_REDIS_URL=" + server.URL(), secret}, store: store, redis: redis, redisServer: server}
	h.box = servicetest.Wire(t, store, redis, server, servicetest.Options{Quiet: true})
	sc := h.screening(t, 260, 10*time.Second)
	i := h.start(t, "one")
	buyers := newBuyers(t, i, 8)
	r := crowd(buyers, []string{i.addr}, sc.ID, 260, 40*time.Millisecond)
	time.Sleep(time.Second)
	before := len(r.taken())
	pg.Kill()
	time.Sleep(2 * time.Second)
	during := len(r.taken()) - before
	pg.Start()
	time.Sleep(2 * time.Second)
	r.end()
	t.Logf("%d promises before, %d while the ledger was away, answers by status: %v", before, during, r.answers)
	if during == 0 || r.answers[http.StatusInternalServerError] > 0 {
		t.Errorf("the sale stopped with the ledger: %v", r.answers)
	}
	h.settled(t, r, sc.ID, false)
	letters, err := store.OpenDeadLetters(context.Background(), "")
	if err != nil || len(letters) > 0 {
		t.Errorf("dead letters = %v, %v", letters, err)
	}
}
