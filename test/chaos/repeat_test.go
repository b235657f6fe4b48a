package chaos

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"usher/service/servicetest"
)

func idOf(t *testing.T, body []byte) string {
	t.Helper()
	var a struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(body, &a); err != nil || a.ID == "" {
		t.Fatalf("no id in %s: %v", body, err)
	}
	return a.ID
}

// mustRepeat sends the request of key k1 again until the box office is open and wants the very same answer.
func mustRepeat(t *testing.T, i *instance, b *buyer, screening string, want []byte, seats ...string) {
	t.Helper()
	servicetest.Eventually(t, 15*time.Second, func() (bool, string) {
		status, body, err := b.hold(i.addr, screening, "k1", seats...)
		if err != nil {
			return false, err.Error()
		}
		if status == http.StatusServiceUnavailable {
			return false, string(body)
		}
		if status != http.StatusCreated || string(body) != string(want) {
			t.Fatalf("repeat: %d %s\nwant %s", status, body, want)
		}
		return true, ""
	})
}

func TestRepeatedRequestKeepsItsAnswer(t *testing.T) {
	t.Parallel()
	eachHouse(t, func(t *testing.T, h *house) {
		sc := h.screening(t, 100, 5*time.Minute)
		i := h.start(t, "one")
		b := newBuyer(t, i)
		status, first, err := b.hold(i.addr, sc.ID, "k1", "A1", "A2")
		if err != nil || status != http.StatusCreated {
			t.Fatalf("hold: %d %s %v", status, first, err)
		}
		mustRepeat(t, i, b, sc.ID, first, "A2", "A1")
		servicetest.Eventually(t, 10*time.Second, func() (bool, string) {
			_, err := h.store.Order(t.Context(), idOf(t, first))
			return err == nil, "not settled"
		})
		if code := i.stop(); code != 0 {
			t.Errorf("a clean stop ended with %d", code)
		}
		i.run()
		i.awaitReady(15 * time.Second)
		mustRepeat(t, i, b, sc.ID, first, "A1", "A2")
		i.kill()
		i.run()
		i.awaitReady(15 * time.Second)
		mustRepeat(t, i, b, sc.ID, first, "A1", "A2")
		if h.redis == nil {
			return
		}
		if err := h.redis.ForgetKey(t.Context(), sc.Partition, sc.ID, b.id, "k1"); err != nil {
			t.Fatal(err)
		}
		mustRepeat(t, i, b, sc.ID, first, "A1", "A2")
		h.redisServer.Kill()
		h.redisServer.Wipe()
		h.redisServer.Start()
		mustRepeat(t, i, b, sc.ID, first, "A1", "A2")
		h.box.Agree(t, sc.ID)
	})
}
