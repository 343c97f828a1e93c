// Command server is the REST API and the dashboard. Without a sub-command it serves; the others manage keys, accounts and
// users, copy the database, and ask a running server whether it answers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
)

const help = `server answers briefs with ranked, explained freelancers.

Usage:
  server [flags]        serve
  server keys …         make, restrict, rotate and revoke API keys
  server accounts …     accounts of the dashboard: plans, disabling, the audit log
  server users …        invitations, and links to choose a new password
  server backup FILE    copy the database of the data folder
  server health         ask a running server whether it answers

Examples:
  server -demo                        2,000 generated freelancers, a key, and a request to paste
  server -data /var/lib/matching      serve what the indexer loaded there
  server -addr :8080                  listen on every address, not on this machine's own only
  server -addr :8080 -public-url https://match.example.com -trusted-proxies 10.0.0.0/8 -sign-up invitation
                                      for people elsewhere, behind a proxy that ends TLS
  server -elasticsearch-url http://127.0.0.1:9200
                                      serve what the indexer loaded into Elasticsearch
  server -embeddings-url http://127.0.0.1:11434/v1 -embeddings-model all-minilm -embeddings-dimensions 384
                                      compare meanings by a model of your own, with which the data was loaded
  server -llm-url http://127.0.0.1:11434/v1 -llm-model qwen2.5:7b
                                      let a language model ask and judge in interviews

Flags:
`

// version is set by the linker: go build -ldflags "-X main.version=1.2.3".
var version string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr)
	os.Exit(code)
}

// run is the program: its exit code is 0, 1 after a failure, or 2 after a wrong command line.
func run(ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "keys":
			return keys(ctx, args[1:], environment, stdout, stderr)
		case "accounts":
			return accounts(ctx, args[1:], environment, stdout, stderr)
		case "users":
			return users(ctx, args[1:], environment, stdout, stderr)
		case "backup":
			return backup(ctx, args[1:], environment, stdout, stderr)
		case "health":
			return health(ctx, args[1:], environment, stdout, stderr)
		}
	}
	c := config.Default()
	flags := commandline.NewFlags("server")
	showVersion := flags.Bool("version", false, "print the version and exit")
	faults := config.Bind(&c, flags, environment)
	words, err := commandline.Parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return printHelp(stdout, help, flags)
	case err != nil:
		return usageError(stderr, err)
	case *showVersion:
		fmt.Fprintln(stdout, "server", buildVersion())
		return 0
	case len(words) > 0:
		return usageError(stderr, fmt.Errorf("unknown command %q; there are keys, accounts, users, backup and health, and without a command the server serves", words[0]))
	}
	if err := errors.Join(faults, c.Validate()); err != nil {
		return usageError(stderr, err)
	}
	c.Version = buildVersion()
	log := newLog(c, stderr)
	if err := serve(ctx, c, log, stdout); err != nil {
		fmt.Fprintln(stderr, "server:", err)
		return 1
	}
	return 0
}

func usageError(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "server: %v\nTry server --help.\n", err)
	return 2
}

func printHelp(stdout io.Writer, text string, flags *flag.FlagSet) int {
	fmt.Fprint(stdout, text)
	flags.SetOutput(stdout)
	flags.PrintDefaults()
	return 0
}

func newLog(c config.Config, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// buildVersion is the version given to the linker, else what Go knows of the build.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
