package service

import (
	"sync"

	"usher/service/domain"
)

// waiters lets requests of this instance wait for the settlement of their holds. It is a hint: a hold settled
// elsewhere is found by asking the ledger.
type waiters struct {
	mu   sync.Mutex
	byID map[string][]chan domain.OrderStatus
}

func newWaiters() *waiters { return &waiters{byID: map[string][]chan domain.OrderStatus{}} }

// wait returns a channel that gets the hold's first state, and a func that must be called to stop waiting.
func (w *waiters) wait(id string) (<-chan domain.OrderStatus, func()) {
	ch := make(chan domain.OrderStatus, 1)
	w.mu.Lock()
	w.byID[id] = append(w.byID[id], ch)
	w.mu.Unlock()
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		list := w.byID[id]
		for i, c := range list {
			if c == ch {
				list = append(list[:i], list[i+1:]...)
				break
			}
		}
		if len(list) == 0 {
			delete(w.byID, id)
		} else {
			w.byID[id] = list
		}
	}
}

func (w *waiters) tell(outcomes map[string]domain.OrderStatus) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.byID) == 0 {
		return
	}
	for id, status := range outcomes {
		for _, ch := range w.byID[id] {
			select {
			case ch <- status:
			default: // it has been told
			}
		}
	}
}
