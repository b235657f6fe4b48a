package api

import (
	"reflect"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
)

// schemaName names a schema after its type, also when the type is not exported.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	name = strings.NewReplacer("[", "", "]", "", "*", "").Replace(name)
	r := []rune(name)
	if len(r) > 0 {
		r[0] = unicode.ToUpper(r[0])
	}
	return string(r)
}
