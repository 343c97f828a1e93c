// Package commandline parses command lines whose flags may stand anywhere among the arguments, and suggests corrections
// for misspelled names.
package commandline

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/freelancer-matching/service/internal/spelling"
)

// A UsageError describes an invalid command line. Programs exit with code 2 after it.
type UsageError struct{ Message string }

// Error returns the message.
func (e *UsageError) Error() string { return e.Message }

// Usagef returns a *UsageError with a formatted message.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// NewFlags returns a flag set that prints nothing, because the caller of Parse prints the error.
func NewFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

// Parse parses args and returns the arguments that are not flags. Unlike the flag package alone, it accepts flags
// before, between and after the arguments. Everything after "--" is an argument. The error is flag.ErrHelp or a
// *UsageError.
func Parse(flags *flag.FlagSet, args []string) (arguments []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, flagError(flags, err)
		}
		rest := flags.Args()
		if consumed := len(args) - len(rest); len(rest) == 0 || consumed > 0 && args[consumed-1] == "--" {
			return append(arguments, rest...), nil
		}
		arguments = append(arguments, rest[0])
		args = rest[1:]
	}
}

// flagError converts an error of the flag package, and suggests a flag in place of an unknown one.
func flagError(flags *flag.FlagSet, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return &UsageError{err.Error()}
	}
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return Usagef("unknown flag -%s%s", name, DidYouMean(name, "-", names))
}

// DidYouMean returns the end of an error message about an unknown name: "; did you mean " with prefix and the most
// similar known name, or "" if none is similar.
func DidYouMean(name, prefix string, known []string) string {
	if nearest := spelling.Nearest(name, known); nearest != "" {
		return "; did you mean " + prefix + nearest + "?"
	}
	return ""
}
