package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"usher/handlers/handlertest"
	"usher/handlers/site/frame"
	"usher/handlers/site/sitetest"
	"usher/repo/repotest"
	"usher/service/domain"
	"usher/service/servicetest"
)

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/": "/", "/orders": "/orders", "/orders?cursor=a%2Fb": "/orders?cursor=a%2Fb", "/?date=2031-03-14": "/?date=2031-03-14",
		"": "no", "orders": "no", "//evil.example": "no", "///evil.example": "no", "/\\evil.example": "no", "\\\\evil.example": "no",
		"https://evil.example": "no", "javascript:alert(1)": "no", "/\t/evil.example": "no", "/\n/evil.example": "no", " /orders": "no",
		"/%5cevil.example": "no", "/%2fevil.example": "no", "/%09/evil.example": "no", "/a b": "no", "/\x00": "no", "/%zz": "no",
		"/" + strings.Repeat("a", 2000): "no", "/#//evil": "no",
	} {
		if got := frame.LocalPath(next, "no"); got != want {
			t.Errorf("LocalPath(%q) = %q, want %q", next, got, want)
		}
	}
}

// evil are addresses that must never be where a browser is sent.
var evil = []string{"https://evil.example/", "//evil.example", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)", "/%2f/evil.example"}

func TestNoOpenRedirect(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	b := sitetest.New(t, h)
	b.Post(t, "/sign-up", url.Values{"email": {"ada@example.org"}, "name": {"Ada"}, "password": {"a long enough one"}, "next": {evil[0]}}).Leads(t, "/orders")
	for _, next := range evil {
		b.Post(t, "/sign-in", url.Values{"email": {"ada@example.org"}, "password": {"a long enough one"}, "next": {next}}).Leads(t, "/orders")
		b.Post(t, "/sign-out", url.Values{"next": {next}}).Leads(t, "/")
		b.Post(t, "/language", url.Values{"lang": {"en"}, "next": {next}}).Leads(t, "/")
		shown := b.Get(t, "/sign-in?next="+url.QueryEscape(next)).Want(t, http.StatusOK)
		if got := shown.Form(t, "/sign-in", nil).Get("next"); got != "" {
			t.Errorf("the form carries %q", got)
		}
	}
	for _, path := range []string{"//evil.example/x", "/.//evil.example", "/%2f%2fevil.example"} {
		p := b.Get(t, path)
		for _, link := range append(p.Links(), p.Form(t, "/language", nil).Get("next")) {
			if strings.HasPrefix(link, "//") {
				t.Errorf("%s shows %s", path, link)
			}
		}
	}
}

func TestPersonalPagesAskToSignInAndLeadBack(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	sc := h.Screening(t)
	b, stranger := sitetest.New(t, h), sitetest.New(t, h)
	order := hold(t, b, sc.ID, "A1")
	for path, next := range map[string]string{
		"/orders": "/orders", order: order, order + "/checkout": order + "/checkout", order + "/qr.svg": order, "/pay/sandbox/x": "/pay/sandbox/x",
	} {
		stranger.Get(t, path).Leads(t, "/sign-in?next="+url.QueryEscape(next))
	}
	stranger.Post(t, order+"/cancel", nil).Leads(t, "/sign-in?next="+url.QueryEscape(order))

	b.Post(t, "/sign-up", url.Values{"email": {"ada@example.org"}, "password": {"a long enough one"}, "next": {order}}).Leads(t, order)
	b.Get(t, order).Want(t, http.StatusOK).Says(t, "Your seats are held", "You are signed in.")
	b.Get(t, order).Lacks(t, "You are signed in.")
	b.Post(t, "/sign-out", url.Values{"next": {"/"}}).Leads(t, "/")
	away := b.Get(t, order).Want(t, http.StatusSeeOther)
	form := b.Follow(t, away).Want(t, http.StatusOK)
	b.Submit(t, form, "/sign-in", url.Values{"email": {"ADA@example.org"}, "password": {"not this one"}}).Want(t, http.StatusUnauthorized).Says(t, "E-mail or password is not right.")
	b.Follow(t, b.Submit(t, form, "/sign-in", url.Values{"email": {"ADA@example.org"}, "password": {"a long enough one"}})).Says(t, "Your seats are held")

	b.Header.Set("Cookie", "usher=forged")
	sitetest.New(t, h).Get(t, "/orders").Leads(t, "/sign-in?next=%2Forders")
}

