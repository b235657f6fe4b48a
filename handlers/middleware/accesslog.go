package middleware

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"usher/handlers/request"
	"usher/handlers/response"
)

// AccessLog writes one line for each answered request, and with it the cause of a failure of ours, once. Routes
// are logged as templates: neither paths nor queries nor anything else that somebody typed. Quiet routes are
// logged when they fail only.
func AccessLog(log *slog.Logger, now func() time.Time, quiet ...string) gin.HandlerFunc {
	log = log.With("component", "http")
	skip := make(map[string]bool, len(quiet))
	for _, route := range quiet {
		skip[route] = true
	}
	return func(c *gin.Context) {
		began := now()
		c.Next()
		status := c.Writer.Status()
		route := c.FullPath()
		if skip[route] && status < http.StatusInternalServerError {
			return
		}
		ctx := c.Request.Context()
		attrs := []slog.Attr{
			slog.String("request_id", request.ID(ctx)), slog.String("method", method(c.Request.Method)), slog.String("route", route), slog.Int("status", status),
			slog.Int("bytes", max(0, c.Writer.Size())), slog.Int64("us", now().Sub(began).Microseconds()), slog.String("client", c.ClientIP()),
		}
		if user := request.Visitor(ctx).UserID; user != "" {
			attrs = append(attrs, slog.String("user_id", user))
		}
		if p := response.NotedProblem(c); p != nil {
			attrs = append(attrs, slog.String("code", p.Code))
		}
		level := slog.LevelInfo
		switch {
		case status == http.StatusServiceUnavailable:
			level = slog.LevelWarn
		case status >= http.StatusInternalServerError:
			level = slog.LevelError
		}
		if last := c.Errors.Last(); last != nil && level > slog.LevelInfo {
			attrs = append(attrs, slog.String("error", last.Err.Error()))
		}
		log.LogAttrs(ctx, level, "request", attrs...)
	}
}

// method returns the method as one of the known words: a client may send any.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "other"
}
