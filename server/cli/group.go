package cli

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/phrase"
	"github.com/freelancer-matching/service/server/app"
)

// A group is a command with subcommands that all work on the database of accounts and keys.
type group struct {
	name        string // such as keys
	help        string
	settings    []string // the settings that every subcommand accepts
	config      config.Config
	flags       *flag.FlagSet // the flags of all subcommands
	subcommands []subcommand
}

// A subcommand is one operation of a group.
type subcommand struct {
	usage string // its name and operands, such as "plan ID PLAN"; optional ones are in brackets, and "…" ends a list
	flags string // the flags it accepts besides the group's settings, separated by spaces
	run   func(ctx context.Context, s *app.Access, operands []string) error
}

// newGroup returns a group without subcommands. It accepts settings besides those that name the database.
func newGroup(name, help string, settings ...string) *group {
	return &group{
		name: name, help: help, settings: append(settings, "data", "database-url", "database-password-file",
			"secrets-key-file", "smtp-url", "smtp-password-file", "smtp-from", "smtp-ca-file", "notice-webhook-url",
			"notice-webhook-key-file"),
		config: config.Default(), flags: commandline.NewFlags("server " + name),
	}
}

// run parses args and runs the subcommand that they name.
func (g *group) run(ctx context.Context, c console, args []string) error {
	chosen, operands, err := g.parse(c, args)
	if err != nil {
		return err
	}
	return g.execute(ctx, c, chosen, operands)
}

// parse returns the subcommand that args name, and its operands.
func (g *group) parse(c console, args []string) (chosen subcommand, operands []string, err error) {
	words, err := c.parse(g.flags, args, g.help, &g.config, g.settings...)
	if err != nil {
		return subcommand{}, nil, err
	}
	if chosen, err = g.choose(words); err != nil {
		return subcommand{}, nil, err
	}
	return chosen, words[1:], nil
}

// execute opens the database and runs a subcommand.
func (g *group) execute(ctx context.Context, c console, chosen subcommand, operands []string) error {
	s, err := app.OpenAccess(ctx, g.config, slog.New(slog.NewTextHandler(c.stderr, nil)))
	if err != nil {
		return err
	}
	return errors.Join(chosen.run(ctx, s, operands), s.Close())
}

// choose returns the subcommand that the first word names. It fails if the number of operands or a flag does not fit.
func (g *group) choose(words []string) (subcommand, error) {
	names := make([]string, len(g.subcommands))
	for i, s := range g.subcommands {
		names[i], _, _ = strings.Cut(s.usage, " ")
	}

	if len(words) == 0 {
		return subcommand{}, commandline.Usagef("%s needs a command: %s", g.name, phrase.Join(names, "or"))
	}

	i := slices.Index(names, words[0])
	if i < 0 {
		return subcommand{}, commandline.Usagef("unknown command %q; the commands are %s%s", words[0],
			phrase.Join(names, "and"), commandline.DidYouMean(words[0], "", names))
	}

	// The usage line is the only list of operands: those in brackets are optional, and an ellipsis repeats the last.
	chosen := g.subcommands[i]
	most := len(strings.Fields(chosen.usage))
	fewest := most - strings.Count(chosen.usage, "[")

	if strings.HasSuffix(chosen.usage, "…") {
		most = max(most, len(words))
	}

	if len(words) < fewest || len(words) > most {
		return subcommand{}, commandline.Usagef("wrong number of arguments; use server %s %s", g.name, chosen.usage)
	}

	accepted := append(strings.Fields(chosen.flags), g.settings...)
	var err error
	// All subcommands share one set of flags. A flag that the chosen one ignores is an error, because the operator
	// expects an effect.
	g.flags.Visit(func(f *flag.Flag) {
		if err == nil && !slices.Contains(accepted, f.Name) {
			err = commandline.Usagef("%s %s does not accept -%s", g.name, names[i], f.Name)
		}
	})

	return chosen, err
}

// commandLine returns the actor that the audit log records for changes by these commands.
func commandLine() audit.By { return audit.By{Actor: audit.CommandLine} }
