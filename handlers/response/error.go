package response

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
)

// ErrorPage draws a problem as a page. It writes status and body.
type ErrorPage func(c *gin.Context, p *Problem)

const (
	problemKey   = "usher.problem"
	errorPageKey = "usher.error_page"
)

// WithErrorPage is middleware that lets people see problems as pages. Requests below /api/ always get JSON.
func WithErrorPage(page ErrorPage) gin.HandlerFunc {
	return func(c *gin.Context) { c.Set(errorPageKey, page) }
}

// Error answers with what the error means, and leaves the error itself to the log.
func Error(c *gin.Context, err error) {
	write(c, Prepare(c, err))
}

// Prepare makes the problem of an error for somebody who writes the body himself: it notes the error for the log
// and sets the headers that belong to the problem.
func Prepare(c *gin.Context, err error) *Problem {
	p := ProblemOf(c.Request.Context(), err)
	_ = c.Error(err) // the access log writes it, once
	note(c, p)
	return p
}

// Status answers with a problem that only HTTP knows, like a method that a route does not have.
func Status(c *gin.Context, status int, code, detail string) {
	p := &Problem{Status: status, Code: code, Title: http.StatusText(status), Detail: detail}
	note(c, p)
	write(c, p)
}

// NotedProblem returns the problem that was answered, nil when there was none.
func NotedProblem(c *gin.Context) *Problem {
	if v, ok := c.Get(problemKey); ok {
		if p, ok := v.(*Problem); ok {
			return p
		}
	}
	return nil
}

func note(c *gin.Context, p *Problem) {
	p.RequestID = request.ID(c.Request.Context())
	c.Set(problemKey, p)
	if p.RetryAfter > 0 {
		seconds := int64((p.RetryAfter + time.Second - 1) / time.Second)
		c.Header("Retry-After", strconv.FormatInt(seconds, 10))
	}
	if p.Status == http.StatusUnauthorized {
		c.Header("WWW-Authenticate", `Bearer realm="usher"`)
	}
}

func write(c *gin.Context, p *Problem) {
	c.Abort()
	if p.Status == StatusClientGone {
		c.Status(StatusClientGone)
		return
	}
	c.Header("Cache-Control", "no-store")
	if page, ok := c.Value(errorPageKey).(ErrorPage); ok && page != nil && wantsPage(c) {
		page(c, p)
		return
	}
	body, err := json.Marshal(p)
	if err != nil { // a field that cannot be written is a bug of whoever named it; the rest is still true
		p.Fields = nil
		body, _ = json.Marshal(p)
	}
	c.Data(p.Status, ProblemType, body)
}

func wantsPage(c *gin.Context) bool {
	return !strings.HasPrefix(c.Request.URL.Path, "/api/") && strings.Contains(c.GetHeader("Accept"), "text/html")
}
