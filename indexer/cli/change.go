package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/setup"
)

func (c *cli) reindexCommand() *command {
	flags := commandline.NewFlags("reindex")
	from := flags.String("from", "", "`index` to rebuild (default: the live one)")
	allowShrink, encode := false, false
	bindAllowShrink(flags, &allowShrink)
	bindEncode(flags, &encode)

	return c.indexCommand(command{
		name: "reindex", summary: "rebuild the live index from its own freelancers", flags: flags,
		details: `
Reindex after an update of this program that has a new mapping, taxonomy or text analysis, or to change the embedding
model: freelancers get vectors from the settings given here. Records, currency and source stay the same.

The new index is built, checked and made live as load does. A running server starts using it; indexer rollback returns
to the old one. Until then, and after a failure or Ctrl-C, the old index stays live. If the search engine refuses any
freelancer, nothing is changed, and the dead letters name the freelancer and the reason.
` + encodeHelp + `
Examples:
  indexer reindex
  indexer reindex -encode
  indexer reindex -from freelancers-v1-20260102t030405z
  indexer reindex -embeddings-url http://127.0.0.1:11434/v1 -embeddings-model all-minilm -embeddings-dimensions 384
`,
	}, buildSettings(), func(ctx context.Context, x *setup.Index, data string) error {
		return c.reindex(ctx, x, data, *from, allowShrink, encode)
	})
}

func (c *cli) reindex(ctx context.Context, x *setup.Index, data, from string, allowShrink, encode bool) error {
	run, err := c.newRun(ctx, x, "reindex", data, preparesDocuments)
	if err != nil {
		return err
	}
	if encode {
		if err := run.encodeBeforeLive(); err != nil {
			return err
		}
	}

	run.options.AllowShrink = allowShrink
	result, err := run.loader.Reindex(ctx, from, run.options)
	run.finish(nil, result)
	if err != nil {
		return unchanged(advise(err, result))
	}

	fmt.Fprintf(c.stdout, "rebuilt %s", result.Base)
	if result.Reason != "" {
		fmt.Fprintf(c.stdout, ": %s", result.Reason)
	}
	fmt.Fprintln(c.stdout)
	c.printer().Result(result)

	return errors.Join(run.finishEncoding(ctx), run.removeOld(result))
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
		"also delete the freelancers from earlier indexes, and remove earlier indexes that can't be read")
	flags.BoolVar(&d.allowShrink, "allow-shrink", false, "delete more than 30 percent of the freelancers")

	// Nothing is built, but scripts may pass the same settings to all commands that change an index.
	return c.indexCommand(command{
		name: "delete", summary: "delete freelancers by id", flags: flags,
		details: `
The freelancers are deleted from the live index in place, on Elasticsearch and in a data folder.

To delete more than 30 percent of the freelancers, confirm it on the terminal or use -allow-shrink.

Unknown ids are listed; they are an error only if all ids are unknown. Earlier indexes keep the freelancers, so a
rollback brings them back.

With -everywhere, no index keeps them: they are deleted from every index in place. Earlier indexes that can't be read
may have any of them and are removed together with their dead letters, without asking, so you may not be able to roll
back until the next load. Dead letters of the remaining indexes, interviews, your files and your backups may still have
the freelancers. To erase a person everywhere, use server people delete.

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
	ids, err := d.readIDs(c.stdin)
	if err != nil {
		return err
	}
	run, err := c.newRun(ctx, x, "delete", data, onlyDeletes)
	if err != nil {
		return err
	}

	run.options.Everywhere = d.everywhere
	run.options.AllowShrink = d.allowShrink
	result, err := run.loader.Delete(ctx, ids, run.options)
	run.finish(nil, result)
	if err != nil {
		return unchanged(advise(err, result))
	}

	if err := run.printDeletion(ctx, result, d.everywhere); err != nil {
		return err
	}
	if err := run.printRemoved(result); err != nil || len(result.Dropped) == 0 {
		return err
	}

	// Dropped indexes leave dead letters behind, which may have personal data of the same people.
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
func (r *run) printDeletion(ctx context.Context, result *bulk.Report, everywhere bool) error {
	fmt.Fprintf(r.stdout, "%s deleted in %s, %s left\n",
		format.Count(result.Deleted, "freelancer", ""), result.Elapsed.Round(10*time.Millisecond), format.Number(result.Kept))
	if len(result.Unknown) > 0 {
		fmt.Fprintf(r.stdout, "%s: %s\n", format.Count(len(result.Unknown), "unknown id", ""),
			format.Printable(bulk.Some(result.Unknown), 200))
	}

	r.printer().Method(result)
	r.printer().Live(result)
	if len(result.Dropped) > 0 {
		fmt.Fprintf(r.stdout, "removed   %s\n", strings.Join(result.Dropped, ", "))
	}

	if everywhere {
		fmt.Fprintln(r.stdout, "No index has these freelancers now.")
		return nil
	}

	// A deletion changes the live index only. People who asked to be forgotten may still be in earlier ones, so they
	// are named.
	infos, err := r.index.Engine.Indexes(ctx)
	if err != nil {
		return err
	}
	var others []string
	for _, info := range slices.Backward(infos) {
		if info.Name != result.Index {
			others = append(others, info.Name)
		}
	}

	if len(others) > 0 {
		fmt.Fprintf(r.stdout, "Earlier indexes may still have these freelancers: %s\n"+
			"To remove those indexes: indexer prune -keep 0 -previous\n", strings.Join(others, ", "))
	}

	return nil
}

// readIDs returns the distinct ids to delete, in their order.
func (d *deletion) readIDs(stdin io.Reader) ([]string, error) {
	all := strings.Split(d.ids, ",")
	if d.file != "" {
		lines, err := readLines(d.file, stdin)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}

	// Both sources may name an id twice, and files often end with an empty line.
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

func readLines(file string, stdin io.Reader) ([]string, error) {
	in := stdin
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
