package handlers_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"usher/handlers"
	"usher/handlers/handlertest"
	"usher/handlers/request"
	"usher/handlers/response"
)

// testPages stands in for the HTML side.
type testPages struct{}

func (testPages) Register(g *gin.RouterGroup) {
	g.GET("/page/panics", func(*gin.Context) { panic("a <b>bug</b>") })
	g.GET("/page/breaks", func(c *gin.Context) { response.Error(c, fmt.Errorf("secret cause")) })
	g.GET("/page/half", func(c *gin.Context) {
		_, _ = c.Writer.Write(bytes.Repeat([]byte("x"), 10_000))
		panic("too late")
	})
	g.GET("/page/slow", func(c *gin.Context) {
		<-c.Request.Context().Done()
		response.Error(c, c.Request.Context().Err())
	})
	g.GET("/page/who", func(c *gin.Context) { c.String(200, request.Language(c.Request.Context())) })
	g.POST("/page/form", func(c *gin.Context) {
		if err := request.ParseForm(c.Request); err != nil {
			response.Error(c, err)
			return
		}
		c.String(200, request.Form(c, "name")+"/"+request.Key(c))
	})
}

func (testPages) Error(c *gin.Context, p *response.Problem) {
	c.Data(p.Status, "text/html; charset=utf-8", []byte("<h1>"+p.Code+" "+p.RequestID+"</h1>"))
}

func withPages(d *handlers.Deps) { d.Pages = testPages{} }

// lister is what gin tells of its routes.
type lister interface{ Routes() gin.RoutesInfo }

// routes lists what the router knows, with example values in place of parameters.
func routes(t *testing.T, h *handlertest.House) []gin.RouteInfo {
	t.Helper()
	engine, ok := h.Handler.(lister)
	if !ok {
		t.Fatal("the handler does not list its routes")
	}
	list := engine.Routes()
	if len(list) < 20 {
		t.Fatalf("%d routes only", len(list))
	}
	for i := range list {
		list[i].Path = strings.NewReplacer(":id", "x", ":gateway", "x", ":payment_id", "x").Replace(list[i].Path)
	}
	return list
}

func unsafe(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// D1: no unsafe route takes a request that another site's page made.
func TestEveryUnsafeRouteRefusesOtherSites(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{Change: withPages})
	u := h.Guest(t)
	tried := 0
	for _, r := range routes(t, h) {
		if !unsafe(r.Method) {
			continue
		}
		tried++
		for name, head := range map[string]map[string]string{
			"fetch metadata": {"Cookie": "usher=" + u.Token, "Sec-Fetch-Site": "cross-site"},
			"origin":         {"Cookie": "usher=" + u.Token, "Origin": "https://evil.example"},
			"same site":      {"Cookie": "usher=" + u.Token, "Sec-Fetch-Site": "same-site"},
		} {
			a := h.Nobody().Do(t, handlertest.Call{Method: r.Method, Path: r.Path, Body: "{}", Header: head})
			if a.Status != 403 || !strings.Contains(string(a.Body), "cross_origin") {
				t.Errorf("%s %s by %s: %d %s", r.Method, r.Path, name, a.Status, a.Body)
			}
		}
	}
	if tried < 10 {
		t.Errorf("%d unsafe routes only", tried)
	}
	for _, head := range []map[string]string{
		{"Cookie": "usher=" + u.Token, "Sec-Fetch-Site": "same-origin"},
		{"Cookie": "usher=" + u.Token, "Origin": h.URL},
		{"Authorization": "Bearer " + u.Token, "Origin": "https://app.example"},
	} {
		h.Nobody().Do(t, handlertest.Call{Method: "DELETE", Path: "/api/v1/orders/x", Header: head}).Refused(t, 404, "not_found")
	}
	u.Get(t, "/api/v1/orders").Want(t, 200) // none of it signed the guest out
}

