package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"
)

// buyer is a guest with a session.
type buyer struct {
	token string
	id    string
}

var web = &http.Client{Timeout: 8 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 256}}

// call makes one request; a failure of the connection is an error, every answer is not.
func (b *buyer) call(method, url, key string, body any) (int, []byte, http.Header, error) {
	var r io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, nil, err
		}
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, url, r)
	if err != nil {
		return 0, nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if b != nil && b.token != "" {
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := web.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, text, res.Header, err
}

func newBuyer(t *testing.T, i *instance) *buyer {
	t.Helper()
	var b *buyer
	status, body, _, err := b.call(http.MethodPost, "http://"+i.addr+"/api/v1/session", "", map[string]any{})
	if err != nil || status >= 300 {
		t.Fatalf("session: %d %s %v", status, body, err)
	}
	var a struct {
		Token  string `json:"token"`
		UserID string `json:"user_id"`
	}
	if err := json.Unmarshal(body, &a); err != nil || a.Token == "" {
		t.Fatalf("session: %s, %v", body, err)
	}
	return &buyer{token: a.Token, id: a.UserID}
}

func newBuyers(t *testing.T, i *instance, n int) []*buyer {
	t.Helper()
	out := make([]*buyer, n)
	for k := range out {
		out[k] = newBuyer(t, i)
	}
	return out
}

// promise is a hold that was acknowledged.
type promise struct {
	buyer  *buyer
	key    string
	seats  []string
	id     string
	body   string
	status int
	at     time.Time
	paid   bool // a capture was acknowledged
}

func (b *buyer) hold(addr, screening, key string, seats ...string) (int, []byte, error) {
	status, body, _, err := b.call(http.MethodPost, "http://"+addr+"/api/v1/screenings/"+screening+"/holds", key, map[string]any{"seats": seats})
	return status, body, err
}

// rush is a crowd that takes seats at random until it is told to stop; it remembers every promise.
type rush struct {
	mu       sync.Mutex
	promises []*promise
	answers  map[int]int
	stop     chan struct{}
	done     sync.WaitGroup
}

func (r *rush) note(status int, p *promise) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[status]++
	if p != nil {
		r.promises = append(r.promises, p)
	}
}

// crowd lets each buyer hold two seats again and again, on any of the addresses, with the given pause; every
// fourth promise is paid.
func crowd(buyers []*buyer, addrs []string, screening string, seats int, pause time.Duration) *rush {
	r := &rush{answers: map[int]int{}, stop: make(chan struct{})}
	for n, b := range buyers {
		r.done.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-r.stop:
					return
				case <-time.After(pause/2 + rand.N(pause)):
				}
				addr := addrs[rand.IntN(len(addrs))]
				first := rand.IntN(seats - 1)
				chosen := []string{seatNo(first), seatNo(first + 1)}
				key := fmt.Sprintf("k-%d-%d", n, k)
				status, body, err := b.hold(addr, screening, key, chosen...)
				if err != nil {
					r.note(0, nil)
					continue
				}
				if status != http.StatusCreated {
					r.note(status, nil)
					continue
				}
				var a struct {
					ID string `json:"id"`
				}
				_ = json.Unmarshal(body, &a)
				p := &promise{buyer: b, key: key, seats: chosen, id: a.ID, body: string(body), status: status, at: time.Now()}
				r.note(status, p)
				if k%4 == 0 {
					p.paid = b.pay(addr, a.ID)
				}
			}
		})
	}
	return r
}

func (r *rush) end() {
	close(r.stop)
	r.done.Wait()
}

// pay goes through checkout and the sandbox; true when the box office said that the money was taken.
func (b *buyer) pay(addr, order string) bool {
	base := "http://" + addr + "/api/v1"
	for range 20 {
		status, body, _, err := b.call(http.MethodPost, base+"/orders/"+order+"/checkout", "", map[string]any{"email": "b@example.org", "name": "B"})
		if err != nil {
			return false
		}
		if status == http.StatusConflict || status == http.StatusServiceUnavailable { // confirming
			time.Sleep(50 * time.Millisecond)
			continue
		}
		var a struct {
			PaymentID string `json:"payment_id"`
		}
		if status != http.StatusOK || json.Unmarshal(body, &a) != nil || a.PaymentID == "" {
			return false
		}
		status, _, _, err = b.call(http.MethodPost, base+"/payments/sandbox/"+a.PaymentID, "", map[string]any{"outcome": "approve"})
		return err == nil && status < 300
	}
	return false
}

// seatNo is how repotest.Layout calls the seat of an index.
func seatNo(i int) string { return fmt.Sprintf("%c%d", 'A'+i/10, i%10+1) }

// taken returns the promises so far.
func (r *rush) taken() []*promise {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*promise(nil), r.promises...)
}
