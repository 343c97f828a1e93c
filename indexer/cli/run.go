package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/indexer/progress"
	"github.com/freelancer-matching/service/indexer/report"
	"github.com/freelancer-matching/service/match/encoding"
	"github.com/freelancer-matching/service/setup"
)

// needsPreparer says whether a command prepares documents, which needs the taxonomy and the models in memory.
type needsPreparer bool

const (
	preparesDocuments needsPreparer = true
	onlyDeletes       needsPreparer = false
)

// A run is one run of a command that builds or changes an index: load, reindex or delete.
type run struct {
	*cli
	index   *setup.Index
	data    string // folder
	display *progress.Display
	loader  *bulk.Loader
	options bulk.Options

	encoding *encoding.Service // nil without -encode
}

// newRun returns a run with the options that all commands share.
func (c *cli) newRun(
	ctx context.Context, index *setup.Index, command, data string, prepares needsPreparer,
) (*run, error) {
	r := &run{cli: c, index: index, data: data, loader: &bulk.Loader{Indexer: index.Engine, Log: c.log(), Now: c.now}}
	if prepares {
		setup.LimitMemory(c.log())
		limitHeap()
		preparer, err := index.Preparer(ctx)
		if err != nil {
			return nil, unchanged(err)
		}
		r.loader.Preparer = preparer
	}

	r.display = c.newDisplay()
	options, err := loading.Options(index, data, lockOwner(command, c.now()), c.runOf(command))
	if err != nil {
		return nil, err
	}
	r.options = options
	r.options.Progress = r.display.Show
	r.options.Confirm = r.confirm()

	return r, nil
}

// finish prints what happened to the rows of the inputs, or to the index if there are none.
func (r *run) finish(heads []loading.Head, result *bulk.Report) {
	r.display.End()
	r.showResult(heads, result)
}

// showResult sets the result for -json, and prints it.
func (c *cli) showResult(heads []loading.Head, result *bulk.Report) {
	c.output.result = report.Describe(heads, result)
	if len(heads) > 0 {
		c.printer().Report(result)
	} else {
		c.printer().Refusals(result)
	}
	c.printer().Summarize(result)
}

// printer returns a printer of reports. Standard output may have been replaced since the program started, so it isn't
// kept.
func (c *cli) printer() *report.Printer {
	return &report.Printer{Out: c.stdout, Err: c.stderr, Quiet: c.output.quiet}
}

// confirm returns the function that asks whether to make an index live that lost much of the live one. It returns nil
// if nobody can be asked: the command is not on a terminal, or its output is for a program.
func (r *run) confirm() func(context.Context, *bulk.ShrinkError) (bool, error) {
	if r.interactive == nil || !r.interactive() || r.output.json || r.output.quiet {
		return nil
	}
	return func(ctx context.Context, e *bulk.ShrinkError) (bool, error) {
		r.display.End()
		r.printer().Shrink(e)
		fmt.Fprint(r.stdout, "Make it live anyway? [y/N] ")
		answer, err := readLine(ctx, r.stdin)
		fmt.Fprintln(r.stdout)
		return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))), err
	}
}

// printRemoved prints the old indexes that were dropped after a new one went live, and removes their dead letters.
func (r *run) printRemoved(result *bulk.Report) error {
	var names []string
	for _, old := range result.Removed {
		names = append(names, old.Index)
		fmt.Fprintf(r.stdout, "removed   %s (%s; see -keep-indexes)\n", old.Index,
			format.Count(old.Freelancers, "freelancer", ""))
	}
	isRemoved := func(index string) bool { return slices.Contains(names, index) }
	return removeDeadLetters(filepath.Join(r.data, deadLettersDir), isRemoved)
}

// removeOld prints which old indexes a command has removed, and removes what belongs to them and what has expired.
func (r *run) removeOld(result *bulk.Report) error {
	if err := r.printRemoved(result); err != nil {
		return err
	}
	return expireDeadLetters(r.stdout, r.index, r.now())
}
