package holdstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"usher/service/domain"
)

// ShutGate makes every hold of a warmed screening answer "rebuilding". Missing keys are a shut gate already.
// epoch is the ledger's as the caller read it: the gate of a newer one is somebody else's and stays open.
func (s *Store) ShutGate(ctx context.Context, p int, screeningID string, epoch int64) error {
	ans, err := s.run(ctx, s.scripts.rebuild, rebuildKeys(p, screeningID), "gate", epoch)
	if err != nil {
		return err
	}
	return ans.refusal()
}

func rebuildKeys(p int, screeningID string) []string {
	pk, sk := keysOfPartition(p), keysOfScreening(p, screeningID)
	return []string{pk.store, sk.seats, sk.owners, sk.meta, sk.holds, sk.users, pk.events}
}

// FirstAnswer is the answer to remember for an idempotency key.
type FirstAnswer struct {
	UserID      string
	Key         string
	Fingerprint string
	HoldID      string
	Answer      string
	Life        time.Duration
}

// Rebuild is everything that a screening has in the hold store, as the ledger says.
type Rebuild struct {
	Screening *domain.Screening
	Epoch     int64
	Map       string // one byte per seat; empty for general admission
	Free      int
	Holds     []domain.HoldRecord
	Answers   []FirstAnswer
	Now       time.Time
}

// Write restores the remembered answers and then replaces all keys of the screening in one step, which also
// opens its gate. It returns the stream id of the rebuilt event. Errors: ErrStaleEpoch when the epoch is not
// greater than the one it finds, ErrStoreChanged when the server has no run id yet.
func (s *Store) Write(ctx context.Context, r Rebuild) (string, error) {
	if err := s.writeAnswers(ctx, r); err != nil {
		return "", err
	}
	sc := r.Screening
	args := []any{"write", r.Now.UnixMilli(), sc.ID, r.Epoch, r.Map, r.Free}
	args = append(args, settingsArgs(sc)...)
	var owners, holds []any
	live := map[string]int{}
	for _, h := range r.Holds {
		for _, index := range h.Seats {
			owners = append(owners, index, h.HoldID)
		}
		holds = append(holds, h.HoldID, formatRecord(h))
		if h.State != domain.SeatBlocked {
			live[h.UserID] += h.Quantity
		}
	}
	users := make([]any, 0, 2*len(live))
	for user, n := range live {
		users = append(users, user, n)
	}
	for _, pairs := range [][]any{owners, holds, users} {
		args = append(args, len(pairs)/2)
		args = append(args, pairs...)
	}
	ans, err := s.run(ctx, s.scripts.rebuild, rebuildKeys(sc.Partition, sc.ID), args...)
	if err != nil {
		return "", err
	}
	if err := ans.refusal(); err != nil {
		return "", err
	}
	s.wake.wake(sc.Partition)
	return ans.at(0), nil
}

const answerChunk = 500

func (s *Store) writeAnswers(ctx context.Context, r Rebuild) error {
	p, id := r.Screening.Partition, r.Screening.ID
	for from := 0; from < len(r.Answers); from += answerChunk {
		chunk := r.Answers[from:min(from+answerChunk, len(r.Answers))]
		_, err := s.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for _, a := range chunk {
				pipe.Set(ctx, idemKey(p, id, a.UserID, a.Key), recordVersion+"|"+a.Fingerprint+"|"+a.HoldID+"|"+a.Answer, a.Life)
			}
			return nil
		})
		if err != nil {
			return translate(err)
		}
	}
	return nil
}

// Snapshot is everything the hold store knows of one screening, as of one moment.
type Snapshot struct {
	Store    string
	Map      string
	Owners   map[int]string
	Meta     Meta
	Holds    map[string]domain.HoldRecord
	Users    map[string]int64
	InFlight []string
}

// Meta is a screening's counters and settings in the hold store.
type Meta struct {
	Free, Version, Epoch, Settings, OpensMS, ClosesMS, Limit int64
	Store                                                    string
	Gate                                                     int64
	OnSale, Orphan                                           bool
}

