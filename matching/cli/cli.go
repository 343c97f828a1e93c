package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/buildinfo"
	"github.com/freelancer-matching/service/internal/commandline"
)

// The exit codes. docs/cli.md documents them.
const (
	exitFailure  = 1
	exitUsage    = 2
	exitRefused  = 3 // the key is missing or invalid, or doesn't allow the operation
	exitNotFound = 4
	exitLater    = 5 // a limit is used up, or the server can't be reached or is overloaded
)

// The columns of output.
const (
	defaultWidth = 80
	minWidth     = 40
)

// cli runs the program's commands in an environment that tests can replace.
type cli struct {
	environment    func(string) (string, bool)
	stdin          io.Reader
	stdout, stderr io.Writer // stdout gets results, stderr gets errors, remarks and questions
	terminal       bool      // stdout is a terminal: scores have pictures
	width          int       // columns of stdout
	// secret reads a line that must not be shown. If it says that the line would be, stdin has the line.
	secret func() (text string, shown bool, err error)
	pause  func(ctx context.Context, d time.Duration) error

	options options
}

// options are the flags that every command has.
type options struct {
	url, profile string
	json         bool
}

// command is one of the program's commands.
type command struct {
	name      string
	arguments string // in the usage line; empty if the command takes none
	summary   string
	details   string // the rest of the help text, with examples; begins with a blank line
	flags     *flag.FlagSet
	fewest    int // arguments
	most      int // arguments; negative for any number
	run       func(ctx context.Context, args []string) error
}

// commands returns all commands in the order of the help.
func (c *cli) commands() []*command {
	return []*command{
		c.matchCommand(), c.explainCommand(), c.parseCommand(), c.verifyCommand(), c.interviewCommand(),
		c.freelancersCommand(), c.changesCommand(), c.listenCommand(), c.triggerCommand(), c.meCommand(),
		c.profilesCommand(), c.completionCommand(),
	}
}

const helpHead = `matching finds freelancers for briefs, through the API of a server.

Usage:
  matching COMMAND [flags] [arguments]

Commands:
`

const helpTail = `
Flags may come before or after the arguments. Run "matching COMMAND -h" for the usage of a command, with examples.

The API key comes from the environment variable MATCHING_API_KEY, with the server's address in -url or MATCHING_URL, or
from a profile: "matching profiles set work -url https://match.example.com" asks for the key.

Examples:
  matching match "React shop, 5k, 30 days"         the best freelancers
  matching match -f brief.json -json | jq .        the response of the API
  matching explain f12 "React shop, 5k, 30 days"   why somebody has their score
  matching freelancers get f12                     a stored record

Exit codes: 0 success, 1 failure, 2 invalid command line or request, 3 key missing or not allowed, 4 not found,
5 limit reached or server not available: try again later.
`

// run runs the program and returns its exit code.
func (c *cli) run(ctx context.Context, args []string) int {
	commands := c.commands()
	if len(args) == 0 {
		printHelp(c.stderr, commands)
		return exitUsage
	}

	switch args[0] {
	case "help", "-h", "--h", "-help", "--help":
		printHelp(c.stdout, commands)
		return 0
	case "version", "-version", "--version":
		fmt.Fprintln(c.stdout, "matching", buildinfo.Read())
		return 0
	}

	// The first argument is the command, so that flags of one can't be taken for another's.
	names := make([]string, len(commands))
	for i, cmd := range commands {
		names[i] = cmd.name
		if cmd.name == args[0] {
			return c.report("matching "+cmd.name, c.execute(ctx, cmd, args[1:]))
		}
	}
	return c.report("matching", commandline.Usagef("unknown command %q%s", args[0],
		commandline.DidYouMean(args[0], "", names)))
}

func printHelp(w io.Writer, commands []*command) {
	fmt.Fprint(w, helpHead)
	for _, cmd := range commands {
		fmt.Fprintf(w, "  %-12s %s\n", cmd.name, cmd.summary)
	}
	fmt.Fprint(w, helpTail)
}

// newFlags returns the flags of a command, with those of all commands.
func (c *cli) newFlags(name string) *flag.FlagSet {
	flags := commandline.NewFlags("matching " + name)
	flags.StringVar(&c.options.url, "url", "", "`URL` of the server; by default MATCHING_URL, or http://127.0.0.1:8080")
	flags.StringVar(&c.options.profile, "profile", "", "`name` of the profile to use instead of the environment")
	flags.BoolVar(&c.options.json, "json", false, "print the response of the API as JSON")
	return flags
}

// execute parses the arguments of a command and runs it, or prints its help.
func (c *cli) execute(ctx context.Context, cmd *command, args []string) error {
	words, err := commandline.Parse(cmd.flags, args)
	if errors.Is(err, flag.ErrHelp) {
		usage := strings.TrimSpace("matching " + cmd.name + " [flags] " + cmd.arguments)
		fmt.Fprintf(c.stdout, "matching %s: %s\n\nUsage:\n  %s\n%s\nFlags:\n", cmd.name, cmd.summary, usage, cmd.details)
		cmd.flags.SetOutput(c.stdout)
		cmd.flags.PrintDefaults()
		return nil
	}
	if err != nil {
		return err
	}

	tooMany := cmd.most >= 0 && len(words) > cmd.most
	if len(words) < cmd.fewest || tooMany {
		return commandline.Usagef("wrong number of arguments; use matching %s %s", cmd.name, cmd.arguments)
	}
	return cmd.run(ctx, words)
}

// report prints an error and what to do about it, and returns the exit code.
func (c *cli) report(name string, err error) int {
	if err == nil {
		return 0
	}

	// A program that reads -json gets the error in the form of the API.
	if failure, ok := errors.AsType[*apiError](err); ok {
		if c.options.json {
			c.printJSON(failure.body)
		}
		fmt.Fprintf(c.stderr, "%s: %s\n", name, failure.Error())
		if next := failure.nextStep(); next != "" {
			fmt.Fprintln(c.stderr, next)
		}
		return failure.exitCode()
	}

	fmt.Fprintf(c.stderr, "%s: %s\n", name, err)
	if _, ok := errors.AsType[*commandline.UsageError](err); ok {
		fmt.Fprintf(c.stderr, "Run \"%s -h\" for usage.\n", name)
		return exitUsage
	}
	if _, ok := errors.AsType[*unreachableError](err); ok {
		return exitLater
	}
	if errors.Is(err, errNoEndpoint) {
		return exitNotFound
	}
	return exitFailure
}

// printJSON prints a response of the API, indented for a person and on one line for a program.
func (c *cli) printJSON(body []byte) {
	var text bytes.Buffer
	if c.terminal && json.Indent(&text, body, "", "  ") == nil {
		body = text.Bytes()
	}
	fmt.Fprintln(c.stdout, strings.TrimSpace(string(body)))
}

// show prints a response: as JSON, or decoded into answer by print.
func show[T any](c *cli, body []byte, print func(answer *T) error) error {
	if c.options.json {
		c.printJSON(body)
		return nil
	}
	var answer T
	if err := decode(body, &answer); err != nil {
		return err
	}
	return print(&answer)
}

func decode(body []byte, answer any) error {
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("decode the response of the API: %w", err)
	}
	return nil
}

// exitCode returns the exit code for an error of the API.
func (e *apiError) exitCode() int {
	switch e.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return exitRefused
	case http.StatusNotFound:
		return exitNotFound
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		return exitUsage
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return exitLater
	default:
		return exitFailure
	}
}
