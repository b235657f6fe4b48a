package holdstore

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"usher/service/domain"
)

// FuzzEntry: whatever stands in a stream, reading it ends in an event that keeps its promises or in a broken entry
// that a dead letter can store.
func FuzzEntry(f *testing.F) {
	f.Add("1", "held", "1", "s", "h", "1", "5", "4", "h", `{"seats":[{"no":"A5","i":4}],"cur":"EUR","key":"k","fp":"f","ans":"a"}`)
	f.Add("1", "held", "1", "s", "h", "2", "9007199254740993", "", "h", `{"cur":"EUR","key":"k","fp":"f","ans":"a"}`)
	f.Add("1", "released", "3", "s", "h", "1", "", "1,2", ".", "")
	f.Add("1", "rebuilt", "3", "s", "", "8", "", "", "", "")
	f.Add("2", "sold", "x", "\xff", "a\nb", "-1", "1e3", "-1,,2", "hh", "[")
	f.Fuzz(func(t *testing.T, v, kind, epoch, screening, hold, qty, amount, seats, state, detail string) {
		m := redis.XMessage{ID: "7-1", Values: map[string]any{
			"v": v, "type": kind, "epoch": epoch, "screening": screening, "hold": hold, "user": "u", "attempt": "1", "qty": qty,
			"amount": amount, "at": "1", "expires": "2", "ver": "3", "seats": seats, "state": state, "detail": detail,
		}}
		e := parseEntry(3, m)
		if e.Event.StreamID != "7-1" || e.Event.Partition != 3 {
			t.Fatalf("the entry lost its id: %+v", e.Event)
		}
		if !plain(e.Event.ScreeningID) || !plain(e.Event.HoldID) {
			t.Fatalf("ids that cannot be stored: %+v", e.Event)
		}
		if e.Broken != nil {
			if e.Raw == "" || !utf8.ValidString(e.Raw) || len(e.Raw) > 4096 {
				t.Fatalf("raw text of %d bytes: %q", len(e.Raw), e.Raw)
			}
			return
		}
		sound(t, e.Event, epoch, amount)
	})
}

// sound checks what users of an event rely on.
func sound(t *testing.T, e domain.Event, epoch, amount string) {
	t.Helper()
	if e.ScreeningID == "" {
		t.Fatalf("an event of no screening: %+v", e)
	}
	for _, index := range e.Seats {
		if index < 0 {
			t.Fatalf("a seat before the first: %+v", e)
		}
	}
	for _, number := range []struct {
		text string
		got  int64
	}{{epoch, e.Epoch}, {amount, e.AmountMinor}} {
		if n, err := strconv.ParseInt(number.text, 10, 64); number.text != "" && (err != nil || n != number.got) {
			t.Fatalf("%q was read as %d", number.text, number.got)
		}
	}
	if e.Type == domain.EventHeld && (e.HoldID == "" || e.Quantity <= 0 || len(e.Detail.Seats) != len(e.Seats)) {
		t.Fatalf("a held event that cannot be settled: %+v", e)
	}
}

// FuzzRecord: a record that can be read is written again to the same meaning.
func FuzzRecord(f *testing.F) {
	f.Add("1|h|u|1900000000000|2|2500|1|2,3|7-1")
	f.Add("1|s|u|-62135596800000|7|9007199254740993|2||")
	f.Add("1|x||1|1|0|1|0|7-1|more")
	f.Add("2|h|u|soon|1.5|1e3|x|-1|7")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRecord("id", text)
		if err != nil {
			if domain.CodeOf(err) != "script_error" {
				t.Fatalf("%q: got %v, want a script error", text, err)
			}
			return
		}
		again, err := parseRecord("id", formatRecord(r))
		if err != nil {
			t.Fatalf("%q cannot be read again: %v", formatRecord(r), err)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Fatalf("record (-first +again):\n%s", diff)
		}
	})
}

func TestRecordsReadBackAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := domain.HoldRecord{
			HoldID: "id", State: domain.SeatState(rapid.SampledFrom([]byte("hsx")).Draw(t, "state")),
			UserID: rapid.StringMatching(`[a-z0-9-]{0,36}`).Draw(t, "user"), ExpiresAt: time.UnixMilli(rapid.Int64Range(0, 1<<42).Draw(t, "expires")).UTC(),
			Quantity: rapid.IntRange(1, 100).Draw(t, "qty"), AmountMinor: rapid.Int64().Draw(t, "amount"), Attempt: rapid.IntRange(1, 2).Draw(t, "attempt"),
			Seats: rapid.SliceOfN(rapid.IntRange(0, 1<<31-1), 1, 20).Draw(t, "seats"), StreamID: "7-1",
		}
		got, err := parseRecord("id", formatRecord(r))
		if diff := cmp.Diff(r, got); diff != "" || err != nil {
			t.Fatalf("record: %v (-want +got):\n%s", err, diff)
		}
	})
}

// TestLongBrokenEntryIsCutBetweenLetters: its text goes into the ledger, which takes no half letters.
func TestLongBrokenEntryIsCutBetweenLetters(t *testing.T) {
	t.Parallel()
	for pad := range 4 {
		text := make([]byte, pad)
		for i := range text {
			text[i] = 'a'
		}
		for len(text) < 6000 {
			text = append(text, "座"...)
		}
		e := parseEntry(0, redis.XMessage{ID: "1-1", Values: map[string]any{"what": string(text)}})
		if e.Broken == nil || !utf8.ValidString(e.Raw) || len(e.Raw) < 4090 || len(e.Raw) > 4096 {
			t.Errorf("pad %d: broken %v, %d bytes, valid %v", pad, e.Broken, len(e.Raw), utf8.ValidString(e.Raw))
		}
		if json.Valid([]byte(e.Raw)) {
			t.Errorf("pad %d: the text was not cut", pad)
		}
	}
}
