package request

import (
	"net/http"
	"sync"

	"usher/web/i18n"
)

// LanguageCookie names the cookie of the language switch.
const LanguageCookie = "usher_language"

// Languages remembers what headers mean: browsers send the same few, and working one out costs more than a
// whole hold does.
type Languages struct {
	mu    sync.RWMutex
	known map[languageWish]string
}

type languageWish struct{ cookie, header string }

const (
	languagesKept = 512
	wishMax       = 200 // longer ones are worked out each time
)

// NewLanguages makes an empty memory.
func NewLanguages() *Languages { return &Languages{known: map[languageWish]string{}} }

func (l *Languages) match(r *http.Request) string {
	w := languageWish{header: r.Header.Get("Accept-Language")}
	if c, err := r.Cookie(LanguageCookie); err == nil {
		w.cookie = c.Value
	}
	if w.cookie == "" && w.header == "" {
		return i18n.English
	}
	if len(w.cookie)+len(w.header) > wishMax {
		return i18n.Match(w.cookie, w.header)
	}
	l.mu.RLock()
	lang, ok := l.known[w]
	l.mu.RUnlock()
	if ok {
		return lang
	}
	lang = i18n.Match(w.cookie, w.header)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= languagesKept {
		clear(l.known)
	}
	l.known[w] = lang
	return lang
}
