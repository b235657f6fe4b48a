package frame

import (
	"github.com/gin-gonic/gin"
)

// Routes are a part of the map of pages.
type Routes interface {
	Register(group *gin.RouterGroup)
}

// Pages are all HTML routes together, with the page that draws their problems.
type Pages struct {
	*Frame
	Parts []Routes
}

// Register adds every part's routes.
func (p Pages) Register(group *gin.RouterGroup) {
	for _, part := range p.Parts {
		part.Register(group)
	}
}

// Get adds a page, which only looks, for GET and HEAD.
func Get(group *gin.RouterGroup, path string, handlers ...gin.HandlerFunc) {
	group.GET(path, handlers...)
	group.HEAD(path, handlers...)
}
