// Package api is the JSON contract under /api/v1. Handlers decode, call one service method and shape the answer;
// the OpenAPI document is made from their types. Which path leads where stands in handlers/router.go.
package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"usher/handlers/request"
)

// Prefix is where the API lives.
const Prefix = "/api/v1"

// API registers operations on a router group and keeps their document.
type API struct {
	config huma.Config
	huma   huma.API
}

// New makes the API of a group below Prefix.
func New(engine *gin.Engine, group *gin.RouterGroup) *API {
	setUpHuma()
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI:    "3.1.0",
			Info:       &huma.Info{Title: "usher", Version: "1", Description: description},
			Servers:    []*huma.Server{{URL: Prefix}},
			Components: &huma.Components{Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName)},
		},
		Formats:       map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat},
		DefaultFormat: "application/json",
	}
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer", Description: "The token of POST /session."},
		"cookie": {Type: "apiKey", In: "cookie", Name: "__Host-usher", Description: "Set by POST /session; named usher where the site is not reached over TLS."},
	}
	return &API{config: config, huma: humagin.NewWithGroup(engine, group, config)}
}

const description = "A cinema box office. Amounts are integers in minor units of the currency. Errors are application/problem+json " +
	"with a stable code; parts that name what is wrong stand beside it. A hold and the order it becomes share one id."

// Op describes an operation: where it is, what it does, what it answers.
type Op struct {
	ID      string
	Method  string
	Path    string // below Prefix, with {names}
	Summary string
	Status  int   // of success, default 200
	Errors  []int // beside 422 for what does not fit, and 500
	Open    bool  // whether it is for everybody, without a session
	Hidden  bool  // left out of the document
}

// Handle registers a handler. The types of its input and output are its part of the document.
func Handle[I, O any](a *API, op Op, handler func(context.Context, *I) (*O, error)) {
	o := a.operation(op)
	o.Responses = a.responses(op.ID)
	huma.Register(a.huma, o, handler)
}

// document adds an operation that a plain gin handler serves; change says what its answers look like.
func (a *API) document(op Op, change func(*huma.Operation)) {
	o := a.operation(op)
	o.Responses = map[string]*huma.Response{}
	change(&o)
	for _, status := range op.Errors {
		o.Responses[fmt.Sprint(status)] = a.refusal(status)
	}
	a.huma.OpenAPI().AddOperation(&o)
}

func (a *API) operation(op Op) huma.Operation {
	o := huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: op.Path, Summary: op.Summary, DefaultStatus: op.Status, Errors: op.Errors, Hidden: op.Hidden,
		MaxBodyBytes: request.BodyMax + 1, // the middleware's limit comes first and has the better answer
	}
	if !op.Open {
		o.Security = []map[string][]string{{"bearer": {}}, {"cookie": {}}}
	}
	return o
}

func (a *API) refusal(status int) *huma.Response {
	return &huma.Response{
		Description: http.StatusText(status),
		Content:     map[string]*huma.MediaType{problemType: {Schema: problemSchema(a.huma.OpenAPI().Components.Schemas)}},
	}
}

// JSON returns the OpenAPI document.
func (a *API) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(a.huma.OpenAPI(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the OpenAPI document: %w", err)
	}
	return append(text, '\n'), nil
}

// empty is the output of an operation that has nothing to say.
type empty struct{}
