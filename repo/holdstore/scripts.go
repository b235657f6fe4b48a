package holdstore

import (
	"context"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"usher/lua"
	"usher/service/domain"
)

type scripts struct {
	hold, giveBack, confirm, repair, rebuild, snapshot, settings *redis.Script
}

func newScripts() scripts {
	return scripts{
		hold:     redis.NewScript(lua.HoldSeats),
		giveBack: redis.NewScript(lua.GiveBack),
		confirm:  redis.NewScript(lua.ConfirmHold),
		repair:   redis.NewScript(lua.RepairSeats),
		rebuild:  redis.NewScript(lua.RebuildScreening),
		snapshot: redis.NewScript(lua.SnapshotScreening),
		settings: redis.NewScript(lua.SetSettings),
	}
}

// answer is a script's reply: a code, a reason word and what belongs to them.
type answer struct {
	code   int
	reason string
	rest   []string
	raw    []any
}

func (a answer) at(i int) string {
	if i < len(a.rest) {
		return a.rest[i]
	}
	return ""
}

func (a answer) int(i int) int64 {
	n, _ := strconv.ParseInt(a.at(i), 10, 64)
	return n
}

// run evaluates the script by its hash; an unknown hash is answered with the full text.
func (s *Store) run(ctx context.Context, script *redis.Script, keys []string, args ...any) (answer, error) {
	reply, err := script.Run(ctx, s.client, keys, args...).Slice()
	if err != nil {
		return answer{}, translate(err)
	}
	if len(reply) < 2 {
		return answer{}, domain.ErrScript.Because(fmt.Errorf("short reply: %v", reply))
	}
	a := answer{raw: reply}
	for i, v := range reply {
		text, _ := v.(string)
		switch i {
		case 0:
			if a.code, err = strconv.Atoi(text); err != nil {
				return answer{}, domain.ErrScript.Because(fmt.Errorf("reply without a code: %v", reply))
			}
		case 1:
			a.reason = text
		default:
			a.rest = append(a.rest, text)
		}
	}
	return a, nil
}

// refusal maps the codes that every script shares; nil for the codes that the caller judges itself.
func (a answer) refusal() error {
	switch a.code {
	case -1:
		return domain.ErrNotWarmed
	case -8:
		return domain.ErrStoreChanged
	case -4:
		if a.reason == "REBUILDING" {
			return domain.ErrRebuilding
		}
		return domain.ErrStaleEpoch
	case -9:
		return domain.ErrScript.Because(fmt.Errorf("the hold store holds a broken %s", a.at(0)))
	}
	return nil
}