func TestSignUpSaysWhatIsWrongInBothLanguages(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	en, zh := sitetest.New(t, h), sitetest.New(t, h)
	zh.Header.Set("Accept-Language", "zh-CN")
	good := url.Values{"email": {"ada@example.org"}, "name": {"Ada"}, "password": {"a long enough one"}}
	en.Post(t, "/sign-up", good).Want(t, http.StatusSeeOther)
	for _, c := range []struct{ field, value, en, zh string }{
		{"email", "", "Please fill this in.", "请填写"},
		{"email", "ada", "This does not look like an e-mail address.", "邮箱"},
		{"email", strings.Repeat("a", 250) + "@b.cd", "This is too long.", "过长"},
		{"email", "ada@example.org", "There is an account with this e-mail already.", "已"},
		{"name", strings.Repeat("a", 101), "This is too long.", "过长"},
		{"name", "a\x01b", "This has signs that cannot be read.", "无法识别"},
		{"password", "short", "Please use at least 8 characters.", "8"},
		{"password", strings.Repeat("a", 129), "This is too long.", "过长"},
		{"password", "password1", "This is one of the first passwords", "密码"},
		{"password", "new@example.org", "Please choose a password that is not your e-mail address.", "邮箱"},
	} {
		form := url.Values{"email": {"new@example.org"}, "name": {"Ada"}, "password": {"a long enough one"}}
		form.Set(c.field, c.value)
		p := en.Post(t, "/sign-up", form).Want(t, http.StatusUnprocessableEntity).Says(t, c.en)
		if got := p.Form(t, "/sign-up", nil); got.Get("password") != "" || (c.field != "email" && got.Get("email") != "new@example.org") {
			t.Errorf("%s %.20q: the form keeps %v", c.field, c.value, got)
		}
		zh.Post(t, "/sign-up", form).Want(t, http.StatusUnprocessableEntity).Says(t, c.zh).Lacks(t, "Please", "This", "There")
	}
}

func TestChinesePages(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	sc := h.Screening(t)
	b := sitetest.New(t, h)
	b.Header.Set("Accept-Language", "fr, zh-CN;q=0.8")
	b.Get(t, "/").Says(t, "长卷", "3月14日").Lacks(t, "The Long Reel", "Seats")
	path := "/screenings/" + sc.ID
	seats := b.Get(t, path).Says(t, "3月14日 星期五").Lacks(t, "Row", "seat", "Screen")
	b.Submit(t, seats, path+"/holds", nil).Want(t, http.StatusUnprocessableEntity).Says(t, "请至少选择一个座位")
	b.Get(t, "/nothing").Want(t, http.StatusNotFound).Lacks(t, "Nothing", "page")

	switched := b.Post(t, "/language", url.Values{"lang": {"en"}, "next": {path}}).Leads(t, path)
	b.Follow(t, switched).Says(t, "30 seats free")
	b.Post(t, "/language", url.Values{"lang": {"xx"}}).Want(t, http.StatusUnprocessableEntity)
}

func TestOtherSitesCannotPost(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	sc := h.Screening(t)
	b := sitetest.New(t, h)
	order := hold(t, b, sc.ID, "A1")
	before := dump(t, h, sc)
	for name, header := range map[string]http.Header{
		"by fetch metadata": {"Sec-Fetch-Site": {"cross-site"}},
		"same site only":    {"Sec-Fetch-Site": {"same-site"}},
		"by origin":         {"Sec-Fetch-Site": {""}, "Origin": {"https://evil.example"}},
	} {
		evil := *b
		evil.Header = b.Header.Clone()
		for k, v := range header {
			evil.Header[k] = v
		}
		if name == "by origin" {
			evil.Header["Sec-Fetch-Site"] = []string{"none-sent"}
		}
		for _, path := range []string{order + "/cancel", order + "/checkout", order + "/refund", "/sign-out", "/language", "/screenings/" + sc.ID + "/holds", "/sign-in"} {
			p := evil.Post(t, path, url.Values{"email": {"eve@example.org"}, "seats": {"B1"}, "idempotency_key": {"k"}, "lang": {"zh-CN"}})
			p.Want(t, http.StatusForbidden).Says(t, "This form was sent from another site.")
		}
	}
	if after := dump(t, h, sc); after != before {
		t.Errorf("before %s, after %s", before, after)
	}
	b.Get(t, order).Want(t, http.StatusOK).Says(t, "Your seats are held")
}

