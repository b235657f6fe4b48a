package admin_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"usher/handlers/handlertest"
	"usher/handlers/site/sitetest"
	"usher/repo/repotest"
	"usher/service/domain"
	"usher/service/servicetest"
)

const password = "a long enough one"

// staff opens a browser that is signed in as a new staff member with the role.
func staff(t *testing.T, h *handlertest.House, role domain.Role) *sitetest.Browser {
	t.Helper()
	b := sitetest.New(t, h)
	b.Header.Set("Authorization", "Bearer "+h.Staff(t, role).Token)
	return b
}

func TestTheSetUpLinkWorksOnce(t *testing.T) {
	t.Parallel()
	sitetest.Each(t, func(t *testing.T, h *handlertest.House) {
		token, needed, err := h.Accounts.SetupToken(t.Context())
		if err != nil || !needed {
			t.Fatalf("token needed %v, %v", needed, err)
		}
		link := "/staff/setup?token=" + url.QueryEscape(token)
		first, second, third := sitetest.New(t, h), sitetest.New(t, h), sitetest.New(t, h)
		open := second.Get(t, link).Want(t, http.StatusOK)

		form := first.Get(t, link).Want(t, http.StatusOK).Says(t, "This link works once.")
		wrong := first.Submit(t, form, "/staff/setup", url.Values{"email": {"boss@example.org"}, "password": {"short"}})
		wrong.Want(t, http.StatusUnprocessableEntity).Says(t, "Please use at least 8 characters.")
		if got := wrong.Form(t, "/staff/setup", nil); got.Get("email") != "boss@example.org" || got.Get("token") != token {
			t.Errorf("the form forgot what was typed: %v", got)
		}
		done := first.Submit(t, wrong, "/staff/setup", url.Values{"password": {password}}).Leads(t, "/staff")
		first.Follow(t, done).Want(t, http.StatusOK).Says(t, "Overview", "You are signed in.")

		second.Submit(t, open, "/staff/setup", url.Values{"email": {"eve@example.org"}, "password": {password}}).Want(t, http.StatusForbidden).Says(t, "has been used or replaced")
		third.Post(t, "/staff/setup", url.Values{"token": {"guessed"}, "email": {"eve@example.org"}, "password": {password}}).Want(t, http.StatusForbidden)
		second.Get(t, "/staff").Leads(t, "/staff/sign-in?next=%2Fstaff")
		second.Post(t, "/staff/sign-in", url.Values{"email": {"eve@example.org"}, "password": {password}}).Want(t, http.StatusUnauthorized)
		third.Post(t, "/staff/sign-in", url.Values{"email": {"boss@example.org"}, "password": {password}, "next": {"/staff/screenings"}}).Leads(t, "/staff/screenings")
	})
}

