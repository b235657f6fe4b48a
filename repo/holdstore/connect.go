package holdstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

var errReplica = errors.New("this server is a replica")

// onConnect runs on every new connection before its first use: it refuses replicas and writes the server
// process' run id, so that a script can tell a server that was restarted or promoted since the last rebuild.
func onConnect(ctx context.Context, cn *redis.Conn) error {
	return markServer(ctx, cn)
}

// errSentinel says that the server only knows where the hold store is; go-redis opens connections to it with
// the same callback.
var errSentinel = errors.New("this server is a sentinel")

func readRunID(ctx context.Context, c redis.Cmdable) (string, error) {
	info, err := c.Info(ctx, "server", "replication").Result()
	if err != nil {
		return "", fmt.Errorf("read run id: %w", err)
	}
	fields := map[string]string{}
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		fields[name] = value
	}
	if fields["redis_mode"] == "sentinel" {
		return "", errSentinel
	}
	if fields["role"] != "" && fields["role"] != "master" {
		return "", errReplica
	}
	if fields["run_id"] == "" {
		return "", errors.New("the server tells no run id")
	}
	return fields["run_id"], nil
}

// writeRunID sets the store key of every partition. On a cluster the partitions of other nodes answer MOVED;
// their own connections write them.
func writeRunID(ctx context.Context, c redis.Cmdable, runID string) error {
	cmds, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, n := range allPartitions() {
			p.Set(ctx, keysOfPartition(n).store, runID, 0)
		}
		return nil
	})
	for _, cmd := range cmds {
		if e := cmd.Err(); e != nil && !strings.HasPrefix(e.Error(), "MOVED") && !strings.HasPrefix(e.Error(), "ASK") {
			return fmt.Errorf("write run id: %w", e)
		}
	}
	if err != nil && !strings.HasPrefix(err.Error(), "MOVED") && !strings.HasPrefix(err.Error(), "ASK") {
		return fmt.Errorf("write run id: %w", err)
	}
	return nil
}

// Mark writes the run id again, for connections that outlived a promotion and for keys that vanished. The
// watchdog calls it each second.
func (s *Store) Mark(ctx context.Context) error {
	if s.embedded != nil {
		return translate(writeRunID(ctx, s.client, s.runID))
	}
	if cluster, ok := s.client.(*redis.ClusterClient); ok {
		return translate(cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error { return markServer(ctx, node) }))
	}
	return translate(markServer(ctx, s.client))
}

func markServer(ctx context.Context, node redis.Cmdable) error {
	runID, err := readRunID(ctx, node)
	if errors.Is(err, errSentinel) {
		return nil
	}
	if err != nil {
		return err
	}
	return writeRunID(ctx, node, runID)
}

// parseURL reads the three forms of a hold-store URL.
func parseURL(raw string) (*redis.UniversalOptions, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, errors.New("redis URL: cannot be read as a URL")
	}
	password, _ := u.User.Password()
	switch u.Scheme {
	case "redis", "rediss", "unix":
		o, err := redis.ParseURL(raw)
		if err != nil {
			return nil, fmt.Errorf("redis URL: %w", err)
		}
		opts := &redis.UniversalOptions{Addrs: []string{o.Addr}, DB: o.DB, Username: o.Username, Password: o.Password, TLSConfig: o.TLSConfig}
		if u.Scheme == "unix" { // the universal options know no network
			opts.Dialer = func(ctx context.Context, _, addr string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "unix", addr)
			}
		}
		return opts, nil
	case "redis+sentinel":
		master := u.Query().Get("master")
		if master == "" {
			return nil, errors.New("redis URL: redis+sentinel needs ?master=NAME")
		}
		db := 0
		if path := strings.Trim(u.Path, "/"); path != "" {
			if db, err = strconv.Atoi(path); err != nil {
				return nil, fmt.Errorf("redis URL: database %q is not a number", path)
			}
		}
		return &redis.UniversalOptions{
			Addrs: strings.Split(u.Host, ","), MasterName: master, DB: db, Username: u.User.Username(), Password: password,
			SentinelPassword: u.Query().Get("sentinel_password"),
		}, nil
	case "redis+cluster":
		return &redis.UniversalOptions{Addrs: strings.Split(u.Host, ","), IsClusterMode: true, Username: u.User.Username(), Password: password}, nil
	}
	return nil, fmt.Errorf("redis URL: scheme %q is none of redis, rediss, unix, redis+sentinel, redis+cluster", u.Scheme)
}
