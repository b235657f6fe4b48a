package webtest

import (
	"time"

	"github.com/a-h/templ"

	"usher/service/domain"
	"usher/web/adminpage"
	"usher/web/component"
	"usher/web/i18n"
	"usher/web/layout"
)

func staff(l *i18n.Localizer, w Words, path string) layout.Page {
	p := Page(l, w, path)
	p.Staff = true
	return p
}

func adminPages(l *i18n.Localizer, w Words) map[string]templ.Component {
	return map[string]templ.Component{
		"staff-setup": adminpage.Setup(adminpage.SetupPage{
			Page: guest(l, w, "/staff/setup"), Token: "t0k3n", Email: w.Email, EmailError: l.T("field.email"),
		}),
		"staff-signin":           adminpage.SignIn(adminpage.SignInPage{Page: guest(l, w, "/staff/sign-in"), Email: w.Email, Error: l.T("error.code.bad_credentials")}),
		"staff-overview":         overview(l, w, adminpage.Numbers{InFlight: 12, LagMS: 38, Rate: 214.5, RetryTasks: 3, RetryOldest: 75 * time.Second, DeadLetters: 1, DeadLettersOldest: 2 * time.Hour, EffectsDue: 4, EffectsOldest: 2 * time.Second}),
		"staff-overview-well":    overview(l, w, adminpage.Numbers{LagMS: 9}),
		"staff-screenings":       screenings(l, w),
		"staff-screenings-empty": adminpage.Screenings(adminpage.ScreeningsPage{Page: staff(l, w, "/staff/screenings"), Filtered: true}),
		"staff-screening":        screening(l, w),
	}
}

func overview(l *i18n.Localizer, w Words, n adminpage.Numbers) templ.Component {
	return adminpage.Overview(adminpage.OverviewPage{
		Page: staff(l, w, "/staff"), Counters: adminpage.NewCounters(l, n), UpdatedAt: l.TimeZoned(Now(), Zone()),
		AllWell: n.DeadLetters+n.RetryTasks+n.EffectsDue == 0,
		Stores: []adminpage.StoreState{
			{Name: l.T("store.ledger"), Word: l.T("store.up"), Note: "sqlite 3.50", Look: "ok", Path: "stores.ledger"},
			{Name: l.T("store.hold_store"), Word: l.T("store.slow"), Note: "embedded", Look: "busy", Path: "stores.hold_store"},
		},
		Partitions: []adminpage.PartitionRow{
			{Name: "p00", InFlight: "0", Lag: "9 ms", Settled: "1780676400000-0", Worker: w.Name},
			{Name: "p01", InFlight: "12", Lag: "38 ms", Settled: "1780676400311-4", Worker: w.Name},
		},
	})
}

func screenings(l *i18n.Localizer, w Words) templ.Component {
	row := func(status domain.ScreeningStatus, free, share string) adminpage.ScreeningRow {
		look, word := component.ScreeningWord(l, status)
		return adminpage.ScreeningRow{
			URL: "/staff/screenings/0190c0de-5c00", Title: w.Title, Date: l.ShortDate(Now(), Zone()), Time: l.Time(Now(), Zone()),
			Zone: "CEST", Auditorium: w.Room, Free: free, Capacity: "198", Share: share, Look: look, Status: word,
			Epoch: "7", HoldMode: l.T("hold_mode.redis"),
		}
	}
	return adminpage.Screenings(adminpage.ScreeningsPage{
		Page: staff(l, w, "/staff/screenings"), Date: "2026-06-05", Filtered: true,
		Statuses: []adminpage.Option{{Value: "", Label: l.T("list.all")}, {Value: "on_sale", Label: l.T("screening.status.on_sale"), Selected: true}},
		Rows: []adminpage.ScreeningRow{
			row(domain.ScreeningOnSale, "168", "15"), row(domain.ScreeningPaused, "40", "80"),
			row(domain.ScreeningDraft, "198", "0"), row(domain.ScreeningCancelled, "0", "100"),
		},
		NextURL: "/staff/screenings?after=x",
	})
}

func screening(l *i18n.Localizer, w Words) templ.Component {
	plan := Layout(w)
	states := States(plan)
	m := component.NewSeatMap(l, component.SeatMapInput{Layout: plan, States: states, Prices: Prices(w), Currency: "EUR", ReadOnly: true})
	vm := adminpage.ScreeningPage{
		Page: staff(l, w, "/staff/screenings/0190c0de-5c00"), Screening: Head(l, w), Map: &m, Kinds: component.Kinds(plan), CanBuild: true,
		Facts: []adminpage.Fact{
			{Label: l.T("screening.fact.capacity"), Value: "198"},
			{Label: l.T("screening.fact.free"), Value: "168"},
			{Label: l.T("screening.fact.held"), Value: "6"},
			{Label: l.T("screening.fact.sold"), Value: "22"},
			{Label: l.T("screening.fact.epoch"), Value: "7"},
			{Label: l.T("screening.fact.hold_mode"), Value: l.T("hold_mode.redis")},
		},
		Actions: []adminpage.StatusAction{
			{Value: "on_sale", Label: l.T("screening.action.on_sale"), Why: l.T("screening.action.already")},
			{Value: "paused", Label: l.T("screening.action.paused")},
			{Value: "closed", Label: l.T("screening.action.closed")},
		},
	}
	vm.Look, vm.Status = component.ScreeningWord(l, domain.ScreeningOnSale)
	for i, state := range states {
		if state == "free" {
			continue
		}
		row := adminpage.SeatRow{Seat: component.SeatName(l, &plan.Seats[i]), State: state, Word: m.Words.Word(state), Owner: "…00c0de", URL: "/orders/" + orderID}
		if state == "held" {
			row.Until = l.Time(Now().Add(5*time.Minute), Zone())
		}
		if state == "blocked" {
			row.URL, row.Note = "", w.Name
		}
		vm.Seats = append(vm.Seats, row)
	}
	return adminpage.Screening(vm)
}
