package frame

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/handlers/response"
	"usher/web/i18n"
	"usher/web/layout"
)

// Flash names a message about what was just done. The browser carries the name only, so whatever it sends can do
// no more than choose one of these sentences.
type Flash string

// The messages.
const (
	FlashCancelled     Flash = "cancelled"
	FlashDeclined      Flash = "declined"
	FlashRebuilt       Flash = "rebuilt"
	FlashRefunding     Flash = "refunding"
	FlashSignedIn      Flash = "signed_in"
	FlashSignedOut     Flash = "signed_out"
	FlashStatusChanged Flash = "status_changed"
)

// message returns a flash's kind and the key of its text, empty for an unknown one.
func (f Flash) message() (kind, key string) {
	switch f {
	case FlashCancelled:
		return "success", "flash.cancelled"
	case FlashDeclined:
		return "warning", "sandbox.done.decline"
	case FlashRebuilt:
		return "success", "flash.rebuilt"
	case FlashRefunding:
		return "success", "flash.refund_started"
	case FlashSignedIn:
		return "success", "flash.signed_in"
	case FlashSignedOut:
		return "info", "flash.signed_out"
	case FlashStatusChanged:
		return "success", "flash.status_changed"
	}
	return "", ""
}

const (
	flashCookie = "usher_flash"
	flashLife   = 60 // seconds
)

// RedirectWith sends the browser on after a form was taken, with a message for the next page.
func (f *Frame) RedirectWith(c *gin.Context, path string, flash Flash) {
	http.SetCookie(c.Writer, f.flashCookie(string(flash), flashLife))
	response.Redirect(c, path)
}

func (f *Frame) takeFlash(c *gin.Context, l *i18n.Localizer) []layout.Flash {
	if c.Request.Method != http.MethodGet {
		return nil
	}
	cookie, err := c.Request.Cookie(flashCookie)
	if err != nil {
		return nil
	}
	http.SetCookie(c.Writer, f.flashCookie("", -1))
	kind, key := Flash(cookie.Value).message()
	if key == "" {
		return nil
	}
	return []layout.Flash{{Kind: kind, Text: l.T(key)}}
}

func (f *Frame) flashCookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: flashCookie, Value: value, Path: "/", MaxAge: maxAge, Secure: f.opts.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}
