package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/setup"
)

func (c *cli) reindexCommand() *command {
	flags := commandline.NewFlags("reindex")
	from := flags.String("from", "", "`index` to rebuild (default: the live one)")
	allowShrink := false
	bindAllowShrink(flags, &allowShrink)

	return c.indexCommand(command{
		name: "reindex", summary: "rebuild the live index from its own freelancers", flags: flags,
		details: `
Reindex after an update of this program that has a new mapping, taxonomy or text analysis, or to change the embedding
model: freelancers get vectors from the settings given here. Records, currency and source stay the same.

The new index is built, checked and made live as load does. A running server starts using it; indexer rollback returns
to the old one. Until then, and after a failure or Ctrl-C, the old index stays live. If the search engine refuses any
freelancer, nothing is changed, and the dead letters name the freelancer and the reason.

Examples:
  indexer reindex
  indexer reindex -from freelancers-v1-20260102t030405z
  indexer reindex -embeddings-url http://127.0.0.1:11434/v1 -embeddings-model all-minilm -embeddings-dimensions 384
`,
	}, buildSettings(), func(ctx context.Context, x *setup.Index, data string) error {
		return c.reindex(ctx, x, data, *from, allowShrink)
	})
}

func (c *cli) reindex(ctx context.Context, x *setup.Index, data, from string, allowShrink bool) error {
	loader, err := c.loader(ctx, x, true)
	if err != nil {
		return unchanged(err)
	}
	display := c.newDisplay()
	options, err := c.bulkOptions(x, "reindex", data, display)
	if err != nil {
		return err
	}

	options.AllowShrink = allowShrink
	report, err := loader.Reindex(ctx, from, options)
	display.end()
	c.output.result = describeReport(nil, report)
	c.printRefusals(report)
	c.summarize(report)

	if err != nil {
		return unchanged(advise(err, report))
	}
	fmt.Fprintf(c.stdout, "rebuilt %s", report.Base)

	if report.Reason != "" {
		fmt.Fprintf(c.stdout, ": %s", report.Reason)
	}
	fmt.Fprintln(c.stdout)
	c.printResult(report)

	return c.removeOld(x, data, report)
}

// deletion is the flags of delete.
type deletion struct {
	ids, file   string
	everywhere  bool
	allowShrink bool
}

func (c *cli) deleteCommand() *command {
	flags := commandline.NewFlags("delete")
	d := deletion{}
	flags.StringVar(&d.ids, "ids", "", "`ids` of freelancers, separated by commas")
	flags.StringVar(&d.file, "ids-file", "", "`file` with one id per line; - for standard input")
	flags.BoolVar(&d.everywhere, "everywhere", false,
		"also delete the freelancers from earlier indexes; in a data folder, this removes earlier indexes that have them")
	flags.BoolVar(&d.allowShrink, "allow-shrink", false, "delete more than 30 percent of the freelancers")

	return c.indexCommand(command{
		name: "delete", summary: "delete freelancers by id", flags: flags,
		details: `
Elasticsearch deletes freelancers in place. In a data folder, indexes can't be changed, so a new index without these
freelancers is built, checked and made live.

To delete more than 30 percent of the freelancers, confirm it on the terminal or use -allow-shrink.

Unknown ids are listed; they are an error only if all ids are unknown. Earlier indexes keep the freelancers, so a
rollback brings them back.

With -everywhere, no index keeps them. Elasticsearch deletes them from every index. In a data folder, the
earlier indexes that have any of them are removed together with their dead letters, without asking, so you may not be
able to roll back until the next load. Dead letters of the remaining indexes, interviews, your files and your backups
may still have the freelancers. To erase a person everywhere, use server people delete.

Examples:
  indexer delete -ids fl-0011223344556677,fl-8899aabbccddeeff
  indexer delete -ids-file gone.txt
  indexer delete -ids fl-0011223344556677 -everywhere
`,
	}, buildSettings(), func(ctx context.Context, x *setup.Index, data string) error {
		return c.delete(ctx, x, data, d)
	})
}

func (c *cli) delete(ctx context.Context, x *setup.Index, data string, d deletion) error {
	ids, err := c.readIDs(d)
	if err != nil {
		return err
	}
	loader, err := c.loader(ctx, x, false)
	if err != nil {
		return unchanged(err)
	}

	display := c.newDisplay()
	options, err := c.bulkOptions(x, "delete", data, display)
	if err != nil {
		return err
	}

	options.Everywhere = d.everywhere
	options.AllowShrink = d.allowShrink
	report, err := loader.Delete(ctx, ids, options)
	display.end()
	c.output.result = describeReport(nil, report)
	c.printRefusals(report)
	c.summarize(report)

	if err != nil {
		return unchanged(advise(err, report))
	}
	if err := c.printDeletion(ctx, x.Engine, report, d.everywhere); err != nil {
		return err
	}
	if err := c.printRemoved(report, data); err != nil || len(report.Dropped) == 0 {
		return err
	}

	infos, err := x.Engine.Indexes(ctx)
	if err != nil {
		return err
	}
	kept := make(map[string]bool, len(infos))
	for _, info := range infos {
		kept[info.Name] = true
	}

	return removeDeadLetters(filepath.Join(data, deadLettersDir), func(index string) bool { return !kept[index] })
}

// printDeletion prints how many freelancers were deleted, and which indexes may still have them.
func (c *cli) printDeletion(ctx context.Context, e engine.Indexer, r *bulk.Report, everywhere bool) error {
	fmt.Fprintf(c.stdout, "%s deleted in %s, %s left\n",
		count(r.Deleted, "freelancer", ""), r.Elapsed.Round(10*time.Millisecond), number(r.Kept))
	if len(r.Unknown) > 0 {
		fmt.Fprintf(c.stdout, "%s: %s\n", count(len(r.Unknown), "unknown id", ""), printable(bulk.Some(r.Unknown), 200))
	}

	c.printMethod(r)
	c.printLive(r)
	if len(r.Dropped) > 0 {
		fmt.Fprintf(c.stdout, "removed   %s\n", strings.Join(r.Dropped, ", "))
	}

	if everywhere {
		fmt.Fprintln(c.stdout, "No index has these freelancers now.")
		return nil
	}

	infos, err := e.Indexes(ctx)
	if err != nil {
		return err
	}
	var others []string
	for _, info := range slices.Backward(infos) {
		if info.Name != r.Index {
			others = append(others, info.Name)
		}
	}

	if len(others) > 0 {
		fmt.Fprintf(c.stdout, "Earlier indexes may still have these freelancers: %s\n"+
			"To remove those indexes: indexer prune -keep 0 -previous\n", strings.Join(others, ", "))
	}

	return nil
}

// readIDs returns the distinct ids to delete, in their order.
func (c *cli) readIDs(d deletion) ([]string, error) {
	all := strings.Split(d.ids, ",")
	if d.file != "" {
		lines, err := c.readLines(d.file)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}

	var ids []string
	seen := make(map[string]bool, len(all))
	for _, id := range all {
		if id = strings.TrimSpace(id); id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}

	if len(ids) == 0 {
		return nil, commandline.Usagef("no ids given; use -ids ID,ID… or -ids-file FILE")
	}

	return ids, nil
}

func (c *cli) readLines(file string) ([]string, error) {
	in := c.stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(in)
	return strings.Split(string(data), "\n"), err
}
