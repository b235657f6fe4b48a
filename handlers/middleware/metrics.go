package middleware

import (
	"fmt"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
)

// Metrics measures requests by method, route template and class of status. Routes with a quiet name (streams,
// which last as long as somebody watches) are left out.
func Metrics(registry prometheus.Registerer, now func() time.Time, quiet ...string) (gin.HandlerFunc, error) {
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "usher_http_request_seconds", Help: "Time to answer requests, by method, route and class of status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"method", "route", "status"})
	if err := registry.Register(seconds); err != nil {
		return nil, fmt.Errorf("register request metrics: %w", err)
	}
	skip := make(map[string]bool, len(quiet))
	for _, route := range quiet {
		skip[route] = true
	}
	return func(c *gin.Context) {
		began := now()
		c.Next()
		route := c.FullPath()
		if skip[route] {
			return
		}
		if route == "" {
			route = "none"
		}
		class := strconv.Itoa(c.Writer.Status()/100) + "xx"
		seconds.WithLabelValues(method(c.Request.Method), route, class).Observe(now().Sub(began).Seconds())
	}, nil
}
