package handlers

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"reflect"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"usher/handlers/api"
	"usher/handlers/response"
	"usher/service"
)

// Deps is what the handlers work with. Everything is needed but where it says so.
type Deps struct {
	Catalog  *service.Catalog
	Feed     *service.SeatFeed
	Holds    *service.Holds
	Orders   *service.Orders
	Checkout *service.Checkout
	Cancel   *service.Cancel
	Payments *service.Payments
	Tickets  *service.Tickets
	Sessions *service.Sessions
	Accounts *service.Accounts
	Overview *service.Overview
	Clock    *service.Clock

	Sandbox api.SandboxPlayer // may be nil: another gateway takes the money
	Pages   Pages             // may be nil: no pages, only the API

	Now      func() time.Time // this machine's clock, for durations and deadlines; domain times come from Clock
	Stopping <-chan struct{}  // closed when the process is about to end: live streams end then. May be nil
	Metrics  prometheus.Registerer
	Log      *slog.Logger
	Options  Options
}

// Pages are the HTML routes, which handlers/site and handlers/admin bring. The group it registers on has the
// session, the protection against other sites and the time limit.
type Pages interface {
	Register(group *gin.RouterGroup)
	// Error draws a problem as a page.
	Error(c *gin.Context, p *response.Problem)
}

// Options tune the handlers. Zero values take the defaults named beside them.
type Options struct {
	PublicURL      string        // how browsers reach us, https://host; needed
	TrustedProxies []string      // addresses and networks that may name the client's address; nobody
	MaxStreams     int           // live seat streams of this process; 5,000
	Heartbeat      time.Duration // of a silent stream; 15 s
	Patience       time.Duration // for one write to a stream; 10 s
	Timeout        time.Duration // of a request; 5 s
}

const defaultTimeout = 5 * time.Second

// Validate reports every problem at once.
func (d *Deps) Validate() error {
	var problems []error
	v := reflect.ValueOf(d).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch f.Name {
		case "Sandbox", "Pages", "Stopping", "Options":
			continue
		}
		if v.Field(i).IsNil() {
			problems = append(problems, fmt.Errorf("handlers: %s is missing", f.Name))
		}
	}
	u, err := url.Parse(d.Options.PublicURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		problems = append(problems, fmt.Errorf("handlers: public URL %q is not http(s)://host", d.Options.PublicURL))
	}
	return errors.Join(problems...)
}

// origin is the public URL without a path; https says whether browsers reach us over TLS. Only after Validate.
func (d *Deps) origin() (origin string, https bool) {
	u, err := url.Parse(d.Options.PublicURL)
	if err != nil {
		return "", false
	}
	return u.Scheme + "://" + u.Host, u.Scheme == "https"
}
