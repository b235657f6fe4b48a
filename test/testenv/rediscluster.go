package testenv

import (
	"strconv"
	"strings"
	"testing"
)

// clusterNodes is how many masters share the slots.
const clusterNodes = 3

// RedisClusterServer is a Redis Cluster of three masters without replicas.
type RedisClusterServer struct {
	Nodes []*RedisServer
}

// RedisCluster starts a cluster for the test and waits until every node knows all slots served.
func RedisCluster(t testing.TB, opts ...RedisOption) *RedisClusterServer {
	t.Helper()
	cli := redisCLI(t)
	c := &RedisClusterServer{}
	create := []string{"--cluster", "create"}
	for range clusterNodes {
		bus, err := freePort()
		if err != nil {
			t.Fatalf("redis cluster: %v", err)
		}
		node := Redis(t, append([]RedisOption{
			RedisSet("cluster-enabled", "yes"),
			RedisSet("cluster-port", strconv.Itoa(bus)),
		}, opts...)...)
		c.Nodes = append(c.Nodes, node)
		create = append(create, node.Addr())
	}
	if _, err := ask(cli, c.Nodes[0].s.port, append(create, "--cluster-yes")...); err != nil {
		t.Fatalf("redis cluster: %v", err)
	}
	for _, node := range c.Nodes {
		err := await("the cluster's slots", func() (bool, error) {
			info, err := ask(cli, node.s.port, "CLUSTER", "INFO")
			return strings.Contains(info, "cluster_state:ok"), err
		})
		if err != nil {
			t.Fatalf("redis cluster: %v", err)
		}
	}
	return c
}

// URL returns the cluster's address as a redis+cluster:// URL.
func (c *RedisClusterServer) URL() string {
	addrs := make([]string, len(c.Nodes))
	for i, node := range c.Nodes {
		addrs[i] = node.Addr()
	}
	return "redis+cluster://" + strings.Join(addrs, ",")
}
