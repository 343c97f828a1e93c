// Package relevance evaluates the ranking on briefs whose freelancers were graded by people. It measures the quality of
// the ranking and the contribution of each feature, fits weights and levels to the grades, and collects freelancers to
// grade. It queries the service through the public API.
package relevance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
)

// command is a subcommand of the program.
type command struct {
	name    string
	summary string
	details string // the rest of the help text, with examples
	flags   *flag.FlagSet
	run     func(ctx context.Context, stdout io.Writer) error
}

func commands() []*command {
	return []*command{
		judgeCommand(), ablateCommand(), fitCommand(), levelsCommand(), attackCommand(), fairnessCommand(),
		poolCommand(), agreeCommand(), mergeCommand(), overlapCommand(), effortCommand(),
		learnCommand(),
	}
}

const helpHead = `relevance evaluates the ranking on graded briefs.

Usage:
  relevance COMMAND [flags]

Commands:
`

const helpTail = `
Run relevance COMMAND -h for the details of a command.

A judged set is a folder with these files:
  freelancers.csv   the freelancers, in the format that the indexer reads; IDs are kept
  briefs.jsonl      one {"brief_id": …, "category": …, "body": {…}} per line; body is the body of POST /api/v1/match
  judgments.tsv     tab-separated brief_id, freelancer_id and grade: 3 shortlist immediately, 2 good, 1 partly suitable,
                    0 unsuitable; unlisted freelancers count as 0

Examples:
  relevance judge                          measure the ranking on the real judged set
  relevance judge -judged my-briefs        measure it on your own briefs
  relevance judge -against economy         compare the default profile with another one
  relevance ablate                         measure the contribution of each feature
  relevance fit                            find the weights that fit the grades best
  relevance fairness                       measure what names, nationalities and the like change
  relevance levels                         check how well scores and levels predict good matches
  relevance attack                         measure what copying a brief into a profile gains
  relevance pool -judged my-briefs -o work collect freelancers to grade from several methods
  relevance learn                          learn weights from simulated choices, or from your own lists
  relevance overlap -b briefs.es.jsonl     compare the answers to two wordings of the same briefs
`

// errSkipped means that a command had no data to work on. It is not a failure: the exit code is 0.
var errSkipped = errors.New("skipped")

// Run runs the command and returns its exit code: 0 for success, 1 for a failure, 2 for a usage error.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
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
		fmt.Fprintf(w, "  %-8s %s\n", cmd.name, cmd.summary)
	}
	fmt.Fprint(w, helpTail)
}

// execute parses args and runs the command, or prints its help.
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

// exit prints err and returns the exit code for it.
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
