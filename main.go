// Usher is a cinema box office in one binary. See README.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	_ "time/tzdata" // cinemas have zones, small containers have no zone files

	"github.com/alecthomas/kong"

	"usher/repo/holdstore"
)

func main() {
	holdstore.QuietClient()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout)
	stop()
	var status exitStatus
	switch {
	case err == nil:
	case errors.As(err, &status):
		os.Exit(int(status))
	default:
		fmt.Fprintln(os.Stderr, "usher: "+strings.ReplaceAll(err.Error(), "\n", "\nusher: "))
		os.Exit(1)
	}
}

// exitStatus ends the process with a status of its own; what there is to say was said.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

const badUsage exitStatus = 2

// run is the program: it reads args and the environment through getenv, and returns when the command is done or
// ctx ends.
func run(ctx context.Context, args []string, getenv func(string) string, stdout io.Writer) error {
	var cli commands
	parser, err := kong.New(&cli,
		kong.Name("usher"), kong.Description("A cinema box office: seats are decided in Redis and written to PostgreSQL moments later."),
		kong.Writers(stdout, stdout), kong.UsageOnError(), kong.Resolvers(environment(getenv)),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.BindTo(stdout, (*io.Writer)(nil)),
		kong.Exit(func(code int) { panic(exitStatus(code)) }),
	)
	if err != nil {
		return fmt.Errorf("read the commands: %w", err)
	}
	call, err := parse(parser, args)
	if err != nil {
		if errors.Is(err, errHelp) {
			return nil
		}
		fmt.Fprintln(stdout, "usher: "+err.Error())
		return badUsage
	}
	return call.Run(&cli.Settings)
}

var errHelp = errors.New("help was shown")

// parse turns kong's way to leave after --help back into a value.
func parse(parser *kong.Kong, args []string) (call *kong.Context, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exitStatus:
			err = errHelp
		default:
			panic(r)
		}
	}()
	return parser.Parse(args)
}

// environment resolves a flag from USHER_<NAME>, or from the file that USHER_<NAME>_FILE names.
func environment(getenv func(string) string) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		name := "USHER_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		if v := getenv(name); v != "" {
			return v, nil
		}
		file := getenv(name + "_FILE")
		if file == "" {
			return nil, nil //nolint:nilnil // kong's way to say "not here"
		}
		text, err := os.ReadFile(file) //nolint:gosec // the person who deploys names the file
		if err != nil {
			return nil, fmt.Errorf("%s_FILE: %w", name, err)
		}
		return strings.TrimSpace(string(text)), nil
	})
}
