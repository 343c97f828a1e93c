package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"freelancer-matching/access/audit"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/app"
)

// group is a command of the server with commands of its own, all of which work on the database of keys and accounts.
type group struct {
	name     string // keys
	help     string
	settings []string // of the configuration, all of which every command takes
	config   config.Config
	flags    *flag.FlagSet
	commands []subcommand
}

type subcommand struct {
	word     string // rotate
	operands string // that follow it, as in the help: "ID PLAN"; in brackets where one may be left out
	flags    string // that it takes beside the settings
	run      func(ctx context.Context, s *app.Access, words []string) error
}

// newGroup is a group without commands. settings are those that it takes beside the ones that name the database.
func newGroup(name, help string, settings ...string) *group {
	return &group{
		name: name, help: help, settings: append(settings, "data", "database-url", "database-password-file"),
		config: config.Default(), flags: commandline.NewFlags("server " + name),
	}
}

// run is what the program does for a group: its exit code is 0, 1 after a failure, or 2 after a wrong command line.
func (g *group) run(
	ctx context.Context, args []string, environment func(string) (string, bool), stdout, stderr io.Writer,
) int {
	faults := config.Bind(&g.config, g.flags, environment, g.settings...)
	words, err := commandline.Parse(g.flags, args)
	if errors.Is(err, flag.ErrHelp) {
		return printHelp(stdout, g.help, g.flags)
	}
	if err == nil {
		err = faults
	}
	var command subcommand
	if err == nil {
		command, err = g.choose(words)
	}
	if err == nil {
		err = g.config.Validate()
	}
	if err != nil {
		return usageError(stderr, err)
	}
	s, err := app.OpenAccess(ctx, g.config, slog.New(slog.NewTextHandler(stderr, nil)))
	if err == nil {
		err = errors.Join(command.run(ctx, s, words[1:]), s.Close())
	}
	if err != nil {
		fmt.Fprintf(stderr, "server %s: %s\n", g.name, message(err))
		return 1
	}
	return 0
}

// choose is the command that the words name, with as many operands and only such flags as it takes.
func (g *group) choose(words []string) (subcommand, error) {
	var known []string
	for _, c := range g.commands {
		known = append(known, c.word)
	}
	names := strings.Join(known[:len(known)-1], ", ") + " or " + known[len(known)-1]
	if len(words) == 0 {
		return subcommand{}, fmt.Errorf("%s needs a command: %s", g.name, names)
	}
	i := slices.Index(known, words[0])
	if i < 0 {
		return subcommand{}, fmt.Errorf("unknown command %q after %s%s; there are %s", words[0], g.name,
			commandline.DidYouMean(words[0], "", known), names)
	}
	c := g.commands[i]
	operands := strings.Fields(c.operands)
	least := len(operands) - strings.Count(c.operands, "[")
	if n := len(words) - 1; n < least || n > len(operands) {
		return subcommand{}, fmt.Errorf("usage is server %s %s", g.name, strings.TrimSpace(c.word+" "+c.operands))
	}
	var err error
	g.flags.Visit(func(f *flag.Flag) {
		if !slices.Contains(g.settings, f.Name) && !slices.Contains(strings.Fields(c.flags), f.Name) {
			err = errors.Join(err, fmt.Errorf("%s %s takes no -%s", g.name, c.word, f.Name))
		}
	})
	return c, err
}

// message is what a person is told of a failure.
func message(err error) string {
	if e, ok := errors.AsType[*matching.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// commandLine is who does what is done here.
func commandLine() audit.By { return audit.By{Actor: audit.CommandLine} }

// texts reads a flag of texts with commas between them.
func texts(into *[]string) func(string) error {
	return func(value string) error {
		*into = strings.Split(value, ",")
		for i := range *into {
			(*into)[i] = strings.TrimSpace((*into)[i])
		}
		return nil
	}
}

// printFields writes names and values, one pair a line, leaving out those without a value.
func printFields(out io.Writer, fields [][2]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range fields {
		if f[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", f[0], f[1])
		}
	}
	return w.Flush()
}

// minute is a moment as people read it, in UTC.
func minute(t time.Time, zero string) string {
	if t.IsZero() {
		return zero
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// printable is a text that people wrote, without what could move a terminal's cursor: names of old keys may hold anything.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// short is the first characters of a printable text, with … where it is longer than n.
func short(text string, n int) string {
	runes := []rune(printable(text))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}
