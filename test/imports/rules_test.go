package imports_test

import "strings"

// anything allows every package of this module but the test-support ones.
const anything = "..."

// row says what the packages of one folder may import. Test files and test-support packages have no row: they may import
// what they test.
type row struct {
	folder  string   // "" is the program itself; "x/..." is x and all below it
	ours    []string // packages of this module, in the same notation
	except  []string // taken out of ours again
	outside []string // packages of other modules; nil means all that nobody owns, see owners
	never   []string // packages of the standard library
}

// rows is the import rule: main → handlers → service → repo, repo/holdstore → service/domain, and no arrow back.
// A new package needs a row here, which is the moment to think about where its arrows go.
var rows = []row{
	{folder: "", ours: []string{anything}, outside: []string{anything}},
	{folder: "bench/...", ours: []string{anything}, except: []string{"web/..."}, outside: []string{anything}},
	{folder: "handlers/...", ours: []string{"handlers/...", "service", "service/domain", "web/..."}},
	{folder: "web/...", ours: []string{"web/...", "service/domain"}},
	{folder: "jobs", ours: []string{"service", "service/domain"}, outside: []string{"github.com/robfig/cron/..."}, never: []string{"net/http"}},

	{
		folder: "service",
		ours:   []string{"service/domain", "service/seating", "service/seatplan", "service/demo", "repo", "repo/holdstore"},
		never:  []string{"net/http", "database/sql"},
	},
	{folder: "service/demo", ours: []string{"service/domain"}, never: []string{"net/http", "database/sql"}},
	{folder: "service/paygate", ours: []string{"service", "service/domain"}},
	{folder: "service/notify", ours: []string{"service", "service/domain"}},
	{folder: "service/seating", ours: []string{"service/domain"}, outside: []string{}, never: []string{"net/http", "database/sql"}},
	{folder: "service/seatplan", ours: []string{"service/domain"}, outside: []string{}, never: []string{"net/http", "database/sql"}},
	{folder: "service/domain", outside: []string{}, never: []string{"net/http", "database/sql", "os"}},

	{folder: "repo", ours: []string{"service/domain", "migrations"}, never: []string{"net/http"}},
	{folder: "repo/holdstore", ours: []string{"service/domain", "lua"}, never: []string{"net/http", "database/sql"}},
	{folder: "lua", outside: []string{}, never: []string{"net/http", "database/sql", "os"}},
	{folder: "migrations", outside: []string{"github.com/pressly/goose/..."}, never: []string{"net/http"}},
}

// testSupport are packages that exist for tests and must never reach the program.
var testSupport = []string{
	"repo/repotest", "repo/holdstore/holdstoretest", "service/servicetest", "handlers/handlertest", "handlers/site/sitetest", "web/webtest", "test/...",
}

// owners names the one folder that may know a module. Rows that list outside packages themselves are not asked.
var owners = map[string]string{
	"github.com/gin-gonic/...":          "handlers/...",
	"github.com/danielgtaylor/...":      "handlers/...",
	"gorm.io/...":                       "repo",
	"github.com/libtnb/...":             "repo",
	"github.com/jackc/...":              "repo",
	"modernc.org/...":                   "repo",
	"github.com/redis/...":              "repo/holdstore",
	"github.com/go-redis/...":           "repo/holdstore",
	"github.com/alicebob/miniredis/...": "repo/holdstore",
	"github.com/pressly/goose/...":      "migrations",
	"github.com/robfig/cron/...":        "jobs",
}

// buckets are folder names that say nothing about what is inside.
var buckets = []string{"util", "utils", "common", "models", "types", "helpers", "core"}

// matches reports whether a path is what the pattern names.
func matches(pattern, path string) bool {
	if pattern == anything {
		return true
	}
	base, subtree := strings.CutSuffix(pattern, "/...")
	return path == base || subtree && strings.HasPrefix(path, base+"/")
}

func matchesAny(patterns []string, path string) bool {
	for _, p := range patterns {
		if matches(p, path) {
			return true
		}
	}
	return false
}

// rowOf returns the row of a folder.
func rowOf(folder string) (row, bool) {
	for _, r := range rows {
		if matches(r.folder, folder) {
			return r, true
		}
	}
	return row{}, false
}
