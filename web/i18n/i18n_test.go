package i18n_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"usher/service/domain"
	"usher/web/i18n"
)

func messages(t *testing.T, lang string) map[string]any {
	t.Helper()
	raw, err := i18n.MessageFile(lang)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]any)
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func keysOf(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func TestLanguagesHaveTheSameKeys(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(keysOf(messages(t, i18n.English)), keysOf(messages(t, i18n.Chinese))); diff != "" {
		t.Errorf("keys differ (-en +zh-CN):\n%s", diff)
	}
}

var (
	placeholder = regexp.MustCompile(`\{\{\.\w+\}\}|\{[a-z]+\}`)
	used        = regexp.MustCompile(`\.(?:T|Or|lookup)\("([^"]+)"(\s*\+)?`)
)

func TestLanguagesHaveTheSamePlaceholders(t *testing.T) {
	t.Parallel()
	zh := messages(t, i18n.Chinese)
	for key, value := range messages(t, i18n.English) {
		if diff := cmp.Diff(placeholders(value), placeholders(zh[key])); diff != "" {
			t.Errorf("%s: placeholders differ (-en +zh-CN):\n%s", key, diff)
		}
	}
}

func placeholders(value any) []string {
	text, ok := value.(string)
	if forms, plural := value.(map[string]any); plural {
		text, ok = forms["other"].(string)
	}
	if !ok {
		return []string{"no text"}
	}
	out := placeholder.FindAllString(text, -1)
	slices.Sort(out)
	return out
}

// TestEveryUsedKeyExists reads the sources of all pages. A key that is put together from a prefix must have
// at least one message under it; what can follow the prefix is tested where the words are known.
func TestEveryUsedKeyExists(t *testing.T) {
	t.Parallel()
	known := keysOf(messages(t, i18n.English))
	found := 0
	for _, file := range sources(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range used.FindAllStringSubmatch(string(raw), -1) {
			found++
			key, prefix := m[1], m[2] != ""
			if prefix && slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, key) }) {
				continue
			}
			if !slices.Contains(known, key) {
				t.Errorf("%s uses %q, which no language has", file, key)
			}
		}
	}
	if found < 200 {
		t.Errorf("found %d uses of keys; the scan no longer sees the pages", found)
	}
}

func sources(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"../*/*.templ", "../*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f, "_templ.go") && !strings.HasSuffix(f, "_test.go") {
				out = append(out, f)
			}
		}
	}
	return out
}

func TestEveryWordOfTheDomainIsTranslated(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, s := range []domain.OrderStatus{
		domain.OrderReserved, domain.OrderPaying, domain.OrderPaid, domain.OrderRefunding, domain.OrderRefunded,
		domain.OrderFailed, domain.OrderExpired, domain.OrderCancelled, domain.OrderConfirming,
	} {
		keys = append(keys, "order.status."+string(s))
	}
	for _, r := range []domain.Reason{
		domain.ReasonSeatConflict, domain.ReasonVersionConflict, domain.ReasonSoldOut, domain.ReasonLimitExceeded,
		domain.ReasonScreeningCancelled, domain.ReasonLost, domain.ReasonDuplicate, domain.ReasonKeyReused, domain.ReasonTimeUp,
		domain.ReasonByBuyer, domain.ReasonByStaff, domain.ReasonDeadLetter, domain.ReasonLateMoney,
	} {
		keys = append(keys, "order.reason."+string(r))
	}
	for _, s := range []domain.ScreeningStatus{
		domain.ScreeningDraft, domain.ScreeningOnSale, domain.ScreeningPaused, domain.ScreeningClosed, domain.ScreeningCancelled,
	} {
		keys = append(keys, "screening.status."+string(s))
	}
	for _, k := range []domain.SeatKind{domain.SeatWheelchair, domain.SeatCompanion, domain.SeatLove} {
		keys = append(keys, "seat.kind."+string(k))
	}
	for _, m := range []domain.HoldMode{domain.HoldModeRedis, domain.HoldModeLedger} {
		keys = append(keys, "hold_mode."+string(m))
	}
	for _, lang := range i18n.Languages() {
		l := i18n.New(lang.Code)
		for _, key := range keys {
			if got := l.T(key); got == "["+key+"]" || got == "" {
				t.Errorf("%s: no message for %s", lang.Code, key)
			}
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cookie, header, want string }{
		{"", "", "en"},
		{"", "zh-CN,zh;q=0.9,en;q=0.8", "zh-CN"},
		{"", "zh", "zh-CN"},
		{"", "zh-Hans-SG", "zh-CN"},
		{"", "en-GB,zh;q=0.5", "en"},
		{"", "fr-FR,zh-CN;q=0.7", "zh-CN"},
		{"", "fr", "en"},
		{"", "\x00;;q=x", "en"},
		{"zh-CN", "en", "zh-CN"},
		{"en", "zh-CN", "en"},
		{"xx", "zh-CN", "zh-CN"},
	} {
		if got := i18n.Match(c.cookie, c.header); got != c.want {
			t.Errorf("Match(%q, %q) = %q, want %q", c.cookie, c.header, got, c.want)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang  string
		minor int64
		code  string
		want  string
	}{
		{"en", 1450, "EUR", "€14.50"},
		{"zh-CN", 1450, "EUR", "€14.50"},
		{"zh-CN", 4500, "CNY", "¥45.00"},
		{"en", 1200, "JPY", "¥1,200"},
		{"en", 123456789, "EUR", "€1,234,567.89"},
		{"en", 0, "EUR", "€0.00"},
		{"en", -1450, "EUR", "-€14.50"},
		{"en", 5, "???", "5 ???"},
	} {
		if got := i18n.New(c.lang).Money(c.minor, c.code); got != c.want {
			t.Errorf("%s: Money(%d, %s) = %q, want %q", c.lang, c.minor, c.code, got, c.want)
		}
	}
}

func TestTimesAreThoseOfTheZone(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("CEST", 2*60*60)
	at := time.Date(2026, 6, 5, 22, 30, 0, 0, time.UTC) // the sixth in the cinema
	now := at.Add(-2 * time.Hour)
	en, zh := i18n.New("en"), i18n.New("zh-CN")
	for _, c := range []struct{ got, want string }{
		{en.Time(at, zone), "00:30"},
		{en.TimeZoned(at, zone), "00:30 CEST"},
		{en.Date(at, zone), "Saturday, 6 June"},
		{zh.Date(at, zone), "6月6日 星期六"},
		{en.DateTime(at, zone), "Saturday, 6 June, 00:30"},
		{en.Weekday(at, zone), "Sat"},
		{zh.Weekday(at, zone), "周六"},
		{en.Day(at, now, zone), "Tomorrow"},
		{en.Day(now, now, zone), "Today"},
		{zh.Day(at.AddDate(0, 0, 3), now, zone), "6月9日 星期二"},
		{en.Age(90 * time.Second), "1 min"},
		{en.Age(49 * time.Hour), "2 days"},
		{zh.Age(5 * time.Second), "5 秒"},
		{en.T("free.left", "Count", 1), "1 seat left"},
		{en.T("free.left", "Count", 3), "3 seats left"},
		{en.T("no.such.key"), "[no.such.key]"},
		{en.Tier("Comfort"), "Comfort"},
		{zh.Tier("comfort"), "舒适"},
		{zh.Tier("Vue réduite"), "Vue réduite"},
		{zh.List([]string{"A1", "A2"}), "A1、A2"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
