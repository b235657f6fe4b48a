package testenv_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"usher/test/testenv"
)

func TestRedisClusterSharesTheSlots(t *testing.T) {
	t.Parallel()
	cluster := testenv.RedisCluster(t)
	addrs := strings.Split(strings.TrimPrefix(cluster.URL(), "redis+cluster://"), ",")
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addrs})
	t.Cleanup(func() { _ = client.Close() })
	slots, err := client.ClusterSlots(t.Context()).Result() //nolint:staticcheck // the older call has the ranges that are counted here
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, s := range slots {
		count += s.End - s.Start + 1
	}
	if count != 16384 || len(slots) != len(cluster.Nodes) {
		t.Errorf("slots: got %d in %d ranges, want 16384 in %d", count, len(slots), len(cluster.Nodes))
	}
	for _, key := range []string{"a", "b", "c", "d"} { // these lie on different nodes
		if err := client.Set(t.Context(), key, "1", 0).Err(); err != nil {
			t.Errorf("set %s: %v", key, err)
		}
	}
}

func TestRedisSentinelChangesTheMaster(t *testing.T) {
	t.Parallel()
	group := testenv.RedisSentinel(t)
	before := redisClient(t, group.Servers[0])
	if err := before.Set(t.Context(), "seat", "A1", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := before.Do(t.Context(), "WAIT", 1, 5000).Err(); err != nil {
		t.Fatal(err)
	}

	group.Failover()

	after := redisClient(t, group.Servers[1])
	if got := after.Get(t.Context(), "seat").Val(); got != "A1" {
		t.Errorf("the seat on the new master: got %q, want A1", got)
	}
	if err := after.Set(t.Context(), "seat", "A2", 0).Err(); err != nil {
		t.Errorf("write to the new master: %v", err)
	}
}
