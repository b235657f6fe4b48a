package admin

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
	"usher/web/adminpage"
	"usher/web/component"
)

// Door lets staff in: the first administrator by the set-up link, everybody else by password.
type Door struct {
	frame    *frame.Frame
	visits   *frame.Visits
	accounts *service.Accounts
}

const (
	homeURL   = "/staff"
	signInURL = "/staff/sign-in"
	setupURL  = "/staff/setup"
)

// StaffOnly lets staff pass. Everybody else is sent to sign in, and back to the page that he wanted to see.
func StaffOnly(c *gin.Context) {
	ctx := c.Request.Context()
	_, err := request.Staff(ctx, look.needs())
	switch {
	case err == nil:
	case errors.Is(err, domain.ErrUnauthenticated), errors.Is(err, domain.ErrForbidden) && request.Visitor(ctx).Kind != domain.UserStaff:
		next := homeURL
		if frame.Reading(c) {
			next = c.Request.URL.RequestURI()
		}
		response.Redirect(c, frame.WithNext(signInURL, frame.LocalPath(next, homeURL)))
		c.Abort()
	default:
		response.Error(c, err)
	}
}

// staffPath keeps staff on their own pages.
func staffPath(next string) string {
	if next = frame.LocalPath(next, homeURL); next == homeURL || strings.HasPrefix(next, homeURL+"/") || strings.HasPrefix(next, homeURL+"?") {
		return next
	}
	return homeURL
}

// ShowSignIn shows the form.
func (h *Door) ShowSignIn(c *gin.Context) {
	response.Page(c, http.StatusOK, adminpage.SignIn(adminpage.SignInPage{Page: h.frame.Page(c), Next: staffPath(c.Query("next"))}))
}

// SignIn lets staff in. A moviegoer's password is as wrong here as any other.
func (h *Door) SignIn(c *gin.Context) {
	next, email := staffPath(request.Form(c, "next")), request.Form(c, "email")
	frame.Here(c, frame.WithNext(signInURL, next))

	user, err := h.accounts.SignIn(c.Request.Context(), email, c.PostForm("password"))
	if err == nil && user.Kind != domain.UserStaff {
		err = domain.ErrBadCredentials
	}
	if errors.Is(err, domain.ErrBadCredentials) {
		p := response.Prepare(c, err)
		response.Page(c, p.Status, adminpage.SignIn(adminpage.SignInPage{
			Page: h.frame.Page(c), Email: email, Next: next, Error: component.ErrorText(h.frame.Words(c), err),
		}))
		return
	}

	h.enter(c, user, err, next)
}

// ShowSetup shows the form of the set-up link. Whether the link still works is judged when the form is sent.
func (h *Door) ShowSetup(c *gin.Context) {
	response.Page(c, http.StatusOK, adminpage.Setup(adminpage.SetupPage{Page: h.frame.Page(c), Token: c.Query("token")}))
}

// Setup makes the first administrator and signs him in. The link works once.
func (h *Door) Setup(c *gin.Context) {
	token, email := request.Form(c, "token"), request.Form(c, "email")
	frame.Here(c, setupURL)

	user, err := h.accounts.Setup(c.Request.Context(), token, email, c.PostForm("password"))
	if errors.Is(err, domain.ErrInvalid) || errors.Is(err, domain.ErrForbidden) {
		p := response.Prepare(c, err)
		l := h.frame.Words(c)
		say := frame.FieldErrors(l, err)
		vm := adminpage.SetupPage{
			Page: h.frame.Page(c), Token: token, Email: email,
			EmailError: say("email"), PasswordError: say("password"),
		}
		if errors.Is(err, domain.ErrForbidden) {
			vm.Error = l.T("setup.used")
		}
		response.Page(c, p.Status, adminpage.Setup(vm))
		return
	}

	h.enter(c, user, err, homeURL)
}

// enter begins the session of somebody who proved who he is.
func (h *Door) enter(c *gin.Context, user domain.User, err error, next string) {
	if err == nil {
		err = h.visits.Begin(c, user)
	}
	if err != nil {
		response.Error(c, err)
		return
	}
	h.frame.RedirectWith(c, next, frame.FlashSignedIn)
}
