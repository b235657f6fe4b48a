package request

import (
	"errors"
	"io"
	"net/http"

	"usher/service/domain"
)

// BodyMax is the largest body that any route reads.
const BodyMax = 64 << 10

// TooLarge reports whether reading a body ended at its limit.
func TooLarge(err error) bool {
	var e *http.MaxBytesError
	return errors.As(err, &e)
}

// Body reads the whole body as it came. Errors: ErrTooLarge, ErrMalformed.
func Body(r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(r.Body)
	switch {
	case err == nil:
		return raw, nil
	case TooLarge(err):
		return nil, domain.ErrTooLarge
	default:
		return nil, domain.ErrMalformed.Because(err)
	}
}
