package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"usher/handlers"
	"usher/handlers/handlertest"
	"usher/service/domain"
	"usher/service/servicetest"
)

// cookieOf reads the cookie that an answer sets.
func cookieOf(t *testing.T, a *handlertest.Answer) *http.Cookie {
	t.Helper()
	cookies := (&http.Response{Header: a.Header}).Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies %v", cookies)
	}
	return cookies[0]
}

func TestSessionCookie(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	a := h.Nobody().Post(t, "/api/v1/session", "{}").Want(t, 200)
	c := cookieOf(t, a)
	var got struct{ Token, Kind string }
	a.JSON(t, &got)
	if c.Name != "usher" || c.Value != got.Token || got.Kind != "guest" || !c.HttpOnly || c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.MaxAge < 3600 {
		t.Errorf("cookie %+v for %s", c, a.Body)
	}
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", a.Header)
	}
	byCookie := handlertest.Call{Method: "GET", Path: "/api/v1/orders", Header: map[string]string{"Cookie": "usher=" + got.Token}}
	h.Nobody().Do(t, byCookie).Want(t, 200)

	out := h.Nobody().Do(t, handlertest.Call{Method: "DELETE", Path: "/api/v1/session", Header: map[string]string{"Cookie": "usher=" + got.Token}}).Want(t, 204)
	if gone := cookieOf(t, out); gone.MaxAge >= 0 || gone.Value != "" {
		t.Errorf("cookie %+v", gone)
	}
	h.Nobody().Do(t, byCookie).Refused(t, 401, "unauthenticated")
	h.Nobody().Do(t, handlertest.Call{Method: "DELETE", Path: "/api/v1/session"}).Want(t, 204)

	secure := handlertest.Start(t, handlertest.Options{Handlers: handlers.Options{PublicURL: "https://usher.example"}})
	sc := cookieOf(t, secure.Nobody().Post(t, "/api/v1/session", "{}").Want(t, 200))
	if sc.Name != "__Host-usher" || !sc.Secure || sc.Path != "/" || sc.Domain != "" {
		t.Errorf("cookie %+v", sc)
	}
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	guest := h.Guest(t)
	var account struct {
		Token, Kind string
		UserID      string `json:"user_id"`
	}
	const right = `{"email":"mia@example.org","password":"a long way home"}`
	made := guest.Post(t, "/api/v1/accounts", `{"email":" Mia@Example.org ","password":"a long way home","name":"Mia"}`).Want(t, 201)
	made.JSON(t, &account)
	if account.UserID != guest.UserID || account.Kind != "account" || account.Token == guest.Token || cookieOf(t, made).Value != account.Token {
		t.Errorf("account %+v of guest %s", account, guest.UserID)
	}
	guest.Get(t, "/api/v1/orders").Refused(t, 401, "unauthenticated") // the guest's session is over

	var again struct{ Token string }
	h.Nobody().Post(t, "/api/v1/session", right).Want(t, 200).JSON(t, &again)
	mia := h.Nobody()
	mia.Token = again.Token
	mia.Get(t, "/api/v1/orders").Want(t, 200)
	mia.Post(t, "/api/v1/session", right).Want(t, 200)
	mia.Get(t, "/api/v1/orders").Refused(t, 401, "unauthenticated") // a new token at each sign-in

	post := func(path, body string) handlertest.Call {
		return handlertest.Call{Method: "POST", Path: "/api/v1/" + path, Body: body}
	}
	nobody := h.Nobody()
	handlertest.Run(t, []handlertest.Scenario{
		{Name: "wrong password", As: nobody, Call: post("session", `{"email":"mia@example.org","password":"a wrong way home"}`), Status: 401, Code: "bad_credentials", Lacks: []string{"mia"}},
		{Name: "unknown", As: nobody, Call: post("session", `{"email":"max@example.org","password":"a long way home"}`), Status: 401, Code: "bad_credentials"},
		{Name: "no password", As: nobody, Call: post("session", `{"email":"mia@example.org"}`), Status: 401, Code: "bad_credentials"},
		{Name: "unknown field", As: nobody, Call: post("session", `{"role":"admin"}`), Status: 422, Code: "invalid", Contains: []string{`"unknown":["role"]`}},
		{Name: "a list", As: nobody, Call: post("session", `[]`), Status: 422, Code: "invalid"},
		{Name: "no body", As: nobody, Call: post("session", ``), Status: 400, Code: "malformed"},
		{Name: "no JSON", As: nobody, Call: post("session", `{`), Status: 400, Code: "malformed", Contains: []string{`"line":1`}},
		{Name: "address in use", As: nobody, Call: post("accounts", right), Status: 422, Code: "invalid", Contains: []string{`"email":`}},
		{Name: "short password", As: nobody, Call: post("accounts", `{"email":"x@example.org","password":"short"}`), Status: 422, Code: "invalid", Contains: []string{`"password":`}, Lacks: []string{"short\""}},
		{Name: "no address", As: nobody, Call: post("accounts", `{"email":"x","password":"a long way home"}`), Status: 422, Code: "invalid", Contains: []string{`"email":`}},
	})
	if strings.Contains(h.Log.String(), "long way") || strings.Contains(h.Log.String(), "mia@") || strings.Contains(h.Log.String(), account.Token) {
		t.Error("the log has a secret")
	}
}

