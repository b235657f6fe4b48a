package site_test

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
	"usher/service"
	"usher/service/domain"
	"usher/service/servicetest"
)

// reload asks for the order's page until it says the text, as the page without a script does by itself.
func reload(t *testing.T, b *sitetest.Browser, path, text string) *sitetest.Page {
	t.Helper()
	var p *sitetest.Page
	servicetest.Eventually(t, 10*time.Second, func() (bool, string) {
		p = b.Get(t, path).Want(t, http.StatusOK)
		return strings.Contains(p.Text(), text), "it says " + p.Text()
	})
	return p
}

// hold takes seats by the form of the seat page and returns the order's address once it is reserved.
func hold(t *testing.T, b *sitetest.Browser, screeningID string, seats ...string) string {
	t.Helper()
	path := "/screenings/" + screeningID
	answer := b.Submit(t, b.Get(t, path).Want(t, http.StatusOK), path+"/holds", url.Values{"seats": seats})
	answer.Want(t, http.StatusSeeOther)
	order := answer.Header.Get("Location")
	reload(t, b, order, "Your seats are held")
	return order
}

// pay goes from a reserved order to the gateway's page and chooses the outcome; it returns where that leads.
func pay(t *testing.T, b *sitetest.Browser, order, outcome string) *sitetest.Page {
	t.Helper()
	form := b.Get(t, order+"/checkout").Want(t, http.StatusOK)
	answer := b.Submit(t, form, order+"/checkout", url.Values{"email": {"ada@example.org"}, "name": {"Ada"}})
	gateway := b.Follow(t, answer).Want(t, http.StatusOK)
	return b.Post(t, gateway.Path, url.Values{"outcome": {outcome}})
}

// TestAWholeVisitWithoutAScript goes by the pages' own links and forms from the programme to the refund.
func TestAWholeVisitWithoutAScript(t *testing.T) {
	t.Parallel()
	sitetest.Each(t, func(t *testing.T, h *handlertest.House) {
		sc := h.Screening(t)
		b := sitetest.New(t, h)

		day := b.Get(t, "/").Want(t, http.StatusOK).Says(t, "The Long Reel", "Seats free")
		movie := b.Get(t, day.Link(t, "/movies/")).Want(t, http.StatusOK).Says(t, "长卷", "21:30")
		seats := b.Get(t, movie.Link(t, "/screenings/"+sc.ID)).Want(t, http.StatusOK).Says(t, "30 seats free", "Friday, 14 March")
		if got := b.Cookie(t, "/", "usher"); got != "" {
			t.Fatalf("looking made a session: %s", got)
		}
		css := b.Get(t, linkedStyle(t, seats)).Want(t, http.StatusOK)
		if got := css.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") || !strings.Contains(css.Body, ".s29{") {
			t.Errorf("layout: cache control %q, %d bytes", got, len(css.Body))
		}

		answer := b.Submit(t, seats, seats.Path+"/holds", url.Values{"seats": {"A1", "A2"}})
		order := answer.Want(t, http.StatusSeeOther).Header.Get("Location")
		if b.Cookie(t, "/", "usher") == "" || b.Cookie(t, order, "usher_receipt") == "" {
			t.Fatal("the hold brought no session or no receipt")
		}
		reserved := reload(t, b, order, "Your seats are held").Says(t, "row A, seat 1", "€24.00", "until 19:40 CET")
		b.Get(t, seats.Path).Says(t, "28 seats free")
		if got := b.Get(t, seats.Path).SeatState(t, "A1"); got != "mine" {
			t.Errorf("A1 is %s for its owner, want mine", got)
		}
		b.Get(t, order+"/qr.svg").Want(t, http.StatusConflict)

		form := b.Get(t, reserved.Link(t, order+"/checkout")).Want(t, http.StatusOK)
		wrong := b.Submit(t, form, form.Path, url.Values{"email": {"ada at example"}, "name": {"Ada"}})
		wrong.Want(t, http.StatusUnprocessableEntity).Says(t, "This does not look like an e-mail address.")
		if got := wrong.Form(t, form.Path, nil); got.Get("email") != "ada at example" || got.Get("name") != "Ada" {
			t.Errorf("the form forgot what was typed: %v", got)
		}
		gateway := b.Follow(t, b.Submit(t, wrong, form.Path, url.Values{"email": {"ada@example.org"}})).Want(t, http.StatusOK)
		gateway.Says(t, "Test payment", "€24.00", "Lichtspiele")
		b.Get(t, order).Says(t, "Please do not pay again", "Back to the payment page")
		b.Post(t, gateway.Path, url.Values{"outcome": {"approve"}}).Leads(t, order)

		ticket := reload(t, b, order, "Enjoy the film").Says(t, "Booking code", "row A, seat 2", "You can refund these tickets until Friday, 14 March, 21:30")
		qr := b.Get(t, order+"/qr.svg").Want(t, http.StatusOK)
		if qr.Header.Get("Content-Type") != "image/svg+xml" || qr.Header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(qr.Body, "<svg") {
			t.Errorf("QR: %v %.40s", qr.Header, qr.Body)
		}
		b.Get(t, gateway.Path).Says(t, "This payment was approved.")
		b.Get(t, "/orders").Want(t, http.StatusOK).Says(t, "Upcoming", "Paid", "€24.00")

		back := b.Follow(t, b.Submit(t, ticket, order+"/refund", nil))
		back.Says(t, "The refund is on its way.").Lacks(t, "Booking code")
		reload(t, b, order, "€24.00 went back to you").Lacks(t, "The refund is on its way.")
		b.Get(t, "/orders").Says(t, "Past", "Refunded")
		h.Agree(t, sc.ID)
	})
}

