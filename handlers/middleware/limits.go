package middleware

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/service/domain"
)

// Forms reads the form of an unsafe request before its handler does, so that one which is too large or cannot be
// read is an answer of its own and not an empty form.
func Forms() gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead {
			return
		}
		if err := request.ParseForm(c.Request); err != nil {
			response.Error(c, err)
		}
	}
}

// BodyLimit refuses bodies above the limit: at once when they say their size, else while they are read.
func BodyLimit(limit int64) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Request.ContentLength > limit {
			c.Header("Connection", "close") // the rest is not read
			response.Error(c, domain.ErrTooLarge.With("limit_bytes", limit))
			return
		}
		if c.Request.Body != nil {
			c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, limit)
		}
	}
}

// Timeout ends the request's context after the given time. What a handler answers then is a 503.
func Timeout(limit time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		ctx, cancel := context.WithTimeout(c.Request.Context(), limit)
		whole := c.Request
		defer func() { // what comes after, also after a panic, must not find the context ended by us
			cancel()
			c.Request = whole
		}()
		c.Request = whole.WithContext(ctx)
		c.Next()
	}
}

// Staff lets staff with at least the role pass.
func Staff(role domain.Role) gin.HandlerFunc {
	return func(c *gin.Context) {
		if _, err := request.Staff(c.Request.Context(), role); err != nil {
			response.Error(c, err)
		}
	}
}
