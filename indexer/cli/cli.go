package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/progress"
	"github.com/freelancer-matching/service/internal/commandline"
)

// cli runs the program's commands in an environment that tests can replace.
type cli struct {
	environment    func(string) (string, bool)
	stdin          io.Reader
	stdout, stderr io.Writer // stdout gets results, stderr gets errors, logs and progress
	now            func() time.Time
	interactive    func() bool // reports whether a person can answer questions; nil for no
	output         output
	given          map[string][]string // texts of the flags of the command line
}

// command is one of the program's commands.
type command struct {
	name      string
	arguments string // in the usage line; empty if the command takes none
	summary   string
	details   string // the rest of the help text, with examples; begins with a blank line
	flags     *flag.FlagSet
	run       func(ctx context.Context, args []string) error
}

// commands returns all commands in the order of the help.
func (c *cli) commands() []*command {
	return []*command{
		c.loadCommand(), c.syncCommand(), c.validateCommand(), c.reindexCommand(), c.deleteCommand(), c.statusCommand(),
		c.rollbackCommand(), c.diffCommand(), c.pruneCommand(), c.exportCommand(), c.generateCommand(), c.taxonomyCommand(),
		c.versionCommand(),
	}
}

const helpHead = `indexer loads freelancers from files into the search engine and manages its indexes.

Usage:
  indexer COMMAND [flags] [arguments]

Commands:
`

const helpTail = `
Flags may come before or after the arguments. Run "indexer COMMAND -h" for the usage of a command.

Examples:
  indexer load -dry-run freelancers.csv   show how columns are mapped and which rows are rejected
  indexer load freelancers.csv            build an index from the file and make it live
  indexer load -upsert today.csv          add or replace freelancers in the live index
  indexer status                          list the indexes

With -json, a command prints one JSON document on standard output instead of text, also after a failure.
With -quiet, it prints nothing unless something is wrong, for scheduled jobs.
`

// run runs the program and returns its exit code: 0, 1 after a failure, or 2 for an invalid command line.
func (c *cli) run(ctx context.Context, args []string) int {
	commands := c.commands()
	if len(args) == 0 {
		printHelp(c.stderr, commands)
		return 2
	}

	switch args[0] {
	case "help", "-h", "--h", "-help", "--help":
		printHelp(c.stdout, commands)
		return 0
	}

	names := make([]string, len(commands))
	for i, cmd := range commands {
		if names[i] = cmd.name; cmd.name == args[0] {
			err := c.execute(ctx, cmd, args[1:])
			c.output.printDocument(cmd.name, err)
			return exitCode(c.stderr, "indexer "+cmd.name, err)
		}
	}

	// With -json, even an unknown command must print a document, so the output is prepared although no command does it.
	err := commandline.Usagef("unknown command %q%s", args[0], commandline.DidYouMean(args[0], "", names))
	c.output.begin(&c.stdout, args)
	c.output.printDocument(args[0], err)

	return exitCode(c.stderr, "indexer", err)
}

func printHelp(w io.Writer, commands []*command) {
	fmt.Fprint(w, helpHead)
	for _, cmd := range commands {
		fmt.Fprintf(w, "  %-9s %-9s %s\n", cmd.name, cmd.arguments, cmd.summary)
	}
	fmt.Fprint(w, helpTail)
}

// execute parses the arguments of a command and runs it, or prints its help.
func (c *cli) execute(ctx context.Context, cmd *command, args []string) error {
	c.output.bind(cmd.flags)
	arguments, err := commandline.Parse(cmd.flags, args)
	if errors.Is(err, flag.ErrHelp) {
		usage := strings.TrimSpace("indexer " + cmd.name + " [flags] " + cmd.arguments)
		fmt.Fprintf(c.stdout, "indexer %s: %s\n\nUsage:\n  %s\n%s\nFlags:\n", cmd.name, cmd.summary, usage, cmd.details)
		cmd.flags.SetOutput(c.stdout)
		cmd.flags.PrintDefaults()
		return nil
	}
	c.output.begin(&c.stdout, args)
	if err != nil {
		return err
	}
	if cmd.arguments == "" && len(arguments) > 0 {
		return commandline.Usagef("%s takes no arguments, got %q", cmd.name, arguments[0])
	}
	c.given = commandline.Given(cmd.flags, args)
	return cmd.run(ctx, arguments)
}

// exitCode prints an error on stderr and returns the exit code for it. name is the command line so far.
func exitCode(stderr io.Writer, name string, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "indexer: %s\n", message(err))
	if remedy := engine.Remedy(err); remedy != "" {
		fmt.Fprintf(stderr, "To repair this, %s.\n", remedy)
	}
	if isUsage(err) {
		fmt.Fprintf(stderr, "Run \"%s -h\" for usage.\n", name)
		return 2
	}
	return 1
}

// message returns the text of an error, and says so if the user interrupted the program.
func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted: " + err.Error()
	}
	return err.Error()
}

func isUsage(err error) bool {
	_, ok := errors.AsType[*commandline.UsageError](err)
	return ok
}

// newDisplay returns a display of the progress of one step.
func (c *cli) newDisplay() *progress.Display {
	return progress.New(c.stderr, c.output.quiet, c.log(), c.now)
}

// log returns a logger on standard error. With -quiet, it leaves out everything below warnings.
func (c *cli) log() *slog.Logger {
	level := slog.LevelInfo
	if c.output.quiet {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(c.stderr, &slog.HandlerOptions{Level: level}))
}
