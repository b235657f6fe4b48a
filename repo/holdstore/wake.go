package holdstore

import (
	"sync"

	"usher/service/domain"
)

// wakers tells readers in this process that a partition has a new event. It is a hint that saves waiting;
// losing one costs a poll interval and nothing else. It stands in for blocking reads on the embedded server,
// where every waiting connection would be woken by every write.
type wakers struct {
	mu    sync.Mutex
	ready [domain.Partitions]chan struct{}
}

func newWakers() *wakers {
	w := &wakers{}
	for i := range w.ready {
		w.ready[i] = make(chan struct{})
	}
	return w
}

// on returns a channel that is closed at the next event of the partition.
func (w *wakers) on(p int) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ready[p]
}

func (w *wakers) wake(p int) {
	w.mu.Lock()
	close(w.ready[p])
	w.ready[p] = make(chan struct{})
	w.mu.Unlock()
}
