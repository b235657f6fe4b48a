package frame

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/service"
	"usher/service/domain"
)

// Visits keeps sessions in browsers.
type Visits struct {
	sessions *service.Sessions
	clock    *service.Clock
	cookie   request.SessionCookie
}

// NewVisits makes it.
func NewVisits(sessions *service.Sessions, clock *service.Clock, opts Options) *Visits {
	return &Visits{sessions: sessions, clock: clock, cookie: request.SessionCookie{Secure: opts.Secure}}
}

// Begin starts a session of the user and ends the one before: what was known under its token must not stay of use.
func (v *Visits) Begin(c *gin.Context, u domain.User) error {
	ctx := c.Request.Context()
	token, expires, err := v.sessions.Create(ctx, u)
	if err != nil {
		return err
	}
	if old := request.InfoOf(ctx).Token; old != "" {
		if err := v.sessions.End(ctx, old); err != nil {
			return err
		}
	}
	v.Give(c, token, expires)
	return nil
}

// Give hands a session to the browser.
func (v *Visits) Give(c *gin.Context, token string, expires time.Time) {
	http.SetCookie(c.Writer, v.cookie.Set(token, expires.Sub(v.clock.Now())))
}

// Create starts a session without a browser yet.
func (v *Visits) Create(ctx context.Context, u domain.User) (token string, expires time.Time, err error) {
	return v.sessions.Create(ctx, u)
}

// Valid reports whether a token still stands for a session.
func (v *Visits) Valid(ctx context.Context, token string) bool {
	_, found, err := v.sessions.Find(ctx, token)
	return found && err == nil
}

// End signs out. Somebody without a session is signed out already.
func (v *Visits) End(c *gin.Context) error {
	if token := request.InfoOf(c.Request.Context()).Token; token != "" {
		if err := v.sessions.End(c.Request.Context(), token); err != nil {
			return err
		}
	}
	http.SetCookie(c.Writer, v.cookie.Clear())
	return nil
}

// Personal returns who asks for a page of his own. Somebody without a session is sent to sign in and back to the
// given address; ok is false when the answer is written.
func Personal(c *gin.Context, back string) (session domain.Session, ok bool) {
	session, err := request.User(c.Request.Context())
	switch {
	case err == nil:
		return session, true
	case errors.Is(err, domain.ErrUnauthenticated):
		response.Redirect(c, WithNext("/sign-in", back))
		c.Abort()
	default:
		response.Error(c, err)
	}
	return session, false
}
