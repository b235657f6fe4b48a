package webtest

import (
	"time"

	"github.com/a-h/templ"

	"usher/service/domain"
	"usher/web/component"
	"usher/web/i18n"
	"usher/web/layout"
	"usher/web/sitepage"
)

// Pages returns every page by name, made of the given words.
func Pages(l *i18n.Localizer, w Words) map[string]templ.Component {
	all := map[string]templ.Component{
		"whatson": WhatsOn(l, w), "whatson-empty": sitepage.WhatsOn(sitepage.WhatsOnPage{Page: Page(l, w, "/")}),
		"movie": Movie(l, w), "seatmap": sitepage.SeatMap(SeatMap(l, w)), "seatmap-taken": seatsTaken(l, w),
		"seatmap-closed": seatsClosed(l, w), "general": general(l, w), "checkout": checkout(l, w),
		"sandboxpay": sandboxPay(l, w, ""), "sandboxpay-done": sandboxPay(l, w, l.T("sandbox.done.approve")),
		"myorders": myOrders(l, w), "myorders-empty": sitepage.MyOrders(sitepage.MyOrdersPage{Page: Page(l, w, "/orders")}),
		"signin": sitepage.SignIn(sitepage.SignInPage{Page: guest(l, w, "/sign-in"), Email: w.Email, Next: "/orders", Error: l.T("error.code.bad_credentials")}),
		"signup": sitepage.SignUp(sitepage.SignUpPage{Page: guest(l, w, "/sign-up"), Email: w.Email, Name: w.Name, PasswordError: l.T("field.password_short")}),
	}
	for _, status := range []domain.OrderStatus{
		domain.OrderConfirming, domain.OrderReserved, domain.OrderPaying, domain.OrderPaid, domain.OrderFailed,
		domain.OrderExpired, domain.OrderCancelled, domain.OrderRefunding, domain.OrderRefunded,
	} {
		all["order-"+string(status)] = sitepage.Order(Order(l, w, status))
	}
	for name, status := range map[string]int{"404": 404, "409": 409, "410": 410, "422": 422, "429": 429, "500": 500, "503": 503} {
		all["error-"+name] = sitepage.Error(sitepage.ErrorPage{
			Page: Page(l, w, "/orders/1"), Status: status, RequestID: "4f1c0a9be2", Retry: status >= 429,
		})
	}
	for name, page := range adminPages(l, w) {
		all[name] = page
	}
	return all
}

func guest(l *i18n.Localizer, w Words, path string) layout.Page {
	p := Page(l, w, path)
	p.SignedIn, p.UserName = false, ""
	return p
}

// Times returns four time buttons, one of each look.
func Times(l *i18n.Localizer, w Words) []sitepage.TimeButton {
	var out []sitepage.TimeButton
	for i, free := range []int{120, 14, 3, 0} {
		at := Now().Add(time.Duration(i)*150*time.Minute - time.Hour)
		look, words := component.Availability(l, free, 180)
		t := sitepage.TimeButton{
			Time: l.Time(at, Zone()), DateTime: at.Format(time.RFC3339), Auditorium: w.Room, Words: words, Look: look,
		}
		if free > 0 {
			t.URL = "/screenings/0190c0de-5c00"
		}
		out = append(out, t)
	}
	return out
}

// WhatsOn is the programme of a day.
func WhatsOn(l *i18n.Localizer, w Words) templ.Component {
	vm := sitepage.WhatsOnPage{Page: Page(l, w, "/"), DayTitle: l.Date(Now(), Zone())}
	vm.Flash = []layout.Flash{{Kind: "success", Text: l.T("flash.cancelled")}}
	for i := range 7 {
		at := Now().AddDate(0, 0, i)
		name, date := l.DayTab(at, Now(), Zone())
		vm.Days = append(vm.Days, sitepage.DayTab{URL: "/?date=" + at.Format(time.DateOnly), Name: name, Date: date, Current: i == 0})
	}
	for i, key := range []string{"metropolis", "nosferatu", "thief-of-bagdad", "sunrise", "safety-last"} {
		title := w.Title
		if w == Plain() {
			title = []string{"Metropolis", "Nosferatu", "The Thief of Bagdad", "Sunrise: A Song of Two Humans", "Safety Last!"}[i]
		}
		vm.Movies = append(vm.Movies, sitepage.MovieCard{
			URL: "/movies/1", Title: title, Meta: component.MovieMeta(l, &domain.Movie{Year: 1927, RuntimeMinutes: 153}),
			Synopsis: "A city of towers, a son who goes below, and a machine with a face. One of the great silent films, shown with live piano.",
			Poster:   component.PosterURL(key), Times: Times(l, w)[:2+i%3],
		})
	}
	return sitepage.WhatsOn(vm)
}

// Movie is one movie with two days.
func Movie(l *i18n.Localizer, w Words) templ.Component {
	return sitepage.Movie(sitepage.MoviePage{
		Page: Page(l, w, "/movies/1"), Name: w.Title, OtherName: "大都会", Meta: "1927 · 153 min", Poster: component.PosterURL("metropolis"),
		Synopsis: "A city of towers, a son who goes below, and a machine with a face. One of the great silent films.",
		Days: []sitepage.DayTimes{
			{Title: l.Day(Now(), Now(), Zone()), Times: Times(l, w)},
			{Title: l.Day(Now().AddDate(0, 0, 3), Now(), Zone()), Times: Times(l, w)[:2]},
		},
	})
}

// SeatMap is the view model of a seated screening.
func SeatMap(l *i18n.Localizer, w Words) sitepage.SeatMapPage {
	plan := Layout(w)
	m := component.NewSeatMap(l, component.SeatMapInput{
		Layout: plan, States: States(plan), Prices: Prices(w), Currency: "EUR",
		Chosen: map[string]bool{"H9": true, "H10": true},
	})
	legend := component.NewLegend(l, plan, Prices(w), "EUR")
	return sitepage.SeatMapPage{
		Page: Page(l, w, "/screenings/0190c0de-5c00"), Screening: Head(l, w), OnSale: true,
		FreeWords: component.FreeLine(l, 168), Map: &m, Legend: legend, Tiers: legend, Kinds: component.Kinds(plan),
		MaxSeats: 8, HoldWords: component.HoldWords(l, 10*time.Minute), Currency: "EUR", Version: "42",
		IdempotencyKey: "k-1", BestKey: "k-2",
	}
}

func seatsTaken(l *i18n.Localizer, w Words) templ.Component {
	vm := SeatMap(l, w)
	plan := Layout(w)
	vm.Alert = component.SeatsGone(l, []string{component.SeatName(l, &plan.Seats[100]), component.SeatName(l, &plan.Seats[101])})
	return sitepage.SeatMap(vm)
}

func seatsClosed(l *i18n.Localizer, w Words) templ.Component {
	vm := SeatMap(l, w)
	vm.OnSale, vm.Notice = false, l.T("screening.not_on_sale.closed")
	return sitepage.SeatMap(vm)
}

func general(l *i18n.Localizer, w Words) templ.Component {
	vm := SeatMap(l, w)
	vm.Map, vm.Legend, vm.Kinds = nil, nil, nil
	vm.General = &sitepage.GeneralAdmission{Price: l.Money(950, "EUR"), Minor: "950", Free: "64", Quantity: 2}
	return sitepage.SeatMap(vm)
}