func TestSecurityHeadersAreOnEveryAnswer(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{Change: withPages, Handlers: handlers.Options{PublicURL: "https://usher.example", Timeout: 1}})
	want := map[string]string{
		"Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
		"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
		"Strict-Transport-Security": "max-age=31536000; includeSubDomains",
	}
	calls := []handlertest.Call{{Method: "GET", Path: "/nowhere"}, {Method: "PUT", Path: "/healthz"}, {Method: "POST", Path: "/api/v1/session", Body: strings.Repeat("x", 70<<10)}}
	for _, r := range routes(t, h) {
		if r.Path != "/page/half" {
			calls = append(calls, handlertest.Call{Method: r.Method, Path: r.Path})
		}
	}
	for _, call := range calls {
		a := h.Nobody().Do(t, call)
		for name, value := range want {
			if got := a.Header.Get(name); got != value {
				t.Errorf("%s %s (%d): %s is %q", call.Method, call.Path, a.Status, name, got)
			}
		}
		if a.Header.Get("Permissions-Policy") == "" || a.Header.Get("X-Request-ID") == "" {
			t.Errorf("%s %s: headers %v", call.Method, call.Path, a.Header)
		}
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	for sent, kept := range map[string]bool{"abc-123_x.Y": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false, "a b": false, `a"b`: false, "é": false, "": false} {
		got := h.Nobody().Do(t, handlertest.Call{Method: "GET", Path: "/healthz", Header: map[string]string{"X-Request-ID": sent}}).Header.Get("X-Request-ID")
		if (got == sent) != kept || got == "" {
			t.Errorf("%q became %q", sent, got)
		}
	}
}

// BC-62: only configured proxies may name the client's address.
func TestClientAddressIsThePeer(t *testing.T) {
	t.Parallel()
	forged := map[string]string{"X-Forwarded-For": "203.0.113.9", "X-Real-IP": "203.0.113.9", "Forwarded": "for=203.0.113.9", "CF-Connecting-IP": "203.0.113.9"}
	direct := handlertest.Start(t, handlertest.Options{})
	direct.Nobody().Do(t, handlertest.Call{Method: "GET", Path: "/api/v1/movies", Header: forged}).Want(t, 200)
	eventually(t, func() (bool, string) {
		l := direct.Log.Line("msg=request")
		return strings.Contains(l, "client=127.0.0.1"), l
	})

	behind := handlertest.Start(t, handlertest.Options{Handlers: handlers.Options{TrustedProxies: []string{"127.0.0.0/8"}}})
	behind.Nobody().Do(t, handlertest.Call{Method: "GET", Path: "/api/v1/movies", Header: forged}).Want(t, 200)
	eventually(t, func() (bool, string) {
		l := behind.Log.Line("msg=request")
		return strings.Contains(l, "client=203.0.113.9"), l
	})
}

// The log names routes, not what people typed.
func TestLogHasNoUserText(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	h.Nobody().Get(t, "/api/v1/orders/secretid?receipt=secretreceipt")
	h.Nobody().Get(t, "/secretpath?x=secretquery")
	h.Nobody().Get(t, "/healthz")
	h.Nobody().Do(t, handlertest.Call{Method: "SECRET", Path: "/", Header: map[string]string{"User-Agent": "secretagent"}})
	eventually(t, func() (bool, string) {
		l := h.Log.String()
		return strings.Count(l, "msg=request") == 3, l
	})
	if l := h.Log.String(); strings.Contains(strings.ToLower(l), "secret") || !strings.Contains(l, "route=/api/v1/orders/:id") || !strings.Contains(l, "code=unauthenticated") {
		t.Errorf("log:\n%s", l)
	}
}

func TestFailuresAreLoggedAndNotShown(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{Change: withPages, Handlers: handlers.Options{Timeout: 50_000_000}})
	for path, cause := range map[string]string{"/page/panics": "bug", "/page/breaks": "secret cause"} {
		a := h.Nobody().Get(t, path)
		p := a.Refused(t, 500, "internal")
		if strings.Contains(string(a.Body), cause) || strings.Contains(string(a.Body), ".go") {
			t.Errorf("%s shows its cause: %s", path, a.Body)
		}
		id := fmt.Sprint(p["request_id"])
		eventually(t, func() (bool, string) {
			l := h.Log.Line("level=ERROR msg=request component=http request_id=" + id)
			return l != "", h.Log.String()
		})
		if !strings.Contains(h.Log.String(), cause) {
			t.Errorf("%s: the log does not have the cause", path)
		}

		page := h.Nobody().Do(t, handlertest.Call{Method: "GET", Path: path, Header: map[string]string{"Accept": "text/html", "X-Request-ID": "r1"}}).Want(t, 500)
		if string(page.Body) != "<h1>internal r1</h1>" {
			t.Errorf("%s as a page: %s", path, page.Body)
		}
	}
	slow := h.Nobody().Get(t, "/page/slow")
	slow.Refused(t, 503, "unavailable")
	if slow.Header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After %q", slow.Header.Get("Retry-After"))
	}

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/page/half", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err == nil {
		_, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
	}
	if err == nil {
		t.Error("half an answer looks like a whole one")
	}
}

