package middleware

import "github.com/gin-gonic/gin"

// contentPolicy allows our own files only; nothing is inline, nothing is framed.
const contentPolicy = "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; object-src 'none'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// SecurityHeaders sets them on every answer, errors included. https says that browsers reach us over TLS.
func SecurityHeaders(https bool) gin.HandlerFunc {
	return func(c *gin.Context) {
		h := c.Writer.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		if https {
			h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
	}
}

// NoStore says that answers are personal and must not be kept; a handler that knows better says so itself.
func NoStore() gin.HandlerFunc {
	return func(c *gin.Context) { c.Writer.Header().Set("Cache-Control", "no-store") }
}
