package chaos

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"usher/service/servicetest"
)

// TestRedisRestartsUnderLoad kills Redis in the middle of a sale, once with its data kept and once empty.
func TestRedisRestartsUnderLoad(t *testing.T) {
	t.Parallel()
	for name, wipe := range map[string]bool{"kept": false, "empty": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := productionHouse(t)
			sc := h.screening(t, 200, holdLife)
			one, two := h.start(t, "one"), h.start(t, "two")
			buyers := newBuyers(t, one, 12)
			probe := newBuyer(t, one)
			r := crowd(buyers, []string{one.addr, two.addr}, sc.ID, 190, 30*time.Millisecond)
			for round := range 2 {
				time.Sleep(time.Second)
				h.redisServer.Kill()
				if wipe {
					h.redisServer.Wipe()
				}
				time.Sleep(200 * time.Millisecond)
				h.redisServer.Start()
				back := time.Now()
				servicetest.Eventually(t, 10*time.Second, func() (bool, string) {
					status, body, err := probe.hold(two.addr, sc.ID, fmt.Sprintf("probe-%d", round), seatNo(199-round))
					if err != nil {
						return false, err.Error()
					}
					return status == http.StatusCreated, string(body)
				})
				t.Logf("selling again %s after Redis was back", time.Since(back).Round(10*time.Millisecond))
			}
			time.Sleep(time.Second)
			r.end()
			t.Logf("%d promises, answers by status: %v", len(r.promises), r.answers)
			h.settled(t, r, sc.ID, wipe)
		})
	}
}
