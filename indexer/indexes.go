package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/setup"
	"freelancer-matching/match"
)

func (c *cli) statusCommand() *command {
	return c.dataCommand(command{
		name: "status", summary: "list the indexes, and which one serves", flags: commandline.NewFlags("status"),
		details: `An index is live (the alias points to it), previous (rollback goes back to it), kept, or unfinished: a load is at
work on it or was interrupted, and the next load removes it.

Example:
  indexer status -data /var/lib/matching
`,
	}, indexSettings(), c.status)
}

func (c *cli) status(ctx context.Context, x *setup.Index, _ string) error {
	infos, live, previous, err := indexes(ctx, x.Engine)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		fmt.Fprintf(c.stdout, "No index. Load one with: indexer load FILE\nIndexes would be in %s.\n", x.Describe())
		return nil
	}
	if err := c.printIndexes(infos, live, previous); err != nil {
		return err
	}
	if live == "" {
		fmt.Fprintln(c.stdout, "No index is live: no load has come to its end yet.")
	}
	fmt.Fprintf(c.stdout, "\nIndexes are in %s.\n", x.Describe())
	return nil
}

// timeFormat is how times are told, in UTC.
const timeFormat = "2006-01-02 15:04:05Z"

// printIndexes lists the indexes, the newest first. When one was changed in place is told where any was.
func (c *cli) printIndexes(infos []engine.Info, live, previous string) error {
	changes := slices.ContainsFunc(infos, func(info engine.Info) bool { return !info.Updated.IsZero() })
	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	changed := func(text string) string {
		if !changes {
			return ""
		}
		return text + "\t"
	}
	fmt.Fprintf(table, "INDEX\tSTATE\tFREELANCERS\tSIZE\tSOURCE\tCURRENCY\tCREATED\t%sTAXONOMY\n", changed("CHANGED"))
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
		updated := "-"
		if !info.Updated.IsZero() {
			updated = info.Updated.UTC().Format(timeFormat)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s%s\n", info.Name, state, documents, humanize.Bytes(uint64(info.Bytes)),
			info.Source, info.Currency, info.Created.UTC().Format(timeFormat), changed(updated), info.Taxonomy)
	}
	return table.Flush()
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
	}, indexSettings(), func(ctx context.Context, x *setup.Index, _ string) error { return c.rollback(ctx, x, *to) })
}

func (c *cli) rollback(ctx context.Context, x *setup.Index, to string) (err error) {
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
	o := pruning{}
	flags.UintVar(&o.keep, "keep", 2, "how many of the newest indexes to keep, besides the live one, and the previous one without -previous")
	flags.BoolVar(&o.previous, "previous", false, "do not spare the previous index: rollback has nowhere to go then")
	return c.dataCommand(command{
		name: "prune", summary: "remove old indexes, what interrupted loads left, and old dead letters", flags: flags,
		details: `The live index is never removed, and the previous one only by -previous where it is not among the newest to keep. Dead
letters in the data folder go with their index.

Examples:
  indexer prune
  indexer prune -keep 0
  indexer prune -keep 0 -previous         the live index alone stays; no rollback is possible until the next load
`,
	}, indexSettings(), func(ctx context.Context, x *setup.Index, data string) error { return c.prune(ctx, x, data, o) })
}

// pruning says which indexes prune removes.
type pruning struct {
	keep     uint // of the newest, so many stay
	previous bool // the previous one is no exception
}

func (c *cli) prune(ctx context.Context, x *setup.Index, data string, o pruning) (err error) {
	release, err := x.Engine.Lock(ctx, c.owner("prune"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := bulk.DropUnfinished(ctx, x.Engine, c.log()); err != nil {
		return err
	}
	infos, live, previous, err := indexes(ctx, x.Engine)
	if err != nil {
		return err
	}
	kept := make(map[string]bool, len(infos))
	for i, info := range slices.Backward(infos) {
		if info.Name == live || info.Name == previous && !o.previous || len(infos)-i <= int(o.keep) {
			kept[info.Name] = true
			continue
		}
		if err := x.Engine.Drop(ctx, info.Name); err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "removed %s: %s freelancers, %s\n", info.Name, count(info.Documents), humanize.Bytes(uint64(info.Bytes)))
	}
	fmt.Fprintf(c.stdout, "%s indexes kept\n", count(len(kept)))
	if previous != "" && !kept[previous] {
		fmt.Fprintln(c.stdout, "There is no previous index any more: no rollback until the next load.")
	}
	return pruneDeadLetters(filepath.Join(data, deadLettersDir), kept)
}

// pruneDeadLetters removes the dead letters of all indexes but the kept ones.
func pruneDeadLetters(dir string, kept map[string]bool) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.ndjson"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if index, _, _ := strings.Cut(filepath.Base(file), "."); kept[index] {
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
