package testenv

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// ownerApp is the application name of the connection that marks databases as in use.
const ownerApp = "usher-testenv"

// leftoverSQL finds databases of test binaries that died: their names carry the id of a connection that is no more.
const leftoverSQL = `SELECT datname FROM pg_database d WHERE datname LIKE 'usher\_test\_%' AND NOT EXISTS (
	SELECT FROM pg_stat_activity a WHERE a.application_name = $1 AND d.datname LIKE 'usher\_test\_' || a.pid || '\_%')`

// cluster is a running PostgreSQL on which databases are made and dropped.
type cluster struct {
	admin url.URL
	// owner stays open as long as the test binary lives. Its id is part of every database name.
	owner *pgx.Conn
	count atomic.Int64
	// server is the one this test binary started, if it did. Were it let go of, the garbage collector would close the pipe the
	// reaper waits on, and the reaper would take that for the end of the binary.
	server *server

	mu        sync.Mutex
	templates map[uintptr]*template
}

// template is a database that others are copied from.
type template struct {
	once sync.Once
	name string
	err  error
}

// openCluster connects to a server and drops what dead test binaries left on it.
func openCluster(admin string) (*cluster, error) {
	u, err := url.Parse(admin)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return nil, fmt.Errorf("%s must be a postgres:// URL", DatabaseURL)
	}
	ctx, cancel := context.WithTimeout(context.Background(), sqlLimit)
	defer cancel()
	config, err := pgx.ParseConfig(admin)
	if err != nil {
		return nil, fmt.Errorf("read the URL of the server: %w", err)
	}
	config.RuntimeParams["application_name"] = ownerApp
	owner, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to the server: %w", err)
	}
	c := &cluster{admin: *u, owner: owner, templates: map[uintptr]*template{}}
	if err := c.dropLeftovers(ctx); err != nil {
		return nil, errors.Join(err, owner.Close(ctx))
	}
	return c, nil
}

// create makes a database from another and returns its name.
func (c *cluster) create(ctx context.Context, from string) (string, error) {
	name := fmt.Sprintf("usher_test_%d_%d", c.owner.PgConn().PID(), c.count.Add(1))
	encoding := ""
	if from == "template0" {
		encoding = " ENCODING 'UTF8'"
	}
	if err := c.exec(ctx, "CREATE DATABASE "+quote(name)+" TEMPLATE "+quote(from)+encoding); err != nil {
		return "", fmt.Errorf("create a database from %s: %w", from, err)
	}
	return name, nil
}

// drop removes a database and cuts the connections to it.
func (c *cluster) drop(ctx context.Context, name string) error {
	if err := c.exec(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	return nil
}

// template returns the name of the database that a function prepares, which it does on the first call.
func (c *cluster) template(ctx context.Context, prepare func(url string) error) (string, error) {
	key := reflect.ValueOf(prepare).Pointer()
	c.mu.Lock()
	entry, ok := c.templates[key]
	if !ok {
		entry = &template{}
		c.templates[key] = entry
	}
	c.mu.Unlock()
	entry.once.Do(func() {
		entry.err = errors.New("prepare the template database: it did not come back")
		name, err := c.create(ctx, "template0")
		if err == nil {
			err = prepare(c.url(name))
		}
		if err != nil {
			entry.err = fmt.Errorf("prepare the template database: %w", err)
			return
		}
		entry.name, entry.err = name, nil
	})
	return entry.name, entry.err
}

// dropLeftovers drops the databases of test binaries that are no more.
func (c *cluster) dropLeftovers(ctx context.Context) error {
	rows, err := c.owner.Query(ctx, leftoverSQL, ownerApp)
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, c.drop(ctx, name))
	}
	return errors.Join(errs...)
}

// exec runs one statement on a connection of its own, so that tests making databases at the same time do not queue.
func (c *cluster) exec(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, c.admin.String())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// url returns the address of one database.
func (c *cluster) url(database string) string {
	u := c.admin
	u.Path = "/" + database
	return u.String()
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
