// Package response writes answers: problems, pages, redirects. It is the only place where kinds of errors become
// HTTP statuses.
package response

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"time"

	"usher/service/domain"
)

// StatusClientGone is logged when the client left before the answer. It never reaches anybody.
const StatusClientGone = 499

// ProblemType is the media type of a problem (RFC 9457).
const ProblemType = "application/problem+json"

// Problem is the body of every refusal.
type Problem struct {
	Status     int
	Code       string // the stable machine word
	Title      string
	Detail     string // safe to show
	RequestID  string
	RetryAfter time.Duration
	Fields     map[string]any // what is wrong, at the top level of the body
}

// members are the names that a problem has itself. A field of the same name gets another one.
var members = map[string]string{
	"type": "field_type", "title": "field_title", "status": "order_status", "code": "field_code", "detail": "field_detail",
	"instance": "field_instance", "request_id": "field_request_id",
}

// MarshalJSON puts the fields beside the problem's own members.
func (p *Problem) MarshalJSON() ([]byte, error) {
	out := make(map[string]any, len(p.Fields)+6)
	for name, v := range p.Fields {
		if other, taken := members[name]; taken {
			name = other
		}
		out[name] = v
	}
	out["type"], out["title"], out["status"] = "about:blank", p.Title, p.Status
	out["code"], out["detail"], out["request_id"] = p.Code, p.Detail, p.RequestID
	return json.Marshal(out)
}

// statuses maps kinds to HTTP.
var statuses = map[domain.Kind]int{
	domain.KindInvalid:         http.StatusUnprocessableEntity,
	domain.KindMalformed:       http.StatusBadRequest,
	domain.KindTooLarge:        http.StatusRequestEntityTooLarge,
	domain.KindUnauthenticated: http.StatusUnauthorized,
	domain.KindForbidden:       http.StatusForbidden,
	domain.KindNotFound:        http.StatusNotFound,
	domain.KindConflict:        http.StatusConflict,
	domain.KindGone:            http.StatusGone,
	domain.KindRateLimited:     http.StatusTooManyRequests,
	domain.KindUnavailable:     http.StatusServiceUnavailable,
	domain.KindInternal:        http.StatusInternalServerError,
}

// brokenDetail is all that anybody is told of an error that is ours.
const brokenDetail = "Something is broken on our side."

// ProblemOf turns an error into a problem. ctx is the request's: when it was the client who ended it, nobody is
// at fault; when it was the deadline, the request may be sent again.
func ProblemOf(ctx context.Context, err error) *Problem {
	var e *domain.Error
	if !errors.As(err, &e) || e.Kind == domain.KindInternal {
		switch {
		case errors.Is(ctx.Err(), context.Canceled):
			return &Problem{Status: StatusClientGone, Code: "client_gone", Title: "Client Gone"}
		case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
			e = domain.ErrUnavailable
		case e == nil:
			e = &domain.Error{Kind: domain.KindInternal, Code: "internal", Message: brokenDetail}
		}
	}
	status, known := statuses[e.Kind]
	if !known {
		status = http.StatusInternalServerError
	}
	return &Problem{Status: status, Code: e.Code, Title: http.StatusText(status), Detail: e.Message, RetryAfter: e.RetryAfter, Fields: shown(e.Fields)}
}

// shown leaves out what is for us alone: the name of a rule of the ledger.
func shown(fields map[string]any) map[string]any {
	if _, ours := fields["rule"]; !ours {
		return fields
	}
	out := maps.Clone(fields)
	delete(out, "rule")
	return out
}
