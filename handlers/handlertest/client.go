package handlertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"usher/repo/repotest"
	"usher/service/domain"
)

// Client is somebody who talks to a house. A client without a token is nobody.
type Client struct {
	house  *House
	Token  string
	UserID string
}

// Nobody returns a client without a session.
func (h *House) Nobody() *Client { return &Client{house: h} }

// Guest comes as a guest, through the API.
func (h *House) Guest(t testing.TB) *Client {
	t.Helper()
	var got struct {
		Token  string `json:"token"`
		UserID string `json:"user_id"`
	}
	h.Nobody().Do(t, Call{Method: "POST", Path: "/api/v1/session", Body: "{}"}).Want(t, 200).JSON(t, &got)
	return &Client{house: h, Token: got.Token, UserID: got.UserID}
}

// Staff signs a new staff member in.
func (h *House) Staff(t testing.TB, role domain.Role) *Client {
	t.Helper()
	u := domain.User{ID: repotest.ID(), Kind: domain.UserStaff, Role: role, CreatedAt: repotest.Now}
	u.Email = u.ID + "@example.org"
	must(t, "add staff", h.Store.InsertUser(context.Background(), u))
	token, _, err := h.Sessions.Create(context.Background(), u)
	must(t, "sign staff in", err)
	return &Client{house: h, Token: token, UserID: u.ID}
}

// Call is one request.
type Call struct {
	Method string
	Path   string
	Header map[string]string
	Body   string
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	call   Call
}

// Do sends the request and reads the answer.
func (c *Client) Do(t testing.TB, call Call) *Answer {
	t.Helper()
	var body io.Reader
	if call.Body != "" {
		body = strings.NewReader(call.Body)
	}
	req, err := http.NewRequestWithContext(t.Context(), call.Method, c.house.URL+call.Path, body)
	must(t, "make a request", err)
	if call.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for name, value := range call.Header {
		if value == "" {
			req.Header.Del(name)
			continue
		}
		req.Header.Set(name, value)
	}
	res, err := http.DefaultTransport.RoundTrip(req) // no redirects, no cookies
	must(t, call.Method+" "+call.Path, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	must(t, "read the answer", err)
	return &Answer{Status: res.StatusCode, Header: res.Header, Body: text, call: call}
}

// Get is the short form of a GET.
func (c *Client) Get(t testing.TB, path string) *Answer {
	t.Helper()
	return c.Do(t, Call{Method: "GET", Path: path})
}

// Post is the short form of a POST.
func (c *Client) Post(t testing.TB, path, body string) *Answer {
	t.Helper()
	return c.Do(t, Call{Method: "POST", Path: path, Body: body})
}

// Hold asks for seats.
func (c *Client) Hold(t testing.TB, screeningID, key, body string) *Answer {
	t.Helper()
	return c.Do(t, Call{Method: "POST", Path: "/api/v1/screenings/" + screeningID + "/holds", Body: body, Header: map[string]string{"Idempotency-Key": key}})
}

// Want fails the test unless the answer has the status.
func (a *Answer) Want(t testing.TB, status int) *Answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("%s %s %s: got %d %s, want %d", a.call.Method, a.call.Path, a.call.Body, a.Status, a.Body, status)
	}
	return a
}

// Refused fails the test unless the answer is a problem with the status and code, and returns its members.
func (a *Answer) Refused(t testing.TB, status int, code string) map[string]any {
	t.Helper()
	a.Want(t, status)
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Fatalf("%s %s: content type %q of a problem", a.call.Method, a.call.Path, got)
	}
	var p map[string]any
	a.JSON(t, &p)
	if p["code"] != code || p["status"] != float64(status) || p["type"] != "about:blank" || p["detail"] == "" || p["title"] == "" || p["request_id"] != a.Header.Get("X-Request-ID") {
		t.Fatalf("%s %s: got %s, want code %s", a.call.Method, a.call.Path, a.Body, code)
	}
	return p
}

// JSON decodes the body.
func (a *Answer) JSON(t testing.TB, into any) {
	t.Helper()
	if err := json.NewDecoder(bytes.NewReader(a.Body)).Decode(into); err != nil {
		t.Fatalf("decode %s: %v", a.Body, err)
	}
}

// Scenario is one row of a table: a request and what must come of it.
type Scenario struct {
	Name     string
	As       *Client
	Call     Call
	Status   int
	Code     string // of the problem; empty for a success
	Contains []string
	Lacks    []string
}

// Run runs the scenarios in their order, which is part of the story that they tell.
func Run(t *testing.T, scenarios []Scenario) {
	t.Helper()
	for _, s := range scenarios {
		a := s.As.Do(t, s.Call)
		if a.Status != s.Status {
			t.Errorf("%s: got %d %s, want %d", s.Name, a.Status, a.Body, s.Status)
			continue
		}
		if s.Code != "" {
			a.Refused(t, s.Status, s.Code)
		}
		for _, want := range s.Contains {
			if !strings.Contains(string(a.Body), want) {
				t.Errorf("%s: %s does not contain %s", s.Name, a.Body, want)
			}
		}
		for _, not := range s.Lacks {
			if strings.Contains(string(a.Body), not) {
				t.Errorf("%s: %s contains %s", s.Name, a.Body, not)
			}
		}
	}
}
