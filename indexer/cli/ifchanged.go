package cli

import (
	"context"
	"flag"
	"fmt"
	"maps"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/inputs"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/indexer/report"
)

// bindIfChanged defines the flag -if-changed.
func (o *loadOptions) bindIfChanged(flags *flag.FlagSet) {
	flags.BoolVar(&o.ifChanged, "if-changed", false,
		"do nothing if the live index was loaded from the same files, with the same flags, version and taxonomy, and has "+
			"not been changed since")
}

// knownFiles returns the live index and its files, if it was loaded from as many files with the same options and has
// not been changed since. Otherwise the files are nil.
func (c *cli) knownFiles(
	ctx context.Context, o *loadOptions, environmentErr error, paths []string,
) (index *engine.Info, files []engine.SourceFile, err error) {
	x, err := c.openIndex(o.Config, environmentErr)
	if err != nil {
		return nil, nil, err
	}
	defer x.Close()

	index, err = loading.Live(ctx, x.Engine)
	if err != nil || index == nil || index.Fault != "" || index.Provenance == nil ||
		index.Taxonomy != x.Taxonomy.Version() {
		return index, nil, err
	}

	// Another version of the program may read the same files differently, and so may other options.
	last := index.Provenance.Latest()
	now := c.runOf("load")
	if last.Command != now.Command || last.Version != now.Version || !maps.Equal(last.Options, now.Options) ||
		len(last.Files) != len(paths) {
		return index, nil, nil
	}

	// Only the names are compared here; the contents are compared when the files are opened.
	for i, path := range paths {
		if last.Files[i].Name != inputs.DisplayName(path) {
			return index, nil, nil
		}
	}

	return index, last.Files, nil
}

// printUnchanged prints that nothing was loaded because an index has the files already.
func (c *cli) printUnchanged(index *engine.Info) {
	fmt.Fprintf(c.stdout, "Nothing was loaded: the files have not changed since they were loaded into %s.\n", index.Name)
	c.output.result = &report.Result{Unchanged: index.Name, Faults: []report.Tally{}, Warnings: []report.Tally{}}
}
