package site

import (
	"context"

	"github.com/gin-gonic/gin"

	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
	"usher/web"
)

// Deps is what the moviegoers' pages work with.
type Deps struct {
	Frame    *frame.Frame
	Visits   *frame.Visits
	Catalog  *service.Catalog
	Feed     *service.SeatFeed
	Holds    *service.Holds
	Orders   *service.Orders
	Checkout *service.Checkout
	Cancel   *service.Cancel
	Payments *service.Payments
	Tickets  *service.Tickets
	Accounts *service.Accounts
	Sandbox  SandboxPlayer // nil where another gateway takes the money
	Secure   bool          // whether browsers reach us over TLS
}

// SandboxPlayer does what a person chose on the sandbox gateway's pay page.
type SandboxPlayer interface {
	Play(ctx context.Context, payment *domain.Payment, order *domain.Order, choice string) error
}

// Site is the moviegoers' part of the map.
type Site struct{ deps Deps }

// New makes the moviegoers' pages.
func New(d Deps) *Site { return &Site{deps: d} }

// Register is the map of the moviegoers' pages. HEAD is answered wherever GET is; neither changes anything.
func (s *Site) Register(g *gin.RouterGroup) {
	d := s.deps
	seats := &Seats{frame: d.Frame, catalog: d.Catalog, feed: d.Feed}
	orders := &Orders{frame: d.Frame, orders: d.Orders, catalog: d.Catalog, cancel: d.Cancel, tickets: d.Tickets}

	frame.Get(g, web.Prefix+"*file", gin.WrapH(web.Handler()))

	browse := &Browse{frame: d.Frame, catalog: d.Catalog}
	frame.Get(g, "/", browse.WhatsOn)
	frame.Get(g, "/movies/:id", browse.Movie)

	layouts := newLayouts(d.Catalog)
	frame.Get(g, "/layouts/:file", layouts.CSS)
	frame.Get(g, "/screenings/:id", seats.Show)
	holds := &Holds{frame: d.Frame, seats: seats, holds: d.Holds, newcomers: newNewcomers(d.Accounts, d.Visits, d.Frame.Now), secure: d.Secure}
	g.POST("/screenings/:id/holds", holds.Place)

	frame.Get(g, "/orders", orders.List)
	frame.Get(g, "/orders/:id", orders.Show)
	frame.Get(g, "/orders/:id/qr.svg", orders.QR)
	g.POST("/orders/:id/cancel", orders.Cancel)
	g.POST("/orders/:id/refund", orders.Refund)

	checkout := &Checkout{frame: d.Frame, orders: orders, checkout: d.Checkout}
	frame.Get(g, "/orders/:id/checkout", checkout.Show)
	g.POST("/orders/:id/checkout", checkout.Start)
	if d.Sandbox != nil {
		sandbox := &Sandbox{frame: d.Frame, orders: orders, payments: d.Payments, player: d.Sandbox}
		frame.Get(g, "/pay/sandbox/:id", sandbox.Show)
		g.POST("/pay/sandbox/:id", sandbox.Play)
	}

	accounts := &Accounts{frame: d.Frame, visits: d.Visits, accounts: d.Accounts}
	frame.Get(g, "/sign-in", accounts.ShowSignIn)
	g.POST("/sign-in", accounts.SignIn)
	frame.Get(g, "/sign-up", accounts.ShowSignUp)
	g.POST("/sign-up", accounts.SignUp)
	g.POST("/sign-out", accounts.SignOut)

	language := &Language{secure: d.Secure}
	g.POST("/language", language.Switch)
}
