// Command resumes measures the parser of resumes: it makes files about invented people, whose every field is known, and judges
// what the parser finds in them, and in real files where those are present.
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

const usage = `Usage: resumes COMMAND [flags]

  eval       print precision and recall by field, layout and language, the reading order, and what was missed,
             for the files in -fixtures, and for the real resumes where those are present
  text FILE  print the text of a file as the parser reads it, with page, part and what is a heading, bold or a bullet
  generate   write the files in -fixtures anew; needs WeasyPrint, LibreOffice and fonts of Debian

`

// defaultFolder holds the committed files, seen from the root of the repository.
const defaultFolder = "tools/resumes/testdata"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program: its exit code is 0, 1 after a failure, or 2 after a wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := commandline.NewFlags("resumes")
	folder := flags.String("fixtures", defaultFolder, "`folder` of the generated files")
	arguments, err := commandline.Parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return 0
	case err == nil:
		err = execute(ctx, arguments, *folder, stdout)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "resumes: %v\n", err)
	if _, ok := errors.AsType[*commandline.UsageError](err); ok {
		fmt.Fprint(stderr, "Try resumes -h.\n")
		return 2
	}
	return 1
}

func execute(ctx context.Context, arguments []string, folder string, stdout io.Writer) error {
	switch command := strings.Join(arguments[:min(1, len(arguments))], ""); {
	case command == "eval" && len(arguments) == 1:
		return evaluate(ctx, folder, stdout)
	case command == "generate" && len(arguments) == 1:
		return writeFixtures(ctx, folder)
	case command == "text" && len(arguments) == 2:
		return printText(ctx, arguments[1], stdout)
	default:
		return commandline.Usagef("one command is wanted, got %q%s", arguments,
			commandline.DidYouMean(command, "", []string{"eval", "generate", "text"}))
	}
}
