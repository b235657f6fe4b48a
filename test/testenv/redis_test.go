package testenv_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"usher/test/testenv"
)

func TestRedisKeepsWhatItAnsweredAcrossAKill(t *testing.T) {
	t.Parallel()
	server := testenv.Redis(t)
	client := redisClient(t, server)
	ctx := t.Context()
	if err := client.Set(ctx, "seat", "A1", 0).Err(); err != nil {
		t.Fatal(err)
	}
	before := server.Pid()

	server.Kill()
	if got := server.Pid(); got != 0 {
		t.Errorf("pid of a killed server: got %d, want 0", got)
	}
	if err := client.Ping(ctx).Err(); err == nil {
		t.Error("a killed server answered")
	}
	server.Start()

	if got := server.Pid(); got == 0 || got == before {
		t.Errorf("pid after the restart: got %d, want a new one (before %d)", got, before)
	}
	if got := client.Get(ctx, "seat").Val(); got != "A1" {
		t.Errorf("after the restart: got %q, want A1", got)
	}
}

func TestRedisWipedComesBackEmpty(t *testing.T) {
	t.Parallel()
	server := testenv.Redis(t)
	client := redisClient(t, server)
	ctx := t.Context()
	if err := client.Set(ctx, "seat", "A1", 0).Err(); err != nil {
		t.Fatal(err)
	}

	server.Stop()
	server.Wipe()
	server.Start()

	if err := client.Get(ctx, "seat").Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("after the wipe: got %v, want redis.Nil", err)
	}
}

func TestRedisPausedDoesNotAnswerUntilResumed(t *testing.T) {
	t.Parallel()
	server := testenv.Redis(t)
	client := redisClient(t, server)
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}

	server.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var timeout net.Error
	if err := client.Ping(ctx).Err(); !errors.Is(err, context.DeadlineExceeded) && (!errors.As(err, &timeout) || !timeout.Timeout()) {
		t.Errorf("a paused server: got %v, want a time-out", err)
	}

	server.Resume()
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("a resumed server: %v", err)
	}
}

func TestRedisSettings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		opts []testenv.RedisOption
		want map[string]string
	}{
		"default": {
			want: map[string]string{"appendonly": "yes", "appendfsync": "always", "maxmemory-policy": "noeviction", "save": ""},
		},
		"overridden": {
			opts: []testenv.RedisOption{testenv.RedisSet("appendfsync", "everysec"), testenv.RedisSet("maxmemory", "8mb")},
			want: map[string]string{"appendonly": "yes", "appendfsync": "everysec", "maxmemory": "8388608"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := redisClient(t, testenv.Redis(t, tc.opts...))
			got := map[string]string{}
			for directive := range tc.want {
				got[directive] = client.ConfigGet(t.Context(), directive).Val()[directive]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRedisThatEndedByItselfCanBeStarted(t *testing.T) {
	t.Parallel()
	server := testenv.Redis(t)
	client := redisClient(t, server)
	ctx := t.Context()
	if err := client.Set(ctx, "seat", "A1", 0).Err(); err != nil {
		t.Fatal(err)
	}
	_ = client.Shutdown(ctx) // the answer is a cut connection

	awaitRefused(t, server.Addr())
	server.Start()

	if got := client.Get(ctx, "seat").Val(); got != "A1" {
		t.Errorf("after the restart: got %q, want A1", got)
	}
}

func TestRedisEndsWithItsTest(t *testing.T) {
	t.Parallel()
	var server *testenv.RedisServer
	var pid int
	t.Run("inner", func(t *testing.T) {
		server = testenv.Redis(t)
		server.Pause() // even a frozen one
		pid = server.Pid()
	})

	if running(pid) {
		t.Errorf("process %d runs after its test", pid)
	}
	if _, err := os.Stat(server.Dir()); !os.IsNotExist(err) {
		t.Errorf("the folder after its test: got %v, want it gone", err)
	}
}

func redisClient(t *testing.T, server *testenv.RedisServer) *redis.Client {
	t.Helper()
	opts, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	opts.MaxRetries = -1
	opts.ContextTimeoutEnabled = true
	client := redis.NewClient(opts)
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}