// The client that left is nobody's failure.
func TestClientGone(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{Change: withPages})
	ctx, leave := contextWithCancel(t)
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/page/slow", http.NoBody)
	leave()
	h.Handler.ServeHTTP(httptest.NewRecorder(), r)
	if l := h.Log.Line("route=/page/slow"); !strings.Contains(l, "level=INFO") || !strings.Contains(l, "status=499") {
		t.Errorf("log %s", h.Log.String())
	}
}

func TestUnknownAddressesAndMethods(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{Change: withPages})
	n := h.Nobody()
	n.Get(t, "/nowhere").Refused(t, 404, "not_found")
	n.Get(t, "/api/v1/nowhere").Refused(t, 404, "not_found")
	n.Get(t, "/api/v1/movies/").Refused(t, 404, "not_found")
	put := n.Do(t, handlertest.Call{Method: "PUT", Path: "/api/v1/session"})
	put.Refused(t, 405, "method_not_allowed")
	if got := put.Header.Get("Allow"); !strings.Contains(got, "POST") || !strings.Contains(got, "DELETE") {
		t.Errorf("Allow %q", got)
	}
	html := map[string]string{"Accept": "text/html,*/*"}
	if a := n.Do(t, handlertest.Call{Method: "GET", Path: "/nowhere", Header: html}).Want(t, 404); !strings.HasPrefix(string(a.Body), "<h1>not_found") {
		t.Errorf("page %s", a.Body)
	}
	n.Do(t, handlertest.Call{Method: "GET", Path: "/api/v1/nowhere", Header: html}).Refused(t, 404, "not_found")
}

func TestBodyLimitHoldsWithoutALength(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{Change: withPages})
	for path, kind := range map[string]string{"/api/v1/session": "application/json", "/api/v1/payments/sandbox/callback": "application/json", "/page/form": "application/x-www-form-urlencoded"} {
		body := io.MultiReader(strings.NewReader(`{"email":"`), strings.NewReader(strings.Repeat("a", 70<<10))) // sent in chunks
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", kind)
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != 413 || !strings.Contains(string(text), "too_large") {
			t.Errorf("%s: %d %s", path, res.StatusCode, text)
		}
	}
	form := handlertest.Call{Method: "POST", Path: "/page/form", Body: "name=+Mia+&idempotency_key=k1", Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}
	if a := h.Nobody().Do(t, form).Want(t, 200); string(a.Body) != "Mia/k1" {
		t.Errorf("form %s", a.Body)
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{Change: withPages})
	for range 2 { // the second time from memory
		for _, c := range []struct{ cookie, header, want string }{
			{"", "", "en"},
			{"", "zh-CN,zh;q=0.9,en;q=0.8", "zh-CN"},
			{"", "de", "en"},
			{"zh-CN", "en", "zh-CN"},
			{"nonsense", "zh", "zh-CN"},
			{"", strings.Repeat("en-GB,", 60) + "zh", "en"},
		} {
			head := map[string]string{"Accept-Language": c.header}
			if c.cookie != "" {
				head["Cookie"] = request.LanguageCookie + "=" + c.cookie
			}
			if a := h.Nobody().Do(t, handlertest.Call{Method: "GET", Path: "/page/who", Header: head}); string(a.Body) != c.want {
				t.Errorf("%+v: got %s", c, a.Body)
			}
		}
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	eventually(t, func() (bool, string) {
		a := h.Nobody().Get(t, "/readyz")
		return a.Status == 200 && string(a.Body) == `{"reasons":[],"status":"ready"}`, string(a.Body)
	})
	for _, path := range []string{"/healthz", "/readyz"} {
		h.Nobody().Do(t, handlertest.Call{Method: "HEAD", Path: path}).Want(t, 200)
	}
}

func TestMetricsNameNoOrders(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	h.Guest(t).Get(t, "/api/v1/orders/secret-order").Want(t, 404)
	families, err := h.Metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(families)
	for _, want := range []string{"usher_http_request_seconds", "/api/v1/orders/:id", "4xx", "2xx"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if strings.Contains(text, "secret-order") {
		t.Error("an order is a label")
	}
}

func TestDepsAreChecked(t *testing.T) {
	t.Parallel()
	_, err := handlers.New(handlers.Deps{Options: handlers.Options{PublicURL: "usher.example"}})
	if err == nil || !strings.Contains(err.Error(), "Holds is missing") || !strings.Contains(err.Error(), "public URL") {
		t.Errorf("got %v", err)
	}
}
