package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/atomicfile"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/dataset"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/setup"
)

// target is the file to write freelancers to, and its format.
type target struct {
	file, format string
	options      dataset.Options
}

// bind defines the flags -o and -format.
func (o *target) bind(flags *flag.FlagSet) {
	flags.StringVar(&o.file, "o", "", "`file` to write, or - for standard output (the default)")
	flags.Func("format", "`ndjson or csv` (default ndjson)", func(text string) error {
		if text != "ndjson" && text != "csv" {
			return errors.New("want ndjson or csv")
		}
		o.format = text
		return nil
	})
	flags.BoolVar(&o.options.EscapeFormulas, "escape-formulas", false,
		"with -format csv: put an apostrophe before texts that a spreadsheet would run as a formula")
}

// exported is the result of export and generate for -json.
type exported struct {
	File        string   `json:"file"`
	Format      string   `json:"format"` // csv or ndjson
	Freelancers int      `json:"freelancers"`
	Index       string   `json:"index,omitempty"`
	Currency    string   `json:"currency,omitempty"`
	Damaged     []string `json:"damaged,omitempty"` // IDs of freelancers that were left out
}

// write writes the freelancers to the file or to standard output.
func (o *target) write(to output, freelancers iter.Seq2[matching.Freelancer, error]) (exported, error) {
	result := exported{File: o.file, Format: cmp.Or(o.format, "ndjson")}
	if o.options.EscapeFormulas && o.format != "csv" {
		return result, commandline.Usagef("-escape-formulas requires -format csv")
	}

	// A dash is standard output, which has no name in the result.
	if o.file == "-" {
		o.file, result.File = "", ""
	}

	if o.file == "" && to.json {
		return result, commandline.Usagef("-json requires -o FILE, because freelancers would go to standard output, too")
	}

	counted := func(yield func(matching.Freelancer, error) bool) {
		for f, err := range freelancers {
			result.Freelancers++
			if !yield(f, err) {
				return
			}
		}
	}

	if o.file == "" {
		return result, o.encode(to.stdout, counted)
	}

	// The file holds personal data, so only its owner may read it; an interrupted export leaves the earlier file
	// untouched.
	err := atomicfile.Replace(o.file, 0o600, func(w io.Writer) error { return o.encode(w, counted) })

	return result, err
}

func (o *target) encode(w io.Writer, freelancers iter.Seq2[matching.Freelancer, error]) error {
	encode := o.options.WriteNDJSON
	if o.format == "csv" {
		encode = o.options.WriteCSV
	}
	var readErr error
	buffered := bufio.NewWriterSize(w, 1<<20)
	err := encode(buffered, func(yield func(matching.Freelancer) bool) {
		for f, err := range freelancers {
			if readErr = err; err != nil || !yield(f) {
				return
			}
		}
	})
	return errors.Join(readErr, err, buffered.Flush())
}

func (c *cli) exportCommand() *command {
	flags := commandline.NewFlags("export")
	index := flags.String("index", "", "`index` to export (default: the live one)")
	out := &target{}
	out.bind(flags)

	// An export only reads an index, so it needs no settings of embeddings.
	return c.indexCommand(command{
		name: "export", summary: "write the freelancers of an index to a file that load can read", flags: flags,
		details: `
Unknown values stay unknown. Freelancers whose records are damaged are left out and listed, and the exit code is 1.
Amounts are in the currency of the index, which the column hourly_rate_currency names. To load the file again, pass
that currency with -currency. The column currency has the one in which the freelancer charges.

Names and descriptions can be made to run as formulas in a spreadsheet: pass -escape-formulas for a CSV file that people
will open. load removes the apostrophes again.

Examples:
  indexer export -o freelancers.ndjson
  indexer export -format csv -escape-formulas -o freelancers.csv
  indexer export -format csv -index freelancers-v1-20260102t030405z | gzip > freelancers.csv.gz
`,
	}, indexSettings(), func(ctx context.Context, x *setup.Index, _ string) error { return c.export(ctx, x, *index, out) })
}

func (c *cli) export(ctx context.Context, x *setup.Index, index string, out *target) error {
	infos, live, _, err := loading.Indexes(ctx, x.Engine)
	if err != nil {
		return err
	}

	if index == "" {
		index = live
	}

	if index == "" && slices.ContainsFunc(infos, loading.Finished) {
		return errors.New("no index is live; choose one from indexer status and name it with -index, " +
			"or make one live with indexer rollback")
	}
	if index == "" {
		return errors.New("no index is live; build one with indexer load FILE")
	}

	out.options.Details = true
	for _, info := range infos {
		if info.Name == index {
			out.options.Currency = info.Currency
		}
	}

	// Damaged records are collected rather than returned at once, so that everybody else is exported.
	left := &engine.DamagedError{Index: index}
	result, err := out.write(c.output, readable(x.Engine.Scan(ctx, index), left))
	if isUsage(err) {
		return err
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}

	result.Index = index
	result.Damaged = left.IDs
	if result.Currency = out.options.Currency; result.Currency != "USD" {
		c.log().Info("amounts are not in US dollars; pass -currency when you load the file", "currency", result.Currency)
	}

	c.output.result = result
	if len(left.IDs) > 0 {
		return fmt.Errorf("export: %w\nThe export is complete but for these freelancers", left)
	}

	return nil
}

// readable yields freelancers without those whose records are damaged, and adds these to left.
func readable(
	freelancers iter.Seq2[matching.Freelancer, error], left *engine.DamagedError,
) iter.Seq2[matching.Freelancer, error] {
	return func(yield func(matching.Freelancer, error) bool) {
		for f, err := range freelancers {
			if damage, ok := errors.AsType[*engine.DamagedError](err); ok {
				left.IDs = append(left.IDs, damage.IDs...)
				left.Err = damage.Err
				continue
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

func (c *cli) generateCommand() *command {
	flags := commandline.NewFlags("generate")
	n := flags.Uint("n", 1000, "`number` of freelancers")
	seed := flags.Uint64("seed", 1, "`number` that determines the freelancers: the same seed, the same freelancers")
	out := &target{}
	flags.BoolVar(&out.options.Details, "details", false,
		"also make up country, location, time_zone, languages, currency, available_from, hours_per_week and verified")
	out.bind(flags)

	return &command{
		name: "generate", summary: "write made-up freelancers for trials and tests", flags: flags,
		details: `
Titles, skills, experience, rates and sales go together as in real data.

Examples:
  indexer generate -n 100000 -seed 7 -format csv -o freelancers.csv
  indexer generate -n 50 | indexer load -
`,
		run: func(ctx context.Context, _ []string) error {
			g, err := synthetic.New()
			if err != nil {
				return err
			}
			freelancers := g.Freelancers(int(*n), *seed)

			if out.options.Details {
				out.options.Currency = "USD"
				freelancers = g.DetailedFreelancers(int(*n), *seed)
			}

			// The generator doesn't know of Ctrl-C, so the context's error takes the place of a damaged record and ends the
			// writing.
			result, err := out.write(c.output, func(yield func(matching.Freelancer, error) bool) {
				for f := range freelancers {
					if !yield(f, ctx.Err()) {
						return
					}
				}
			})
			if err == nil {
				c.output.result = result
			}

			return err
		},
	}
}
