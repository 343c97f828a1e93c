package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/setup"
)

func (c *cli) statusCommand() *command {
	flags := commandline.NewFlags("status")
	verbose := flags.Bool("v", false,
		"show for every index, and in full, which files it was loaded from, when, by whom and how")

	return c.indexCommand(command{
		name: "status", summary: "list the indexes and show where the live one came from", flags: flags,
		details: `
An index is in one of these states:
  live        the server uses it
  previous    indexer rollback makes it live again
  kept        an earlier index
  unfinished  a load is writing it, or was interrupted before it went live; the next load removes it
  damaged     it can't be searched; the reason follows the table

For the live index, status shows the files with their checksums, counts, time, user and options of the load and of later
changes, and the share of freelancers with a known value in each field. With -v, it does so for every index.

If a server has encoded profiles with the sentence encoder, status shows how many of the live index are encoded, and the
size of the file, or of the index on Elasticsearch, with their vectors.

status shows damage that it can see without reading all files: missing files, wrong sizes, unreadable descriptions, and
formats of other versions of this program.

Examples:
  indexer status -data /var/lib/matching
  indexer status -v
`,
	}, indexSettings(), func(ctx context.Context, x *setup.Index, _ string) error { return c.status(ctx, x, *verbose) })
}

func (c *cli) status(ctx context.Context, x *setup.Index, verbose bool) error {
	infos, live, previous, err := loading.Indexes(ctx, x.Engine)
	if err != nil {
		return err
	}
	list := describeIndexes(x, infos, live, previous)
	isUsable := func(info engine.Info) bool { return info.Name == live && info.Complete && info.Fault == "" }
	var encodedErr error
	if slices.ContainsFunc(infos, isUsable) {
		list.Encoder, encodedErr = countEncoded(ctx, x)
	}
	c.output.result = list

	if len(infos) == 0 {
		fmt.Fprintf(c.stdout, "There are no indexes in %s. To build one: indexer load FILE\n", x.Describe())
		return nil
	}

	if err := printIndexes(c.stdout, c.now(), infos, live, previous); err != nil {
		return err
	}
	printFaults(c.stdout, infos)

	// Indexes without a live one are either a first load that never finished or damage, and each needs another next
	// step.
	switch {
	case live != "":
	case slices.ContainsFunc(infos, loading.Finished):
		fmt.Fprintln(c.stdout, "No index is live: the alias is damaged or missing. To make the newest finished index live: "+
			"indexer rollback")
	default:
		fmt.Fprintln(c.stdout, "No index is live, because no load has finished yet.")
	}

	for _, info := range slices.Backward(infos) {
		if info.Complete && (verbose || info.Name == live) {
			if err := printDetails(c.stdout, &info, indexState(info, live, previous), verbose); err != nil {
				return err
			}
		}
	}

	// The state of the vectors must not hide that of the indexes.
	fmt.Fprintln(c.stdout)
	switch e := list.Encoder; {
	case encodedErr != nil:
		c.log().Warn("encoded profiles not counted", "error", encodedErr)
	case e != nil:
		fmt.Fprintf(c.stdout, "The sentence encoder has encoded %s of %s of the live index (%s).\n",
			format.Number(e.Encoded), format.Count(e.Freelancers, "profile", ""), humanize.Bytes(uint64(e.Bytes)))
	}

	fmt.Fprintf(c.stdout, "The indexes are in %s.\n", x.Describe())
	return nil
}

// countEncoded returns how many profiles of the live index are encoded, or nil if none ever were or the sentence
// encoder isn't used.
func countEncoded(ctx context.Context, x *setup.Index) (*encodedProfiles, error) {
	service := x.Encoding(nil)
	if service == nil {
		return nil, nil
	}
	p, size, err := service.Stored(ctx)
	if err != nil || size == 0 {
		return nil, err
	}
	return &encodedProfiles{Encoded: p.Encoded, Freelancers: p.Freelancers, Bytes: size}, nil
}

// printFaults prints why damaged indexes can't be searched.
func printFaults(w io.Writer, infos []engine.Info) {
	for _, info := range slices.Backward(infos) {
		if info.Fault != "" {
			fmt.Fprintf(w, "%s: %s\n", info.Name, info.Fault)
		}
	}
}

// printIndexes prints a table of the indexes, the newest first. It fits into 80 columns.
func printIndexes(w io.Writer, now time.Time, infos []engine.Info, live, previous string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "INDEX\tSTATE\tFREELANCERS\tSIZE\tCURRENCY\tAGE")
	for _, info := range slices.Backward(infos) {
		documents := format.Number(info.Documents)
		if !info.Complete {
			documents = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", info.Name, indexState(info, live, previous), documents,
			humanize.Bytes(uint64(info.Bytes)), cmp.Or(info.Currency, "-"), age(now, info.Created))
	}
	return table.Flush()
}

// indexState returns the state of an index, as the help of status explains it.
func indexState(info engine.Info, live, previous string) string {
	damaged := info.Fault != "" || info.Name == live && !info.Complete
	switch {
	case info.Name == live && damaged:
		return "live, damaged"
	case info.Name == live:
		return "live"
	case damaged:
		return "damaged"
	case !loading.Finished(info):
		return "unfinished"
	case info.Name == previous:
		return "previous"
	default:
		return "kept"
	}
}

