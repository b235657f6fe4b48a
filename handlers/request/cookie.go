package request

import (
	"net/http"
	"time"
)

// SessionCookie is how browsers keep a session's token. Secure is set where they reach us over TLS.
type SessionCookie struct{ Secure bool }

// Name returns the cookie's name. Where it can, the browser itself makes sure that no other host set it.
func (s SessionCookie) Name() string {
	if s.Secure {
		return "__Host-usher"
	}
	return "usher"
}

// Set returns the cookie of a session that begins. life is how long the session lasts.
func (s SessionCookie) Set(token string, life time.Duration) *http.Cookie {
	return s.cookie(token, int(life/time.Second))
}

// Clear returns the cookie that ends the session in the browser.
func (s SessionCookie) Clear() *http.Cookie { return s.cookie("", -1) }

func (s SessionCookie) cookie(value string, maxAge int) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure is off only where the site is reached without TLS
		Name: s.Name(), Value: value, Path: "/", MaxAge: maxAge, Secure: s.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}
