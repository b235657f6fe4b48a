package frame

import (
	"context"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/service"
	"usher/service/domain"
	"usher/web/i18n"
	"usher/web/layout"
)

// Frame builds the base of pages.
type Frame struct {
	catalog *service.Catalog
	clock   *service.Clock
	opts    Options
	words   map[string]*i18n.Localizer

	mu    sync.Mutex
	home  Cinema
	asked time.Time // when home was read last
	zones map[string]*time.Location
}

// Options tune the pages.
type Options struct {
	Environment string // printed on every page and in its title, for example Demo; empty in production
	Secure      bool   // whether browsers reach us over TLS
}

// New makes the frame of all pages.
func New(catalog *service.Catalog, clock *service.Clock, opts Options) *Frame {
	f := &Frame{catalog: catalog, clock: clock, opts: opts, words: map[string]*i18n.Localizer{}, zones: map[string]*time.Location{}}
	for _, lang := range i18n.Languages() {
		f.words[lang.Code] = i18n.New(lang.Code)
	}
	return f
}

// Now returns the ledger's time.
func (f *Frame) Now() time.Time { return f.clock.Now() }

// Words returns the localizer of the request's language.
func (f *Frame) Words(c *gin.Context) *i18n.Localizer {
	return f.words[request.Language(c.Request.Context())]
}

// Page returns the base of a page's view model, and takes the flash messages that wait for it. It works without
// the ledger, as far as it can, since it is also the base of the page that says that the ledger is away.
func (f *Frame) Page(c *gin.Context) layout.Page {
	l := f.Words(c)
	visitor := request.Visitor(c.Request.Context())
	p := layout.Page{
		L: l, CurrentPath: here(c), EnvName: f.opts.Environment, Flash: f.takeFlash(c, l),
		SignedIn: visitor.Kind == domain.UserAccount || visitor.Kind == domain.UserStaff, Staff: visitor.Kind == domain.UserStaff,
	}
	if home, err := f.Home(c.Request.Context()); err == nil {
		p.SiteName = home.Name
		p.ZoneNote = home.Zone + " (" + f.Now().In(home.Location).Format("MST") + ")"
	}
	return p
}

// hereKey keeps the address that a form's answer belongs to.
const hereKey = "usher.here"

// Here says to which address the answer of a form belongs: where the language switch and "try again" lead.
func Here(c *gin.Context, path string) { c.Set(hereKey, path) }

// here is the address of the page that is being answered, one of ours that a link may lead to.
func here(c *gin.Context) string {
	if path, ok := c.Value(hereKey).(string); ok {
		return LocalPath(path, "/")
	}
	if !Reading(c) {
		return "/"
	}
	return LocalPath(c.Request.URL.RequestURI(), "/")
}

// Reading reports whether the request only looks.
func Reading(c *gin.Context) bool { return c.Request.Method == "GET" || c.Request.Method == "HEAD" }

// Cinema is a cinema with its zone, ready for use.
type Cinema struct {
	domain.Cinema
	Location *time.Location
}

// homeLife is how long the first cinema's row is used without being read again.
const homeLife = 10 * time.Second

// Home returns the cinema that the pages are named after. Errors: ErrNotFound before anything was set up.
func (f *Frame) Home(ctx context.Context) (Cinema, error) {
	f.mu.Lock()
	home, asked := f.home, f.asked
	if now := f.Now(); now.Sub(asked) >= homeLife {
		f.asked = now // one request asks, the others go on with what is known
	}
	f.mu.Unlock()
	if home.Location != nil && f.Now().Sub(asked) < homeLife {
		return home, nil
	}
	row, err := f.catalog.HomeCinema(ctx)
	if err == nil {
		var next Cinema
		if next, err = f.cinema(row); err == nil {
			f.mu.Lock()
			f.home = next
			f.mu.Unlock()
			return next, nil
		}
	}
	if home.Location != nil {
		return home, nil
	}
	return Cinema{}, err
}

// CinemaOf returns the cinema of an id.
func (f *Frame) CinemaOf(ctx context.Context, id string) (Cinema, error) {
	row, err := f.catalog.Cinema(ctx, id)
	if err != nil {
		return Cinema{}, err
	}
	return f.cinema(row)
}

func (f *Frame) cinema(row domain.Cinema) (Cinema, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	zone, ok := f.zones[row.Zone]
	if !ok {
		var err error
		if zone, err = time.LoadLocation(row.Zone); err != nil {
			return Cinema{}, err
		}
		f.zones[row.Zone] = zone
	}
	return Cinema{Cinema: row, Location: zone}, nil
}

// Zone returns the home cinema's zone, UTC before anything was set up.
func (f *Frame) Zone(ctx context.Context) *time.Location {
	home, err := f.Home(ctx)
	if err != nil {
		return time.UTC
	}
	return home.Location
}