func linkedStyle(t *testing.T, p *sitetest.Page) string {
	t.Helper()
	links := p.Find("link", func(n *html.Node) bool { return strings.HasPrefix(sitetest.Attr(n, "href"), "/layouts/") })
	if len(links) != 1 {
		t.Fatalf("%s links %d layouts", p.Path, len(links))
	}
	return sitetest.Attr(links[0], "href")
}

func TestTwoBuyersOneSeat(t *testing.T) {
	t.Parallel()
	sitetest.Each(t, func(t *testing.T, h *handlertest.House) {
		sc := h.Screening(t)
		path := "/screenings/" + sc.ID
		winner, loser := sitetest.New(t, h), sitetest.New(t, h)
		seen := loser.Get(t, path)
		order := hold(t, winner, sc.ID, "B1", "B2")

		lost := loser.Submit(t, seen, path+"/holds", url.Values{"seats": {"B2", "B3"}}).Want(t, http.StatusConflict)
		lost.Says(t, "This seat was just taken by somebody else", "Stalls, row B, seat 2").Lacks(t, "row B, seat 1")
		if lost.SeatState(t, "B2") != "held" || lost.Ticked(t, "B2") || !lost.Ticked(t, "B3") || lost.Ticked(t, "B4") {
			t.Errorf("B2 is %s, ticked %v; B3 ticked %v", lost.SeatState(t, "B2"), lost.Ticked(t, "B2"), lost.Ticked(t, "B3"))
		}
		again := loser.Submit(t, lost, path+"/holds", url.Values{"seats": {"B3"}}).Want(t, http.StatusSeeOther)
		reload(t, loser, again.Header.Get("Location"), "Your seats are held")

		for _, about := range []string{order, order + "/checkout", order + "/qr.svg"} {
			loser.Get(t, about).Want(t, http.StatusNotFound).Lacks(t, "row B")
		}
		for _, act := range []string{"/cancel", "/refund", "/checkout"} {
			loser.Post(t, order+act, url.Values{"email": {"eve@example.org"}}).Want(t, http.StatusNotFound)
		}
		own := winner.Submit(t, winner.Get(t, path), path+"/holds", url.Values{"seats": {"B1"}}).Want(t, http.StatusConflict)
		own.Says(t, "These seats are yours already").Lacks(t, "somebody else")
		h.Agree(t, sc.ID)
	})
}

func TestPressingTwiceIsOneOrder(t *testing.T) {
	t.Parallel()
	sitetest.Each(t, func(t *testing.T, h *handlertest.House) {
		sc := h.Screening(t)
		path := "/screenings/" + sc.ID
		b := sitetest.New(t, h)
		form := b.Get(t, path).Form(t, path+"/holds", url.Values{"seats": {"C1", "C2"}})
		const presses = 6 // none of them has a session yet
		got := make(chan string, presses)
		for range presses {
			fresh := sitetest.New(t, h)
			go func() {
				p := fresh.Post(t, path+"/holds", form)
				got <- p.Header.Get("Location")
			}()
		}
		first := <-got
		if !strings.HasPrefix(first, "/orders/") {
			t.Fatalf("the form leads to %q", first)
		}
		for range presses - 1 {
			if next := <-got; next != first {
				t.Errorf("one press leads to %s, another to %s", first, next)
			}
		}
		b.Post(t, path+"/holds", form).Leads(t, first) // later, with a session that the memory gives
		reload(t, b, first, "Your seats are held")
		b.Post(t, path+"/holds", form).Leads(t, first)
		form["seats"] = []string{"C3"}
		b.Post(t, path+"/holds", form).Want(t, http.StatusUnprocessableEntity).Says(t, "already used for another choice")
		h.Agree(t, sc.ID)
		if sc, err := h.Store.Screening(t.Context(), sc.ID); err != nil || sc.Remaining != 28 {
			t.Errorf("remaining %d, %v, want 28", sc.Remaining, err)
		}
	})
}

