package handlers_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"usher/handlers/handlertest"
)

var update = flag.Bool("update", false, "write docs/openapi.json anew")

const openAPIFile = "../docs/openapi.json"

func contextWithCancel(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}

func TestDocumentIsTheServedOne(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	served := h.Nobody().Get(t, "/openapi.json").Want(t, 200).Body
	if below := h.Nobody().Get(t, "/api/v1/openapi.json").Want(t, 200).Body; string(below) != string(served) {
		t.Error("two documents")
	}
	if *update {
		if err := os.WriteFile(openAPIFile, served, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(openAPIFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(committed) != string(served) {
		t.Error("docs/openapi.json is not what is served; run go test ./handlers -run TestDocumentIsTheServedOne -update")
	}
	again := handlertest.Start(t, handlertest.Options{}).Nobody().Get(t, "/openapi.json").Want(t, 200).Body
	if string(again) != string(served) {
		t.Error("the document differs from one start to the next")
	}
}

// Every route below /api/v1 is in the document, and the other way round.
func TestDocumentIsComplete(t *testing.T) {
	t.Parallel()
	h := handlertest.Start(t, handlertest.Options{})
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Responses   map[string]any
		}
	}
	if err := json.Unmarshal(h.Nobody().Get(t, "/openapi.json").Want(t, 200).Body, &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("version %s", doc.OpenAPI)
	}
	documented := map[string]bool{}
	for path, operations := range doc.Paths {
		for method, o := range operations {
			documented[strings.ToUpper(method)+" "+path] = true
			if o.OperationID == "" || len(o.Responses) < 2 {
				t.Errorf("%s %s says too little: %+v", method, path, o)
			}
		}
	}
	engine := routesOf(t, h)
	for route := range engine {
		if !documented[route] {
			t.Errorf("%s is not documented", route)
		}
	}
	for route := range documented {
		if !engine[route] {
			t.Errorf("%s is documented but not served", route)
		}
	}
}

// routesOf lists the operations of the API in the document's notation.
func routesOf(t *testing.T, h *handlertest.House) map[string]bool {
	t.Helper()
	list := map[string]bool{}
	engine, ok := h.Handler.(lister)
	if !ok {
		t.Fatal("the handler does not list its routes")
	}
	for _, r := range engine.Routes() {
		path, below := strings.CutPrefix(r.Path, "/api/v1")
		if !below || path == "/openapi.json" || path == "/payments/sandbox/callback" { // the last is one of {gateway}
			continue
		}
		parts := strings.Split(path, "/")
		for i, p := range parts {
			if name, param := strings.CutPrefix(p, ":"); param {
				parts[i] = "{" + name + "}"
			}
		}
		list[r.Method+" "+strings.Join(parts, "/")] = true
	}
	return list
}
