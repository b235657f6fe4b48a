package middleware

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
)

// Recover turns a panic into a 500 with the request's id, and logs its stack. An answer that has begun cannot be
// taken back: its connection is cut, so that nobody takes the half for the whole.
func Recover(log *slog.Logger) gin.HandlerFunc {
	return func(c *gin.Context) {
		defer func() {
			r := recover()
			if r == nil {
				return
			}
			if err, ok := r.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(r)
			}
			ctx := c.Request.Context()
			log.ErrorContext(ctx, "handler panicked", "request_id", request.ID(ctx), "route", c.FullPath(), "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			if c.Writer.Written() {
				panic(http.ErrAbortHandler)
			}
			c.Writer.Header().Del("Content-Type")
			response.Error(c, errPanicked)
		}()
		c.Next()
	}
}

var errPanicked = errors.New("the handler panicked, see the entry with the same request id")
