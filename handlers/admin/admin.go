package admin

import (
	"context"

	"github.com/gin-gonic/gin"

	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
)

// Deps is what the staff's pages work with.
type Deps struct {
	Frame    *frame.Frame
	Visits   *frame.Visits
	Catalog  *service.Catalog
	Feed     *service.SeatFeed
	Accounts *service.Accounts
	Overview *service.Overview
	Sale     *service.Sale
	Rebuild  *service.Rebuild
	Owners   Owners
	Stores   StoreNotes
}

// Owners returns the live orders of a screening, each with the seats that it owns now: Orders.Owners.
type Owners func(ctx context.Context, screeningID string) ([]domain.Order, error)

// StoreNotes say what the stores are, for the overview: names, or InProcess.
type StoreNotes struct{ Ledger, HoldStore string }

// InProcess stands for a store that has no name of its own; the page says it in its language.
const InProcess = "in this process"

// Admin is the staff's part of the map.
type Admin struct{ deps Deps }

// New makes the staff's pages.
func New(d Deps) *Admin { return &Admin{deps: d} }

// Register is the map of the staff's pages.
func (a *Admin) Register(g *gin.RouterGroup) {
	d := a.deps
	door := &Door{frame: d.Frame, visits: d.Visits, accounts: d.Accounts}
	frame.Get(g, "/staff/setup", door.ShowSetup)
	g.POST("/staff/setup", door.Setup)
	frame.Get(g, "/staff/sign-in", door.ShowSignIn)
	g.POST("/staff/sign-in", door.SignIn)

	staff := g.Group("/staff", StaffOnly)
	overview := &Overview{frame: d.Frame, overview: d.Overview, stores: d.Stores}
	frame.Get(staff, "", overview.Show)

	screenings := &Screenings{
		frame: d.Frame, catalog: d.Catalog, feed: d.Feed, sale: d.Sale, rebuild: d.Rebuild, owners: d.Owners,
	}
	frame.Get(staff, "/screenings", screenings.List)
	frame.Get(staff, "/screenings/:id", screenings.Show)
	staff.POST("/screenings/:id/status", screenings.SetStatus)
	staff.POST("/screenings/:id/rebuild", screenings.Rebuild)
}
