package response

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"
)

// Page draws a page and then writes it: a component that fails half way becomes one clean error, never half a
// page with status 200. Pages are personal and are not kept.
func Page(c *gin.Context, status int, page templ.Component) {
	var buf bytes.Buffer
	if err := page.Render(c.Request.Context(), &buf); err != nil {
		Error(c, fmt.Errorf("draw page: %w", err))
		return
	}
	if c.Writer.Header().Get("Cache-Control") == "" {
		c.Header("Cache-Control", "no-store")
	}
	c.Data(status, "text/html; charset=utf-8", buf.Bytes())
}

// Redirect sends the browser on with GET, after a form was taken. The target is one of our own paths.
func Redirect(c *gin.Context, path string) {
	c.Redirect(http.StatusSeeOther, path)
}
