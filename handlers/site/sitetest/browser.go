package sitetest

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"usher/handlers/handlertest"
)

// Browser is somebody's browser. It follows redirects only when asked to.
type Browser struct {
	house  *handlertest.House
	client *http.Client
	Header http.Header // of every request
}

// New opens a browser that speaks English.
func New(t testing.TB, h *handlertest.House) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatalf("make a cookie jar: %v", err)
	}
	never := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Browser{
		house: h, client: &http.Client{Jar: jar, CheckRedirect: never, Transport: http.DefaultTransport},
		Header: http.Header{"Accept": {"text/html,application/xhtml+xml"}, "Accept-Language": {"en"}},
	}
}

// Page is an answer.
type Page struct {
	Status int
	Header http.Header
	Path   string
	Body   string
	Doc    *html.Node
}

// Do sends one request. A form makes it a form post.
func (b *Browser) Do(t testing.TB, method, path string, form url.Values) *Page {
	t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(t.Context(), method, b.house.URL+path, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	for name, values := range b.Header {
		req.Header[name] = values
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if req.Header.Get("Sec-Fetch-Site") == "" {
			req.Header.Set("Sec-Fetch-Site", "same-origin")
		}
	}
	res, err := b.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
	doc, err := html.Parse(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("parse %s: %v", path, err)
	}
	return &Page{Status: res.StatusCode, Header: res.Header, Path: path, Body: string(text), Doc: doc}
}

// Get looks at a page.
func (b *Browser) Get(t testing.TB, path string) *Page {
	t.Helper()
	return b.Do(t, http.MethodGet, path, nil)
}

// Post sends a form.
func (b *Browser) Post(t testing.TB, path string, form url.Values) *Page {
	t.Helper()
	if form == nil {
		form = url.Values{}
	}
	return b.Do(t, http.MethodPost, path, form)
}

// Follow goes where a form's answer leads.
func (b *Browser) Follow(t testing.TB, p *Page) *Page {
	t.Helper()
	p.Want(t, http.StatusSeeOther)
	return b.Get(t, p.Header.Get("Location"))
}

// Submit sends the page's form with the action, with the values it holds and those given.
func (b *Browser) Submit(t testing.TB, p *Page, action string, set url.Values) *Page {
	t.Helper()
	return b.Post(t, action, p.Form(t, action, set))
}

// Cookie returns the value of a cookie for the path, empty without one.
func (b *Browser) Cookie(t testing.TB, path, name string) string {
	t.Helper()
	u, err := url.Parse(b.house.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.client.Jar.Cookies(u) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// Want fails the test unless the answer has the status.
func (p *Page) Want(t testing.TB, status int) *Page {
	t.Helper()
	if p.Status != status {
		t.Fatalf("%s: got %d (to %q), want %d: %s", p.Path, p.Status, p.Header.Get("Location"), status, p.Text())
	}
	return p
}

// Says fails the test unless the page says all of the texts.
func (p *Page) Says(t testing.TB, texts ...string) *Page {
	t.Helper()
	said := p.Text()
	for _, text := range texts {
		if !strings.Contains(said, text) {
			t.Fatalf("%s does not say %q: %s", p.Path, text, said)
		}
	}
	return p
}

// Lacks fails the test when the page says one of the texts.
func (p *Page) Lacks(t testing.TB, texts ...string) *Page {
	t.Helper()
	said := p.Text()
	for _, text := range texts {
		if strings.Contains(said, text) {
			t.Fatalf("%s says %q: %s", p.Path, text, said)
		}
	}
	return p
}

// Leads fails the test unless the answer sends the browser to the path.
func (p *Page) Leads(t testing.TB, path string) *Page {
	t.Helper()
	p.Want(t, http.StatusSeeOther)
	if got := p.Header.Get("Location"); got != path {
		t.Fatalf("%s leads to %q, want %q", p.Path, got, path)
	}
	return p
}

// Text returns what the page's main part says, in one line.
func (p *Page) Text() string {
	var b strings.Builder
	for n := range p.Main().Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Main returns the page's main part, the whole page where it has none.
func (p *Page) Main() *html.Node {
	for n := range p.Doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == "main" {
			return n
		}
	}
	return p.Doc
}

// Attr returns an attribute's value.
func Attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// Find returns the elements of a kind for which the condition holds.
func (p *Page) Find(kind string, holds func(n *html.Node) bool) []*html.Node {
	var out []*html.Node
	for n := range p.Doc.Descendants() {
		if n.Type == html.ElementNode && n.Data == kind && (holds == nil || holds(n)) {
			out = append(out, n)
		}
	}
	return out
}

// Link returns the address of the first link whose address begins with the prefix.
func (p *Page) Link(t testing.TB, prefix string) string {
	t.Helper()
	links := p.Find("a", func(n *html.Node) bool { return strings.HasPrefix(Attr(n, "href"), prefix) })
	if len(links) == 0 {
		t.Fatalf("%s has no link to %s", p.Path, prefix)
	}
	return Attr(links[0], "href")
}

// Links returns every address that a link, picture or style of the page has.
func (p *Page) Links() []string {
	var out []string
	for n := range p.Doc.Descendants() {
		for _, name := range []string{"href", "src"} {
			if v := Attr(n, name); n.Type == html.ElementNode && strings.HasPrefix(v, "/") && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// Form returns what the page's first form with the action sends, with the given values in place of its own.
func (p *Page) Form(t testing.TB, action string, set url.Values) url.Values {
	t.Helper()
	for _, form := range p.Find("form", func(n *html.Node) bool { return Attr(n, "action") == action && Attr(n, "method") == "post" }) {
		values := url.Values{}
		for n := range form.Descendants() {
			name := Attr(n, "name")
			if n.Type != html.ElementNode || n.Data != "input" || name == "" || Attr(n, "type") == "checkbox" {
				continue
			}
			values.Add(name, Attr(n, "value"))
		}
		for name, v := range set {
			values[name] = v
		}
		return values
	}
	t.Fatalf("%s has no form that posts to %s", p.Path, action)
	return nil
}

// Seat returns the checkbox of a seat.
func (p *Page) Seat(t testing.TB, no string) *html.Node {
	t.Helper()
	boxes := p.Find("input", func(n *html.Node) bool { return Attr(n, "name") == "seats" && Attr(n, "value") == no })
	if len(boxes) != 1 {
		t.Fatalf("%s has %d boxes for seat %s", p.Path, len(boxes), no)
	}
	return boxes[0]
}

// SeatState returns the state that the page shows for a seat.
func (p *Page) SeatState(t testing.TB, no string) string {
	t.Helper()
	return Attr(p.Seat(t, no).Parent, "data-state")
}

// Ticked reports whether a seat is chosen.
func (p *Page) Ticked(t testing.TB, no string) bool {
	t.Helper()
	return slices.ContainsFunc(p.Seat(t, no).Attr, func(a html.Attribute) bool { return a.Key == "checked" })
}
