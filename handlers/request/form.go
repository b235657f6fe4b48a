package request

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"usher/service/domain"
)

// KeyHeader is the header that carries the idempotency key.
const KeyHeader = "Idempotency-Key"

// keyField is the hidden form field that carries it where there is no script.
const keyField = "idempotency_key"

// Key returns the idempotency key of the header, or of the form's hidden field.
func Key(c *gin.Context) string {
	if key := c.GetHeader(KeyHeader); key != "" {
		return key
	}
	return c.PostForm(keyField)
}

// Form returns a trimmed field of a submitted form.
func Form(c *gin.Context, name string) string { return strings.TrimSpace(c.PostForm(name)) }

// ParseForm reads the submitted form, so that a body that cannot be read is told from an empty one. Errors:
// ErrTooLarge, ErrMalformed.
func ParseForm(r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		if TooLarge(err) {
			return domain.ErrTooLarge
		}
		return domain.ErrMalformed.Because(err)
	}
	return nil
}
