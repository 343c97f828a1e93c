// Package interviews measures the judges of interview answers with written answers of known level: the offline judge,
// the model's judge with a simulated model, and the model's judge with a real model if one is configured.
package interviews

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
)

const usage = `Usage: interviews eval [flags]

For each judge, prints the totals of answers of known level, whether their order is right, how much keywords, padding
and instructions to a model raise the total, and how much repeated judgments of the same answer differ. Held-out
answers come first, by an author who did not know the rubrics, then questions to which the offline judge was not fitted.

The settings for the language model are the same as the server's. Without -llm-url, no real model is measured. Judging
all answers once takes about 400 calls, and the injections 20 more.

`

// The paths of the committed answers and injections, relative to the root of the repository.
const (
	defaultCandidates = "interview/testdata/candidates"
	defaultInjections = "interview/testdata/injections.ndjson"
)

// options holds the command line.
type options struct {
	candidates, injections string
	repeats                int
	config                 config.Config
}

// Run runs the command and returns its exit code: 0, 1 after a failure, or 2 for an invalid command line.
func Run(
	ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer,
) int {
	flags := commandline.NewFlags("interviews")
	o := options{config: config.Default()}
	flags.StringVar(&o.candidates, "candidates", defaultCandidates, "`folder` with the answers of known level")
	flags.StringVar(&o.injections, "injections", defaultInjections,
		"`file` with instructions to a model, as lines of JSON")
	flags.IntVar(&o.repeats, "repeats", 3, "`number` of judgments of each answer")
	err := config.Bind(&o.config, flags, environment, "llm-url", "llm-key-file", "llm-model", "llm-timeout")
	if err == nil {
		var arguments []string
		arguments, err = commandline.Parse(flags, args)
		switch {
		// Help that was asked for is output, not an error, so it goes to stdout.
		case errors.Is(err, flag.ErrHelp):
			fmt.Fprint(stdout, usage)
			flags.SetOutput(stdout)
			flags.PrintDefaults()
			return 0

		case err == nil:
			err = execute(ctx, arguments, o, stdout, stderr)
		}
	}

	if err == nil {
		return 0
	}

	fmt.Fprintf(stderr, "interviews: %v\n", err)

	// Code 2 tells a script that the command line is wrong, and that another attempt won't help.
	if _, ok := errors.AsType[*commandline.UsageError](err); ok {
		fmt.Fprint(stderr, "Try interviews -h.\n")
		return 2
	}

	return 1
}

// execute runs the command.
func execute(ctx context.Context, arguments []string, o options, stdout, stderr io.Writer) error {
	if command := strings.Join(arguments, " "); command != "eval" {
		return commandline.Usagef("the command must be eval, got %q%s",
			arguments, commandline.DidYouMean(command, "", []string{"eval"}))
	}
	if o.repeats < 1 {
		return commandline.Usagef("-repeats is %d, must be at least 1", o.repeats)
	}
	if err := o.config.Validate(); err != nil {
		return commandline.Usagef("%v", err)
	}
	return evaluate(ctx, o, stdout, stderr)
}
