// Package request reads what handlers need to know of a request: its id, who asks, in which language, which page.
//
// It decides nothing; rules live in the services.
package request

import (
	"context"
	"net/http"

	"usher/service/domain"
	"usher/web/i18n"
)

// Info is what is known of a request. Middleware fills it, handlers read it through the functions of this package.
type Info struct {
	ID      string
	Visitor domain.Session // the zero value for somebody without a session
	Token   string         // of the session, empty without one
	Cookie  bool           // whether the session came by cookie

	// SessionErr says that the session could not be looked up: then nobody is let in as anybody.
	SessionErr error

	Language string // of the answer: the switch's, else the browser's, else English
}

type infoKey struct{}

// WithInfo returns the request with info in its context.
func WithInfo(r *http.Request, info *Info, languages *Languages) *http.Request {
	info.Language = languages.match(r)
	return r.WithContext(context.WithValue(r.Context(), infoKey{}, info))
}

// InfoOf returns what is known of the request; never nil.
func InfoOf(ctx context.Context) *Info {
	if info, ok := ctx.Value(infoKey{}).(*Info); ok {
		return info
	}
	return &Info{}
}

// ID returns the request's id.
func ID(ctx context.Context) string { return InfoOf(ctx).ID }

// Visitor returns the session of who asks; its UserID is empty for somebody without one.
func Visitor(ctx context.Context) domain.Session { return InfoOf(ctx).Visitor }

// User returns the session of somebody signed in, guests included. Errors: ErrUnauthenticated, or why the session
// could not be looked up.
func User(ctx context.Context) (domain.Session, error) {
	info := InfoOf(ctx)
	if info.SessionErr != nil {
		return domain.Session{}, info.SessionErr
	}
	if info.Visitor.UserID == "" {
		return domain.Session{}, domain.ErrUnauthenticated
	}
	return info.Visitor, nil
}

// Staff returns the session of a staff member with at least the role. Errors: as User, and ErrForbidden.
func Staff(ctx context.Context, role domain.Role) (domain.Session, error) {
	s, err := User(ctx)
	if err != nil {
		return domain.Session{}, err
	}
	if s.Kind != domain.UserStaff || !s.Role.AtLeast(role) {
		return domain.Session{}, domain.ErrForbidden
	}
	return s, nil
}

// Language returns the language to answer in.
func Language(ctx context.Context) string {
	if lang := InfoOf(ctx).Language; lang != "" {
		return lang
	}
	return i18n.English
}
