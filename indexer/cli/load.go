package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/inputs"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/indexer/profile"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/config"
)

const loadHelp = `
load builds a new index, checks it, and makes it live. A running server starts using it within a second. Until then,
and after a failure or Ctrl-C, the old index stays live. The previous index is kept for indexer rollback, and older ones
are removed if there are more than -keep-indexes.
` + guardHelp + `
Meanings are compared with built-in vectors. With -embeddings-url, -embeddings-model and -embeddings-dimensions,
freelancers also get vectors from an embeddings API, such as OpenAI, Ollama, vLLM or llama.cpp; give the server the
same three settings. If the API fails, nothing is loaded.

-upsert adds the freelancers in the files to the live index, and replaces those with the same ids. All others stay.
The live index is changed in place if the mapping, the taxonomy and the embedding models are still the same; such a
change can't be rolled back. Otherwise, or with -in-place=false, a new index is built. -max-failures is
checked before anything changes.

-patch changes only the values that the files give, in place. Rows need an id and at least one other value; a blank cell
changes nothing. Freelancers who aren't in the live index are rejected.

A row with deleted=true (a column or JSON member of that name) deletes the freelancer with its id, and needs nothing
else. It wins over other rows of the same freelancer.

A load replaces what clients changed over HTTP or on the dashboard since the last load. The report says how many
freelancers and which fields that concerns. With -keep-changes, these fields keep their values, and freelancers whom
clients added stay; the files decide about all other fields.

What others change in the live index while a new one is built, over HTTP or with -patch, is kept and wins over the
files, unless -discard-changes is given.
` + encodeHelp + retryHelp + `
Examples:
  indexer load freelancers.csv
  indexer load -dry-run freelancers.csv
  indexer load -mapping mapping.yaml freelancers.csv
  indexer load -map hourly_rate=Price -map job_title=headline -max-failures 50 people.xlsx more.csv.gz
  indexer load -currency USD -rate EUR=1.08 -rate GBP=1.27 europe.csv
  zcat export.ndjson.gz | indexer load -
  indexer load -sheet Designers team.xlsx
  indexer load -json-path response.users page.json.zst
  indexer load -where "status != Rejected" applicants.csv
  indexer load exports/people "more/*.parquet"
  indexer load -skip-lines 2 -encoding iso-8859-2 polish.csv
  indexer load https://data.example.com/export.csv.gz -netrc download.netrc
  AWS_REGION=eu-central-1 indexer load s3://exports/freelancers.ndjson.gz
  AWS_REGION=eu-central-1 indexer load "s3://exports/people/country=*/*.parquet"
  PGPASSWORD=… indexer load postgres://reader@db.example.com/crm -query "SELECT * FROM freelancers WHERE active"
  indexer load people.db -table freelancers
  indexer load -upsert today.csv -report report.html
  indexer load -patch rates.csv
  indexer load -encode freelancers.csv
  indexer load -retry dead-letters.ndjson
  indexer load -id-prefix north.csv=n- -id-prefix south.csv=s- north.csv south.csv
  indexer load -id site,handle -max-merged 2% people.csv
  indexer load -resumes applications
  indexer load freelancers.csv -embeddings-url http://127.0.0.1:11434/v1 -embeddings-model all-minilm \
    -embeddings-dimensions 384
`

const validateHelp = `
validate changes nothing. It writes a dead-letter file only if -dead-letters names one.

Examples:
  indexer validate freelancers.csv
  indexer validate -o mapping.yaml freelancers.csv
  indexer validate -max-failures 0 -dead-letters faults.ndjson freelancers.csv
  indexer validate -resumes applications -dead-letters unread.ndjson
`

// loadOptions are the flags of load and validate.
type loadOptions struct {
	inputs.Options
	maxFailures   bulk.Limit
	deadLetters   string
	report        string // HTML file; empty for none
	mappingOutput string // file to write, for validate; empty for none
	dryRun        bool
	ifChanged     bool // do nothing if the live index has the same files already
	upsert        bool
	patch         bool
	discard       bool // what others change in the live index during the load
	keepChanges   bool // what clients changed in the live index since the last load
	allowShrink   bool
	encode        bool         // profiles, before the index goes live
	inPlace       bool         // upsert may change the live index in place
	retryOf       *engine.Info // the index that -retry changes
	taxonomy      string       // version that the load uses; empty until it has opened the index
}

