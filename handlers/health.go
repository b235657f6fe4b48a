package handlers

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"usher/service"
)

// healthz says that the process answers.
func healthz(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) }

// readyz says whether this instance should get requests, and why not. One that is about to stop should not.
func readyz(overview *service.Overview, stopping <-chan struct{}) gin.HandlerFunc {
	return func(c *gin.Context) {
		select {
		case <-stopping:
			c.JSON(http.StatusServiceUnavailable, gin.H{"status": "not_ready", "reasons": []string{"stopping"}})
			return
		default:
		}
		reasons := overview.Readiness()
		if len(reasons) > 0 {
			c.JSON(http.StatusServiceUnavailable, gin.H{"status": "not_ready", "reasons": reasons})
			return
		}
		c.JSON(http.StatusOK, gin.H{"status": "ready", "reasons": []string{}})
	}
}
