// Command interviews measures those who judge answers in interviews: the offline judge, the model's judge with a model of known
// opinions, and a real model where one is configured. They judge written answers whose level is known.
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
	"freelancer-matching/internal/config"
)

const usage = `Usage: interviews eval [flags]

Prints for each judge the totals of answers of known level, whether their order is right, what padding and instructions
to a model gave, and how far repeated judgements of the same answer lie apart.

The settings of the language model are those of the server; without -llm-url no real model is asked. One repeat of all
answers takes about 100 calls, and the injections 10 more.

`

// Where the committed answers and injections are, seen from the root of the repository.
const (
	defaultCandidates = "interview/testdata/candidates"
	defaultInjections = "interview/testdata/injections.ndjson"
)

// options is what the command line says.
type options struct {
	candidates, injections string
	repeats                int
	config                 config.Config
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// run is the program: its exit code is 0, 1 after a failure, or 2 after a wrong command line.
func run(ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer) int {
	flags := commandline.NewFlags("interviews")
	o := options{config: config.Default()}
	flags.StringVar(&o.candidates, "candidates", defaultCandidates, "`folder` of the answers of known level")
	flags.StringVar(&o.injections, "injections", defaultInjections, "`file` of texts that speak to a model")
	flags.IntVar(&o.repeats, "repeats", 3, "`number` of times that each answer is judged")
	err := config.Bind(&o.config, flags, environment, "llm-url", "llm-key-file", "llm-model", "llm-timeout")
	if err == nil {
		var arguments []string
		arguments, err = commandline.Parse(flags, args)
		switch {
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
	if _, ok := errors.AsType[*commandline.UsageError](err); ok {
		fmt.Fprint(stderr, "Try interviews -h.\n")
		return 2
	}
	return 1
}

func execute(ctx context.Context, arguments []string, o options, stdout, stderr io.Writer) error {
	if command := strings.Join(arguments, " "); command != "eval" {
		return commandline.Usagef("one command is wanted, got %q%s", arguments, commandline.DidYouMean(command, "", []string{"eval"}))
	}
	if o.repeats < 1 {
		return commandline.Usagef("-repeats is %d, must be at least 1", o.repeats)
	}
	if err := o.config.Validate(); err != nil {
		return commandline.Usagef("%v", err)
	}
	return evaluate(ctx, o, stdout, stderr)
}
