// Package handlers is the HTTP side of usher. This file is the whole map of addresses; what stands behind them is
// in api (JSON), site and admin (pages), what every request passes in middleware.
package handlers

import (
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/handlers/api"
	"usher/handlers/middleware"
	"usher/handlers/request"
	"usher/handlers/response"
	"usher/service/domain"
)

// New builds the handler of the public listener.
func New(d Deps) (http.Handler, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	if d.Options.Timeout == 0 {
		d.Options.Timeout = defaultTimeout
	}
	origin, https := d.origin()
	crossOrigin, err := middleware.CrossOrigin(origin)
	if err != nil {
		return nil, fmt.Errorf("protect against other sites: %w", err)
	}
	metrics, err := middleware.Metrics(d.Metrics, d.Now, api.Prefix+eventsRoute, livePath)
	if err != nil {
		return nil, err
	}

	gin.SetMode(gin.ReleaseMode) // gin keeps it in a package variable; debug mode prints to stdout
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false
	if err := e.SetTrustedProxies(d.Options.TrustedProxies); err != nil {
		return nil, fmt.Errorf("trusted proxies: %w", err)
	}

	// Every request, in this order. The log and the measure are outside Recover, so that they see its 500.
	e.Use(
		middleware.RequestID(),
		middleware.AccessLog(d.Log, d.Now, livePath, readyPath),
		metrics,
		middleware.SecurityHeaders(https),
	)
	if d.Pages != nil {
		e.Use(response.WithErrorPage(d.Pages.Error))
	}
	e.Use(
		middleware.Recover(d.Log),
		middleware.BodyLimit(request.BodyMax),
	)
	e.NoRoute(func(c *gin.Context) { response.Error(c, domain.ErrNotFound) })
	e.NoMethod(func(c *gin.Context) {
		response.Status(c, http.StatusMethodNotAllowed, "method_not_allowed", "This address does not know this method.")
	})

	probes := []string{http.MethodGet, http.MethodHead}
	e.Match(probes, livePath, healthz)
	e.Match(probes, readyPath, readyz(d.Overview, d.Stopping))

	visitors := []gin.HandlerFunc{middleware.Session(d.Sessions, request.SessionCookie{Secure: https}), crossOrigin}
	if err := routeAPI(e, d, visitors, https); err != nil {
		return nil, err
	}
	if d.Pages != nil {
		d.Pages.Register(e.Group("/", append(visitors, middleware.Timeout(d.Options.Timeout), middleware.Forms())...))
	}
	return e, nil
}

const (
	livePath    = "/healthz"
	readyPath   = "/readyz"
	eventsRoute = "/screenings/:id/events"
	openAPIPath = "/openapi.json"
)

