package testenv

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"testing"
)

// RequireServers is the environment variable that turns "not installed" from a skip into a failure.
const RequireServers = "USHER_TEST_REQUIRE_SERVERS"

// errNotInstalled says that a program is not on this machine.
var errNotInstalled = errors.New("not installed")

// Chromium returns the path of a Chromium or Chrome and whether there is one.
func Chromium() (path string, ok bool) {
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}
	places := []string{"/usr/bin", "/usr/local/bin", "/snap/bin"}
	if runtime.GOOS == "darwin" {
		names = append(names, "Chromium", "Google Chrome")
		places = append(places, "/Applications/Chromium.app/Contents/MacOS", "/Applications/Google Chrome.app/Contents/MacOS")
	}
	for _, name := range names {
		if path, err := find(name, places...); err == nil {
			return path, true
		}
	}
	return "", false
}

// missing ends the test: skipped, or failed where servers are required.
func missing(t testing.TB, sentence string) {
	t.Helper()
	if os.Getenv(RequireServers) == "1" {
		t.Fatalf("%s (%s=1 forbids skipping)", sentence, RequireServers)
	}
	t.Skip(sentence)
}

// find looks for a program in PATH, then in the given folders.
func find(name string, folders ...string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return filepath.Abs(path)
	}
	for _, folder := range folders {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, nil
		}
	}
	return "", errNotInstalled
}

// postgresBin returns the programs of one PostgreSQL installation. Debian keeps them out of PATH, a folder per version.
func postgresBin() (initdb, postgres string, err error) {
	folders := postgresFolders()
	if path, lookErr := exec.LookPath("postgres"); lookErr == nil {
		folders = append([]string{filepath.Dir(path)}, folders...)
	}
	for _, folder := range folders {
		initdb, postgres = filepath.Join(folder, "initdb"), filepath.Join(folder, "postgres")
		_, noInitdb := exec.LookPath(initdb)
		_, noPostgres := exec.LookPath(postgres)
		if noInitdb == nil && noPostgres == nil {
			return initdb, postgres, nil
		}
	}
	return "", "", errNotInstalled
}

// postgresFolders lists where packages put PostgreSQL, the newest version first.
func postgresFolders() []string {
	var folders []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
	} {
		found, _ := filepath.Glob(pattern) // the only error is a malformed pattern
		folders = append(folders, found...)
	}
	slices.SortStableFunc(folders, func(a, b string) int { return versionIn(b) - versionIn(a) })
	return folders
}

var digits = regexp.MustCompile(`\d+`)

// versionIn returns the first number in a path, 0 when there is none.
func versionIn(path string) int {
	n, err := strconv.Atoi(digits.FindString(path))
	if err != nil {
		return 0
	}
	return n
}
