package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"usher/repo"
	"usher/service/servicetest"
)

// screen is what the program prints; it may be read while the program writes.
type screen struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func environ(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// usher runs a command to its end.
func usher(t *testing.T, vars map[string]string, args ...string) (string, error) {
	t.Helper()
	var out screen
	err := run(t.Context(), args, environ(vars), &out)
	return out.String(), err
}

var listening = regexp.MustCompile(`listening on ([0-9.:]+)`)

func TestProgramSellsATicketAndStops(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ctx, stop := context.WithCancel(context.Background())
	var out screen
	ended := make(chan error, 1)
	vars := map[string]string{"USHER_ADDR": "127.0.0.1:0", "USHER_OPS_ADDR": "off", "USHER_DATA_DIR": t.TempDir()}
	go func() { ended <- run(ctx, nil, environ(vars), &out) }()
	var base string
	servicetest.Eventually(t, 30*time.Second, func() (bool, string) {
		m := listening.FindStringSubmatch(out.String())
		if m == nil {
			return false, "not listening: " + out.String()
		}
		base = "http://" + m[1]
		res, err := http.Get(base + "/readyz")
		if err != nil {
			return false, err.Error()
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK, res.Status
	})
	buy(t, base)
	if !strings.Contains(out.String(), "/staff/setup?token=") {
		t.Error("no set-up link was printed")
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("stop: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the program does not stop")
	}
	http.DefaultClient.CloseIdleConnections()
}

// buy holds, checks out and pays through the API, and wants a ticket.
func buy(t *testing.T, base string) {
	t.Helper()
	base += "/api/v1"
	token := ask(t, http.MethodPost, base+"/session", "", `{}`)["token"].(string)
	var screening string
	for _, item := range ask(t, http.MethodGet, base+"/screenings?limit=100", token, "")["items"].([]any) {
		if s := item.(map[string]any); s["on_sale"] == true && s["kind"] == "seated" {
			screening = s["id"].(string)
		}
	}
	order := ask(t, http.MethodPost, base+"/screenings/"+screening+"/holds", token, `{"best":{"count":2}}`)["id"].(string)
	payment := ask(t, http.MethodPost, base+"/orders/"+order+"/checkout", token, `{"email":"b@example.org","name":"B"}`)["payment_id"].(string)
	ask(t, http.MethodPost, base+"/payments/sandbox/"+payment, token, `{"outcome":"approve"}`)
	if got := ask(t, http.MethodGet, base+"/orders/"+order, token, ""); got["status"] != "paid" || !strings.HasPrefix(fmt.Sprint(got["ticket_code"]), "USHER1.") {
		t.Errorf("the paid order is %v", got)
	}
}

func ask(t *testing.T, method, url, token, body string) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", "k1")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode > 299 {
		t.Fatalf("%s %s: %s %s %v", method, url, res.Status, text, err)
	}
	out := map[string]any{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return out
}

func TestWrongSettingsAreAllNamed(t *testing.T) {
	t.Parallel()
	out, err := usher(t, map[string]string{
		"USHER_ADDR": "nonsense", "USHER_REDIS_URL": "redis://127.0.0.1:1", "USHER_SECRET": "short", "USHER_TRUSTED_PROXIES": "0.0.0.0/0",
		"USHER_PUBLIC_URL": "ftp://x", "USHER_DEMO": "maybe", "USHER_START_PATIENCE": "soon", "USHER_HOLD_ACK": "never", "USHER_WORKERS": "0",
	})
	if !errors.Is(err, badUsage) {
		t.Errorf("exit = %v, want status 2", err)
	}
	for _, name := range []string{"USHER_ADDR", "USHER_DATABASE_URL", "USHER_SECRET", "USHER_TRUSTED_PROXIES", "USHER_PUBLIC_URL", "USHER_DEMO", "USHER_START_PATIENCE", "USHER_HOLD_ACK", "USHER_WORKERS"} {
		if !strings.Contains(out, name) {
			t.Errorf("%s is not named in:\n%s", name, out)
		}
	}
}

func TestUnknownFlagAndHelp(t *testing.T) {
	t.Parallel()
	if out, err := usher(t, nil, "--nonsense"); !errors.Is(err, badUsage) || !strings.Contains(out, "nonsense") {
		t.Errorf("unknown flag: %v %s", err, out)
	}
	if out, err := usher(t, nil, "--help"); err != nil || !strings.Contains(out, "import plan") {
		t.Errorf("help: %v %s", err, out)
	}
}

func TestSecretFromFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("too short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := usher(t, map[string]string{"USHER_SECRET_FILE": file}, "migrate")
	if !errors.Is(err, badUsage) || !strings.Contains(out, "has 9 characters") {
		t.Errorf("the file's secret was not judged: %v %s", err, out)
	}
}

// TestLedgerAway: the program waits, a line a second, and gives up after its patience.
func TestLedgerAway(t *testing.T) {
	t.Parallel()
	out, err := usher(t, map[string]string{
		"USHER_DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "USHER_REDIS_URL": "redis://127.0.0.1:1", "USHER_START_PATIENCE": "1500ms",
		"USHER_SECRET": strings.Repeat("s", 40), "USHER_ADDR": "127.0.0.1:0",
	})
	if err == nil || !strings.Contains(err.Error(), "gave up after 1.5s") || !strings.Contains(out, "waiting for the ledger") {
		t.Errorf("got %v\n%s", err, out)
	}
}

// plans are the seat plans of the shared data that an import must take, with what it must report.
var plans = []struct {
	file string
	args []string
	want string
}{
	{"pretix-calais.json", []string{"--screen", "bottom"}, "702 seats, 26 rows, 4 zones"},
	{"opera-house-seats.csv", nil, "3006 seats, 82 rows, 6 zones"},
	{"pretix-teater-besar.json", []string{"--new-ids"}, "1132 seats"},
	{"pretix-courtside.json", []string{"--new-ids"}, "300 seats"},
	{"broken/base-valid.json", nil, "57 seats, 3 rows, 1 zone"},
}

// refused are those that it must refuse, with words of the reason.
var refused = map[string]string{
	"pretix-teater-besar.json":       "twice",
	"pretix-courtside.json":          "twice",
	"calais-theatre.csv":             "16",
	"broken/duplicate-seat-id.json":  "ORCHESTRA|F|1",
	"broken/missing-row-number.json": "row_number",
	"broken/seat-outside-zone.json":  "ORCHESTRA|H|22",
	"broken/unknown-category.json":   "Balkon",
	"broken/invalid-utf8.json":       "offset 14",
	"broken/wrong-type.json":         "264",
	"broken/empty.json":              "empty",
}

func sharedData(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "shared", "data")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the real seat plans are not here; the plans in service/seatplan/testdata carry the same oddities")
	}
	return dir
}

