package chaos

import (
	"net/http"
	"sync"
	"testing"
)

func TestTwoHundredBuyersOneSeat(t *testing.T) {
	t.Parallel()
	eachHouse(t, func(t *testing.T, h *house) {
		sc := h.screening(t, 100, holdLife)
		instances := []*instance{h.start(t, "one")}
		if h.redis != nil {
			instances = append(instances, h.start(t, "two"))
		}
		buyers := newBuyers(t, instances[0], 200)
		var mu sync.Mutex
		answers := map[int]int{}
		r := &rush{answers: map[int]int{}}
		var wg sync.WaitGroup
		for n, b := range buyers {
			wg.Go(func() {
				status, body, err := b.hold(instances[n%len(instances)].addr, sc.ID, "k", "C5")
				if err != nil {
					t.Errorf("buyer %d: %v", n, err)
				}
				mu.Lock()
				defer mu.Unlock()
				answers[status]++
				if status == http.StatusCreated {
					r.promises = append(r.promises, &promise{id: idOf(t, body)})
				}
			})
		}
		wg.Wait()
		if answers[http.StatusCreated] != 1 || answers[http.StatusConflict] != 199 {
			t.Errorf("answers = %v, want one 201 and 199 × 409", answers)
		}
		h.settled(t, r, sc.ID, false)
	})
}
