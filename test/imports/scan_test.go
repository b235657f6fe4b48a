package imports_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// source is what matters of one Go file.
type source struct {
	folder  string // relative to the module's root, "" for the root itself
	name    string
	imports []string
}

func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// scan reads the imports of every Go file of the module, whatever its build tags say.
func scan(root string) ([]source, error) {
	var sources []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(root, path, d.Name())
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		s, err := read(root, path)
		sources = append(sources, s)
		return err
	})
	return sources, err
}

// enter leaves out what the go command leaves out, modules inside the module, and what npm installed.
func enter(root, path, name string) error {
	if path == root {
		return nil
	}
	if name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
		return filepath.SkipDir
	}
	return nil
}

func read(root, path string) (source, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return source{}, fmt.Errorf("parse %s: %w", path, err)
	}
	folder, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return source{}, fmt.Errorf("place %s: %w", path, err)
	}
	s := source{folder: strings.TrimPrefix(filepath.ToSlash(folder), "."), name: filepath.Base(path)}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return source{}, fmt.Errorf("read an import of %s: %w", path, err)
		}
		s.imports = append(s.imports, imported)
	}
	return s, nil
}

// check returns every breach of the rule, one sentence each, in order.
func check(sources []source) []string {
	var breaches []string
	for _, s := range sources {
		file := filepath.ToSlash(filepath.Join(s.folder, s.name))
		for _, part := range strings.Split(s.folder, "/") {
			if slices.Contains(buckets, part) {
				breaches = append(breaches, fmt.Sprintf("%s: a folder called %s says nothing about what is inside", file, part))
			}
		}
		if s.isTest() || matchesAny(testSupport, s.folder) {
			continue
		}
		r, ok := rowOf(s.folder)
		if !ok {
			breaches = append(breaches, fmt.Sprintf("%s: package %s has no row in test/imports/rules_test.go", file, s.folder))
			continue
		}
		for _, imported := range s.imports {
			if why := r.forbids(imported); why != "" {
				breaches = append(breaches, fmt.Sprintf("%s: imports %s, %s", file, imported, why))
			}
		}
	}
	slices.Sort(breaches)
	return slices.Compact(breaches)
}

// forbids returns why a row does not allow an import, or "".
func (r row) forbids(imported string) string {
	if imported == "usher" || strings.HasPrefix(imported, "usher/") {
		return r.forbidsOurs(strings.TrimPrefix(strings.TrimPrefix(imported, "usher"), "/"))
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		if matchesAny(r.never, imported) {
			return "which its row bans"
		}
		return ""
	}
	return r.forbidsOutside(imported)
}

func (r row) forbidsOurs(folder string) string {
	switch {
	case matchesAny(testSupport, folder):
		return "which is for _test.go files only"
	case !matchesAny(r.ours, folder) || matchesAny(r.except, folder):
		return "which its row does not allow"
	}
	return ""
}

func (r row) forbidsOutside(imported string) string {
	if r.outside != nil {
		if !matchesAny(r.outside, imported) {
			return "which its row does not allow"
		}
		return ""
	}
	for module, owner := range owners {
		if matches(module, imported) && owner != r.folder {
			return "which only " + owner + " may know"
		}
	}
	return ""
}
