package response_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"

	"usher/handlers/response"
	"usher/service/domain"
)

func TestKindsBecomeStatuses(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancelLate := context.WithTimeout(context.Background(), 0)
	defer cancelLate()
	now := context.Background()
	for _, c := range []struct {
		ctx    context.Context //nolint:containedctx // a case of the table
		err    error
		status int
		code   string
	}{
		{now, domain.ErrInvalid, 422, "invalid"},
		{now, domain.ErrMalformed, 400, "malformed"},
		{now, domain.ErrTooLarge, 413, "too_large"},
		{now, domain.ErrUnauthenticated, 401, "unauthenticated"},
		{now, domain.ErrForbidden, 403, "forbidden"},
		{now, domain.ErrNotFound, 404, "not_found"},
		{now, domain.ErrSeatTaken, 409, "seat_taken"},
		{now, domain.ErrLost, 410, "lost"},
		{now, &domain.Error{Kind: domain.KindRateLimited, Code: "slow_down"}, 429, "slow_down"},
		{now, domain.ErrOneMoment, 503, "one_moment"},
		{now, domain.ErrScript, 500, "script_error"},
		{now, &domain.Error{Kind: "new", Code: "new"}, 500, "new"},
		{now, fmt.Errorf("place hold: %w", domain.ErrSoldOut), 409, "sold_out"},
		{now, errors.New("secret"), 500, "internal"},
		{now, fmt.Errorf("read: %w", context.DeadlineExceeded), 503, "unavailable"},
		{late, errors.New("secret"), 503, "unavailable"},
		{late, domain.ErrSeatTaken, 409, "seat_taken"},
		{gone, errors.New("secret"), 499, "client_gone"},
		{gone, domain.ErrSeatTaken, 409, "seat_taken"},
	} {
		if p := response.ProblemOf(c.ctx, c.err); p.Status != c.status || p.Code != c.code || p.Detail == "secret" {
			t.Errorf("%v: got %d %s %q, want %d %s", c.err, p.Status, p.Code, p.Detail, c.status, c.code)
		}
	}
}

func answered(t *testing.T, handle gin.HandlerFunc) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	c, _ := gin.CreateTestContext(w)
	c.Request = httptest.NewRequest("GET", "/x", nil)
	handle(c)
	c.Writer.WriteHeaderNow()
	return w
}

func TestProblemKeepsItsOwnMembers(t *testing.T) {
	t.Parallel()
	err := domain.ErrExpired.With("status", "cancelled").With("title", "x").With("taken", []string{"A1"})
	err.RetryAfter = 1500 * time.Millisecond
	w := answered(t, func(c *gin.Context) { response.Error(c, err) })
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"type": "about:blank", "title": "Gone", "status": 410.0, "code": "expired", "detail": "The hold has ended.", "request_id": "",
		"order_status": "cancelled", "field_title": "x", "taken": []any{"A1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if w.Header().Get("Retry-After") != "2" || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("headers %v", w.Header())
	}
}

func TestProblemWithAFieldThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	w := answered(t, func(c *gin.Context) { response.Error(c, domain.ErrSeatTaken.With("taken", func() {})) })
	if w.Code != 409 || !json.Valid(w.Body.Bytes()) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// BC-70: a page that fails half way is one clean error.
func TestHalfAPageIsAnError(t *testing.T) {
	t.Parallel()
	half := templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, _ = io.WriteString(w, "<main>half")
		return errors.New("secret")
	})
	w := answered(t, func(c *gin.Context) { response.Page(c, 200, half) })
	if w.Code != 500 || w.Header().Get("Content-Type") != "application/problem+json" || !json.Valid(w.Body.Bytes()) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	whole := answered(t, func(c *gin.Context) { response.Page(c, 422, templ.Raw("<main>whole</main>")) })
	if whole.Code != 422 || whole.Body.String() != "<main>whole</main>" || whole.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %v %s", whole.Code, whole.Header(), whole.Body)
	}
}
