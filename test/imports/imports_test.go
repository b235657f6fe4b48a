// Package imports_test holds the import rule of the module as a test: main → handlers → service → repo, repo/holdstore →
// service/domain, and no arrow back. The linter has the same rule; this test needs nothing but Go.
package imports_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNoImportPointsBack(t *testing.T) {
	t.Parallel()
	sources, err := scan(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	for _, s := range sources {
		folders[s.folder] = true
	}
	for _, folder := range []string{"service/domain", "repo", "test/imports"} {
		if !folders[folder] {
			t.Fatalf("the scan did not see %s, so it proves nothing", folder)
		}
	}
	for _, breach := range check(sources) {
		t.Error(breach)
	}
}

func TestForbiddenImportsAreFound(t *testing.T) {
	t.Parallel()
	const (
		notAllowed = "which its row does not allow"
		banned     = "which its row bans"
		testsOnly  = "which is for _test.go files only"
	)
	for _, tc := range []struct{ file, imported, want string }{
		{"service/domain/seat.go", "usher/repo", notAllowed},
		{"service/domain/seat.go", "github.com/google/uuid", notAllowed},
		{"service/domain/seat.go", "net/http", banned},
		{"lua/lua.go", "usher/service/domain", notAllowed},
		{"migrations/migrate.go", "gorm.io/gorm", notAllowed},
		{"repo/store.go", "usher/service", notAllowed},
		{"repo/store.go", "usher/repo/holdstore", notAllowed},
		{"repo/store.go", "github.com/redis/go-redis/v9", "which only repo/holdstore may know"},
		{"repo/store.go", "github.com/gin-gonic/gin", "which only handlers/... may know"},
		{"repo/holdstore/keys.go", "usher/repo", notAllowed},
		{"repo/holdstore/keys.go", "gorm.io/gorm", "which only repo may know"},
		{"service/holds.go", "usher/handlers", notAllowed},
		{"service/holds.go", "usher/handlers/api", notAllowed},
		{"service/holds.go", "usher/web", notAllowed},
		{"service/holds.go", "usher/jobs", notAllowed},
		{"service/holds.go", "usher/lua", notAllowed},
		{"service/holds.go", "gorm.io/gorm/clause", "which only repo may know"},
		{"service/holds.go", "net/http", banned},
		{"service/holds_postgres.go", "github.com/jackc/pgx/v5/pgconn", "which only repo may know"},
		{"service/paygate/sandbox.go", "usher/repo", notAllowed},
		{"service/seating/best.go", "usher/service", notAllowed},
		{"jobs/settle.go", "usher/repo", notAllowed},
		{"jobs/settle.go", "usher/repo/holdstore", notAllowed},
		{"jobs/settle.go", "github.com/gin-gonic/gin", notAllowed},
		{"handlers/api/holds.go", "usher/repo", notAllowed},
		{"handlers/api/holds.go", "usher/repo/holdstore", notAllowed},
		{"handlers/router.go", "usher/jobs", notAllowed},
		{"handlers/router.go", "gorm.io/gorm", "which only repo may know"},
		{"web/component/table.go", "usher/service", notAllowed},
		{"web/component/table.go", "github.com/gin-gonic/gin", "which only handlers/... may know"},
		{"bench/hold.go", "usher/web/component", notAllowed},
		{"service/holds.go", "usher", notAllowed},
		{"main.go", "usher/test/testenv", testsOnly},
		{"bench/hold.go", "usher/repo/repotest", testsOnly},
		{"handlers/router.go", "usher/handlers/handlertest", testsOnly},
	} {
		t.Run(tc.file+" imports "+tc.imported, func(t *testing.T) {
			t.Parallel()
			got := check(scanOne(t, tc.file, tc.imported))
			want := []string{tc.file + ": imports " + tc.imported + ", " + tc.want}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("breaches (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAllowedImportsPass(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ file, imported string }{
		{"main.go", "usher/repo/holdstore"},
		{"main.go", "github.com/alecthomas/kong"},
		{"wiring.go", "github.com/redis/go-redis/v9"},
		{"bench/hold.go", "usher/repo"},
		{"handlers/router.go", "usher/handlers/api"},
		{"handlers/api/holds.go", "usher/service"},
		{"handlers/api/holds.go", "github.com/danielgtaylor/huma/v2"},
		{"handlers/site/browse.go", "usher/web/sitepage"},
		{"web/sitepage/browse.go", "usher/web/component"},
		{"web/sitepage/browse.go", "usher/service/domain"},
		{"jobs/settle.go", "github.com/robfig/cron/v3"},
		{"service/holds.go", "usher/repo/holdstore"},
		{"service/holds.go", "github.com/sony/gobreaker/v2"},
		{"service/notify/webhook.go", "net/http"},
		{"repo/store.go", "gorm.io/gorm"},
		{"repo/holdstore/open.go", "github.com/redis/go-redis/v9"},
		{"repo/store_test.go", "usher/test/testenv"},
		{"repo/repotest/store.go", "usher/test/testenv"},
		{"handlers/handlertest/start.go", "usher/repo/repotest"},
		{"test/chaos/run.go", "usher/test/testenv"},
	} {
		t.Run(tc.file+" imports "+tc.imported, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([]string(nil), check(scanOne(t, tc.file, tc.imported))); diff != "" {
				t.Errorf("breaches (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownAndNamelessPackagesAreFound(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"tickets/pdf.go":          "has no row",
		"service/loyalty/card.go": "has no row",
		"web/helpers/money.go":    "says nothing",
		"repo/models/seat.go":     "says nothing",
	} {
		if got := strings.Join(check(scanOne(t, file, "fmt")), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want it to say %q", file, got, want)
		}
	}
}

// scanOne writes a module with one file that has one import, and scans it.
func scanOne(t *testing.T, file, imported string) []source {
	t.Helper()
	root := t.TempDir()
	mustWrite(t, filepath.Join(root, file), fmt.Sprintf("//go:build never\n\npackage x\n\nimport _ %q\n", imported))
	mustWrite(t, filepath.Join(root, "web", "node_modules", "x", "x.go"), "package broken (")
	sources, err := scan(root)
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
