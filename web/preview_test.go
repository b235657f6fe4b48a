package web_test

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"usher/web"
	"usher/web/component"
	"usher/web/i18n"
	"usher/web/webtest"
)

// TestPreview writes every page with its files into the folder USHER_PREVIEW, to be looked at in a browser.
func TestPreview(t *testing.T) {
	dir := os.Getenv("USHER_PREVIEW")
	if dir == "" {
		t.Skip("set USHER_PREVIEW to a folder to write the pages there")
	}
	write := func(name string, body []byte) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, lang := range i18n.Languages() {
		for name, page := range webtest.Pages(i18n.New(lang.Code), webtest.Plain()) {
			var out strings.Builder
			if err := page.Render(context.Background(), &out); err != nil {
				t.Fatal(err)
			}
			write(lang.Code+"/"+name+".html", []byte(out.String()))
		}
	}
	plan := webtest.Layout(webtest.Plain())
	write("layouts/"+plan.ID+".css", component.LayoutCSS(plan))
	if house, err := webtest.Theatre("../../shared/data/pretix-calais.json"); err == nil {
		var out strings.Builder
		if err := webtest.TheatreMap(i18n.New(i18n.English), house).Render(context.Background(), &out); err != nil {
			t.Fatal(err)
		}
		write("en/theatre.html", []byte(out.String()))
		write("layouts/"+house.ID+".css", component.LayoutCSS(house))
	}
	files, err := filepath.Glob("static/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		address := web.Asset(strings.TrimPrefix(filepath.ToSlash(file), "static/"))
		rec := httptest.NewRecorder()
		web.Handler().ServeHTTP(rec, httptest.NewRequest("GET", address, nil))
		write(address, rec.Body.Bytes())
	}
}
