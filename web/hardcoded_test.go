package web_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/a-h/templ/parser/v2"
	"github.com/a-h/templ/parser/v2/visitor"
)

// spoken are the attributes that people read or hear.
var spoken = map[string]bool{"aria-label": true, "title": true, "placeholder": true, "alt": true, "aria-description": true}

// TestTemplatesHaveNoWordsOfTheirOwn parses every template: visible text and spoken attributes must come from
// the message files.
func TestTemplatesHaveNoWordsOfTheirOwn(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.templ")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 15 {
		t.Fatalf("found %d templates, want all of them", len(files))
	}
	for _, file := range files {
		parsed, err := parser.Parse(file)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, text := range wordsOf(t, parsed) {
			t.Errorf("%s: %q is written in the template", file, text)
		}
	}
}

func TestWordsOfSeesTextAndAttributes(t *testing.T) {
	t.Parallel()
	parsed, err := parser.ParseString("package x\n\ntempl X() {\n\t<p class=\"fine\" title=\"Not fine\">Hello { name } · </p>\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(wordsOf(t, parsed), "|"); got != "Not fine|Hello" {
		t.Errorf("got %q, want %q", got, "Not fine|Hello")
	}
}

func wordsOf(t *testing.T, file *parser.TemplateFile) []string {
	t.Helper()
	var out []string
	add := func(text string) {
		if text = strings.TrimSpace(text); strings.ContainsFunc(text, unicode.IsLetter) {
			out = append(out, text)
		}
	}
	v := visitor.New()
	v.Text = func(n *parser.Text) error {
		add(n.Value)
		return nil
	}
	v.ConstantAttribute = func(n *parser.ConstantAttribute) error {
		if key, ok := n.Key.(parser.ConstantAttributeKey); ok && spoken[key.Name] {
			add(n.Value)
		}
		return nil
	}
	if err := file.Visit(v); err != nil {
		t.Fatal(err)
	}
	return out
}
