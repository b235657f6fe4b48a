package api

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"usher/service"
)

// Within returns the same API on a group that asks for more. Both share one document.
func (a *API) Within(engine *gin.Engine, group *gin.RouterGroup) *API {
	config := a.config
	return &API{config: config, huma: humagin.NewWithGroup(engine, group, config)}
}

// responses returns documented successes that huma cannot read off the handler's types, because it writes bytes.
func (a *API) responses(id string) map[string]*huma.Response {
	body := func(doc string, t reflect.Type) *huma.Response {
		schema := a.huma.OpenAPI().Components.Schemas.Schema(t, true, id)
		return &huma.Response{Description: doc, Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}
	}
	switch id {
	case "place-hold":
		return map[string]*huma.Response{
			"201": body("Taken; a repeat has the same bytes and Idempotent-Replayed: true.", reflect.TypeFor[service.HoldAnswer]()),
			"202": body("Accepted, not yet in the ledger: ask for the order.", reflect.TypeFor[pendingHold]()),
		}
	case "view-seats":
		return map[string]*huma.Response{
			"200": body("The map.", reflect.TypeFor[seatsView]()),
			"304": {Description: "It still is what If-None-Match names."},
		}
	}
	return nil
}

// DocumentEvents describes the live stream, which a plain handler serves.
func (a *API) DocumentEvents(op Op) {
	a.document(op, func(o *huma.Operation) {
		o.Description = "Server-Sent Events. `seats`: data {version, free, changes:[{no, state}]}, id epoch-version. `reload`: read the whole map; " +
			"a stream without Last-Event-ID begins with it. A comment each 15 s says that the stream is alive."
		o.Parameters = []*huma.Param{pathParam("id"), {Name: "Last-Event-ID", In: "header", Schema: &huma.Schema{Type: huma.TypeString}}}
		o.Responses["200"] = &huma.Response{
			Description: "The stream.", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
		}
	})
}

// DocumentCallback describes a gateway's message, which a plain handler reads as it came.
func (a *API) DocumentCallback(op Op) {
	a.document(op, func(o *huma.Operation) {
		text := &huma.Schema{Type: huma.TypeString}
		o.Description = "Signed as Standard Webhooks: HMAC-SHA256 over webhook-id.webhook-timestamp.body."
		o.Parameters = []*huma.Param{
			pathParam("gateway"),
			{Name: "webhook-id", In: "header", Schema: text},
			{Name: "webhook-timestamp", In: "header", Schema: text},
			{Name: "webhook-signature", In: "header", Schema: text},
		}
		o.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
		}}
		o.Responses["204"] = &huma.Response{Description: http.StatusText(http.StatusNoContent)}
	})
}

func pathParam(name string) *huma.Param {
	return &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}
}
