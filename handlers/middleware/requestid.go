// Package middleware holds what every request passes: its id, the log, limits, who asks and from where.
//
// The order is in handlers/router.go. Nothing here knows a route.
package middleware

import (
	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/service"
)

// RequestIDHeader carries a request's id in both directions.
const RequestIDHeader = "X-Request-ID"

// requestIDMax is the longest id that is taken over from the client.
const requestIDMax = 64

// RequestID names each request: with the client's id when it is sane, else with a new one.
func RequestID() gin.HandlerFunc {
	languages := request.NewLanguages()
	return func(c *gin.Context) {
		id := c.GetHeader(RequestIDHeader)
		if !sane(id) {
			id = service.NewID()
		}
		c.Request = request.WithInfo(c.Request, &request.Info{ID: id}, languages)
		c.Header(RequestIDHeader, id)
	}
}

// sane reports whether an id can go into logs and headers as it is.
func sane(id string) bool {
	if id == "" || len(id) > requestIDMax {
		return false
	}
	for _, b := range []byte(id) {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-', b == '_', b == '.':
		default:
			return false
		}
	}
	return true
}