func (c *cli) loadCommand() *command {
	o := newLoadOptions()
	flags := commandline.NewFlags("load")
	settings := slices.Concat(buildSettings(), rateSettings(), ocrSettings())
	environmentErr := config.Bind(&o.Config, flags, c.environment, settings...)
	o.bind(flags)
	bindAllowShrink(flags, &o.allowShrink)
	bindEncode(flags, &o.encode)
	o.bindRetry(flags)
	flags.BoolVar(&o.upsert, "upsert", false, "add the freelancers to the live index, or replace those with the same ids")
	flags.BoolVar(&o.inPlace, "in-place", true,
		"with -upsert: change the live index in place if the engine can; false to always build a new index")
	flags.BoolVar(&o.patch, "patch", false, "change only the given values of freelancers who are loaded already")
	flags.BoolVar(&o.discard, "discard-changes", false,
		"leave out what others change in the live index during the load, instead of keeping it")
	flags.BoolVar(&o.keepChanges, "keep-changes", false,
		"keep the values that clients changed over HTTP since the last load, instead of those of the files")
	o.bindIfChanged(flags)
	flags.BoolVar(&o.dryRun, "dry-run", false, "do what validate does, and change nothing")

	// An invalid environment variable is kept for later: a dry run needs no index and must work without one.
	return &command{
		name: "load", arguments: "FILE…", flags: flags, details: inputs.Help() + loadHelp,
		summary: "build an index from files and make it live",
		run: func(ctx context.Context, args []string) error {
			// A retry is an upsert, so it must be known before the flags are compared with each other.
			if o.RetryFile != "" {
				if err := c.prepareRetry(ctx, o, environmentErr, args); err != nil {
					return err
				}
			}

			if o.patch && (o.upsert || o.discard || o.Resumes != "") {
				return commandline.Usagef("-patch can't be used with -upsert, -discard-changes or -resumes")
			}
			if o.keepChanges && (o.upsert || o.patch || o.dryRun) {
				return commandline.Usagef("-keep-changes is for loads that replace the live index, without -upsert, -patch " +
					"or -dry-run")
			}
			o.Source.Partial = o.patch
			if !o.inPlace && !o.upsert {
				return commandline.Usagef("-in-place requires -upsert; without it, load always builds a new index")
			}
			if o.ifChanged && (o.dryRun || o.Resumes != "") {
				return commandline.Usagef("-if-changed can't be used with -dry-run or -resumes")
			}
			if o.encode && !o.Config.UsesEncoder() { // before anything is read
				return noEncoder()
			}

			args, err := o.Expand(ctx, args, c.program())
			if err != nil {
				return err
			}
			if o.dryRun {
				return c.validate(ctx, args, o)
			}

			started := c.now()
			result, err := c.load(ctx, args, o, environmentErr)
			if errors.Is(err, inputs.ErrUnchanged) {
				return nil
			}

			c.recordLoad(o, args, started, result, err)
			return err
		},
	}
}

func (c *cli) validateCommand() *command {
	o := newLoadOptions()
	flags := commandline.NewFlags("validate")
	settings := slices.Concat(rateSettings(), ocrSettings(), []string{"skills-file"})
	environmentErr := config.Bind(&o.Config, flags, c.environment, settings...)
	o.bind(flags)
	flags.StringVar(&o.mappingOutput, "o", "", "`file` to write the mapping of the columns to, for -mapping")
	return &command{
		name: "validate", arguments: "FILE…", flags: flags, details: inputs.Help() + validateHelp,
		summary: "read files as load does and print the report, without loading",
		run: func(ctx context.Context, args []string) error {
			if environmentErr != nil {
				return &commandline.UsageError{Message: environmentErr.Error()}
			}
			args, err := o.Expand(ctx, args, c.program())
			if err != nil {
				return err
			}
			return c.validate(ctx, args, o)
		},
	}
}

func newLoadOptions() *loadOptions {
	return &loadOptions{Options: inputs.Options{Config: config.Default()}, maxFailures: bulk.DefaultLimit()}
}

// bind defines the flags that load and validate share.
func (o *loadOptions) bind(flags *flag.FlagSet) {
	o.Bind(flags)
	flags.Func("max-failures", "rows that may be rejected, as `N or P%` of all rows (default "+o.maxFailures.String()+")",
		func(text string) (err error) {
			o.maxFailures, err = bulk.ParseLimit(text)
			return err
		})

	flags.StringVar(&o.deadLetters, "dead-letters", "",
		"`file` for rejected rows and their faults (default for load: dead-letters/INDEX.ndjson in the data folder)")
	flags.StringVar(&o.report, "report", "", "HTML `file` to write a report to, with charts; it holds personal data")
}

// openInputs opens every file that the arguments and flags name. It checks them first, so that nobody waits for a
// download in vain.
func (c *cli) openInputs(ctx context.Context, args []string, o *loadOptions) (*inputs.Inputs, error) {
	if err := o.CheckNamed(args); err != nil {
		return nil, err
	}
	if err := errors.Join(o.CheckRemote(args), o.checkReport()); err != nil {
		return nil, err
	}

	// -allow-shrink permits whatever -allow-kind does, as its help says.
	o.AllowKind = o.AllowKind || o.allowShrink
	return inputs.Open(ctx, args, &o.Options, c.program())
}