// dump is what must not change by looking.
func dump(t *testing.T, h *handlertest.House, sc *domain.Screening) string {
	t.Helper()
	h.Agree(t, sc.ID)
	row, err := h.Store.Screening(t.Context(), sc.ID)
	if err != nil {
		t.Fatal(err)
	}
	orders, err := h.Store.LiveOrders(t.Context(), sc.ID)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := h.Redis.Snapshot(t.Context(), sc.Partition, sc.ID)
	if err != nil {
		t.Fatal(err)
	}
	out := fmt.Sprintf("%d free, version %d, map %s, hold store %+v;", row.Remaining, row.Version, snap.Map, snap.Meta)
	for _, o := range orders {
		out += fmt.Sprintf(" %s %s %d %s %s", o.ID, o.Status, o.Version, o.Email, o.ExpiresAt)
	}
	return out
}

// TestLookingChangesNothing visits every address that pages and answers show, by GET and HEAD, as its owner, as
// nobody and as a mail scanner, twice.
func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	sitetest.Each(t, func(t *testing.T, h *handlertest.House) {
		sc := h.Screening(t)
		b := sitetest.New(t, h)
		held, paying, paid := hold(t, b, sc.ID, "A1"), hold(t, b, sc.ID, "A2"), hold(t, b, sc.ID, "A3")
		gateway := pay(t, b, paying, "timeout").Path
		pay(t, b, paid, "approve")
		reload(t, b, paid, "Booking code")

		paths := []string{"/", "/orders", "/sign-in", "/sign-up", "/sign-out", "/language", "/screenings/" + sc.ID, "/screenings/" + sc.ID + "/holds", gateway, "/staff", "/staff/setup?token=x"}
		for _, order := range []string{held, paying, paid} {
			paths = append(paths, order, order+"/checkout", order+"/cancel", order+"/refund", order+"/qr.svg")
		}
		for _, path := range slices.Clone(paths) {
			for _, link := range b.Get(t, path).Links() {
				if !slices.Contains(paths, link) {
					paths = append(paths, link)
				}
			}
		}
		scanner, nobody := *b, sitetest.New(t, h)
		scanner.Header = b.Header.Clone()
		scanner.Header.Set("User-Agent", "MailScanner/1.0")
		before := dump(t, h, sc)
		for _, who := range []*sitetest.Browser{b, nobody, &scanner, b} {
			for _, path := range paths {
				for _, method := range []string{http.MethodGet, http.MethodHead} {
					if p := who.Do(t, method, path, nil); p.Status >= 500 {
						t.Errorf("%s %s: %d", method, path, p.Status)
					} else if method == http.MethodHead && p.Body != "" {
						t.Errorf("HEAD %s has a body", path)
					}
				}
			}
		}
		if after := dump(t, h, sc); after != before {
			t.Errorf("before %s\nafter  %s", before, after)
		}
		if nobody.Cookie(t, "/", "usher") != "" {
			t.Error("looking made a session")
		}
		b.Get(t, held).Says(t, "Your seats are held")
	})
}

