package holdstore_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"usher/repo/holdstore"
	"usher/repo/holdstore/holdstoretest"
	"usher/service/domain"
	"usher/test/testenv"
)

// A release runs the parity test with -parity.calls 200000, a reproduction with the seed that a failure names.
var (
	parityCalls = flag.Int("parity.calls", 20_000, "random calls that both servers must answer alike")
	paritySeed  = flag.Uint64("parity.seed", 1, "first seed of the random calls")
)

const (
	parityLength = 500 // calls of one sequence
	parityDump   = 50  // calls between two comparisons of all keys
)

// TestScriptParity sends the same random calls to the embedded server and to a real one: answers, errors and all
// keys must be the same, up to stream ids and run ids.
func TestScriptParity(t *testing.T) {
	t.Parallel()
	embedded := holdstoretest.Embedded(t)
	server := holdstoretest.At(t, testenv.Redis(t, testenv.RedisSet("appendonly", "no")).URL())
	sequences := max(1, *parityCalls/parityLength)
	told := map[string]int{}
	for i := range sequences {
		seed := *paritySeed + uint64(i)
		if !sameAnswers(t, seed, embedded, server, told) {
			t.Fatalf("repeat with -run TestScriptParity -parity.calls %d -parity.seed %d", parityLength, seed)
		}
	}
	for _, code := range []string{
		"ok", "not_warmed", "store_changed", "rebuilding", "stale_epoch", "idempotency_key_reused", "sale_closed", "limit_exceeded", "orphan_seat",
		"busy", "seat_taken", "sold_out", "script_error",
	} {
		if told[code] == 0 {
			t.Errorf("%d calls in %d sequences, none was answered %s", sequences*parityLength, sequences, code)
		}
	}
	t.Logf("%d calls, answers: %v", sequences*parityLength, told)
}

// twin is one of the two servers under comparison, with what must be blinded in its answers.
type twin struct {
	*fixture
	name string
	run  string // run id
	ids  map[string]string
	read []holdstore.Entry // what the group delivered last
}

var streamID = regexp.MustCompile(`\b1\d{12}-\d+\b`)

// blind replaces stream ids by the order of their first appearance, and the run id.
func (w *twin) blind(text string) string {
	text = strings.ReplaceAll(text, w.run, "RUN")
	return streamID.ReplaceAllStringFunc(text, func(id string) string {
		if _, known := w.ids[id]; !known {
			w.ids[id] = fmt.Sprintf("#%d", len(w.ids))
		}
		return w.ids[id]
	})
}

// answered is an answer as text: what was returned, or the code and the fields of the error.
func (w *twin) answered(t *testing.T, value any, err error) (text, code string) {
	t.Helper()
	out := map[string]any{"value": value}
	code = "ok"
	if err != nil {
		var e *domain.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: an error that was not translated: %v", w.name, err)
		}
		code = e.Code
		out["code"], out["fields"] = e.Code, e.Fields
	}
	raw, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return w.blind(string(raw)), code
}

func newTwin(t *testing.T, name string, s *holdstore.Store, p int) *twin {
	t.Helper()
	w := &twin{fixture: &fixture{s: s, rdb: holdstore.Client(s), k: holdstore.KeysOf(p, "")}, name: name, ids: map[string]string{}}
	for key := range w.dump(t) {
		w.rdb.Del(t.Context(), key)
	}
	if err := errors.Join(s.Mark(t.Context()), s.EnsureGroup(t.Context(), p)); err != nil {
		t.Fatal(err)
	}
	w.run = w.rdb.Get(t.Context(), w.k.Store).Val()
	return w
}

// sameAnswers plays one sequence and reports whether both servers went the same way.
func sameAnswers(t *testing.T, seed uint64, embedded, server *holdstore.Store, told map[string]int) bool {
	t.Helper()
	p := int(seed % domain.Partitions)
	twins := [2]*twin{newTwin(t, "embedded", embedded, p), newTwin(t, "redis", server, p)}
	player := newPlayer(rand.New(rand.NewPCG(seed, 0)), p)
	var history []string
	for i := range parityLength {
		name, call := player.next(i)
		var texts [2]string
		for k, w := range twins {
			value, err := call(t.Context(), w)
			text, code := w.answered(t, value, err)
			texts[k] = text
			if k == 0 {
				told[code]++
				history = append(history, fmt.Sprintf("%d %s: %s", i, name, code))
			}
		}
		if texts[0] != texts[1] {
			t.Errorf("seed %d, call %d, %s:\nembedded %s\nredis    %s\nbefore:\n%s", seed, i, name, texts[0], texts[1], last(history))
			return false
		}
		if i%parityDump == parityDump-1 && !sameKeys(t, twins) {
			t.Errorf("seed %d, after call %d:\n%s", seed, i, last(history))
			return false
		}
	}
	return true
}

func sameKeys(t *testing.T, twins [2]*twin) bool {
	t.Helper()
	var texts [2]string
	for k, w := range twins {
		raw, err := json.MarshalIndent(w.dump(t), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		texts[k] = w.blind(string(raw))
	}
	diff := cmp.Diff(strings.Split(texts[0], "\n"), strings.Split(texts[1], "\n"))
	if diff != "" {
		t.Errorf("all keys (-embedded +redis):\n%s", diff)
	}
	return diff == ""
}

// last returns the end of the history.
func last(history []string) string {
	return strings.Join(history[max(0, len(history)-60):], "\n")
}
