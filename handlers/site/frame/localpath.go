package frame

import (
	"net/url"
	"strings"
)

// pathMax bounds an address that somebody wants to return to.
const pathMax = 1024

// LocalPath returns next when it is one of our own paths, else the fallback. Browsers drop some signs and read
// others as slashes, so anything unusual is refused.
func LocalPath(next, fallback string) string {
	if len(next) > pathMax || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\#") {
		return fallback
	}
	for _, r := range next {
		if r <= ' ' || r == 0x7f || r == '\ufffd' {
			return fallback
		}
	}
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || strings.HasPrefix(u.Path, "//") || strings.ContainsAny(u.Path, "\\\x00\r\n\t") {
		return fallback
	}
	return next
}

// WithNext returns a path with the address to return to, when there is one.
func WithNext(path, next string) string {
	if next == "" || next == "/" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}
