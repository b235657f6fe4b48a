package handlers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"usher/handlers/handlertest"
	"usher/repo/repotest"
	"usher/service/domain"
	"usher/service/servicetest"
)

func eventually(t *testing.T, condition func() (bool, string)) {
	t.Helper()
	servicetest.Eventually(t, 5*time.Second, condition)
}

func TestSeatMap(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t, func(o *repotest.Opts) { o.Seats = 4 })
	u, other := h.Guest(t), h.Guest(t)
	path := "/api/v1/screenings/" + sc.ID + "/seats"

	fresh := h.Nobody().Get(t, path).Want(t, 200)
	var got map[string]any
	fresh.JSON(t, &got)
	want := map[string]any{"screening_id": sc.ID, "epoch": got["epoch"], "version": 0.0, "free": 4.0, "seats": []any{
		map[string]any{"no": "A1", "zone": "stalls", "row": "A", "label": "1", "x": 10.0, "y": 10.0, "tier": "standard", "price_minor": 1200.0, "state": "free"},
		map[string]any{"no": "A2", "zone": "stalls", "row": "A", "label": "2", "x": 20.0, "y": 10.0, "tier": "standard", "price_minor": 1200.0, "state": "free"},
		map[string]any{"no": "A3", "zone": "stalls", "row": "A", "label": "3", "x": 30.0, "y": 10.0, "tier": "premium", "price_minor": 1650.0, "state": "free"},
		map[string]any{"no": "A4", "zone": "stalls", "row": "A", "label": "4", "x": 40.0, "y": 10.0, "tier": "premium", "price_minor": 1650.0, "state": "free"},
	}}
	want["version"] = got["version"]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	etag := fresh.Header.Get("ETag")
	if etag == "" || fresh.Header.Get("Cache-Control") != "private, no-cache" || fresh.Header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", fresh.Header)
	}
	for header, status := range map[string]int{etag: 304, "W/" + etag: 304, `"x", ` + etag: 304, "*": 304, `"x"`: 200, "": 200} {
		a := h.Nobody().Do(t, handlertest.Call{Method: "GET", Path: path, Header: map[string]string{"If-None-Match": header}}).Want(t, status)
		if a.Header.Get("ETag") != etag || (status == 304) != (len(a.Body) == 0) {
			t.Errorf("If-None-Match %s: %v %s", header, a.Header, a.Body)
		}
	}

	u.Hold(t, sc.ID, "k1", `{"seats":["A2","A4"]}`).Want(t, 201)
	eventually(t, func() (bool, string) {
		a := other.Do(t, handlertest.Call{Method: "GET", Path: path, Header: map[string]string{"If-None-Match": etag}})
		return a.Status == 200, "the old tag still holds"
	})
	if got := seatsOf(t, other, sc.ID); !cmp.Equal(got, map[string]string{"A1": "free", "A2": "held", "A3": "free", "A4": "held"}) {
		t.Errorf("others see %v", got)
	}
	if got := seatsOf(t, u, sc.ID); !cmp.Equal(got, map[string]string{"A1": "free", "A2": "mine", "A3": "free", "A4": "mine"}) {
		t.Errorf("the owner sees %v", got)
	}
	mine, theirs := u.Get(t, path).Header.Get("ETag"), other.Get(t, path).Header.Get("ETag")
	if mine == theirs {
		t.Errorf("one tag %s for two maps", mine)
	}
}

func TestSeatMapOfGeneralAdmission(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t, func(o *repotest.Opts) { o.Kind, o.Capacity = domain.KindGeneral, 7 })
	h.Guest(t).Hold(t, sc.ID, "k1", `{"quantity":3}`).Want(t, 201)
	eventually(t, func() (bool, string) {
		a := h.Nobody().Get(t, "/api/v1/screenings/"+sc.ID+"/seats").Want(t, 200)
		return strings.HasSuffix(string(a.Body), `"free":4,"seats":[]}`), string(a.Body)
	})
}

func eventuallyWithin(t *testing.T, within time.Duration, condition func() (bool, string)) {
	t.Helper()
	servicetest.Eventually(t, within, condition)
}
