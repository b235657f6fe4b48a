package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"usher/service"
)

// Settings are the flags and USHER_* variables, as texts. Each can also come from a file named by the variable
// with _FILE behind it.
type Settings struct {
	Addr           string `help:"Address of the box office." default:":8080" placeholder:"HOST:PORT"`
	OpsAddr        string `help:"Address of /metrics and pprof, or off." default:"127.0.0.1:9090" placeholder:"HOST:PORT"`
	DataDir        string `help:"Folder of the embedded ledger and its secret." default:"./data" placeholder:"DIR"`
	DatabaseURL    string `help:"postgres://… Without it the ledger is a SQLite file in the data folder." placeholder:"URL"`
	RedisURL       string `help:"redis://, rediss://, redis+sentinel:// or redis+cluster://. Without it the hold store lives in this process." placeholder:"URL"`
	PublicURL      string `help:"How browsers reach the box office. Default: http://localhost with the port of the address." placeholder:"URL"`
	Secret         string `help:"Signs receipts, tickets and callbacks: 32 characters or more. Embedded mode makes one." placeholder:"TEXT"`
	TrustedProxies string `help:"Addresses or networks whose X-Forwarded-For counts, by comma." placeholder:"CIDR,…"`
	HoldAck        string `help:"When a hold is answered: redis or settled. Embedded mode knows only settled." placeholder:"WORD"`
	Demo           string `help:"auto: an empty embedded ledger gets the demo cinema; off." default:"auto" placeholder:"WORD"`
	AdminEmail     string `help:"First staff account, with the admin password; else a set-up link is printed." placeholder:"MAIL"`
	AdminPassword  string `help:"Password of the first staff account." placeholder:"TEXT"`
	InstanceID     string `help:"Name of this instance, stable across restarts." placeholder:"NAME"`
	Workers        string `help:"Settlement workers." default:"4" placeholder:"N"`
	StartPatience  string `help:"How long to wait for the ledger and Redis at start." default:"30s" placeholder:"TIME"`
	AnyRedis       string `help:"yes: start also against a Redis that evicts keys or keeps nothing." default:"no" placeholder:"WORD"`
	LogFormat      string `help:"text or json." default:"text" placeholder:"WORD"`
}

// config is the settings, read and found right.
type config struct {
	Settings
	ack      service.Ack
	proxies  []netip.Prefix
	public   *url.URL
	workers  int
	patience time.Duration
	demo     bool
	anyRedis bool
	instance string
}

func (c *config) embedded() bool { return c.DatabaseURL == "" && c.RedisURL == "" }

// minSecret is the shortest secret that production takes, in characters.
const minSecret = 32

// parse reads all settings and returns every problem at once.
func (s Settings) parse() (*config, error) {
	c := &config{Settings: s}
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	for name, addr := range map[string]string{"USHER_ADDR": s.Addr, "USHER_OPS_ADDR": s.OpsAddr} {
		if name == "USHER_OPS_ADDR" && addr == "off" {
			continue
		}
		if _, _, err := net.SplitHostPort(addr); err != nil {
			problem("%s: %q is not HOST:PORT", name, addr)
		}
	}
	if (s.DatabaseURL == "") != (s.RedisURL == "") {
		problem("USHER_DATABASE_URL and USHER_REDIS_URL: set both (production) or none (embedded)")
	}
	if u := s.DatabaseURL; u != "" && !strings.HasPrefix(u, "postgres://") && !strings.HasPrefix(u, "postgresql://") {
		problem("USHER_DATABASE_URL: does not begin with postgres://")
	}
	c.parseHolds(problem)
	c.parsePeople(problem)
	c.parseTimes(problem)
	return c, errors.Join(problems...)
}

func (c *config) parseHolds(problem func(string, ...any)) {
	switch c.HoldAck {
	case "":
		c.ack = service.AckRedis
		if c.RedisURL == "" {
			c.ack = service.AckSettled
		}
	case string(service.AckRedis), string(service.AckSettled):
		c.ack = service.Ack(c.HoldAck)
	default:
		problem("USHER_HOLD_ACK: %q is neither redis nor settled", c.HoldAck)
	}
	if c.ack == service.AckRedis && c.RedisURL == "" {
		problem("USHER_HOLD_ACK: embedded mode answers only what is settled, its hold store does not survive a crash")
	}
	if c.RedisURL != "" && len(c.Secret) < minSecret {
		problem("USHER_SECRET: production needs a secret of %d characters or more, the same on every instance", minSecret)
	} else if c.Secret != "" && len(c.Secret) < minSecret {
		problem("USHER_SECRET: has %d characters, needs %d", len(c.Secret), minSecret)
	}
}

func (c *config) parsePeople(problem func(string, ...any)) {
	if c.PublicURL == "" {
		_, port, _ := net.SplitHostPort(c.Addr) // judged with the address
		c.PublicURL = "http://" + net.JoinHostPort("localhost", port)
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		problem("USHER_PUBLIC_URL: %q is not http(s)://HOST", c.PublicURL)
		u = &url.URL{}
	} else if strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil || u.Fragment != "" {
		problem("USHER_PUBLIC_URL: %q has more than http(s)://HOST; pages are served at the root only", c.PublicURL)
	}
	c.public = u
	c.PublicURL = u.Scheme + "://" + u.Host
	for text := range strings.SplitSeq(c.TrustedProxies, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			addr, addrErr := netip.ParseAddr(text)
			if addrErr != nil {
				problem("USHER_TRUSTED_PROXIES: %q is neither an address nor a network", text)
				continue
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		if prefix.Bits() == 0 {
			problem("USHER_TRUSTED_PROXIES: %q trusts everybody", text)
		}
		c.proxies = append(c.proxies, prefix)
	}
	if (c.AdminEmail == "") != (c.AdminPassword == "") {
		problem("USHER_ADMIN_EMAIL and USHER_ADMIN_PASSWORD: set both or none")
	}
	switch c.Demo {
	case "auto", "off":
		c.demo = c.Demo == "auto" && c.embedded()
	default:
		problem("USHER_DEMO: %q is neither auto nor off", c.Demo)
	}
	if c.LogFormat != "text" && c.LogFormat != "json" {
		problem("USHER_LOG_FORMAT: %q is neither text nor json", c.LogFormat)
	}
}

func (c *config) parseTimes(problem func(string, ...any)) {
	var err error
	if c.patience, err = time.ParseDuration(c.StartPatience); err != nil || c.patience <= 0 {
		problem("USHER_START_PATIENCE: %q is not a time like 30s", c.StartPatience)
	}
	if c.workers, err = strconv.Atoi(c.Workers); err != nil || c.workers < 1 || c.workers > 64 {
		problem("USHER_WORKERS: %q is not a number from 1 to 64", c.Workers)
	}
	switch c.AnyRedis {
	case "yes", "no":
		c.anyRedis = c.AnyRedis == "yes"
	default:
		problem("USHER_ANY_REDIS: %q is neither yes nor no", c.AnyRedis)
	}
	if c.instance = c.InstanceID; c.instance == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "usher"
		}
		c.instance = host + c.Addr
	}
}
