// Package resumes measures the resume parser. It generates files about invented people whose fields are all known, and
// judges what the parser extracts from them, and from real files where these are present.
package resumes

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/tools/resumes/makers"
)

const usage = `Usage: resumes COMMAND [flags]

  eval       print precision and recall by field, layout and language, the reading order, and every miss, for the
             files in -fixtures, and for the real resumes where these are present
  eval -files FOLDER
             print how well the parser reads the documents of a folder that have labels beside them (X.pdf and
             X.truth.json): the figures of the project's goals, the calibration of the confidence, and every miss;
             -brief omits the misses
  calibrate FOLDER…
             fit the tables that convert scores to confidences to the labeled documents in folders, write them to
             resume/fields/data/calibration.txt, and print how they hold for families of files left out of the fit;
             -fields education,location fits these tables only and keeps the others
  text FILE  print the lines of a file as the parser reads them, with page, part, size, gap, and whether a line is a
             heading (#), bold (b) or a list item (*)
  makers FOLDER
             write 12 documents of each of 24 makers into a folder, with labels, for eval -files; needs
             Chromium, WeasyPrint and fonts
  generate   rewrite the files in -fixtures; needs WeasyPrint, LibreOffice and the fonts of Debian

`

// defaultFolder has the committed files, as a path from the root of the repository.
const defaultFolder = "tools/resumes/testdata"

// documentsOfMaker is how many documents of each maker are written.
const documentsOfMaker = 12

// Run runs the command and returns its exit code: 0, 1 after a failure, or 2 after a wrong command line.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := commandline.NewFlags("resumes")
	folder := flags.String("fixtures", defaultFolder, "`folder` of the generated files")
	files := flags.String("files", "", "`folder` of documents with labels to evaluate instead of the fixtures")
	fields := flags.String("fields", "", "`names` of the fields that calibrate fits, separated by commas; default all")
	brief := flags.Bool("brief", false, "print only the table of goals and the calibration of -files")
	arguments, err := commandline.Parse(flags, args)
	switch {
	// Help that was asked for is output, not an error, so it goes to stdout.
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return 0

	case err == nil:
		err = execute(ctx, arguments, options{fixtures: *folder, files: *files, fields: *fields, brief: *brief}, stdout)
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

type options struct {
	fixtures, files string
	fields          string
	brief           bool
}

func execute(ctx context.Context, arguments []string, o options, stdout io.Writer) error {
	switch command := strings.Join(arguments[:min(1, len(arguments))], ""); {
	case command == "eval" && len(arguments) == 1 && o.files != "":
		return evaluateLabeled(ctx, o.files, o.brief, stdout)
	case command == "eval" && len(arguments) == 1:
		return evaluate(ctx, o.fixtures, stdout)
	case command == "generate" && len(arguments) == 1:
		if err := writeFixtures(ctx, o.fixtures); err != nil {
			return err
		}
		return writeUnseen(ctx, o.fixtures)
	case command == "makers" && len(arguments) == 2:
		return makers.Write(ctx, arguments[1], documentsOfMaker, 1, printPage)
	case command == "calibrate" && len(arguments) > 1:
		return calibrate(ctx, arguments[1:], o.fields, stdout)
	case command == "text" && len(arguments) == 2:
		return printText(ctx, arguments[1], stdout)
	default:
		return commandline.Usagef("want one command, got %q%s", arguments,
			commandline.DidYouMean(command, "", []string{"calibrate", "eval", "generate", "makers", "text"}))
	}
}