// routeAPI is the map of /api/v1.
func routeAPI(e *gin.Engine, d Deps, visitors []gin.HandlerFunc, https bool) error {
	all := e.Group(api.Prefix, append(visitors, middleware.NoStore())...)
	v1 := all.Group("", middleware.Timeout(d.Options.Timeout))
	a := api.New(e, v1)

	sessions := &api.Sessions{Sessions: d.Sessions, Accounts: d.Accounts, Clock: d.Clock, Cookie: request.SessionCookie{Secure: https}}
	api.Handle(a, api.Op{Method: "POST", Path: "/session", ID: "create-session", Summary: "Sign in, or come as a guest", Open: true, Errors: []int{401}}, sessions.Create)
	api.Handle(a, api.Op{Method: "DELETE", Path: "/session", ID: "end-session", Summary: "Sign out", Status: 204}, sessions.End)
	api.Handle(a, api.Op{Method: "POST", Path: "/accounts", ID: "sign-up", Summary: "Make an account; a guest keeps id and orders", Status: 201, Open: true, Errors: []int{400}}, sessions.SignUp)

	catalog := &api.Catalog{Catalog: d.Catalog, Feed: d.Feed, Clock: d.Clock}
	api.Handle(a, api.Op{Method: "GET", Path: "/movies", ID: "list-movies", Summary: "Movies", Open: true, Errors: []int{503}}, catalog.Movies)
	api.Handle(a, api.Op{Method: "GET", Path: "/movies/{id}", ID: "view-movie", Summary: "One movie", Open: true, Errors: []int{404}}, catalog.Movie)
	api.Handle(a, api.Op{Method: "GET", Path: "/screenings", ID: "list-screenings", Summary: "What is still to come", Open: true, Errors: []int{503}}, catalog.Screenings)
	api.Handle(a, api.Op{Method: "GET", Path: "/screenings/{id}", ID: "view-screening", Summary: "One screening", Open: true, Errors: []int{404}}, catalog.Screening)

	seats := api.NewSeats(d.Catalog, d.Feed)
	api.Handle(a, api.Op{Method: "GET", Path: "/screenings/{id}/seats", ID: "view-seats", Summary: "The seat map as of now", Open: true, Errors: []int{404}}, seats.View)
	events, err := api.NewEvents(d.Catalog, d.Feed, d.Metrics, api.EventsOptions{
		Max: d.Options.MaxStreams, Heartbeat: d.Options.Heartbeat, Patience: d.Options.Patience, Now: d.Now, Stopping: d.Stopping,
	})
	if err != nil {
		return err
	}
	all.GET(eventsRoute, events.Stream) // no time limit
	a.DocumentEvents(api.Op{Method: "GET", Path: "/screenings/{id}/events", ID: "follow-seats", Summary: "Changes of the seat map, live", Open: true, Errors: []int{404, 503}})

	holds := &api.Holds{Holds: d.Holds}
	api.Handle(a, api.Op{Method: "POST", Path: "/screenings/{id}/holds", ID: "place-hold", Summary: "Take seats, all or none", Status: 201, Errors: []int{400, 401, 404, 409, 410, 413, 429, 503}}, holds.Place)

	orders := &api.Orders{Orders: d.Orders, Catalog: d.Catalog, Checkout: d.Checkout, Cancels: d.Cancel, Tickets: d.Tickets}
	api.Handle(a, api.Op{Method: "GET", Path: "/orders", ID: "list-orders", Summary: "Own orders, newest first", Errors: []int{401}}, orders.List)
	api.Handle(a, api.Op{Method: "GET", Path: "/orders/{id}", ID: "view-order", Summary: "One own order or hold", Errors: []int{401, 404, 410}}, orders.View)
	api.Handle(a, api.Op{Method: "DELETE", Path: "/orders/{id}", ID: "delete-order", Summary: "Give up an unpaid order", Errors: []int{401, 404, 409, 410}}, orders.Delete)
	api.Handle(a, api.Op{Method: "POST", Path: "/orders/{id}/checkout", ID: "start-checkout", Summary: "Begin to pay", Errors: []int{400, 401, 404, 409, 410, 503}}, orders.StartCheckout)
	api.Handle(a, api.Op{Method: "POST", Path: "/orders/{id}/cancel", ID: "cancel-order", Summary: "Give up an unpaid order", Errors: []int{401, 404, 409, 410}}, orders.Cancel)
	api.Handle(a, api.Op{Method: "POST", Path: "/orders/{id}/refund", ID: "refund-order", Summary: "Give a paid order back", Errors: []int{401, 404, 409, 410}}, orders.Refund)
	api.Handle(a, api.Op{Method: "GET", Path: "/orders/{id}/ticket", ID: "view-ticket", Summary: "The code of a paid order's ticket", Errors: []int{401, 404, 409, 410}}, orders.Ticket)

	payments := &api.Payments{Payments: d.Payments, Sandbox: d.Sandbox}
	v1.POST("/payments/:gateway/callback", payments.Callback)
	v1.POST("/payments/sandbox/callback", payments.SandboxCallback)
	a.DocumentCallback(api.Op{Method: "POST", Path: "/payments/{gateway}/callback", ID: "hear-gateway", Summary: "A payment gateway's signed message", Open: true, Errors: []int{400, 401, 404, 422, 503}})
	api.Handle(a, api.Op{Method: "POST", Path: "/payments/sandbox/{payment_id}", ID: "play-sandbox", Summary: "What a person does on the sandbox gateway's pay page", Errors: []int{400, 401, 404, 503}}, payments.Play)

	staff := a.Within(e, v1.Group("", middleware.Staff(domain.RoleViewer)))
	overview := &api.Overview{Overview: d.Overview}
	api.Handle(staff, api.Op{Method: "GET", Path: "/admin/overview", ID: "view-overview", Summary: "The staff's numbers", Errors: []int{401, 403, 503}}, overview.View)

	return routeDocument(e, a)
}

// routeDocument serves the OpenAPI document, beside the API and at the root.
func routeDocument(e *gin.Engine, a *api.API) error {
	text, err := a.JSON()
	if err != nil {
		return err
	}
	serve := func(c *gin.Context) { c.Data(http.StatusOK, "application/json", text) }
	e.GET(openAPIPath, serve)
	e.GET(api.Prefix+openAPIPath, serve)
	return nil
}