func (c *cli) rollbackCommand() *command {
	flags := commandline.NewFlags("rollback")
	to := flags.String("to", "", "`index` to make live (default: the previous one, or the newest one if none is live)")
	return c.indexCommand(command{
		name: "rollback", summary: "make the previous index live again, or any other one", flags: flags,
		details: `
A running server starts using the index within a second. The index that was live becomes the previous one, so a second
rollback undoes the first.

If no index is live because the alias is damaged or missing, rollback makes the newest finished index live. It opens an
index before it makes it live, and refuses one that is damaged.

rollback works while a load is running. The load then fails before it goes live and changes nothing, because it was
compared with an index that is no longer live. Run it again.

Examples:
  indexer rollback
  indexer rollback -to freelancers-v1-20260102t030405z
`,
	}, indexSettings(), func(ctx context.Context, x *setup.Index, _ string) error { return c.rollback(ctx, x, *to) })
}

func (c *cli) rollback(ctx context.Context, x *setup.Index, to string) error {
	to, from, err := loading.Rollback(ctx, x.Engine, to, c.log())
	if err != nil {
		return err
	}
	c.output.result = rolledBack{Live: to, Previous: from}
	fmt.Fprintf(c.stdout, "live      %s\nprevious  %s\n", to, cmp.Or(from, "none"))
	return nil
}

func (c *cli) pruneCommand() *command {
	flags := commandline.NewFlags("prune")
	o := pruneOptions{}
	flags.UintVar(&o.keep, "keep", 2, "`number` of newest indexes to keep, besides the live and the previous one")
	flags.BoolVar(&o.previous, "previous", false, "do not protect the previous index; you can't roll back afterwards")

	return c.indexCommand(command{
		name: "prune", summary: "remove old and unfinished indexes, and their dead letters", flags: flags,
		details: `
The live index is never removed. The previous index is removed only with -previous, and only if it is not among the
newest ones to keep. The dead letters of a removed index are removed with it,
and so are all dead letters whose retention has ended. If no index is live because the alias is
damaged or missing, only unfinished indexes are removed.

Examples:
  indexer prune
  indexer prune -keep 0
  indexer prune -keep 0 -previous         keep only the live index; you can't roll back until the next load
`,
	}, append(indexSettings(), "dead-letter-retention"), func(ctx context.Context, x *setup.Index, data string) error {
		return c.prune(ctx, x, data, o)
	})
}

// pruneOptions are the flags of prune.
type pruneOptions struct {
	keep     uint // newest indexes to keep
	previous bool // the previous index is not protected
}

func (c *cli) prune(ctx context.Context, x *setup.Index, data string, o pruneOptions) (err error) {
	release, err := x.Engine.Lock(ctx, lockOwner("prune", c.now()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()

	// The lock is held, so no load is running, and an unfinished index is one that nobody will finish.
	if err := bulk.DropUnfinished(ctx, x.Engine, match.Alias, c.log()); err != nil {
		return err
	}
	infos, live, previous, err := loading.Indexes(ctx, x.Engine)
	if err != nil {
		return err
	}

	// If the alias is lost, any finished index may be the one that a rollback needs, so all of them are kept.
	result := pruned{Live: live, Removed: []removedIndex{}, Kept: []string{}}
	kept := make(map[string]bool, len(infos))
	for i, info := range slices.Backward(infos) {
		if live == "" || info.Name == live || info.Name == previous && !o.previous || len(infos)-i <= int(o.keep) {
			kept[info.Name] = true
			result.Kept = append(result.Kept, info.Name)
			continue
		}

		if err := x.Engine.Drop(ctx, info.Name); err != nil {
			return err
		}
		result.Removed = append(result.Removed, removedIndex{info.Name, info.Documents, info.Bytes})
		fmt.Fprintf(c.stdout, "removed %s: %s, %s\n",
			info.Name, format.Count(info.Documents, "freelancer", ""), humanize.Bytes(uint64(info.Bytes)))
	}

	if kept[previous] {
		result.Previous = previous
	}
	c.output.result = result
	fmt.Fprintf(c.stdout, "%s kept\n", format.Count(len(kept), "index", "indexes"))

	if live == "" && len(kept) > 0 {
		fmt.Fprintln(c.stdout, "No index is live, so no finished one was removed. To make the newest one live: "+
			"indexer rollback")
	}

	if previous != "" && !kept[previous] {
		fmt.Fprintln(c.stdout, "There is no previous index now, so you can't roll back until the next load.")
	}

	// Dead letters go last: if an index can't be removed, its letters stay with it.
	isRemoved := func(index string) bool { return !kept[index] }
	if err := removeDeadLetters(filepath.Join(data, deadLettersDir), isRemoved); err != nil {
		return err
	}

	return expireDeadLetters(c.stdout, x, c.now())
}

// removeDeadLetters removes the dead-letter files of the indexes for which remove returns true.
func removeDeadLetters(dir string, remove func(index string) bool) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.ndjson"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if index, _, _ := strings.Cut(filepath.Base(file), "."); !remove(index) {
			continue
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}
