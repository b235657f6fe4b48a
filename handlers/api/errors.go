package api

import (
	"errors"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"usher/handlers/request"
	"usher/handlers/response"
	"usher/service/domain"
)

const problemType = response.ProblemType

// Problem is huma's view of a problem: errors of handlers and what huma itself finds wrong with a request become
// the same body as everywhere else.
type Problem struct{ *response.Problem }

// Error returns what may be shown.
func (p Problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p Problem) GetStatus() int { return p.Status }

// ContentType returns the media type of problems.
func (p Problem) ContentType(string) string { return problemType }

// Schema names the description of the body, which is in the document once.
func (p Problem) Schema(r huma.Registry) *huma.Schema {
	r.Map()["Problem"] = problemMembers()
	return &huma.Schema{Ref: "#/components/schemas/Problem"}
}

// problemMembers describes the body. Refusals add members that name what is wrong, like taken or unknown.
func problemMembers() *huma.Schema {
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Required: []string{"type", "title", "status", "code", "detail", "request_id"},
		Properties: map[string]*huma.Schema{
			"type": text("Always about:blank."), "title": text("The status in words."), "code": text("Stable word for programs."),
			"detail": text("Sentence for people."), "request_id": text("Name of the request in our log."),
			"status": {Type: huma.TypeInteger, Description: "The HTTP status."},
		},
	}
}

func problemSchema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[Problem](), true, "Problem")
}

// setUpHuma replaces huma's error model and makes field names exact; huma keeps both in package variables. They
// are the same for every API of a process, so they are set once and never changed back.
var setUpHuma = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return Problem{&response.Problem{Status: status, Code: "invalid", Title: http.StatusText(status), Detail: msg}}
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		if ctx == nil {
			return huma.NewError(status, msg, errs...)
		}
		return Problem{response.Prepare(humagin.Unwrap(ctx), meaning(status, msg, errs))}
	}
})

// meaning turns what huma reports into an error of ours. With 500 it is a handler's own error; everything else
// is huma's judgement of the request.
func meaning(status int, msg string, errs []error) error {
	switch {
	case status == http.StatusInternalServerError && len(errs) == 1:
		return cause(msg, errs[0])
	case status == http.StatusRequestEntityTooLarge:
		return domain.ErrTooLarge
	case status == http.StatusRequestTimeout:
		return domain.ErrMalformed.Saying("The request body came too slowly.")
	case status == http.StatusUnsupportedMediaType:
		return domain.ErrMalformed.Saying("Send JSON.")
	case status == http.StatusUnprocessableEntity:
		return invalid(errs)
	case status == http.StatusBadRequest:
		return malformed(msg, errs)
	}
	return errors.Join(append(errs, errors.New(msg))...)
}

// cause is the error of a handler, or why the body could not be read.
func cause(msg string, err error) error {
	switch {
	case msg != unreadableBody:
		return err
	case request.TooLarge(err):
		return domain.ErrTooLarge.With("limit_bytes", request.BodyMax)
	default:
		return domain.ErrMalformed.Because(err)
	}
}

// unreadableBody is huma's word for a body that ended early.
const unreadableBody = "cannot read request body"

// Bounds of what a refusal repeats of a request.
const (
	namedMax = 10
	nameMax  = 64
)

// invalid names the fields that do not fit with their problem, and those that nobody knows. Values are not
// repeated.
func invalid(errs []error) error {
	out := domain.ErrInvalid
	var unknown []string
	for _, err := range errs[:min(len(errs), namedMax)] {
		var d *huma.ErrorDetail
		if !errors.As(err, &d) {
			continue
		}
		if place, ok := strings.CutPrefix(d.Message, placePrefix); ok {
			return brokenJSON(place)
		}
		_, name, _ := strings.Cut(d.Location, ".") // body.best.count, query.limit
		switch {
		case d.Message == unexpectedProperty:
			unknown = append(unknown, shorten(name))
		case name == "":
			out = out.Saying("The request body is not of the right form: " + d.Message + ".")
		default:
			out = out.With(shorten(name), d.Message)
		}
	}
	if len(unknown) > 0 {
		out = out.Saying("The request has fields that are not known here.").With("unknown", unknown)
	}
	return out
}

// unexpectedProperty is huma's word for a field that the schema does not have.
const unexpectedProperty = "unexpected property"

func shorten(name string) string {
	if len(name) <= nameMax {
		return name
	}
	name = name[:nameMax]
	for !utf8.ValidString(name) {
		name = name[:len(name)-1]
	}
	return name + "…"
}

// malformed says where a body cannot be read.
func malformed(msg string, errs []error) error {
	for _, err := range errs {
		var d *huma.ErrorDetail
		if errors.As(err, &d) {
			if place, ok := strings.CutPrefix(d.Message, placePrefix); ok {
				return brokenJSON(place)
			}
		}
	}
	return domain.ErrMalformed.Saying("The request cannot be read: " + msg + ".")
}
