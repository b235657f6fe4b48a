package service_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
	"usher/service/servicetest"
)

func TestHoldBecomesOrder(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, servicetest.Options{}, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store)
		p, err := b.Hold(t.Context(), sc, "u1", "k1", "A1", "A2")
		if err != nil {
			t.Fatalf("hold: %v", err)
		}
		var a service.HoldAnswer
		if err := json.Unmarshal(p.Body, &a); err != nil {
			t.Fatal(err)
		}
		if a.AmountMinor != 2400 || a.Currency != "EUR" || len(a.Seats) != 2 || a.ID != p.HoldID {
			t.Errorf("answer = %+v", a)
		}
		b.Agree(t, sc.ID)
		o, err := b.Orders.View(t.Context(), p.HoldID, "u1", "")
		if err != nil || o.Status != domain.OrderReserved || len(o.Seats) != 2 {
			t.Fatalf("order = %+v, %v", o, err)
		}
		if _, err := b.Orders.View(t.Context(), p.HoldID, "u2", ""); !errors.Is(err, domain.ErrNotFound) {
			t.Errorf("another user sees %v", err)
		}
		again, err := b.Hold(t.Context(), sc, "u1", "k1", "A2", "A1")
		if err != nil || string(again.Body) != string(p.Body) || !again.Repeat {
			t.Errorf("repeat = %s, %v", again.Body, err)
		}
		if _, err := b.Hold(t.Context(), sc, "u1", "k1", "A3"); !errors.Is(err, domain.ErrKeyReused) {
			t.Errorf("other content under the key: %v", err)
		}
		_, err = b.Hold(t.Context(), sc, "u2", "k1", "A2", "A3")
		var e *domain.Error
		if !errors.As(err, &e) || e.Code != "seat_taken" || fmt.Sprint(e.Fields["taken"]) != "[A2]" {
			t.Errorf("taken seat: %v %v", err, e)
		}
	})
}

func TestOneSeatTwoHundredBuyers(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, servicetest.Options{}, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store)
		var won, lost sync.Map
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				p, err := b.Hold(t.Context(), sc, fmt.Sprintf("u%d", i), "k", "B5")
				switch {
				case err == nil:
					won.Store(i, p.HoldID)
				case errors.Is(err, domain.ErrSeatTaken):
					lost.Store(i, true)
				default:
					t.Errorf("buyer %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		if n := size(&won); n != 1 {
			t.Errorf("%d buyers won", n)
		}
		if n := size(&lost); n != 199 {
			t.Errorf("%d buyers lost", n)
		}
		b.Agree(t, sc.ID)
	})
}

func size(m *sync.Map) (n int) {
	m.Range(func(any, any) bool { n++; return true })
	return n
}

func TestLimitCountsLiveSeats(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, servicetest.Options{}, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store, func(o *repotest.Opts) { o.Limit = 6 })
		var ok, refused int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				_, err := b.Hold(t.Context(), sc, "u3", fmt.Sprintf("k%d", i), fmt.Sprintf("A%d", i+1))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					ok++
				case errors.Is(err, domain.ErrLimit):
					refused++
				default:
					t.Errorf("hold %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		if ok != 6 || refused != 4 {
			t.Errorf("accepted %d, refused %d", ok, refused)
		}
		b.Agree(t, sc.ID)
	})
}

func TestGeneralAdmissionNeverOversells(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, servicetest.Options{}, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store, func(o *repotest.Opts) { o.Kind, o.Capacity, o.Limit = domain.KindGeneral, 50, 1 })
		var ok int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				_, err := b.Holds.Place(t.Context(), service.HoldRequest{ScreeningID: sc.ID, UserID: fmt.Sprintf("u%d", i), Key: "k", Quantity: 1})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					ok++
				} else if !errors.Is(err, domain.ErrSoldOut) {
					t.Errorf("buyer %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		if ok != 50 {
			t.Errorf("%d places given out of 50", ok)
		}
		b.Agree(t, sc.ID)
	})
}

func TestExpiredHoldFreesItsSeat(t *testing.T) {
	t.Parallel()
	servicetest.Each(t, servicetest.Options{}, func(t *testing.T, b *servicetest.Box) {
		sc := repotest.Screening(t, b.Store, func(o *repotest.Opts) { o.HoldLife = 2 * time.Second })
		p, err := b.Hold(t.Context(), sc, "u1", "k1", "A1")
		if err != nil {
			t.Fatal(err)
		}
		servicetest.Eventually(t, 12*time.Second, func() (bool, string) {
			o, err := b.Orders.View(t.Context(), p.HoldID, "u1", "")
			if err != nil {
				return false, err.Error()
			}
			return o.Status == domain.OrderExpired, string(o.Status)
		})
		b.Agree(t, sc.ID)
		if _, err := b.Hold(t.Context(), sc, "u2", "k1", "A1"); err != nil {
			t.Errorf("the seat is free again, yet: %v", err)
		}
	})
}
