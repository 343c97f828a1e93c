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
	"freelancer-matching/internal/setup"
)

func (c *cli) reindexCommand() *command {
	flags := commandline.NewFlags("reindex")
	from := flags.String("from", "", "`index` whose freelancers to take (default: the live one)")
	return c.dataCommand(command{
		name: "reindex", summary: "make the live index anew of its own freelancers, without the files", flags: flags,
		details: `After an update of this program that brings another mapping, taxonomy or analysis of words, and to change the model of
an embeddings API: freelancers get the vectors of the settings given here, as by load. Records, currency and source stay.

The new index is checked and put in the place of the live one as by load: a running server changes over, and rollback goes
back. Until then, and after any failure or Ctrl-C, the old index serves. Nobody may get lost: where the engine refuses a
freelancer, nothing is changed, and the dead letters tell who and why.

Examples:
  indexer reindex
  indexer reindex -from freelancers-v1-20260102t030405z
  indexer reindex -embeddings-url http://127.0.0.1:11434/v1 -embeddings-model all-minilm -embeddings-dimensions 384
`,
	}, makingSettings(), func(ctx context.Context, x *setup.Index, data string) error { return c.reindex(ctx, x, data, *from) })
}

func (c *cli) reindex(ctx context.Context, x *setup.Index, data, from string) error {
	loader, err := c.loader(ctx, x, true)
	if err != nil {
		return unchanged(err)
	}
	display := c.newDisplay()
	options, err := c.options(x, "reindex", data, display)
	if err != nil {
		return err
	}
	report, err := loader.Reindex(ctx, from, options)
	display.end()
	c.printRefusals(report)
	if err != nil {
		return unchanged(advise(err, report))
	}
	fmt.Fprintf(c.stdout, "made anew of %s", report.Base)
	if report.Reason != "" {
		fmt.Fprintf(c.stdout, "; %s", report.Reason)
	}
	fmt.Fprintln(c.stdout)
	c.printNext(report)
	return nil
}

// deletion is whom to delete from where.
type deletion struct {
	list, file string
	everywhere bool
}

func (c *cli) deleteCommand() *command {
	flags := commandline.NewFlags("delete")
	d := deletion{}
	flags.StringVar(&d.list, "ids", "", "`ids` of freelancers, with commas between them")
	flags.StringVar(&d.file, "ids-file", "", "`file` with one id a line; - is standard input")
	flags.BoolVar(&d.everywhere, "everywhere", false,
		"leave them in no index: Elasticsearch deletes them in place from each; otherwise all indexes but the live one are removed")
	return c.dataCommand(command{
		name: "delete", summary: "remove freelancers, by id, from the live index", flags: flags,
		details: `Elasticsearch deletes in place. The indexes in a data folder do not change: there a new one without these freelancers is
made, checked and put in the place of the live one as by load.

Ids that nobody has are told, and are no failure as long as somebody has one of the others. Earlier indexes keep the
freelancers, so that a rollback brings them back. With -everywhere no index has them afterwards: on Elasticsearch they are
deleted from all; in a data folder every index but the live one is removed with its dead letters, without a question, and
no rollback is possible until the next load. The dead letters of the indexes that stay, and files and backups outside
of the engine, are yours to look through.

Examples:
  indexer delete -ids fl-0011223344556677,fl-8899aabbccddeeff
  indexer delete -ids-file gone.txt
  indexer delete -ids fl-0011223344556677 -everywhere
`,
	}, makingSettings(), func(ctx context.Context, x *setup.Index, data string) error { return c.delete(ctx, x, data, d) })
}

func (c *cli) delete(ctx context.Context, x *setup.Index, data string, d deletion) error {
	ids, err := c.readIDs(d)
	if err != nil {
		return err
	}
	_, inPlace := x.Engine.(engine.Updater)
	loader, err := c.loader(ctx, x, !inPlace)
	if err != nil {
		return unchanged(err)
	}
	display := c.newDisplay()
	options, err := c.options(x, "delete", data, display)
	if err != nil {
		return err
	}
	options.Everywhere = d.everywhere
	report, err := loader.Delete(ctx, ids, options)
	display.end()
	c.printRefusals(report)
	if err != nil {
		return unchanged(advise(err, report))
	}
	if err := c.printDeletion(ctx, x.Engine, report, d.everywhere); err != nil || len(report.Dropped) == 0 {
		return err
	}
	return pruneDeadLetters(filepath.Join(data, deadLettersDir), map[string]bool{report.Index: true})
}

// printDeletion tells who is gone, and which indexes may still have them.
func (c *cli) printDeletion(ctx context.Context, e engine.Indexer, r *bulk.Report, everywhere bool) error {
	fmt.Fprintf(c.stdout, "%s freelancers deleted in %s, %s left\n",
		count(r.Deleted), r.Elapsed.Round(10*time.Millisecond), count(r.Kept))
	if len(r.Unknown) > 0 {
		fmt.Fprintf(c.stdout, "%s unknown ids: %s\n", count(len(r.Unknown)), shown(bulk.Some(r.Unknown), 200))
	}
	c.printWay(r)
	c.printLive(r)
	if len(r.Dropped) > 0 {
		fmt.Fprintf(c.stdout, "removed   %s\n", strings.Join(r.Dropped, ", "))
	}
	if everywhere {
		fmt.Fprintln(c.stdout, "No index has them any more.")
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
		fmt.Fprintf(c.stdout, "Earlier indexes may still have them: %s\nRemove these with: indexer prune -keep 0 -previous\n",
			strings.Join(others, ", "))
	}
	return nil
}

// readIDs is the distinct ids of a deletion, in their order.
func (c *cli) readIDs(d deletion) ([]string, error) {
	all := strings.Split(d.list, ",")
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
		return nil, commandline.Usagef("whom to delete? Give -ids ID,ID… or -ids-file FILE")
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
