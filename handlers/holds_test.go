package handlers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"usher/handlers/handlertest"
	"usher/repo/repotest"
	"usher/service"
	"usher/service/domain"
	"usher/service/servicetest"
)

func TestHoldIsAnsweredAsTheContractSays(t *testing.T) {
	t.Parallel()
	handlertest.Each(t, handlertest.Options{}, func(t *testing.T, h *handlertest.House) {
		sc := h.Screening(t)
		u := h.Guest(t)
		a := u.Hold(t, sc.ID, "k1", `{"seats":["A1","A2"]}`).Want(t, 201)
		var got struct {
			ID, Status, Currency, Receipt string
			Seats                         []string
			AmountMinor                   int64     `json:"amount_minor"`
			ExpiresAt                     time.Time `json:"expires_at"`
		}
		a.JSON(t, &got)
		if got.AmountMinor != 2400 || got.Currency != "EUR" || got.Receipt == "" || got.ExpiresAt.IsZero() || !cmp.Equal(got.Seats, []string{"A1", "A2"}) {
			t.Errorf("got %s", a.Body)
		}
		if a.Header.Get("Location") != "/api/v1/orders/"+got.ID || a.Header.Get("Content-Type") != "application/json" || a.Header.Get("Idempotent-Replayed") != "" {
			t.Errorf("headers %v", a.Header)
		}

		again := u.Hold(t, sc.ID, "k1", ` { "seats" : [ "A2", "A1" ] } `).Want(t, 201)
		if string(again.Body) != string(a.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("repeat: %v %s, want %s", again.Header, again.Body, a.Body)
		}
		h.Agree(t, sc.ID)
	})
}

// BC-01: a key belongs to a user, a screening and a request.
func TestKeyIsBoundToUserAndRequest(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc, other := h.Screening(t), h.Screening(t)
	u1, u2 := h.Guest(t), h.Guest(t)
	first := u1.Hold(t, sc.ID, "k1", `{"seats":["A1"]}`).Want(t, 201)
	u1.Hold(t, sc.ID, "k1", `{"seats":["A2"]}`).Refused(t, 422, "idempotency_key_reused")
	second := u2.Hold(t, sc.ID, "k1", `{"seats":["A3"]}`).Want(t, 201)
	if idOf(t, first) == idOf(t, second) || strings.Contains(string(second.Body), idOf(t, first)) {
		t.Errorf("another user's key: %s after %s", second.Body, first.Body)
	}
	u1.Hold(t, other.ID, "k1", `{"seats":["A1"]}`).Want(t, 201)
	seats := seatsOf(t, u2, sc.ID)
	if seats["A2"] != "free" || seats["A1"] != "held" || seats["A3"] != "mine" {
		t.Errorf("states %v", seats)
	}
}

