package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"testing"

	"usher/web"
)

func get(address string, header http.Header) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, address, nil)
	r.Header = header
	rec := httptest.NewRecorder()
	web.Handler().ServeHTTP(rec, r)
	return rec
}

func TestHandlerServesForEverUnderTheHash(t *testing.T) {
	t.Parallel()
	for name, wantType := range map[string]string{
		"css/app.css":            "text/css; charset=utf-8",
		"js/seatmap.js":          "text/javascript; charset=utf-8",
		"posters/metropolis.svg": "image/svg+xml",
		"icons/usher.svg":        "image/svg+xml",
	} {
		rec := get(web.Asset(name), nil)
		if rec.Code != http.StatusOK || rec.Body.Len() == 0 {
			t.Errorf("%s: status %d with %d bytes", name, rec.Code, rec.Body.Len())
		}
		if got := rec.Header().Get("Content-Type"); got != wantType {
			t.Errorf("%s: type %q, want %q", name, got, wantType)
		}
		if got := rec.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %q", name, got)
		}
		packed := get(web.Asset(name), http.Header{"Accept-Encoding": {"br, gzip"}})
		if packed.Header().Get("Content-Encoding") != "gzip" {
			continue
		}
		z, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(plain, rec.Body.Bytes()) {
			t.Errorf("%s: the compressed form differs", name)
		}
	}
}

func TestHandlerPromisesNothingForAnotherVersion(t *testing.T) {
	t.Parallel()
	rec := get("/static/000000000000/css/app.css", nil)
	if rec.Code != http.StatusOK || rec.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("got %d with %q, want 200 with no-cache", rec.Code, rec.Header().Get("Cache-Control"))
	}
}

func TestHandlerListsAndLeaksNothing(t *testing.T) {
	t.Parallel()
	version := path.Dir(path.Dir(web.Asset("css/app.css")))
	for _, address := range []string{
		"/static/", version + "/", version + "/css", version + "/css/", version + "/css/../../web.go", version + "/none.css", "/static/css/app.css",
	} {
		if rec := get(address, nil); rec.Code != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", address, rec.Code)
		}
	}
	rec := httptest.NewRecorder()
	web.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodPost, web.Asset("css/app.css"), nil))
	if rec.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d, want 405", rec.Code)
	}
}

// TestScriptsImportWhatExists follows the relative imports of every script.
func TestScriptsImportWhatExists(t *testing.T) {
	t.Parallel()
	importing := regexp.MustCompile(`from "\./([^"]+)"`)
	seen := 0
	for _, script := range []string{
		"seatmap.js", "seatstream.js", "zoom.js", "roving.js", "money.js", "quantity.js", "countdown.js", "order.js", "overview.js", "staffmap.js",
	} {
		for _, m := range importing.FindAllStringSubmatch(get(web.Asset("js/"+script), nil).Body.String(), -1) {
			seen++
			if !web.Exists("js/" + m[1]) {
				t.Errorf("%s imports %s, which is not there", script, m[1])
			}
		}
	}
	if seen == 0 {
		t.Error("no import was found")
	}
}

func TestEveryPosterOfTheDemoIsDrawn(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"metropolis", "nosferatu", "caligari", "general", "sherlock-jr", "phantom", "potemkin", "sunrise", "safety-last", "gold-rush",
		"thief-of-bagdad", "prince-achmed", "default",
	} {
		if !web.Exists("posters/" + key + ".svg") {
			t.Errorf("no poster %s", key)
		}
	}
}
