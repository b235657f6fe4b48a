// Package layout draws the shell around every page: head, skip link, environment bar, navigation, flash messages
// and footer, once for moviegoers and once for staff.
//
// It knows no page. Pages embed Page in their view models and wrap their content in Site or Staff.
package layout

import (
	"usher/web"
	"usher/web/i18n"
)

// Page is the base of every view model. There is no CSRF token (cross-origin posts are refused by header) and no
// nonce (no page has an inline script or style).
type Page struct {
	L           *i18n.Localizer
	Title       string // of the document; pages fill in their own when it is empty
	SiteName    string // the cinema's name
	CurrentPath string // path with query, where the language switch returns to
	UserName    string
	SignedIn    bool // an account or staff, not a guest
	Staff       bool
	EnvName     string // for example "Demo"; empty in production, and then there is no bar
	Flash       []Flash
	ZoneNote    string // for example "Europe/Berlin"; printed in the footer
}

// Flash is a message about what was just done. Kind is info, success, warning or error.
type Flash struct {
	Kind    string
	Text    string
	LinkURL string
	Link    string
}

// T returns a message in the page's language.
func (p Page) T(key string, args ...any) string { return p.L.T(key, args...) }

// Head is what one page adds to the document's head. Names in Scripts are those of web.Asset.
type Head struct {
	Title          string
	Styles         []string // addresses
	Scripts        []string
	RefreshSeconds string // reload without script, empty for never
	Wide           bool   // use the whole width of the window
	NoIndex        bool
}

// asset is web.Asset under a short name for the templates.
func asset(name string) string { return web.Asset(name) }

func (p Page) title(h Head) string {
	title := p.Title
	if title == "" {
		title = h.Title
	}
	site := p.site()
	if p.EnvName != "" {
		site += " · " + p.EnvName
	}
	if title == "" {
		return site
	}
	return title + " · " + site
}

func (p Page) site() string {
	if p.SiteName == "" {
		return "usher"
	}
	return p.SiteName
}

func (p Page) at(path string) string {
	current := p.CurrentPath
	for i, r := range current {
		if r == '?' {
			current = current[:i]
			break
		}
	}
	if current == path {
		return "page"
	}
	return ""
}

func (h Head) mainClass() string {
	if h.Wide {
		return "main main-wide"
	}
	return "main"
}

func alertRole(kind string) string {
	if kind == "error" || kind == "warning" {
		return "alert"
	}
	return "status"
}
