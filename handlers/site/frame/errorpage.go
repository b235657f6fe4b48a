package frame

import (
	"bytes"
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/handlers/response"
	"usher/web/i18n"
	"usher/web/sitepage"
)

// Error draws a problem as a page. It is the last resort: when even this page cannot be drawn, one plain line is
// sent.
func (f *Frame) Error(c *gin.Context, p *response.Problem) {
	vm := sitepage.ErrorPage{
		Page: f.Page(c), Status: p.Status, Message: problemText(f.Words(c), p), RequestID: p.RequestID,
		Retry: p.Status == http.StatusTooManyRequests || p.Status >= http.StatusInternalServerError,
	}
	var buf bytes.Buffer
	if err := sitepage.Error(vm).Render(c.Request.Context(), &buf); err != nil {
		c.String(p.Status, "%s\n", p.Title)
		return
	}
	c.Data(p.Status, "text/html; charset=utf-8", buf.Bytes())
}

// problemText says more than the usual text of the status where there is more to say, in the page's language.
func problemText(l *i18n.Localizer, p *response.Problem) string {
	switch p.Code {
	case "not_found", "forbidden", "unavailable", "internal", "script_error", "invalid":
		return "" // the usual text of the status is better
	}
	return l.Or("error.code."+p.Code, "")
}
