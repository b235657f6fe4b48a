package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"usher/web/i18n"
	"usher/web/webtest"
)

func render(t *testing.T, lang, name string, w webtest.Words) string {
	t.Helper()
	page, ok := webtest.Pages(i18n.New(lang), w)[name]
	if !ok {
		t.Fatalf("there is no page %s", name)
	}
	var out strings.Builder
	if err := page.Render(context.Background(), &out); err != nil {
		t.Fatalf("render %s: %v", name, err)
	}
	return out.String()
}

func parse(t *testing.T, text string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func elements(doc *html.Node, names ...string) []*html.Node {
	var out []*html.Node
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && (len(names) == 0 || slices.Contains(names, n.Data)) {
			out = append(out, n)
		}
	}
	return out
}

// TestEveryPageIsSound checks what holds for all pages in all languages: language, title, one heading, the
// content security policy, labels, names, no message left untranslated.
func TestEveryPageIsSound(t *testing.T) {
	t.Parallel()
	for _, lang := range i18n.Languages() {
		for name := range webtest.Pages(i18n.New(lang.Code), webtest.Plain()) {
			t.Run(lang.Code+"/"+name, func(t *testing.T) {
				t.Parallel()
				text := render(t, lang.Code, name, webtest.Plain())
				doc := parse(t, text)
				for _, problem := range slices.Concat(frame(doc, lang.Code), policy(doc), names(doc)) {
					t.Error(problem)
				}
				for _, bad := range []string{"no value", "[seat", "[order", "[error", "[nav", "{{", "%!"} {
					if strings.Contains(textOf(doc), bad) {
						t.Errorf("the page shows %q", bad)
					}
				}
			})
		}
	}
}

func frame(doc *html.Node, lang string) (problems []string) {
	if got, _ := attr(elements(doc, "html")[0], "lang"); got != lang {
		problems = append(problems, fmt.Sprintf("lang is %q, want %q", got, lang))
	}
	if title := textOf(elements(doc, "title")[0]); !strings.Contains(title, " · ") {
		problems = append(problems, "the title names no page: "+title)
	}
	if got := len(elements(doc, "h1")); got != 1 {
		problems = append(problems, fmt.Sprintf("%d h1, want 1", got))
	}
	seen := make(map[string]bool)
	for _, n := range elements(doc) {
		if id, ok := attr(n, "id"); ok {
			if seen[id] {
				problems = append(problems, "id twice: "+id)
			}
			seen[id] = true
		}
	}
	for _, n := range elements(doc) {
		for _, ref := range []string{"aria-describedby", "for"} {
			if id, ok := attr(n, ref); ok && !seen[id] {
				problems = append(problems, ref+" points nowhere: "+id)
			}
		}
	}
	return problems
}

// policy checks that nothing needs more than default-src 'self'; img-src 'self' data:.
func policy(doc *html.Node) (problems []string) {
	for _, n := range elements(doc) {
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				problems = append(problems, "inline "+a.Key+" on "+n.Data)
			}
			if slices.Contains([]string{"src", "href", "action"}, a.Key) {
				local := strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "//") || strings.HasPrefix(a.Val, "#")
				if !local && !(a.Key == "src" && strings.HasPrefix(a.Val, "data:image/")) {
					problems = append(problems, fmt.Sprintf("%s leads away: %q", a.Key, a.Val))
				}
			}
		}
		if n.Data == "style" || n.Data == "script" && strings.TrimSpace(textOf(n)) != "" {
			problems = append(problems, "inline "+n.Data)
		}
	}
	return problems
}

// names checks that every control and picture has a name for people who listen.
func names(doc *html.Node) (problems []string) {
	labelled := make(map[string]bool)
	for _, n := range elements(doc, "label") {
		if id, ok := attr(n, "for"); ok && textOf(n) != "" {
			labelled[id] = true
		}
	}
	for _, n := range elements(doc, "input", "select", "button", "a", "img") {
		label, _ := attr(n, "aria-label")
		kind, _ := attr(n, "type")
		id, _ := attr(n, "id")
		hidden, _ := attr(n, "aria-hidden")
		_, alt := attr(n, "alt")
		switch {
		case kind == "hidden", hidden == "true", label != "":
		case n.Data == "img" && !alt:
			problems = append(problems, "picture without alt")
		case (n.Data == "input" || n.Data == "select") && !labelled[id]:
			problems = append(problems, "field without label: "+id)
		case (n.Data == "button" || n.Data == "a") && textOf(n) == "":
			problems = append(problems, n.Data+" without name")
		}
	}
	return problems
}

// TestHostileWordsAreShownAsTheyAre puts markup into everything that users and staff write.
func TestHostileWordsAreShownAsTheyAre(t *testing.T) {
	t.Parallel()
	const evil = `"'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;`
	w := webtest.Words{
		Title: "title" + evil, Name: "name" + evil, Email: "mail" + evil, Room: "room" + evil, Cinema: "cinema" + evil,
		Tier: "tier" + evil, Row: "row" + evil, Label: "label" + evil,
	}
	for _, lang := range i18n.Languages() {
		for name := range webtest.Pages(i18n.New(lang.Code), w) {
			text := render(t, lang.Code, name, w)
			if strings.Contains(text, "<script>alert") || strings.Contains(text, "<img src=x") {
				t.Errorf("%s/%s: markup gets through", lang.Code, name)
			}
			doc := parse(t, text)
			for _, problem := range policy(doc) {
				t.Errorf("%s/%s: %s", lang.Code, name, problem)
			}
			if !strings.Contains(textOf(doc), "cinema"+evil) {
				t.Errorf("%s/%s: the cinema's name is not shown as it is", lang.Code, name)
			}
		}
	}
	doc := parse(t, render(t, "en", "seatmap", w))
	for _, want := range []string{w.Title, w.Room, w.Tier} {
		if !strings.Contains(textOf(doc), want) {
			t.Errorf("the seat map does not show %q as it is", want)
		}
	}
	found := false
	for _, n := range elements(doc, "input") {
		label, _ := attr(n, "aria-label")
		found = found || strings.Contains(label, "Row A"+w.Row+", seat 1"+w.Label)
	}
	if !found {
		t.Error("no seat is called by its hostile name")
	}
}
