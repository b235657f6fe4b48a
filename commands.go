package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"usher/service"
	"usher/service/domain"
	"usher/service/seatplan"
)

// commands is the command line.
type commands struct {
	Settings

	Serve       serveCommand       `cmd:"" default:"1" help:"Run the box office (the default)."`
	Migrate     migrateCommand     `cmd:"" help:"Bring the ledger's schema up to date."`
	LoadDemo    demoCommand        `cmd:"" name:"demo" help:"Load the demo cinema into an empty ledger."`
	Import      importCommands     `cmd:"" help:"Import what others made."`
	Staff       staffCommands      `cmd:"" help:"Staff accounts."`
	Bench       benchCommands      `cmd:"" help:"Measure this machine."`
	Healthcheck healthcheckCommand `cmd:"" help:"Ask a running box office whether it lives; for containers."`
	Version     versionCommand     `cmd:"" help:"Print the version."`
}

// configured reads the settings; what is wrong with them is printed, all of it, and the status is 2.
func configured(s *Settings, out io.Writer) (*config, error) {
	cfg, err := s.parse()
	if err != nil {
		fmt.Fprintf(out, "usher: these settings are wrong:\n%v\n", err)
		return nil, badUsage
	}
	return cfg, nil
}

type migrateCommand struct{}

// Run applies what is missing.
func (migrateCommand) Run(ctx context.Context, out io.Writer, s *Settings) error {
	cfg, err := configured(s, out)
	if err != nil {
		return err
	}
	store, err := openLedger(ctx, cfg, newLogger(cfg, out))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "The ledger's schema is up to date.")
	return store.Close()
}

type demoCommand struct{}

// Run loads the demo cinema.
func (demoCommand) Run(ctx context.Context, out io.Writer, s *Settings) error {
	return withProgramme(ctx, out, s, func(p *service.Programme) error {
		loaded, err := p.LoadDemo(ctx)
		if err == nil && !loaded {
			return errors.New("the ledger has a cinema already, nothing was loaded")
		}
		if err == nil {
			fmt.Fprintln(out, "The demo cinema is loaded.")
		}
		return err
	})
}

func withProgramme(ctx context.Context, out io.Writer, s *Settings, do func(*service.Programme) error) error {
	cfg, err := configured(s, out)
	if err != nil {
		return err
	}
	log := newLogger(cfg, out)
	store, err := openLedger(ctx, cfg, log)
	if err != nil {
		return err
	}
	clock := service.NewClock(time.Now, log)
	err = clock.Measure(ctx, store)
	if err == nil {
		err = do(service.NewProgramme(store, clock))
	}
	return errors.Join(err, store.Close())
}

type importCommands struct {
	Plan importPlanCommand `cmd:"" help:"Import a seat plan: pretix JSON, or CSV with one line a seat."`
}

type importPlanCommand struct {
	File       string `arg:"" help:"The plan file."`
	Auditorium string `help:"Auditorium that gets the plan; made if there is none of that name. Default: the plan's name."`
	Screen     string `help:"Side of the screen or stage in the plan: top or bottom." enum:"top,bottom" default:"top"`
	NewIDs     bool   `name:"new-ids" help:"Give new ids to seats whose id another seat has."`
	Cinema     string `help:"Name of the cinema, when there is none yet." default:"Cinema"`
	Zone       string `help:"Its IANA zone." default:"UTC"`
	Currency   string `help:"Its currency." default:"EUR"`
}

// Run imports the plan, or prints every problem of the file and stores nothing.
func (c importPlanCommand) Run(ctx context.Context, out io.Writer, s *Settings) error {
	data, err := os.ReadFile(c.File)
	if err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	return withProgramme(ctx, out, s, func(p *service.Programme) error {
		layout, report, err := p.ImportPlan(ctx, service.PlanImport{
			File: filepath.Base(c.File), Data: data, Auditorium: c.Auditorium, Screen: domain.Side(c.Screen), NewIDs: c.NewIDs,
			Cinema: domain.Cinema{Name: c.Cinema, Zone: c.Zone, Currency: c.Currency},
		})
		var problems *seatplan.Problems
		if errors.As(err, &problems) {
			fmt.Fprintln(out, problems.Error())
			fmt.Fprintln(out, "Nothing was imported.")
			return exitStatus(1)
		}
		if err != nil {
			return err
		}
		printReport(out, layout, report)
		return nil
	})
}

func printReport(out io.Writer, layout *domain.SeatLayout, r seatplan.Report) {
	fmt.Fprintf(out, "%s, version %d: %s, %s, %s\n", layout.Name, layout.Version, count(r.Seats, "seat"), count(r.Rows, "row"), count(r.Zones, "zone"))
	for _, c := range r.PerZone {
		fmt.Fprintf(out, "  zone %-32s %5d seats\n", c.Name, c.Seats)
	}
	for _, c := range r.PerTier {
		fmt.Fprintf(out, "  tier %-32s %5d seats\n", c.Name, c.Seats)
	}
	if r.Wheelchair > 0 {
		fmt.Fprintf(out, "  wheelchair places %26d\n", r.Wheelchair)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(out, "  note: "+n)
	}
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

type staffCommands struct {
	Add staffAddCommand `cmd:"" help:"Add a staff account with the role admin."`
}

type staffAddCommand struct{}

// Run adds the account that the admin settings name.
func (staffAddCommand) Run(ctx context.Context, out io.Writer, s *Settings) error {
	cfg, err := configured(s, out)
	if err != nil {
		return err
	}
	if cfg.AdminEmail == "" {
		fmt.Fprintln(out, "usher: staff add needs --admin-email and --admin-password (or USHER_ADMIN_EMAIL and USHER_ADMIN_PASSWORD)")
		return badUsage
	}
	log := newLogger(cfg, out)
	store, err := openLedger(ctx, cfg, log)
	if err != nil {
		return err
	}
	passwords, err := service.NewPasswords()
	if err == nil {
		clock := service.NewClock(time.Now, log)
		err = named(service.NewAccounts(store, clock, passwords, log).EnsureAdmin(ctx, cfg.AdminEmail, cfg.AdminPassword))
	}
	if err == nil {
		fmt.Fprintln(out, "The staff account is there.")
	}
	return errors.Join(err, store.Close())
}

// named adds to an error what it names, for somebody who reads a terminal.
func named(err error) error {
	var e *domain.Error
	if !errors.As(err, &e) || len(e.Fields) == 0 {
		return err
	}
	return fmt.Errorf("%w %v", err, e.Fields)
}

type healthcheckCommand struct{}

// Run asks /healthz on this machine.
func (healthcheckCommand) Run(ctx context.Context, out io.Writer, s *Settings) error {
	cfg, err := configured(s, out)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, loopback(cfg.Addr)+"/healthz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the box office answers %s", res.Status)
	}
	fmt.Fprintln(out, "The box office lives.")
	return nil
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(out io.Writer) error {
	_, err := fmt.Fprintln(out, "usher "+version())
	return err
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