func TestStaffPagesAreForStaff(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	sc := h.Screening(t)
	nobody, moviegoer := sitetest.New(t, h), sitetest.New(t, h)
	account := url.Values{"email": {"ada@example.org"}, "password": {password}}
	moviegoer.Post(t, "/sign-up", account).Want(t, http.StatusSeeOther)
	for _, b := range []*sitetest.Browser{nobody, moviegoer} {
		b.Get(t, "/staff").Leads(t, "/staff/sign-in?next=%2Fstaff")
		b.Get(t, "/staff/screenings?status=on_sale").Leads(t, "/staff/sign-in?next=%2Fstaff%2Fscreenings%3Fstatus%3Don_sale")
		b.Post(t, "/staff/screenings/"+sc.ID+"/status", url.Values{"status": {"closed"}}).Leads(t, "/staff/sign-in?next=%2Fstaff")
		b.Post(t, "/staff/screenings/"+sc.ID+"/rebuild", nil).Leads(t, "/staff/sign-in?next=%2Fstaff")
	}
	moviegoer.Post(t, "/staff/sign-in", account).Want(t, http.StatusUnauthorized).Says(t, "E-mail or password is not right.")
	for _, next := range []string{"https://evil.example", "//evil.example", "/orders", "/staffed", "/staff/../orders\t"} {
		form := nobody.Get(t, "/staff/sign-in?next="+url.QueryEscape(next)).Want(t, http.StatusOK).Form(t, "/staff/sign-in", nil)
		if got := form.Get("next"); got != "/staff" {
			t.Errorf("next %q became %q", next, got)
		}
	}
	if row, err := h.Store.Screening(t.Context(), sc.ID); err != nil || row.Status != domain.ScreeningOnSale {
		t.Errorf("the screening is %s, %v", row.Status, err)
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	sc := h.Screening(t)
	path := "/staff/screenings/" + sc.ID
	for _, c := range []struct {
		role    domain.Role
		buttons string
		may     map[string]bool
	}{
		{domain.RoleViewer, "", nil},
		{domain.RoleOperator, "paused rebuild", map[string]bool{"paused": true, "rebuild": true}},
		{domain.RoleManager, "on_sale paused closed rebuild", map[string]bool{"paused": true, "rebuild": true, "on_sale": true, "closed": true}},
		{domain.RoleAdmin, "on_sale paused closed rebuild", map[string]bool{"paused": true, "rebuild": true, "on_sale": true, "closed": true}},
	} {
		b := staff(t, h, c.role)
		page := b.Get(t, path).Want(t, http.StatusOK)
		if got := buttons(page, path); got != c.buttons {
			t.Errorf("%s sees %q, want %q", c.role, got, c.buttons)
		}
		for _, what := range []string{"paused", "closed", "on_sale", "rebuild"} { // ends as it began
			var p *sitetest.Page
			if what == "rebuild" {
				p = b.Post(t, path+"/rebuild", nil)
			} else {
				p = b.Post(t, path+"/status", url.Values{"status": {what}})
			}
			if want := map[bool]int{true: http.StatusSeeOther, false: http.StatusForbidden}[c.may[what]]; p.Status != want {
				t.Errorf("%s, %s: got %d %s, want %d", c.role, what, p.Status, p.Text(), want)
			}
		}
		if c.role == domain.RoleOperator { // may pause, may not open again
			staff(t, h, domain.RoleManager).Post(t, path+"/status", url.Values{"status": {"on_sale"}}).Want(t, http.StatusSeeOther)
		}
	}
	staff(t, h, domain.RoleViewer).Post(t, path+"/rebuild", nil).Want(t, http.StatusForbidden).Says(t, "Not allowed")
}

// buttons lists what a page lets somebody do, disabled buttons included.
func buttons(p *sitetest.Page, path string) string {
	var out []string
	for _, form := range p.Find("form", func(n *html.Node) bool { return strings.HasPrefix(sitetest.Attr(n, "action"), path) }) {
		if sitetest.Attr(form, "action") == path+"/rebuild" {
			out = append(out, "rebuild")
			continue
		}
		for n := range form.Descendants() {
			if sitetest.Attr(n, "name") == "status" {
				out = append(out, sitetest.Attr(n, "value"))
			}
		}
	}
	return strings.Join(out, " ")
}

func TestAScreeningsDay(t *testing.T) {
	t.Parallel()
	sitetest.Each(t, func(t *testing.T, h *handlertest.House) {
		sc := h.Screening(t)
		path := "/staff/screenings/" + sc.ID
		buyer, boss := sitetest.New(t, h), staff(t, h, domain.RoleManager)
		public := "/screenings/" + sc.ID
		answer := buyer.Submit(t, buyer.Get(t, public), public+"/holds", url.Values{"seats": {"A1", "C4"}}).Want(t, http.StatusSeeOther)
		order := strings.TrimPrefix(answer.Header.Get("Location"), "/orders/")
		servicetest.Eventually(t, 10*time.Second, func() (bool, string) {
			p := boss.Get(t, path).Want(t, http.StatusOK)
			return strings.Contains(p.Text(), order[len(order)-8:]), p.Text()
		})
		page := boss.Get(t, path).Says(t, "Stalls, row C, seat 4", "Held", "19:40 CET", "Seats decided by")
		states := map[string]string{}
		for _, seat := range page.Find("span", func(n *html.Node) bool { return sitetest.Attr(n, "data-no") != "" }) {
			states[sitetest.Attr(seat, "data-no")] = sitetest.Attr(seat, "data-state")
		}
		if len(states) != 30 || states["A1"] != "held" || states["C4"] != "held" || states["A2"] != "free" {
			t.Errorf("the staff's map says %v", states)
		}

		epoch := epochOf(t, h, sc.ID)
		boss.Follow(t, boss.Submit(t, page, path+"/rebuild", nil)).Says(t, "The seat map was rebuilt.")
		if after := epochOf(t, h, sc.ID); after <= epoch {
			t.Errorf("epoch %d became %d", epoch, after)
		}
		boss.Get(t, path).Lacks(t, "The seat map was rebuilt.")
		boss.Follow(t, boss.Post(t, path+"/status", url.Values{"status": {"paused"}})).Says(t, "The status was changed.", "Paused")
		buyer.Get(t, public).Says(t, "The sale is paused for a moment.")
		boss.Post(t, path+"/status", url.Values{"status": {"cancelled"}}).Want(t, http.StatusUnprocessableEntity)
		boss.Post(t, "/staff/screenings/"+repotest.ID()+"/status", url.Values{"status": {"paused"}}).Want(t, http.StatusNotFound)
		draft := h.Screening(t, func(o *repotest.Opts) { o.Status = domain.ScreeningDraft })
		boss.Post(t, "/staff/screenings/"+draft.ID+"/status", url.Values{"status": {"paused"}}).Want(t, http.StatusConflict).Says(t, "Draft")
		boss.Follow(t, boss.Post(t, path+"/status", url.Values{"status": {"on_sale"}})).Says(t, "On sale")
		h.Agree(t, sc.ID)
	})
}

func epochOf(t *testing.T, h *handlertest.House, screeningID string) int64 {
	t.Helper()
	sc, err := h.Store.Screening(t.Context(), screeningID)
	if err != nil {
		t.Fatal(err)
	}
	return sc.Epoch
}

func TestScreeningsList(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	cinema := repotest.Cinema(t, h.Store)
	add := func(after time.Duration, status domain.ScreeningStatus) string {
		return repotest.Screening(t, h.Store, func(o *repotest.Opts) {
			o.CinemaID, o.Starts, o.Status = cinema.ID, repotest.Now.Add(after), status
		}).ID
	}
	past, today := add(-30*time.Hour, domain.ScreeningClosed), add(2*time.Hour, domain.ScreeningOnSale)
	draft, tomorrow := add(3*time.Hour, domain.ScreeningDraft), add(26*time.Hour, domain.ScreeningOnSale)
	all := []string{past, today, draft, tomorrow}
	b := staff(t, h, domain.RoleViewer)
	for query, want := range map[string][]string{
		"":                                {today, draft, tomorrow},
		"?status=draft":                   {draft},
		"?date=2031-03-14":                {today, draft},
		"?date=2031-03-13":                {past},
		"?date=2031-03-15&status=on_sale": {tomorrow},
		"?date=2031-03-20":                nil,
	} {
		p := b.Get(t, "/staff/screenings"+query).Want(t, http.StatusOK)
		for _, id := range all {
			shown := strings.Contains(p.Body, "/staff/screenings/"+id)
			wanted := strings.Contains(strings.Join(want, " "), id)
			if shown != wanted {
				t.Errorf("%q: screening %s shown %v, want %v", query, id, shown, wanted)
			}
		}
	}
	b.Get(t, "/staff/screenings?date=2031-03-20").Says(t, "Nothing matches this filter.", "Clear filter")
	b.Get(t, "/staff/screenings?date=tomorrow").Want(t, http.StatusUnprocessableEntity)
	b.Get(t, "/staff/screenings?status=sold").Want(t, http.StatusUnprocessableEntity)
	first := b.Get(t, "/staff/screenings?limit=2").Want(t, http.StatusOK)
	next := b.Get(t, first.Link(t, "/staff/screenings?cursor="))
	if strings.Contains(next.Body, today) || !strings.Contains(next.Body, tomorrow) {
		t.Error("the second page is not what follows the first")
	}
}

func TestOverview(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	h.Screening(t)
	b := staff(t, h, domain.RoleViewer)
	page := b.Get(t, "/staff").Want(t, http.StatusOK).Says(t, "In flight", "Dead letters", "Up", "Nothing waits for a person.", "CET")
	for _, link := range page.Links() {
		if p := b.Get(t, link); p.Status != http.StatusOK {
			t.Errorf("the overview links %s: %d", link, p.Status)
		}
	}
	b.Header.Set("Accept-Language", "zh-CN")
	b.Get(t, "/staff").Says(t, "死信").Lacks(t, "Dead", "Up")
}
