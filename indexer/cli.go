package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"freelancer-matching/internal/commandline"
)

// cli is the command line with everything it touches.
type cli struct {
	environment    func(string) (string, bool)
	stdin          io.Reader
	stdout, stderr io.Writer // counts and tables; log and progress
	now            func() time.Time
}

// command is one of the program's commands.
type command struct {
	name      string
	arguments string // as the usage line shows them
	summary   string
	details   string // further help, with examples
	flags     *flag.FlagSet
	run       func(ctx context.Context, args []string) error
}

// commands is every command, in the order of the help.
func (c *cli) commands() []*command {
	return []*command{
		c.loadCommand(), c.validateCommand(), c.reindexCommand(), c.deleteCommand(), c.statusCommand(), c.rollbackCommand(),
		c.pruneCommand(), c.exportCommand(), c.generateCommand(), c.taxonomyCommand(),
	}
}

const helpHead = `indexer loads freelancers from files into the search engine.

Usage:
  indexer COMMAND [flags] [arguments]

Commands:
`

const helpTail = `
Flags may stand before or after the arguments. indexer COMMAND -h tells more of a command.

Examples:
  indexer load -dry-run freelancers.csv   see which column is used for what, and which rows are wrong
  indexer load freelancers.csv            make an index of the file; a running server changes over to it
  indexer load -upsert today.csv          add and replace some of the freelancers that are live
  indexer status                          what is loaded
`

func (c *cli) run(ctx context.Context, args []string) int {
	commands := c.commands()
	if len(args) == 0 {
		c.help(c.stderr, commands)
		return 2
	}
	if name := strings.TrimLeft(args[0], "-"); args[0] == "help" || args[0] != name && (name == "h" || name == "help") {
		c.help(c.stdout, commands)
		return 0
	}
	names := make([]string, len(commands))
	for i, cmd := range commands {
		if names[i] = cmd.name; cmd.name == args[0] {
			return c.exit(cmd.name, c.execute(ctx, cmd, args[1:]))
		}
	}
	return c.exit("", commandline.Usagef("unknown command %q%s", args[0], commandline.DidYouMean(args[0], "", names)))
}

func (c *cli) help(w io.Writer, commands []*command) {
	fmt.Fprint(w, helpHead)
	for _, cmd := range commands {
		fmt.Fprintf(w, "  %-9s %-9s %s\n", cmd.name, cmd.arguments, cmd.summary)
	}
	fmt.Fprint(w, helpTail)
}

// execute runs a command with its flags and arguments.
func (c *cli) execute(ctx context.Context, cmd *command, args []string) error {
	arguments, err := commandline.Parse(cmd.flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(c.stdout, "indexer %s: %s\n\nUsage:\n  indexer %s [flags] %s\n\n%s\nFlags:\n",
			cmd.name, cmd.summary, cmd.name, cmd.arguments, cmd.details)
		cmd.flags.SetOutput(c.stdout)
		cmd.flags.PrintDefaults()
		return nil
	}
	if err != nil {
		return err
	}
	if cmd.arguments == "" && len(arguments) > 0 {
		return commandline.Usagef("%s takes no arguments, got %q", cmd.name, arguments[0])
	}
	return cmd.run(ctx, arguments)
}

// exit tells what went wrong and turns it into an exit code.
func (c *cli) exit(name string, err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("interrupted: %w", err)
	}
	fmt.Fprintf(c.stderr, "indexer: %v\n", err)
	if _, ok := errors.AsType[*commandline.UsageError](err); ok {
		fmt.Fprintf(c.stderr, "Try indexer %s.\n", strings.TrimSpace(name+" -h"))
		return 2
	}
	return 1
}

func (c *cli) log() *slog.Logger { return slog.New(slog.NewTextHandler(c.stderr, nil)) }
