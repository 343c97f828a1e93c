// Command relevance judges the ranking on briefs whose freelancers were graded by people: how good it is, what each
// feature gives, which weights and levels the grades call for. It asks the service as any client does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"freelancer-matching/internal/commandline"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// command is one of the program's commands.
type command struct {
	name    string
	summary string
	details string // further help, with examples
	flags   *flag.FlagSet
	run     func(ctx context.Context, stdout io.Writer) error
}

func commands() []*command {
	return []*command{judgeCommand(), ablateCommand(), fitCommand(), levelsCommand()}
}

const helpHead = `relevance judges the ranking on graded briefs.

Usage:
  relevance COMMAND [flags]

Commands:
`

const helpTail = `
relevance COMMAND -h tells more of a command.

A judged set is a folder with
  freelancers.csv   what the indexer reads; ids are kept
  briefs.jsonl      one {"brief_id": …, "category": …, "body": {…}} a line; body is that of POST /api/v1/match
  judgments.tsv     brief_id, freelancer_id and grade between tabs: 3 would be shortlisted at once, 2 good, 1 partly,
                    0 not suitable; who is not listed counts as 0

Examples:
  relevance judge                          how good the ranking is on the real judged set
  relevance judge -judged my-briefs        the same on briefs of your own
  relevance judge -against economy         what another profile does better and worse
  relevance ablate                         what each feature gives
  relevance fit                            which weights the grades call for
  relevance levels                         how often each score and level is right
`

// errSkipped ends a command that has nothing to work on through no fault of the caller.
var errSkipped = errors.New("skipped")

// run is the program: its exit code is 0, 1 after a failure, or 2 after a wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	all := commands()
	if len(args) == 0 {
		help(stderr, all)
		return 2
	}
	if name := strings.TrimLeft(args[0], "-"); args[0] == "help" || args[0] != name && (name == "h" || name == "help") {
		help(stdout, all)
		return 0
	}
	names := make([]string, len(all))
	for i, cmd := range all {
		if names[i] = cmd.name; cmd.name == args[0] {
			return exit(cmd.execute(ctx, args[1:], stdout), cmd.name, stdout, stderr)
		}
	}
	unknown := commandline.Usagef("unknown command %q%s", args[0], commandline.DidYouMean(args[0], "", names))
	return exit(unknown, "", stdout, stderr)
}

func help(w io.Writer, all []*command) {
	fmt.Fprint(w, helpHead)
	for _, cmd := range all {
		fmt.Fprintf(w, "  %-7s %s\n", cmd.name, cmd.summary)
	}
	fmt.Fprint(w, helpTail)
}

// execute runs a command with its flags.
func (cmd *command) execute(ctx context.Context, args []string, stdout io.Writer) error {
	arguments, err := commandline.Parse(cmd.flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(stdout, "relevance %s: %s\n\nUsage:\n  relevance %s [flags]\n\n%s\nFlags:\n",
			cmd.name, cmd.summary, cmd.name, strings.TrimLeft(cmd.details, "\n"))
		cmd.flags.SetOutput(stdout)
		cmd.flags.PrintDefaults()
		return nil
	}
	if err != nil {
		return err
	}
	if len(arguments) > 0 {
		return commandline.Usagef("%s takes no arguments, got %q", cmd.name, arguments[0])
	}
	return cmd.run(ctx, stdout)
}

// exit tells what went wrong and turns it into an exit code.
func exit(err error, name string, stdout, stderr io.Writer) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errSkipped):
		fmt.Fprintln(stdout, err)
		return 0
	case errors.Is(err, context.Canceled):
		err = fmt.Errorf("interrupted: %w", err)
	}
	fmt.Fprintf(stderr, "relevance: %v\n", err)
	if _, ok := errors.AsType[*commandline.UsageError](err); ok {
		fmt.Fprintf(stderr, "Try relevance %s.\n", strings.TrimSpace(name+" -h"))
		return 2
	}
	return 1
}