func TestImportOfRealPlans(t *testing.T) {
	t.Parallel()
	dir := sharedData(t)
	vars := map[string]string{"USHER_DATA_DIR": t.TempDir()}
	for _, p := range plans {
		out, err := usher(t, vars, append([]string{"import", "plan", filepath.Join(dir, p.file), "--auditorium", p.file}, p.args...)...)
		if err != nil || !strings.Contains(out, p.want) {
			t.Errorf("%s: %v\n%s\nwant %q", p.file, err, out, p.want)
		}
	}
}

func TestImportRefusesBrokenPlansAndStoresNothing(t *testing.T) {
	t.Parallel()
	dir := sharedData(t)
	for file, word := range refused {
		data := t.TempDir()
		out, err := usher(t, map[string]string{"USHER_DATA_DIR": data}, "import", "plan", filepath.Join(dir, file))
		var status exitStatus
		if !errors.As(err, &status) || status == 0 || !strings.Contains(out, word) || !strings.Contains(out, filepath.Base(file)) {
			t.Errorf("%s: %v\n%s\nwant %q", file, err, out, word)
		}
		store, err := repo.Open(repo.Options{File: filepath.Join(data, "usher.db")}, servicetest.Log())
		if err != nil {
			t.Fatal(err)
		}
		if empty, err := store.CatalogEmpty(t.Context()); err != nil || !empty {
			t.Errorf("%s: something was stored (%v)", file, err)
		}
		_ = store.Close()
	}
}

func TestWaitReady(t *testing.T) {
	t.Parallel()
	there := func(context.Context) error { return nil }
	if err := waitReady(t.Context(), time.Second, there, func(error) { t.Error("waited for what is there") }); err != nil {
		t.Error(err)
	}
	told, failure := 0, errors.New("away")
	err := waitReady(t.Context(), 50*time.Millisecond, func(context.Context) error { return failure }, func(error) { told++ })
	if !errors.Is(err, failure) || told != 1 || !strings.Contains(err.Error(), "gave up after 50ms") {
		t.Errorf("got %v, told %d times", err, told)
	}
}
