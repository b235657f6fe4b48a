package middleware

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/service"
	"usher/service/domain"
)

// Session finds out who asks: by bearer token, else by the cookie. Somebody without a session, or with one that
// is over, is nobody; the handlers say whom they let in.
func Session(sessions *service.Sessions, cookie request.SessionCookie) gin.HandlerFunc {
	return func(c *gin.Context) {
		info := request.InfoOf(c.Request.Context())
		token, byCookie := tokenOf(c.Request, cookie)
		if token == "" {
			return
		}
		session, found, err := sessions.Find(c.Request.Context(), token)
		switch {
		case err != nil:
			info.SessionErr = domain.ErrUnavailable.Because(err)
		case found:
			info.Visitor, info.Token, info.Cookie = session, token, byCookie
		}
	}
}

// bearer returns the token of an Authorization header. Other schemes are somebody else's: browsers send Basic to a
// proxy by themselves.
func bearer(r *http.Request) (token string, found bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "Bearer")
}

// tokenOf returns the session's token. A request with a bearer token has no use for its cookie.
func tokenOf(r *http.Request, cookie request.SessionCookie) (token string, byCookie bool) {
	if token, found := bearer(r); found {
		return token, false
	}
	c, err := r.Cookie(cookie.Name())
	if err != nil {
		return "", false
	}
	return c.Value, true
}

// CrossOrigin refuses unsafe requests that another site's page made with the visitor's cookie. A request with a
// bearer token cannot be made that way.
func CrossOrigin(publicURL string) (gin.HandlerFunc, error) {
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin(publicURL); err != nil {
		return nil, err
	}
	return func(c *gin.Context) {
		if _, found := bearer(c.Request); found {
			return
		}
		if err := protection.Check(c.Request); err != nil {
			response.Error(c, errCrossOrigin.Because(err))
		}
	}, nil
}

var errCrossOrigin = &domain.Error{Kind: domain.KindForbidden, Code: "cross_origin", Message: "This request came from another site."}