// program returns what inputs use of the program.
func (c *cli) program() inputs.Program {
	return inputs.Program{
		LookupEnv: c.environment, Stdin: c.stdin, Log: c.log(), Now: c.now, NewDisplay: c.newDisplay,
	}
}

// validate reads the files without loading them and prints the report.
func (c *cli) validate(ctx context.Context, args []string, o *loadOptions) error {
	in, err := c.openInputs(ctx, args, o)
	if err != nil {
		return err
	}
	defer in.Close()

	in.PrintColumns(c.stdout)
	if o.mappingOutput != "" {
		if err := in.WriteMapping(o.mappingOutput); err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "mapping written to %s; edit it, and use it with -mapping\n\n", o.mappingOutput)
	}

	// A check knows no index, so it reads the files as a first load does.
	if err := o.ChooseCurrency(ctx, in, "", c.now(), c.log()); err != nil {
		return err
	}

	display := c.newDisplay()
	people := &profile.Profile{}
	result, err := bulk.Check(ctx, in.Files, bulk.Options{
		MaxFailures: o.maxFailures,
		MaxMerged:   o.MaxMerged,
		Currency:    strings.ToUpper(o.Source.Currency),
		CurrencyBy:  o.CurrencyBy,
		HoursPerDay: o.Source.HoursPerDay,
		RatesDates:  o.RatesDates,
		DeadLetters: func(string) string { return o.deadLetters },
		Progress:    display.Show,
		Observe:     o.observe(people),
	})

	// The report is shown even after a failure, because the reasons for rejection are what a check is for.
	display.End()
	c.showResult(in.Heads, result)
	err = advise(err, result)

	return errors.Join(err, c.writeReport(o, in, result, people, err))
}

// load reads the files into a new index or, for an upsert, into the live one. It reports environmentErr only after the
// faults of the files. The result is nil if no rows were read.
func (c *cli) load(
	ctx context.Context, args []string, o *loadOptions, environmentErr error,
) (result *bulk.Report, err error) {
	var live *engine.Info
	if o.ifChanged {
		if live, o.Known, err = c.knownFiles(ctx, o, environmentErr, args); err != nil {
			return nil, err
		}
	}

	// The files are opened before the index: a mistake in a column is found even if the search engine is down.
	in, err := c.openInputs(ctx, args, o)
	if errors.Is(err, inputs.ErrUnchanged) {
		c.printUnchanged(live)
	}

	if err != nil {
		return nil, err
	}
	defer in.Close()

	in.PrintColumns(c.stdout)
	x, err := c.openIndex(o.Config, environmentErr)
	if err != nil {
		return nil, err
	}
	defer x.Close()

	currency, err := loading.LiveCurrency(ctx, x.Engine)
	if err == nil {
		err = o.ChooseCurrency(ctx, in, currency, c.now(), c.log())
	}
	if err != nil {
		return nil, unchanged(err)
	}

	o.taxonomy = x.Taxonomy.Version()
	run, err := c.newRun(ctx, x, "load", o.Config.Data, preparesDocuments)
	if err != nil {
		return nil, err
	}
	if err := o.apply(&run.options, in); err != nil {
		return nil, err
	}
	if o.encode {
		if err := run.encodeBeforeLive(); err != nil {
			return nil, err
		}
	}

	result, err = o.mode().Run(ctx, run.loader, in.Files, run.options)
	run.finish(in.Heads, result)

	// Even a failed load gets its HTML report, because that has all reasons for rejection.
	if err != nil {
		err = unchanged(advise(err, result))
		return result, errors.Join(err, c.writeReport(o, in, result, nil, err))
	}

	if o.upsert || o.patch {
		c.printer().Upsert(result)
	}
	c.printer().Result(result)

	return result, errors.Join(run.finishEncoding(ctx), run.removeOld(result),
		c.reportLive(ctx, o, in, result, x.Engine))
}

// apply sets what the flags of a load say in the options of a loader.
func (o *loadOptions) apply(options *bulk.Options, in *inputs.Inputs) (err error) {
	// Corrected rows come from a file of dead letters, which says nothing about the kind of file they were in at first.
	options.Source = in.Source()
	if o.retryOf != nil {
		options.Source = o.retryOf.Source
	}

	if options.Run.Mapping, err = in.Mapping(); err != nil {
		return err
	}
	o.RecordRates(options.Run.Options)

	options.Currency = strings.ToUpper(o.Source.Currency)
	options.CurrencyBy = o.CurrencyBy
	options.HoursPerDay = o.Source.HoursPerDay
	options.RatesDates = o.RatesDates
	options.MaxFailures = o.maxFailures
	options.MaxMerged = o.MaxMerged
	options.NewIndex = !o.inPlace
	options.AllowShrink = o.allowShrink
	options.DiscardChanges = o.discard
	options.KeepChanges = o.keepChanges

	if o.deadLetters != "" {
		options.DeadLetters = func(string) string { return o.deadLetters }
	}

	return nil
}
