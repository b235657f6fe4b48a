// Package chaos runs the real binary against real stores, kills what can be killed, and then looks at the stores
// themselves.
package chaos

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"usher/repo"
	"usher/repo/holdstore"
	"usher/repo/repotest"
	"usher/service/domain"
	"usher/service/servicetest"
	"usher/test/testenv"
)

var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "usher-chaos")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "usher")
	build := exec.Command("go", "build", "-o", binary, "usher")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// house is an installation: its stores and the settings of its instances.
type house struct {
	env         []string
	store       *repo.Store
	redis       *holdstore.Store // nil in embedded mode: it lives in the process
	redisServer *testenv.RedisServer
	box         *servicetest.Box // looks at the stores; nil in embedded mode
}

const secret = "USHER_SECRET=a secret of thirty-two characters or more"

func embeddedHouse(t *testing.T) *house {
	t.Helper()
	dir := t.TempDir()
	store, err := repo.Open(repo.Options{File: filepath.Join(dir, "usher.db")}, servicetest.Log())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &house{env: []string{"USHER_DATA_DIR=" + dir, "USHER_DEMO=off"}, store: store}
}

func productionHouse(t *testing.T) *house {
	t.Helper()
	url := testenv.Postgres(t)
	store, err := repo.Open(repo.Options{URL: url}, servicetest.Log())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := testenv.Redis(t)
	redis, err := holdstore.Open(holdstore.Options{URL: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = redis.Close() })
	h := &house{env: []string{"USHER_DATABASE_URL=" + url, "USHER_REDIS_URL=" + server.URL(), secret}, store: store, redis: redis, redisServer: server}
	h.box = servicetest.Wire(t, store, redis, server, servicetest.Options{Quiet: true})
	return h
}

func eachHouse(t *testing.T, run func(t *testing.T, h *house)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { t.Parallel(); run(t, embeddedHouse(t)) })
	t.Run("production", func(t *testing.T) { t.Parallel(); run(t, productionHouse(t)) })
}

// screening puts a screening on sale now.
func (h *house) screening(t *testing.T, seats int, life time.Duration) *domain.Screening {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	cinema := repotest.Cinema(t, h.store)
	room := repotest.Auditorium(t, h.store, cinema.ID)
	layout := repotest.Layout(t, h.store, room.ID, seats)
	id := repotest.ID()
	sc := &domain.Screening{
		ID: id, CinemaID: cinema.ID, MovieID: repotest.Movie(t, h.store).ID, AuditoriumID: room.ID, LayoutID: layout.ID,
		Partition: domain.PartitionOf(id), HoldMode: domain.HoldModeRedis, Settings: 1, Status: domain.ScreeningOnSale, Kind: domain.KindSeated,
		StartsAt: now.Add(24 * time.Hour), EndsAt: now.Add(26 * time.Hour), OpensAt: now.Add(-time.Hour), ClosesAt: now.Add(24 * time.Hour),
		HoldLife: life, Capacity: seats, Remaining: seats, Version: 1, Currency: "EUR", Prices: map[string]int64{"standard": 1200, "premium": 1650}, CreatedAt: now,
	}
	if err := h.store.InTx(t.Context(), func(tx *repo.Store) error { return tx.InsertScreening(t.Context(), sc) }); err != nil {
		t.Fatal(err)
	}
	return sc
}

// instance is one running usher.
type instance struct {
	t    *testing.T
	h    *house
	name string
	addr string

	mu  sync.Mutex
	cmd *exec.Cmd
	log *bytes.Buffer
}

func (h *house) start(t *testing.T, name string) *instance {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	i := &instance{t: t, h: h, name: name, addr: l.Addr().String()}
	_ = l.Close()
	t.Cleanup(func() {
		i.kill()
		if t.Failed() {
			text := i.log.String()
			t.Logf("log of %s, its end:\n%s", name, text[max(0, len(text)-4000):])
		}
	})
	i.run()
	i.awaitReady(15 * time.Second)
	return i
}

func (i *instance) run() {
	i.t.Helper()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.log = &bytes.Buffer{}
	cmd := exec.Command(binary)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "USHER_ADDR=" + i.addr, "USHER_OPS_ADDR=off", "USHER_PUBLIC_URL=http://" + i.addr, "USHER_INSTANCE_ID=" + i.name}, i.h.env...)
	cmd.Stdout, cmd.Stderr = i.log, i.log
	if err := cmd.Start(); err != nil {
		i.t.Errorf("start %s: %v", i.name, err)
		return
	}
	i.cmd = cmd
}

// kill ends the process like a power cut.
func (i *instance) kill() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.cmd != nil {
		_ = i.cmd.Process.Signal(syscall.SIGKILL)
		_ = i.cmd.Wait()
		i.cmd = nil
	}
}

// stop asks the process to end and returns its exit code.
func (i *instance) stop() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	_ = i.cmd.Process.Signal(syscall.SIGTERM)
	_ = i.cmd.Wait()
	code := i.cmd.ProcessState.ExitCode()
	i.cmd = nil
	return code
}

func (i *instance) awaitReady(within time.Duration) {
	i.t.Helper()
	servicetest.Eventually(i.t, within, func() (bool, string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+i.addr+"/readyz", nil)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false, err.Error()
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK, res.Status
	})
}
