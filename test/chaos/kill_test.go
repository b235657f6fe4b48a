package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"usher/service/domain"
	"usher/service/servicetest"
)

const holdLife = 4 * time.Second

// kills is how often each mode's app is killed at a random moment under load.
const kills = 20

func TestAppIsKilledUnderLoad(t *testing.T) {
	t.Parallel()
	eachHouse(t, func(t *testing.T, h *house) {
		sc := h.screening(t, 200, holdLife)
		i := h.start(t, "one")
		buyers := newBuyers(t, i, 12)
		r := crowd(buyers, []string{i.addr}, sc.ID, 200, 30*time.Millisecond)
		for range kills {
			time.Sleep(100*time.Millisecond + rand.N(500*time.Millisecond))
			i.kill()
			i.run()
			i.awaitReady(15 * time.Second)
		}
		time.Sleep(300 * time.Millisecond)
		r.end()
		t.Logf("%d promises, answers by status (0 = connection lost): %v", len(r.promises), r.answers)
		if len(r.promises) < 2*kills {
			t.Errorf("only %d promises were made, the load was no load", len(r.promises))
		}
		h.settled(t, r, sc.ID, false)
	})
}

// settled checks every promise against the ledger, and then both stores against each other. mayLose allows
// promises that the ledger never heard of: what Redis lost before it was settled.
func (h *house) settled(t *testing.T, r *rush, screeningID string, mayLose bool) {
	t.Helper()
	ctx := context.Background()
	lost := 0
	states := map[domain.OrderStatus]int{}
	servicetest.Eventually(t, 25*time.Second, func() (bool, string) {
		lost = 0
		clear(states)
		for _, p := range r.promises {
			o, err := h.store.Order(ctx, p.id)
			if err != nil {
				if mayLose {
					lost++
					continue
				}
				return false, fmt.Sprintf("promise %s of %s: %v", p.id, p.at.Format(time.TimeOnly), err)
			}
			states[o.Status]++
			switch {
			case !o.Status.Final():
				return false, fmt.Sprintf("order %s is still %s", o.ID, o.Status)
			case p.paid && o.Status != domain.OrderPaid && o.Status != domain.OrderRefunded:
				return false, fmt.Sprintf("order %s was paid and is %s", o.ID, o.Status)
			case o.Status == domain.OrderFailed && !mayLose:
				return false, fmt.Sprintf("promise %s failed: %s", o.ID, o.Reason)
			}
		}
		return true, ""
	})
	t.Logf("orders by state: %v, lost %d", states, lost)
	h.noSeatTwice(t, screeningID)
	if h.box != nil {
		h.box.Agree(t, screeningID)
	}
}

// noSeatTwice looks for a seat with two live orders.
func (h *house) noSeatTwice(t *testing.T, screeningID string) {
	t.Helper()
	ctx := context.Background()
	orders, err := h.store.LiveOrders(ctx, screeningID)
	if err != nil {
		t.Fatal(err)
	}
	owner := map[string]string{}
	for _, o := range orders {
		full, err := h.store.Order(ctx, o.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, ref := range full.Seats {
			if other := owner[ref.No]; other != "" {
				t.Errorf("seat %s belongs to %s and %s", ref.No, other, o.ID)
			}
			owner[ref.No] = o.ID
		}
	}
}
