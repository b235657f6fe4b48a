package site

import (
	"net/http"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"usher/handlers/response"
	"usher/service"
	"usher/service/domain"
	"usher/web/component"
)

// Layouts serves the style sheets that place a room's seats. They are made once per layout and process.
type Layouts struct {
	catalog *service.Catalog

	mu   sync.RWMutex
	made map[string]layoutSheet
}

type layoutSheet struct {
	css     []byte
	version string
}

func newLayouts(catalog *service.Catalog) *Layouts {
	return &Layouts{catalog: catalog, made: map[string]layoutSheet{}}
}

// CSS serves /layouts/<id>.css. At the address of its present content it may be kept for ever.
func (h *Layouts) CSS(c *gin.Context) {
	id, ok := strings.CutSuffix(c.Param("file"), ".css")
	if !ok {
		response.Error(c, domain.ErrNotFound)
		return
	}

	h.mu.RLock()
	sheet, made := h.made[id]
	h.mu.RUnlock()
	if !made {
		room, err := h.catalog.Room(c.Request.Context(), id)
		if err != nil {
			response.Error(c, err)
			return
		}
		sheet = layoutSheet{css: component.LayoutCSS(room.Layout), version: component.LayoutVersion(room.Layout)}
		h.mu.Lock()
		h.made[id] = sheet
		h.mu.Unlock()
	}

	c.Header("Cache-Control", "no-cache")
	if c.Query("v") == sheet.version {
		c.Header("Cache-Control", "public, max-age=31536000, immutable")
	}
	c.Data(http.StatusOK, "text/css; charset=utf-8", sheet.css)
}
