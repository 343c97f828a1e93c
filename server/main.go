// Command server serves the REST API and the dashboard. Its subcommands manage keys, accounts and users, back up the
// database, and check a running server.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
	"freelancer-matching/setup"
)

const help = `Usage: server [command] [flags]

server matches project briefs with freelancers. Without a command, it serves the REST API and the dashboard.

Commands:
  keys       create, list, disable, rotate and revoke API keys
  accounts   list accounts, change plans, disable accounts, show the audit log
  users      invite users and reset passwords
  people     find, export and erase what is stored about a freelancer
  events     export judgments from what clients report, and choose whose briefs are kept
  audit      verify and export the audit log
  notices    send a test notice of changed credentials
  backup     copy the SQLite database, even while the server runs
  restore    replace the SQLite database with a backup
  check      check the installation: database, index, disk space, clocks, permissions
  health     check that the server on this machine is alive

Run "server COMMAND --help" for the usage of a command.

Examples:
  server -demo
        serve 2,000 generated freelancers; prints an API key and a request to try
  server -data /var/lib/matching
        serve the freelancers that the indexer loaded into this folder
  server -addr :443 -public-url https://match.example.com -tls-cert cert.pem -tls-key key.pem
        accept connections from other machines over https
  server -addr :8080 -public-url https://match.example.com -trusted-proxies 10.0.0.0/8
        run behind a TLS proxy
  server -sign-up open
        let everyone who reaches the dashboard create an account; without it, users join by invitation
  server -elasticsearch-url http://127.0.0.1:9200
        serve the freelancers that the indexer loaded into Elasticsearch
  server -embeddings-url http://127.0.0.1:11434/v1 -embeddings-model all-minilm -embeddings-dimensions 384
        compare meanings with your own embedding model; load the data with the same flags
  server -llm-url http://127.0.0.1:11434/v1 -llm-model qwen2.5:7b
        let a language model write interview questions and score answers

Flags:
`

// version is set by the linker: go build -ldflags "-X main.version=1.2.3".
var version string

func main() {
	os.Exit(run(untilSignal(context.Background()), os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// server serves requests until ctx ends.
func (c console) server(ctx context.Context, args []string) error {
	settings := config.Default()
	flags := commandline.NewFlags("server")
	showVersion := flags.Bool("version", false, "print the version and exit")
	newDatabase := flags.Bool("new-database", false,
		"start with a new, empty database although the data folder's database is missing")
	words, err := c.parse(flags, args, help, &settings)
	switch {
	// The version is printed even if other settings are wrong.
	case *showVersion:
		fmt.Fprintln(c.stdout, "server", buildVersion())
		return nil
	case err != nil:
		return err
	case len(words) > 0:
		names := commandNames()
		return commandline.Usagef("unknown command %q; the commands are %s%s", words[0], enumerate(names, "and"),
			commandline.DidYouMean(words[0], "", names))
	}

	// A server that others can reach without TLS must be asked for explicitly.
	if err := settings.Exposed(); err != nil {
		return &commandline.UsageError{Message: err.Error()}
	}

	// The demo has a temporary folder, where no database is missing.
	if *newDatabase && !settings.Demo {
		if err := setup.ForgetDatabase(settings, time.Now()); err != nil {
			return err
		}
	}

	settings.Version = buildVersion()
	options := &slog.HandlerOptions{Level: settings.LogLevel}
	var handler slog.Handler = slog.NewTextHandler(c.stderr, options)
	if settings.LogJSON {
		handler = slog.NewJSONHandler(c.stderr, options)
	}

	return serve(ctx, settings, slog.New(handler), c.stdout)
}

// buildVersion returns the version set by the linker, or else the one that Go recorded in the build.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