func TestHoldRefusals(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t, func(o *repotest.Opts) { o.Limit = 4 })
	general := h.Screening(t, func(o *repotest.Opts) { o.Kind, o.Capacity = domain.KindGeneral, 5 })
	paused := h.Screening(t, func(o *repotest.Opts) { o.Status = domain.ScreeningPaused })
	draft := h.Screening(t, func(o *repotest.Opts) { o.Status = domain.ScreeningDraft })
	tidy := h.Screening(t, func(o *repotest.Opts) { o.Orphans = true })
	u, other := h.Guest(t), h.Guest(t)
	other.Hold(t, sc.ID, "first", `{"seats":["A1"]}`).Want(t, 201)
	general0 := other.Hold(t, general.ID, "first", `{"quantity":4}`).Want(t, 201)
	if !strings.Contains(string(general0.Body), `"quantity":4`) {
		t.Errorf("general admission: %s", general0.Body)
	}

	n := 0
	hold := func(as *handlertest.Client, sc *domain.Screening, body, code string, status int, contains ...string) handlertest.Scenario {
		n++
		return handlertest.Scenario{
			Name: body, As: as, Status: status, Code: code, Contains: contains,
			Call: handlertest.Call{Method: "POST", Path: "/api/v1/screenings/" + sc.ID + "/holds", Body: body, Header: map[string]string{"Idempotency-Key": fmt.Sprint("k", n)}},
		}
	}
	noKey := hold(u, sc, `{"seats":["A2"]}`, "idempotency_key_missing", 400)
	noKey.Call.Header = nil
	longKey := hold(u, sc, `{"seats":["A2"]}`, "idempotency_key_missing", 400)
	longKey.Call.Header = map[string]string{"Idempotency-Key": strings.Repeat("k", 256)}
	oddKey := hold(u, sc, `{"seats":["A2"]}`, "idempotency_key_missing", 400)
	oddKey.Call.Header = map[string]string{"Idempotency-Key": "ключ"}
	asText := hold(u, sc, `{"seats":["A2"]}`, "malformed", 400)
	asText.Call.Header["Content-Type"] = "text/plain"
	otherCase := hold(u, sc, `{"Seats":["A2"]}`, "invalid", 422, `"unknown":["Seats"]`)
	nowhere := &domain.Screening{ID: repotest.ID()}
	var all []string
	for i := range 30 {
		all = append(all, fmt.Sprintf("%q", fmt.Sprintf("%c%d", 'A'+i/10, i%10+1)))
	}
	handlertest.Run(t, []handlertest.Scenario{
		hold(h.Nobody(), sc, `{"seats":["A2"]}`, "unauthenticated", 401),
		noKey, longKey, oddKey, asText, otherCase,
		hold(u, nowhere, `{"seats":["A2"]}`, "not_found", 404),
		hold(u, draft, `{"seats":["A2"]}`, "not_found", 404),
		hold(u, sc, `{"seats":["A1","A2"]}`, "seat_taken", 409, `"taken":["A1"]`),
		hold(u, sc, `{"seats":["A2","Z99"]}`, "seat_unknown", 422, `"unknown":["Z99"]`),
		hold(u, sc, `{"seats":["A2","A2"]}`, "seat_duplicated", 422, `"duplicated":["A2"]`),
		hold(u, sc, `{"seats":[]}`, "no_seats", 422),
		hold(u, sc, `{}`, "no_seats", 422),
		hold(u, sc, `{"quantity":0}`, "no_seats", 422),
		hold(u, sc, `{"seats":["A2"],"quantity":1}`, "invalid", 422),
		hold(u, sc, `{"quantity":1}`, "invalid", 422),
		hold(u, sc, `{"best":{"count":2,"tier":"royal"}}`, "invalid", 422, `"tier":"royal"`),
		hold(u, sc, `{"best":{"count":0}}`, "no_seats", 422),
		hold(u, sc, `{"seats":[`+strings.Join(all, ",")+`]}`, "too_many_seats", 422, `"max":20`),
		hold(u, sc, `{"seats":["A2","A3","A4","A5","A6"]}`, "limit_exceeded", 409),
		hold(u, tidy, `{"seats":["A2"]}`, "orphan_seat", 422, `"seats":["A1"]`),
		hold(u, paused, `{"seats":["A2"]}`, "sale_closed", 409),
		hold(u, general, `{"quantity":2}`, "sold_out", 409),
		hold(u, general, `{"quantity":-1}`, "no_seats", 422),
		hold(u, general, `{"quantity":1000000000}`, "too_many_seats", 422),
		hold(u, general, `{"quantity":1e30}`, "invalid", 422),
		hold(u, general, `{"quantity":1.5}`, "invalid", 422, `"quantity":"`),
		hold(u, general, `{"quantity":"1"}`, "invalid", 422, `"quantity":"`),
		hold(u, general, `{"seats":["A1"]}`, "invalid", 422),
		hold(u, sc, `{"seats":"A2"}`, "invalid", 422, `"seats":"`),
		hold(u, sc, `{"seats":["A2"],"price_minor":1}`, "invalid", 422, `"unknown":["price_minor"]`),
		hold(u, sc, `{"best":{"count":1,"price":1}}`, "invalid", 422, `"unknown":["best.price"]`),
		hold(u, sc, `["A2"]`, "invalid", 422),
		hold(u, sc, ``, "malformed", 400),
		hold(u, sc, "{\"seats\":[\n\"A2\",]}", "malformed", 400, `"line":2`, `"column":6`, `"offset":16`),
		hold(u, sc, `{"seats":["A2"]} {}`, "malformed", 400, `"offset":17`),
		hold(u, sc, `{"seats":["A2`, "malformed", 400),
		hold(u, sc, `{"seats":["`+strings.Repeat("A", 70<<10)+`"]}`, "too_large", 413),
	})
	if states := seatsOf(t, u, sc.ID); states["A2"] != "free" {
		t.Errorf("A2 is %s after refusals only", states["A2"])
	}
	h.Agree(t, sc.ID)
}