func TestSeatPageRefusals(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	sc := h.Screening(t, func(o *repotest.Opts) { o.Limit = 3 })
	path := "/screenings/" + sc.ID
	b := sitetest.New(t, h)
	for name, c := range map[string]struct {
		form   url.Values
		status int
		says   string
	}{
		"nothing":    {url.Values{"seats": nil}, 422, "Please choose at least one seat."},
		"no key":     {url.Values{"idempotency_key": nil, "seats": {"A1"}}, 400, "That could not be read"},
		"unknown":    {url.Values{"seats": {"Z99"}}, 422, "The room has no such seat."},
		"twice":      {url.Values{"seats": {"A1", "A1"}}, 422, "A seat was named twice."},
		"over limit": {url.Values{"seats": {"A1", "A2", "A3", "A4"}}, 409, "more than one person may hold"},
		"none best":  {url.Values{"best": {"0"}}, 422, "Please choose at least one seat."},
		"no tier":    {url.Values{"best": {"2"}, "tier": {"gold"}}, 422, "Something in the form does not fit."},
		"both kinds": {url.Values{"best": {"2"}, "seats": {"A1"}}, 422, "Something in the form does not fit."},
	} {
		p := b.Submit(t, b.Get(t, path), path+"/holds", c.form)
		if p.Status != c.status || !strings.Contains(p.Text(), c.says) {
			t.Errorf("%s: got %d %s, want %d %s", name, p.Status, p.Text(), c.status, c.says)
		}
	}
	order := b.Submit(t, b.Get(t, path), path+"/holds", url.Values{"best": {"2"}, "tier": {"premium"}}).Want(t, http.StatusSeeOther).Header.Get("Location")
	reload(t, b, order, "€33.00")
	b.Get(t, "/screenings/"+repotest.ID()).Want(t, http.StatusNotFound)
	draft := h.Screening(t, func(o *repotest.Opts) { o.Status = domain.ScreeningDraft })
	b.Get(t, "/screenings/"+draft.ID).Want(t, http.StatusNotFound)
	paused := h.Screening(t, func(o *repotest.Opts) { o.Status = domain.ScreeningPaused })
	b.Get(t, "/screenings/"+paused.ID).Want(t, http.StatusOK).Says(t, "The sale is paused for a moment.").Lacks(t, "Hold these seats")
	b.Post(t, "/screenings/"+paused.ID+"/holds", url.Values{"seats": {"A1"}, "idempotency_key": {"k"}}).Want(t, http.StatusConflict).Says(t, "This screening is not on sale.")
}

func TestGeneralAdmissionByForm(t *testing.T) {
	t.Parallel()
	sitetest.Each(t, func(t *testing.T, h *handlertest.House) {
		sc := h.Screening(t, func(o *repotest.Opts) { o.Kind, o.Capacity = domain.KindGeneral, 5 })
		path := "/screenings/" + sc.ID
		b := sitetest.New(t, h)
		page := b.Get(t, path).Want(t, http.StatusOK).Says(t, "5 seats free", "€9.00 each")
		b.Submit(t, page, path+"/holds", url.Values{"quantity": {"6"}}).Want(t, http.StatusConflict).Says(t, "There are not enough free seats")
		order := b.Submit(t, page, path+"/holds", url.Values{"quantity": {"2"}, "idempotency_key": {"another"}}).Want(t, http.StatusSeeOther).Header.Get("Location")
		reload(t, b, order, "Your seats are held").Says(t, "2 tickets", "€18.00")
		pay(t, b, order, "approve")
		reload(t, b, order, "Booking code").Says(t, "2 tickets")
	})
}

func TestAScreeningThatIsBeingRebuilt(t *testing.T) {
	t.Parallel()
	box := servicetest.Embedded(t, servicetest.Options{Quiet: true})
	h := sitetest.Open(t, box)
	sc := repotest.Screening(t, h.Store)
	if err := h.Rebuild.Force(t.Context(), sc.ID); err != nil {
		t.Fatal(err)
	}
	if err := h.Redis.ShutGate(t.Context(), sc.Partition, sc.ID, 1<<50); err != nil {
		t.Fatal(err)
	}
	b := sitetest.New(t, h)
	path := "/screenings/" + sc.ID
	seats := b.Get(t, path).Want(t, http.StatusOK) // the ledger draws the map
	p := b.Submit(t, seats, path+"/holds", url.Values{"seats": {"A1", "A2"}}).Want(t, http.StatusServiceUnavailable)
	p.Says(t, "One moment, the seat map is being refreshed.", "Try again")
	if p.Header.Get("Retry-After") != "1" || p.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", p.Header)
	}
	again := b.Get(t, p.Link(t, path+"?")).Want(t, http.StatusOK)
	if !again.Ticked(t, "A1") || !again.Ticked(t, "A2") || again.Ticked(t, "A3") {
		t.Error("trying again forgot the choice")
	}
}
