package site

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/handlers/site/frame"
	"usher/service/domain"
	"usher/web/i18n"
)

// Language is the switch at the foot of every page.
type Language struct{ secure bool }

const languageLife = 365 * 24 * 60 * 60 // seconds

// Switch remembers the language and leads back.
func (h *Language) Switch(c *gin.Context) {
	lang := request.Form(c, "lang")
	if !i18n.Known(lang) {
		response.Error(c, domain.ErrInvalid.With("lang", "There is no such language."))
		return
	}
	http.SetCookie(c.Writer, &http.Cookie{
		Name: request.LanguageCookie, Value: lang, Path: "/", MaxAge: languageLife, Secure: h.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	response.Redirect(c, frame.LocalPath(request.Form(c, "next"), "/"))
}
