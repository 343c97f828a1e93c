package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"text/tabwriter"
	"time"

	"github.com/freelancer-matching/service/internal/buildinfo"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/check"
)

const checkHelp = `Usage: server check [flags]

Check this installation without changing it: the data folder and its permissions, free disk space, the pages and
references of a SQLite database, the schema version, the alias, every record of the live index, Redis, the mail server,
and the clocks. The server may run meanwhile. Give the command the same settings as the server.

Each line begins with OK, WARNING or ERROR. The exit code is 1 if there is an error.

Examples:
  server check -data /var/lib/matching

Flags:
`

var errCheckFailed = errors.New("the check found errors")

func (c console) check(ctx context.Context, args []string) error {
	settings := config.Default()
	words, err := c.parse(commandline.NewFlags("server check"), args, checkHelp, &settings)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return commandline.Usagef("check takes no arguments, got %q", words[0])
	}

	settings.Version = buildinfo.Read().Version
	// The findings say what is wrong, so log lines about the same would only repeat it.
	findings := check.Run(ctx, settings, time.Now, slog.New(slog.DiscardHandler))
	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	failed := false
	for _, f := range findings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.State, f.Subject, printable(f.Text))
		if f.Next != "" {
			fmt.Fprintf(table, "\t\tnext: %s\n", f.Next)
		}
		failed = failed || f.State == check.Error
	}

	if err := table.Flush(); err != nil {
		return err
	}
	if failed {
		return errCheckFailed
	}

	return nil
}
