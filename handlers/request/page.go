package request

import (
	"strconv"

	"github.com/gin-gonic/gin"

	"usher/service/domain"
)

// Page reads the page of a list from the query. Errors: ErrInvalid.
func Page(c *gin.Context) (domain.Page, error) {
	p := domain.Page{After: c.Query("cursor")}
	if text := c.Query("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return p, domain.ErrInvalid.With("limit", "This is not a number above zero.")
		}
		p.Limit = n
	}
	return p.Bounded(), nil
}
