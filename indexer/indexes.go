package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"freelancer-matching/indexer/bulk"
	"freelancer-matching/internal/app"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/engine"
	"freelancer-matching/internal/match"
)

// dataCommand is a command without arguments on the indexes of a data folder that exists.
func (c *cli) dataCommand(cmd command, run func(ctx context.Context, x *app.Index, data string) error) *command {
	settings := config.Default()
	faults := config.Bind(&settings, cmd.flags, c.environment, "data")
	cmd.run = func(ctx context.Context, _ []string) error {
		if faults != nil {
			return &commandline.UsageError{Message: faults.Error()}
		}
		if _, err := os.Stat(settings.Data); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no data folder %q: name another with -data, or make it with indexer load FILE", settings.Data)
		}
		x, err := c.openIndex(settings.Data)
		if err != nil {
			return err
		}
		defer x.Close()
		return run(ctx, x, settings.Data)
	}
	return &cmd
}

func (c *cli) openIndex(data string) (*app.Index, error) {
	return app.OpenIndex(config.Config{Data: data}, c.log())
}

func (c *cli) statusCommand() *command {
	return c.dataCommand(command{
		name: "status", summary: "list the indexes, and which one serves", flags: commandline.NewFlags("status"),
		details: `An index is live (the alias points to it), previous (rollback goes back to it), kept, or unfinished: a load is at
work on it or was interrupted, and the next load removes it.

Example:
  indexer status -data /var/lib/matching
`,
	}, c.status)
}

func (c *cli) status(ctx context.Context, x *app.Index, _ string) error {
	infos, live, previous, err := indexes(ctx, x.Engine)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		fmt.Fprintln(c.stdout, "No index. Load one with: indexer load FILE")
		return nil
	}
	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "INDEX\tSTATE\tFREELANCERS\tSIZE\tSOURCE\tCURRENCY\tCREATED\tTAXONOMY")
	for _, info := range slices.Backward(infos) {
		state, documents := "kept", count(info.Documents)
		switch {
		case !info.Complete:
			state, documents = "unfinished", "-"
		case info.Name == live:
			state = "live"
		case info.Name == previous:
			state = "previous"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", info.Name, state, documents, humanize.Bytes(uint64(info.Bytes)),
			info.Source, info.Currency, info.Created.UTC().Format("2006-01-02 15:04:05Z"), info.Taxonomy)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if live == "" {
		fmt.Fprintln(c.stdout, "No index is live: no load has come to its end yet.")
	}
	return nil
}

func (c *cli) rollbackCommand() *command {
	flags := commandline.NewFlags("rollback")
	to := flags.String("to", "", "`index` to go to (default: the previous one)")
	return c.dataCommand(command{
		name: "rollback", summary: "go back to the previous index, or to any other", flags: flags,
		details: `A running server changes over within a second. The index that served until then becomes the previous one: a second
rollback takes the first one back.

Examples:
  indexer rollback
  indexer rollback -to freelancers-v1-20260102t030405z
`,
	}, func(ctx context.Context, x *app.Index, _ string) error { return c.rollback(ctx, x, *to) })
}

func (c *cli) rollback(ctx context.Context, x *app.Index, to string) (err error) {
	release, err := x.Engine.Lock(ctx, c.owner("rollback"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if to == "" {
		_, previous, err := x.Engine.Alias(ctx, match.Alias)
		if err != nil {
			return err
		}
		if previous == "" {
			return errors.New("there is no previous index; indexer status lists what there is, -to names one")
		}
		to = previous
	}
	from, err := x.Engine.PointAlias(ctx, match.Alias, to)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.stdout, "live      %s\nprevious  %s\n", to, from)
	return nil
}

func (c *cli) pruneCommand() *command {
	flags := commandline.NewFlags("prune")
	keep := flags.Uint("keep", 2, "how many of the newest indexes to keep, besides the live and the previous one")
	return c.dataCommand(command{
		name: "prune", summary: "remove old indexes, what interrupted loads left, and old dead letters", flags: flags,
		details: `The live and the previous index are never removed. Dead letters in the data folder go with their index.

Examples:
  indexer prune
  indexer prune -keep 0
`,
	}, func(ctx context.Context, x *app.Index, data string) error { return c.prune(ctx, x, data, int(*keep)) })
}

func (c *cli) prune(ctx context.Context, x *app.Index, data string, keep int) (err error) {
	release, err := x.Engine.Lock(ctx, c.owner("prune"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := bulk.RemoveRests(ctx, x.Engine, c.log()); err != nil {
		return err
	}
	infos, live, previous, err := indexes(ctx, x.Engine)
	if err != nil {
		return err
	}
	kept := make(map[string]bool, len(infos))
	for i, info := range slices.Backward(infos) {
		if info.Name == live || info.Name == previous || len(infos)-i <= keep {
			kept[info.Name] = true
			continue
		}
		if err := x.Engine.Drop(ctx, info.Name); err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "removed %s: %s freelancers, %s\n", info.Name, count(info.Documents), humanize.Bytes(uint64(info.Bytes)))
	}
	fmt.Fprintf(c.stdout, "%s indexes kept\n", count(len(kept)))
	return pruneDeadLetters(filepath.Join(data, deadLettersDir), kept)
}

// pruneDeadLetters removes the dead letters of all indexes but the kept ones.
func pruneDeadLetters(dir string, kept map[string]bool) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.ndjson"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if kept[strings.TrimSuffix(filepath.Base(file), ".ndjson")] {
			continue
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}

// indexes is every index, oldest first, the live one and the one before it.
func indexes(ctx context.Context, e engine.Indexer) (infos []engine.Info, live, previous string, err error) {
	if infos, err = e.Indexes(ctx); err != nil {
		return nil, "", "", err
	}
	live, previous, err = e.Alias(ctx, match.Alias)
	return infos, live, previous, err
}
