// Package docs_test keeps the documents true where a machine can tell: settings, codes of scripts, links, headings.
package docs_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root     = "../.."
	readme   = "README.md"
	readmeZH = "README.zh-CN.md"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var wordStart = regexp.MustCompile(`([a-z])([A-Z])`)

// settings returns the variables that the fields of the Settings struct stand for.
func settings(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "settings.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "Settings" {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			for _, name := range field.Names {
				names = append(names, "USHER_"+strings.ToUpper(wordStart.ReplaceAllString(name.Name, "${1}_${2}")))
			}
		}
		return false
	})
	return names
}

func TestReadmesListEverySetting(t *testing.T) {
	t.Parallel()
	names := settings(t)
	if !slices.Contains(names, "USHER_DATABASE_URL") || !slices.Contains(names, "USHER_ADDR") {
		t.Fatalf("the settings were not understood: %v", names)
	}
	row := regexp.MustCompile("(?m)^\\| `(USHER_[A-Z_]+)` \\|")
	for _, doc := range []string{readme, readmeZH} {
		var listed []string
		for _, m := range row.FindAllStringSubmatch(read(t, doc), -1) {
			listed = append(listed, m[1])
		}
		for _, name := range names {
			if !slices.Contains(listed, name) {
				t.Errorf("%s has no row for %s", doc, name)
			}
		}
		for _, name := range listed {
			if !slices.Contains(names, name) {
				t.Errorf("%s has a row for %s, which is no setting", doc, name)
			}
		}
	}
}

var scriptAnswer = regexp.MustCompile(`\{'(-?\d+)', '([A-Z_]+)'`)

func TestHoldStoreListsEveryAnswerOfEveryScript(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root, "lua", "*.lua"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts found: %v", err)
	}
	doc := read(t, "docs/hold-store.md")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".lua")
		_, section, found := strings.Cut(doc, "\n### "+name+"\n")
		if !found {
			t.Errorf("docs/hold-store.md has no section for %s", name)
			continue
		}
		section, _, _ = strings.Cut(section, "\n##")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		answers := scriptAnswer.FindAllSubmatch(text, -1)
		if len(answers) == 0 {
			t.Errorf("%s has no answer that this test can read", name)
		}
		inScript := map[string]bool{}
		for _, a := range answers {
			row := fmt.Sprintf("| `%s` | `%s` |", a[1], a[2])
			if inScript[row] {
				continue
			}
			inScript[row] = true
			if !strings.Contains(section, row) {
				t.Errorf("docs/hold-store.md: %s lacks the row %s", name, row)
			}
		}
		if rows := strings.Count(section, "\n| `"); rows != len(inScript) {
			t.Errorf("docs/hold-store.md: %s has %d rows, the script has %d answers", name, rows, len(inScript))
		}
	}
}

// documents lists the Markdown files at the root and below docs.
func documents(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			name, err := filepath.Rel(root, f)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, filepath.ToSlash(name))
		}
	}
	if len(out) < 20 {
		t.Fatalf("only %d documents found: %v", len(out), out)
	}
	return out
}

var (
	fence   = regexp.MustCompile("(?ms)^```.*?^```[^\n]*$")
	link    = regexp.MustCompile(`(!?)\[[^\]]*\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^(#{1,6}) +(.+)$`)
)

// pictures may be added later than the words around them.
const pictures = "docs/pictures/"

func TestRelativeLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, doc := range documents(t) {
		text := fence.ReplaceAllString(read(t, doc), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[2], "#")
			if strings.Contains(target, "://") {
				continue
			}
			checked++
			name := doc
			if target != "" {
				name = filepath.ToSlash(filepath.Join(filepath.Dir(doc), target))
			}
			_, err := os.Stat(filepath.Join(root, name))
			switch {
			case err != nil && m[1] == "!" && strings.HasPrefix(name, pictures):
				t.Logf("%s: the picture %s is not there yet", doc, name)
			case err != nil:
				t.Errorf("%s: the link to %s leads nowhere", doc, m[2])
			case anchor != "" && !slices.Contains(anchors(read(t, name)), anchor):
				t.Errorf("%s: %s has no heading #%s", doc, name, anchor)
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d links were looked at", checked)
	}
}

func anchors(text string) []string {
	var out []string
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		var sb strings.Builder
		for _, r := range strings.ToLower(m[2]) {
			switch {
			case r == ' ':
				sb.WriteByte('-')
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 0x7f:
				sb.WriteRune(r)
			}
		}
		out = append(out, sb.String())
	}
	return out
}

func TestBothReadmesHaveTheSameParts(t *testing.T) {
	t.Parallel()
	levels := func(doc string) []string {
		var out []string
		for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(read(t, doc), ""), -1) {
			out = append(out, m[1])
		}
		return out
	}
	english, chinese := levels(readme), levels(readmeZH)
	if len(english) < 5 || !slices.Equal(english, chinese) {
		t.Errorf("headings of %s: %v, of %s: %v", readme, english, readmeZH, chinese)
	}
}

// foreign are the marks of one machine. They are put together so that this file has none of them.
var foreign = regexp.MustCompile(`(^|[\s"'` + "`" + `(=:])/(` + strings.Join([]string{"work", "root", "home/[a-z]", "Users"}, "|") + `)/` +
	`|registry` + `\.[a-z0-9-]+\.[a-z]{2,}|proxy` + `\.golang\.org|py` + `pi\.org|art` + `ifactory`)

func TestNoFileSpeaksOfOneMachine(t *testing.T) {
	t.Parallel()
	for _, sample := range []string{"see /ro" + "ot/x", "https://regi" + "stry.example.org/a", "\"/wo" + "rk/main\""} {
		if !foreign.MatchString(sample) {
			t.Fatalf("%q is not found", sample)
		}
	}
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	list.Dir = root
	names, err := list.Output()
	if err != nil {
		t.Skipf("not run, git does not list the files: %v", err)
	}
	seen := 0
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || bytes.IndexByte(text, 0) >= 0 { // deleted but not committed, or no text
			continue
		}
		seen++
		for i, line := range strings.Split(string(text), "\n") {
			if found := foreign.FindString(line); found != "" {
				t.Errorf("%s:%d speaks of one machine: %q", name, i+1, found)
			}
		}
	}
	if seen == 0 {
		t.Error("no file was looked at")
	}
}
