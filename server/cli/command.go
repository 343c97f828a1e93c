package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
)

// A console is the environment of a command and where it writes its output.
type console struct {
	environment    func(string) (string, bool)
	stdout, stderr io.Writer
}

// A command has a name and runs with the arguments after it. Its error is flag.ErrHelp after --help, a
// *commandline.UsageError for an invalid command line, or a failure.
type command struct {
	name string
	run  func(c console, ctx context.Context, args []string) error
}

// commands returns the program's commands in the order of the help.
func commands() []command {
	return []command{
		{"keys", console.keys},
		{"accounts", console.accounts},
		{"users", console.users},
		{"people", console.people},
		{"events", console.events},
		{"audit", console.audit},
		{"notices", console.notices},
		{"backup", console.backup},
		{"restore", console.restore},
		{"check", console.check},
		{"health", console.health},
		{"mcp", console.mcp},
	}
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// run runs the program and returns its exit code: 0, 1 after a failure, or 2 for an invalid command line.
func run(
	ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer,
) int {
	name := "server"
	execute := console.server

	// Without a command, the program serves; what isn't a command may be a flag of that.
	if len(args) > 0 {
		if i := slices.Index(commandNames(), args[0]); i >= 0 {
			name = "server " + args[0]
			execute = commands()[i].run
			args = args[1:]
		}
	}

	err := execute(console{environment, stdout, stderr}, ctx, args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}

	fmt.Fprintf(stderr, "%s: %s\n", name, message(err))

	if _, ok := errors.AsType[*commandline.UsageError](err); ok {
		fmt.Fprintf(stderr, "Run \"%s --help\" for usage.\n", name)
		// Code 2 tells a script that another attempt won't help.
		return 2
	}

	return 1
}

// message returns what to print for an error: the message for clients where it has one. The operator, who must act on a
// fault of the database, also sees where it happened.
func message(err error) string {
	e, ok := errors.AsType[*matching.Error](err)
	switch {
	case !ok:
		return err.Error()
	case e.Code.IsDatabaseFault() && e.Cause != nil:
		return e.Message + "\n" + strings.Replace(err.Error(), e.Error(), e.Cause.Error(), 1)
	default:
		return e.Message
	}
}

// parse reads the environment and args into settings, limited to the settings with the given names if there are any,
// and returns the arguments that are not flags. For --help it prints help and the flags, and returns flag.ErrHelp.
func (c console) parse(
	flags *flag.FlagSet, args []string, help string, settings *config.Config, names ...string,
) ([]string, error) {
	environmentErr := config.Bind(settings, flags, c.environment, names...)
	words, err := c.parseFlags(flags, args, help)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(environmentErr, settings.Validate()); err != nil {
		return nil, &commandline.UsageError{Message: err.Error()}
	}
	return words, nil
}

// parseFlags returns the arguments that are not flags. For --help it prints help and the flags, and returns
// flag.ErrHelp.
func (c console) parseFlags(flags *flag.FlagSet, args []string, help string) ([]string, error) {
	words, err := commandline.Parse(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(c.stdout, help)
		flags.SetOutput(c.stdout)
		flags.PrintDefaults()
	}
	return words, err
}