// Snapshot reads the screening in one call. Errors: ErrNotWarmed.
func (s *Store) Snapshot(ctx context.Context, p int, screeningID string) (*Snapshot, error) {
	pk, sk := keysOfPartition(p), keysOfScreening(p, screeningID)
	ans, err := s.run(ctx, s.scripts.snapshot, []string{pk.store, sk.seats, sk.owners, sk.meta, sk.holds, sk.users, pk.inflight})
	if err != nil {
		return nil, err
	}
	if err := ans.refusal(); err != nil {
		return nil, err
	}
	snap := &Snapshot{Store: ans.at(0), Map: ans.at(1), Owners: map[int]string{}, Holds: map[string]domain.HoldRecord{}, Users: map[string]int64{}}
	for field, value := range pairs(ans.raw[4]) {
		snap.Owners[int(number(field))] = value
	}
	snap.Meta = parseMeta(pairs(ans.raw[5]))
	for id, text := range pairs(ans.raw[6]) {
		record, err := parseRecord(id, text)
		if err != nil {
			return nil, err
		}
		snap.Holds[id] = record
	}
	for user, n := range pairs(ans.raw[7]) {
		snap.Users[user] = number(n)
	}
	if list, ok := ans.raw[8].([]any); ok {
		for _, v := range list {
			id, _ := v.(string)
			snap.InFlight = append(snap.InFlight, id)
		}
	}
	return snap, nil
}

// pairs reads a flat field-value list without the field that only keeps the key alive.
func pairs(v any) map[string]string {
	list, _ := v.([]any)
	m := make(map[string]string, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		field, _ := list[i].(string)
		value, _ := list[i+1].(string)
		if field != "_" {
			m[field] = value
		}
	}
	return m
}

func parseMeta(m map[string]string) Meta {
	return Meta{
		Free: number(m["free"]), Version: number(m["ver"]), Epoch: number(m["epoch"]), Settings: number(m["settings"]),
		OpensMS: number(m["opens_ms"]), ClosesMS: number(m["closes_ms"]), Limit: number(m["limit"]), Store: m["store"],
		Gate: number(m["gate"]), OnSale: m["on_sale"] == "1", Orphan: m["orphan"] == "1",
	}
}

// Condition is what the watchdog looks at.
type Condition struct {
	Warmed bool // every key is there
	Marked bool // rebuilt under the run id of the server process
	Gate   int64
	Epoch  int64
}

const wrongType = "WRONGTYPE"

// Conditions looks at many screenings of one partition at once.
func (s *Store) Conditions(ctx context.Context, p int, screenings []domain.Screening) (map[string]Condition, error) {
	store := s.client.Get(ctx, keysOfPartition(p).store)
	type look struct {
		exists *redis.IntCmd
		meta   *redis.SliceCmd
	}
	looks := make([]look, len(screenings))
	_, _ = s.client.Pipelined(ctx, func(pipe redis.Pipeliner) error { // each look is judged by itself
		for i := range screenings {
			sk := keysOfScreening(p, screenings[i].ID)
			keys := []string{sk.owners, sk.meta, sk.holds, sk.users}
			if screenings[i].Kind == domain.KindSeated {
				keys = append(keys, sk.seats)
			}
			looks[i] = look{exists: pipe.Exists(ctx, keys...), meta: pipe.HMGet(ctx, sk.meta, "store", "gate", "epoch")}
		}
		return nil
	})
	if err := store.Err(); err != nil && !errors.Is(err, redis.Nil) {
		return nil, translate(err)
	}
	out := make(map[string]Condition, len(screenings))
	for i := range screenings {
		want := int64(4)
		if screenings[i].Kind == domain.KindSeated {
			want = 5
		}
		err := errors.Join(looks[i].exists.Err(), looks[i].meta.Err())
		if err != nil && !strings.Contains(err.Error(), wrongType) {
			return nil, translate(err)
		}
		if err != nil { // a meta key of the wrong type is as good as none
			out[screenings[i].ID] = Condition{}
			continue
		}
		f := looks[i].meta.Val()
		text := func(k int) string { t, _ := f[k].(string); return t }
		out[screenings[i].ID] = Condition{
			Warmed: looks[i].exists.Val() == want && text(2) != "",
			Marked: text(0) != "" && text(0) == store.Val(),
			Gate:   number(text(1)), Epoch: number(text(2)),
		}
	}
	return out, nil
}
