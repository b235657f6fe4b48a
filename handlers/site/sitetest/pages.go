// Package sitetest opens a house with its pages and looks at it like a browser without scripts: with a cookie jar,
// with forms and links found in the page. Tests only.
package sitetest

import (
	"testing"

	"usher/handlers"
	"usher/handlers/admin"
	"usher/handlers/handlertest"
	"usher/handlers/site"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/servicetest"
)

// Each runs the test on a house with pages, on both pairs of stores.
func Each(t *testing.T, run func(t *testing.T, h *handlertest.House)) {
	t.Helper()
	servicetest.Each(t, servicetest.Options{}, func(t *testing.T, b *servicetest.Box) { run(t, Open(t, b)) })
}

// Start opens a house with pages on SQLite and the embedded hold store.
func Start(t testing.TB) *handlertest.House {
	t.Helper()
	return Open(t, servicetest.Embedded(t, servicetest.Options{}))
}

// Open puts the listener with all pages in front of a box.
func Open(t testing.TB, b *servicetest.Box) *handlertest.House {
	t.Helper()
	return handlertest.Open(t, b, handlertest.Options{Change: func(d *handlers.Deps) { d.Pages = Pages(b, d) }})
}

// Pages wires the pages on what the API has.
func Pages(b *servicetest.Box, d *handlers.Deps) frame.Pages {
	opts := frame.Options{Environment: "Test"}
	f, visits := frame.New(d.Catalog, d.Clock, opts), frame.NewVisits(d.Sessions, d.Clock, opts)
	return frame.Pages{Frame: f, Parts: []frame.Routes{
		site.New(site.Deps{
			Frame: f, Visits: visits, Catalog: d.Catalog, Feed: d.Feed, Holds: d.Holds, Orders: d.Orders, Checkout: d.Checkout, Cancel: d.Cancel,
			Payments: d.Payments, Tickets: d.Tickets, Accounts: d.Accounts, Sandbox: d.Sandbox,
		}),
		admin.New(admin.Deps{
			Frame: f, Visits: visits, Catalog: d.Catalog, Feed: d.Feed, Accounts: d.Accounts, Overview: d.Overview,
			Sale: service.NewSale(b.Store, b.Catalog, b.Clock, b.Effects.Kick), Rebuild: b.Rebuild, Owners: d.Orders.Owners,
		}),
	}}
}
