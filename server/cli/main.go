// Package cli is the program server: it serves the REST API and the dashboard, and its subcommands manage keys,
// accounts and users, back up the database, and check a running server.
package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/freelancer-matching/service/internal/buildinfo"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/phrase"
	"github.com/freelancer-matching/service/setup"
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
  mcp        offer a running server to an agent, over standard input and output

Run "server COMMAND --help" for the usage of a command.

Examples:
  server -demo
        serve 2,000 generated freelancers; prints an API key and a request to try
  server -test
        serve the tests of a client: fixed API keys, a clock to set, errors on demand (docs/test-mode.md)
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

// Main runs the program until it ends or a signal stops it, and returns its exit code.
func Main(args []string) int {
	return run(untilSignal(context.Background()), args, os.LookupEnv, os.Stdout, os.Stderr)
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
		fmt.Fprintln(c.stdout, "server", buildinfo.Read())
		return nil
	case err != nil:
		return err
	case len(words) > 0:
		names := commandNames()
		return commandline.Usagef("unknown command %q; the commands are %s%s", words[0], phrase.Join(names, "and"),
			commandline.DidYouMean(words[0], "", names))
	}

	// A server that others can reach without TLS must be asked for explicitly.
	if err := settings.Exposed(); err != nil {
		return &commandline.UsageError{Message: err.Error()}
	}

	// The demo and test mode have temporary folders, where no database is missing.
	if *newDatabase && !settings.Demo && !settings.Test {
		if err := setup.ForgetDatabase(settings, time.Now()); err != nil {
			return err
		}
	}

	settings.Version = buildinfo.Read().Version
	options := &slog.HandlerOptions{Level: settings.LogLevel}
	var handler slog.Handler = slog.NewTextHandler(c.stderr, options)
	if settings.LogJSON {
		handler = slog.NewJSONHandler(c.stderr, options)
	}

	return serve(ctx, settings, slog.New(handler), c.stdout)
}
