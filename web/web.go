// Package web carries what a browser gets beside the pages: style sheet, scripts, drawings.
//
// Every file is part of the binary. Addresses carry one hash over all files, so that browsers keep them for ever
// and a script's relative imports stay inside the same version. Pages live in sitepage and adminpage.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

// Prefix is where Handler must be mounted, for GET and HEAD.
const Prefix = "/static/"

//go:embed static/css static/js static/posters static/icons
var embedded embed.FS

// file is one embedded file with its compressed form, nil when that is no smaller.
type file struct {
	body        []byte
	gzipped     []byte
	contentType string
}

type bundle struct {
	version string
	files   map[string]file
}

// assets reads the embedded files once. They cannot be missing, so a failure is a programmer's error.
var assets = sync.OnceValue(func() *bundle {
	b := &bundle{files: make(map[string]file)}
	sum := sha256.New()
	err := fs.WalkDir(embedded, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		sum.Write([]byte(name))
		sum.Write(body)
		key := strings.TrimPrefix(name, "static/")
		b.files[key] = file{body: body, gzipped: compressed(body), contentType: typeOf(key)}
		return nil
	})
	if err != nil {
		panic("web: read embedded files: " + err.Error())
	}
	b.version = hex.EncodeToString(sum.Sum(nil))[:12]
	return b
})

// Asset returns the address of an embedded file, for example css/app.css. The address changes with the content.
func Asset(name string) string {
	return Prefix + assets().version + "/" + name
}

// Exists reports whether there is such a file.
func Exists(name string) bool {
	_, ok := assets().files[name]
	return ok
}

// Handler serves the embedded files under Prefix. A current address may be kept for ever; one of another version
// gets the current file without a promise, which is what a browser needs while instances are replaced.
func Handler() http.Handler {
	b := assets()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		version, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
		f, ok := b.files[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		b.serve(w, r, f, version == b.version)
	})
}

func (b *bundle) serve(w http.ResponseWriter, r *http.Request, f file, current bool) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if current {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	body := f.body
	if f.gzipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = f.gzipped
	}
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(body)
	}
}

func typeOf(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

func compressed(body []byte) []byte {
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := z.Write(body); err != nil || z.Close() != nil || buf.Len() >= len(body) {
		return nil
	}
	return buf.Bytes()
}
