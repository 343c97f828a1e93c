// Package commandline reads the command lines of the programs: flags anywhere among the arguments, and messages that say
// what may have been meant.
package commandline

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"freelancer-matching/internal/spelling"
)

// UsageError is a command line that cannot be understood; a program ends with exit code 2 after it.
type UsageError struct{ Message string }

// Error is the message.
func (e *UsageError) Error() string { return e.Message }

// Usagef is a UsageError with a formatted message.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// NewFlags is a flag set that writes nothing: whoever calls Parse writes the message.
func NewFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

// Parse reads flags before, between and behind the arguments, as the flag package alone does not. Behind "--"
// everything is an argument. The error is flag.ErrHelp or a *UsageError.
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

// flagError adds the nearest flag to the message about an unknown one.
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

// DidYouMean is the end of a message about an unknown name: the nearest known one behind a prefix, or "" where none is
// near.
func DidYouMean(name, prefix string, known []string) string {
	if nearest := spelling.Nearest(name, known); nearest != "" {
		return "; did you mean " + prefix + nearest + "?"
	}
	return ""
}