func TestOutcomesOfPaying(t *testing.T) {
	t.Parallel()
	h := sitetest.Start(t)
	sc := h.Screening(t)
	b := sitetest.New(t, h)

	declined := hold(t, b, sc.ID, "A1")
	b.Follow(t, pay(t, b, declined, "decline")).Says(t, "This payment was declined.", "Continue to payment")
	silent := hold(t, b, sc.ID, "A2")
	b.Follow(t, pay(t, b, silent, "timeout")).Says(t, "We are checking your payment", "Please do not pay again")
	twice := hold(t, b, sc.ID, "A3")
	pay(t, b, twice, "duplicate").Leads(t, twice)
	reload(t, b, twice, "Booking code")
	nonsense := hold(t, b, sc.ID, "A4")
	pay(t, b, nonsense, "perhaps").Want(t, http.StatusUnprocessableEntity).Says(t, "Test payment")

	given := hold(t, b, sc.ID, "A5")
	b.Follow(t, b.Submit(t, b.Get(t, given), given+"/cancel", nil)).Says(t, "Your seats were given back.", "Choose seats again")
	gone := b.Get(t, given+"/checkout").Want(t, http.StatusGone).Says(t, "This order was cancelled")
	if gone.Link(t, "/screenings/") != "/screenings/"+sc.ID {
		t.Error("no way back to the screening")
	}
	b.Post(t, given+"/checkout", url.Values{"email": {"ada@example.org"}}).Want(t, http.StatusGone).Says(t, "Choose seats again")
	b.Post(t, given+"/refund", nil).Want(t, http.StatusGone)
	b.Post(t, twice+"/cancel", nil).Want(t, http.StatusConflict).Says(t, "The order has moved on", "Booking code")
}

func TestAnOrderWhoseTimeIsUp(t *testing.T) {
	t.Parallel()
	b := servicetest.Embedded(t, servicetest.Options{Quiet: true, Ack: service.AckRedis})
	h := sitetest.Open(t, b)
	visitor := sitetest.New(t, h)
	sc := repotest.Screening(t, h.Store)
	if err := b.Rebuild.Force(t.Context(), sc.ID); err != nil {
		t.Fatal(err)
	}
	answer := visitor.Submit(t, visitor.Get(t, "/screenings/"+sc.ID), "/screenings/"+sc.ID+"/holds", url.Values{"seats": {"A1"}})
	order := answer.Want(t, http.StatusSeeOther).Header.Get("Location")
	visitor.Get(t, order).Want(t, http.StatusOK).Says(t, "Confirming your seats")
	visitor.Get(t, order+"/checkout").Leads(t, order)
	visitor.Post(t, order+"/checkout", url.Values{"email": {"ada@example.org"}}).Want(t, http.StatusConflict).Says(t, "still being confirmed")

	entries, err := b.Settlement.Claim(t.Context(), sc.Partition, "test", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Settlement.Settle(t.Context(), sc.Partition, entries); err != nil {
		t.Fatal(err)
	}
	visitor.Get(t, order+"/checkout").Want(t, http.StatusOK)
	h.Now.Forward(11 * time.Minute) // and no expiry job runs here
	visitor.Get(t, order+"/checkout").Want(t, http.StatusGone).Says(t, "The time is up", "Choose seats again").Lacks(t, "Continue to payment")
	visitor.Post(t, order+"/checkout", url.Values{"email": {"ada@example.org"}}).Want(t, http.StatusGone).Says(t, "The time is up")
	if _, err := b.Expiry.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	visitor.Get(t, order).Want(t, http.StatusOK).Says(t, "The time is up", "Choose seats again")
	if order, err := h.Store.Order(t.Context(), strings.TrimPrefix(order, "/orders/")); err != nil || order.Status != domain.OrderExpired {
		t.Errorf("order %+v, %v", order, err)
	}
}

// A hold that Redis forgot before it was settled is told to its owner by the receipt that his browser kept;
// without it nobody could tell it from an order that never was.
func TestALostHoldIsTold(t *testing.T) {
	t.Parallel()
	box := servicetest.Real(t, servicetest.Options{Quiet: true, Ack: service.AckRedis})
	h := sitetest.Open(t, box)
	sc := repotest.Screening(t, h.Store)
	if err := box.Rebuild.Screening(t.Context(), sc.ID); err != nil {
		t.Fatal(err)
	}
	b := sitetest.New(t, h)
	answer := b.Submit(t, b.Get(t, "/screenings/"+sc.ID), "/screenings/"+sc.ID+"/holds", url.Values{"seats": {"A1"}})
	order := answer.Want(t, http.StatusSeeOther).Header.Get("Location")
	b.Get(t, order).Want(t, http.StatusOK).Says(t, "Confirming your seats")
	box.Server.Kill()
	box.Server.Wipe()
	box.Server.Start()
	servicetest.Eventually(t, 10*time.Second, func() (bool, string) {
		p := b.Get(t, order)
		return p.Status == http.StatusGone, p.Text()
	})
	b.Get(t, order).Says(t, "These seats were lost on the way. Nothing was charged.")
}
