package holdstore

import (
	"context"
	"fmt"
	"strings"
)

// Faults names what makes a Redis server unfit to keep promises: a policy that evicts keys, no persistence, a
// version that is too old. An empty list means fit. The embedded server is always fit: it answers only what the
// ledger has.
func (s *Store) Faults(ctx context.Context) ([]string, error) {
	if s.embedded != nil {
		return nil, nil
	}
	info, err := s.client.Info(ctx, "everything").Result()
	if err != nil {
		return nil, translate(err)
	}
	f := map[string]string{}
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		f[name] = value
	}
	var faults []string
	if major, _, _ := strings.Cut(f["redis_version"], "."); len(major) == 1 && major < "7" {
		faults = append(faults, fmt.Sprintf("Redis %s is older than 7.0", f["redis_version"]))
	}
	if p := f["maxmemory_policy"]; p != "" && p != "noeviction" {
		faults = append(faults, fmt.Sprintf("maxmemory-policy is %s: keys of held seats may be evicted; set it to noeviction", p))
	}
	if f["aof_enabled"] == "0" {
		if save, err := s.client.ConfigGet(ctx, "save").Result(); err == nil && save["save"] == "" {
			faults = append(faults, "neither AOF nor RDB persistence is on; set appendonly yes")
		}
	}
	return faults, nil
}