// A store of sessions that is away lets nobody in as anybody, and does not say that the session is over.
func TestSessionsAwayIsUnavailable(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	u := h.Guest(t)
	sc := h.Screening(t)
	h.Nobody().Get(t, "/api/v1/screenings/"+sc.ID+"/seats").Want(t, 200)
	if err := h.Store.Close(); err != nil {
		t.Fatal(err)
	}
	a := u.Get(t, "/api/v1/orders")
	a.Refused(t, 503, "unavailable")
	if a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	h.Nobody().Get(t, "/readyz").Want(t, 200) // it would be the same on every instance, and holds go on
	h.Nobody().Get(t, "/healthz").Want(t, 200)
}

func TestOverviewIsForStaff(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	sc := h.Screening(t)
	u := h.Guest(t)
	u.Hold(t, sc.ID, "k1", `{"seats":["A1"]}`).Want(t, 201)
	s := open(t, h, sc.ID, "")
	s.next()
	const path = "/api/v1/admin/overview"
	h.Nobody().Get(t, path).Refused(t, 401, "unauthenticated")
	u.Get(t, path).Refused(t, 403, "forbidden")
	for _, role := range domain.Roles {
		var got map[string]any
		h.Staff(t, role).Get(t, path).Want(t, 200).JSON(t, &got)
		if got["viewers"] != 1.0 || got["dead_letters"] != 0.0 || got["breaker"] != "closed" {
			t.Errorf("%s: %v", role, got)
		}
		settlement, _ := got["settlement"].(map[string]any)
		if rate, _ := settlement["rate"].(float64); rate <= 0 || rate > 10 || settlement["in_flight"] != 0.0 || settlement["lag_ms"] != 0.0 {
			t.Errorf("settlement %v after one hold", settlement)
		}
		stores, _ := got["stores"].(map[string]any)
		if stores["ledger"] != "up" || stores["hold_store"] != "up" {
			t.Errorf("stores %v", stores)
		}
		for _, name := range []string{"settlement", "retry_tasks", "effects_due", "compensations", "discrepancies", "alerts", "oldest_ms"} {
			if _, there := got[name]; !there {
				t.Errorf("%s is missing", name)
			}
		}
	}
}

// Staff see which store is away; the page does not go away with it.
func TestOverviewWithoutHoldStore(t *testing.T) {
	t.Parallel()
	h := handlertest.Open(t, servicetest.Real(t, servicetest.Options{}), handlertest.Options{})
	admin := h.Staff(t, domain.RoleAdmin)
	h.Box.Server.Kill()
	a := admin.Get(t, "/api/v1/admin/overview").Want(t, 200)
	if !strings.Contains(string(a.Body), `"hold_store":"down"`) || !strings.Contains(string(a.Body), `"ledger":"up"`) {
		t.Errorf("got %s", a.Body)
	}
	eventually(t, func() (bool, string) {
		a := h.Nobody().Get(t, "/readyz")
		return a.Status == 503 && strings.Contains(string(a.Body), `"hold_store_not_ready"`), string(a.Body)
	})
}