func TestBestSeats(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t)
	u := h.Guest(t)
	var got struct{ Seats []string }
	u.Hold(t, sc.ID, "k1", `{"best":{"count":3,"tier":"premium"}}`).Want(t, 201).JSON(t, &got)
	if len(got.Seats) != 3 {
		t.Errorf("got seats %v", got.Seats)
	}
	u.Hold(t, sc.ID, "k2", `{"best":{"count":20,"tier":"premium"}}`).Refused(t, 409, "sold_out")
}

// What the ledger did not write in time is accepted all the same: the buyer asks for the order.
func TestUnsettledHoldIsConfirming(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{Box: servicetest.Options{Quiet: true}})
	sc := repotest.Screening(t, h.Store)
	if err := h.Rebuild.Force(t.Context(), sc.ID); err != nil {
		t.Fatal(err)
	}
	u := h.Guest(t)
	a := u.Hold(t, sc.ID, "k1", `{"seats":["A1"]}`).Want(t, 202)
	id := idOf(t, a)
	var got map[string]any
	a.JSON(t, &got)
	if diff := cmp.Diff(map[string]any{"id": id, "status": "confirming"}, got); diff != "" || a.Header.Get("Location") != "/api/v1/orders/"+id {
		t.Errorf("(-want +got):\n%s%v", diff, a.Header)
	}
	order := u.Get(t, "/api/v1/orders/"+id).Want(t, 200)
	if !strings.Contains(string(order.Body), `"status":"confirming"`) || !strings.Contains(string(order.Body), `"no":"A1"`) {
		t.Errorf("order %s", order.Body)
	}
	u.Post(t, "/api/v1/orders/"+id+"/checkout", `{"email":"mia@example.org"}`).Refused(t, 409, "confirming")
	u.Post(t, "/api/v1/orders/"+id+"/cancel", ``).Refused(t, 409, "confirming")
	h.Guest(t).Get(t, "/api/v1/orders/"+id).Refused(t, 404, "not_found")
}

// A hold whose receipt is known, but which neither store has, was lost.
func TestLostHoldIsTold(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	u := h.Guest(t)
	id := repotest.ID()
	receipt := service.NewReceipts([]byte("a secret of the tests")).Sign(service.Receipt{HoldID: id, UserID: u.UserID, ScreeningID: repotest.ID()})
	u.Get(t, "/api/v1/orders/"+id+"?receipt="+receipt).Refused(t, 410, "lost")
	u.Do(t, handlertest.Call{Method: "GET", Path: "/api/v1/orders/" + id, Header: map[string]string{"Receipt": receipt}}).Refused(t, 410, "lost")
	u.Get(t, "/api/v1/orders/"+id).Refused(t, 404, "not_found")
	h.Guest(t).Get(t, "/api/v1/orders/"+id+"?receipt="+receipt).Refused(t, 404, "not_found")
}

func idOf(t *testing.T, a *handlertest.Answer) string {
	t.Helper()
	var got struct{ ID string }
	a.JSON(t, &got)
	if got.ID == "" {
		t.Fatalf("no id in %s", a.Body)
	}
	return got.ID
}

// seatsOf returns the states of the map by seat number.
func seatsOf(t *testing.T, c *handlertest.Client, screeningID string) map[string]string {
	t.Helper()
	var got struct {
		Seats []struct{ No, State string }
	}
	a := c.Get(t, "/api/v1/screenings/"+screeningID+"/seats").Want(t, 200)
	if err := json.Unmarshal(a.Body, &got); err != nil {
		t.Fatal(err)
	}
	states := map[string]string{}
	for _, s := range got.Seats {
		states[s.No] = s.State
	}
	return states
}
