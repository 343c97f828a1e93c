// Command tools measures the service: its speed, and the quality of rankings, resume fields and interview marks. It
// also makes the file of the sentence encoder.
//
//	go run ./tools relevance judge
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/tools/encoder"
	"github.com/freelancer-matching/service/tools/interviews"
	"github.com/freelancer-matching/service/tools/load"
	"github.com/freelancer-matching/service/tools/relevance"
	"github.com/freelancer-matching/service/tools/resumes"
	"github.com/freelancer-matching/service/tools/wordstats"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// A command is one of the programs that measure. Its run function returns an exit code.
type command struct {
	name    string
	summary string
	run     func(ctx context.Context, args []string, stdout, stderr io.Writer) int
}

func commands() []command {
	return []command{
		{"encoder", "makes the file of the sentence encoder, and encodes texts", runEncoder},
		{"interviews", "measures the judges of interview answers with answers of known level", runInterviews},
		{"load", "sends briefs to a running service and measures latency and rate", load.Run},
		{"relevance", "evaluates the ranking on graded briefs, and fits its weights", relevance.Run},
		{"resumes", "evaluates the resume parser, and generates its test files", resumes.Run},
		{"wordstats", "counts the words of real profiles and briefs, from which realistic ones are generated", wordstats.Run},
	}
}

func runEncoder(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return encoder.Run(ctx, args, os.Stdin, stdout, stderr)
}

func runInterviews(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return interviews.Run(ctx, args, os.LookupEnv, stdout, stderr)
}

// run runs the command that the first argument names, and returns its exit code, or 2 if there is no such command.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		help(stderr)
		return 2
	}

	switch args[0] {
	case "help", "-h", "-help", "--help":
		help(stdout)
		return 0
	}

	var names []string
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, args[1:], stdout, stderr)
		}
		names = append(names, c.name)
	}

	fmt.Fprintf(stderr, "tools: unknown command %q%s\nTry go run ./tools help.\n", args[0],
		commandline.DidYouMean(args[0], "", names))
	return 2
}

func help(w io.Writer) {
	fmt.Fprint(w, "tools measures the service.\n\nUsage:\n  go run ./tools COMMAND [arguments]\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nRun go run ./tools COMMAND -h for the details of a command.\n")
}
