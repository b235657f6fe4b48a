package site

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service"
	"usher/service/domain"
	"usher/web/component"
	"usher/web/sitepage"
)

// Accounts signs people in, up and out.
type Accounts struct {
	frame    *frame.Frame
	visits   *frame.Visits
	accounts *service.Accounts
}

// afterSignIn is where somebody goes on who came from nowhere.
const afterSignIn = "/orders"

// ShowSignIn shows the form.
func (h *Accounts) ShowSignIn(c *gin.Context) {
	response.Page(c, http.StatusOK, sitepage.SignIn(sitepage.SignInPage{
		Page: h.frame.Page(c), Next: frame.LocalPath(c.Query("next"), ""),
	}))
}

// SignIn begins a session and leads to where the visitor wanted to go.
func (h *Accounts) SignIn(c *gin.Context) {
	next := frame.LocalPath(request.Form(c, "next"), "")
	frame.Here(c, frame.WithNext("/sign-in", next))
	email := request.Form(c, "email")

	user, err := h.accounts.SignIn(c.Request.Context(), email, c.PostForm("password"))
	if errors.Is(err, domain.ErrBadCredentials) {
		p := response.Prepare(c, err)
		response.Page(c, p.Status, sitepage.SignIn(sitepage.SignInPage{
			Page: h.frame.Page(c), Email: email, Next: next, Error: component.ErrorText(h.frame.Words(c), err),
		}))
		return
	}
	h.enter(c, user, err, next)
}

// ShowSignUp shows the form.
func (h *Accounts) ShowSignUp(c *gin.Context) {
	response.Page(c, http.StatusOK, sitepage.SignUp(sitepage.SignUpPage{
		Page: h.frame.Page(c), Next: frame.LocalPath(c.Query("next"), ""),
	}))
}

// SignUp makes an account. A guest stays the same user and keeps his orders.
func (h *Accounts) SignUp(c *gin.Context) {
	next := frame.LocalPath(request.Form(c, "next"), "")
	frame.Here(c, frame.WithNext("/sign-up", next))
	req := service.SignUpRequest{Email: request.Form(c, "email"), Name: request.Form(c, "name"), Password: c.PostForm("password")}
	if visitor := request.Visitor(c.Request.Context()); visitor.Kind == domain.UserGuest {
		req.GuestID = visitor.UserID
	}

	user, err := h.accounts.SignUp(c.Request.Context(), req)
	if errors.Is(err, domain.ErrInvalid) {
		p := response.Prepare(c, err)
		say := frame.FieldErrors(h.frame.Words(c), err)
		response.Page(c, p.Status, sitepage.SignUp(sitepage.SignUpPage{
			Page: h.frame.Page(c), Email: req.Email, Name: req.Name, Next: next,
			EmailError: say("email"), NameError: say("name"), PasswordError: say("password"),
		}))
		return
	}
	h.enter(c, user, err, next)
}

// enter begins the session of somebody who proved who he is.
func (h *Accounts) enter(c *gin.Context, user domain.User, err error, next string) {
	if err == nil {
		err = h.visits.Begin(c, user)
	}
	if err != nil {
		response.Error(c, err)
		return
	}
	if next == "" {
		next = afterSignIn
	}
	h.frame.RedirectWith(c, next, frame.FlashSignedIn)
}

// SignOut ends the session.
func (h *Accounts) SignOut(c *gin.Context) {
	if err := h.visits.End(c); err != nil {
		response.Error(c, err)
		return
	}
	h.frame.RedirectWith(c, frame.LocalPath(request.Form(c, "next"), "/"), frame.FlashSignedOut)
}
