package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/profile"
	"freelancer-matching/indexer/source"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
)

const inputHelp = `
Files can be CSV with any delimiter, NDJSON, JSON, XLSX or Parquet, optionally compressed with gzip, zstd, bzip2, xz or
zip. The format is detected from the content, not from the file name. A file named - is standard input. Several files
are loaded into one index.

A file can also be a URL: https://… or s3://BUCKET/KEY. Credentials are in the URL, in the file that -netrc or
MATCHING_NETRC names, or for S3 in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and
AWS_ENDPOINT_URL. postgres://… loads the result of -query, or all rows of -table, and so does an SQLite file. A list in
a column of the database becomes a list of skills. Downloads, query results, standard input and pipes are copied to a
temporary file without a name, which disappears with the process.

The fields are id, name, job_title, skills, experience, rating, hourly_rate, profile_url, availability, total_sales and
description, and the details country, location, time_zone, languages, currency, available_from, hours_per_week and
verified. Location and email are used to recognize people; email isn't stored.

A country is derived from a location that names it, such as Porto, Portugal, and a time zone from a country that has
only one. The report counts derived values. Rates in other currencies than -currency are converted with -rate, or with
the table that -exchange-rates names; others are unknown.
` + mappingHelp + identityHelp + kindHelp + `
-resumes loads a folder of resumes. Each PDF, DOCX, ODT, RTF, HTML or text file becomes a freelancer with a name,
job title, skills, experience and description. Resumes with the same e-mail address are merged. Resumes that can't be
read are rejected like rows. The text of scanned pages is recognized if Tesseract is installed (-ocr).

Rows that do not describe a freelancer are rejected. The reasons are printed, and each rejected row is written to
the dead-letter file as a line of JSON with its faults and its cells. If more rows are rejected than -max-failures
allows, the exit code is 1. A percentage is checked after all rows have been read.
`

const loadHelp = inputHelp + `
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

What others change in the live index while a new one is built, over HTTP or with -patch, is kept and wins over the
files, unless -discard-changes is given.
` + retryHelp + `
Examples:
  indexer load freelancers.csv
  indexer load -dry-run freelancers.csv
  indexer load -mapping mapping.yaml freelancers.csv
  indexer load -map hourly_rate=Price -map job_title=headline -max-failures 50 people.xlsx more.csv.gz
  indexer load -currency USD -rate EUR=1.08 -rate GBP=1.27 europe.csv
  zcat export.ndjson.gz | indexer load -
  indexer load -sheet Designers team.xlsx
  indexer load -json-path response.users page.json.zst
  indexer load -skip-lines 2 -encoding iso-8859-2 polish.csv
  indexer load https://data.example.com/export.csv.gz -netrc download.netrc
  AWS_REGION=eu-central-1 indexer load s3://exports/freelancers.ndjson.gz
  PGPASSWORD=… indexer load postgres://reader@db.example.com/crm -query "SELECT * FROM freelancers WHERE active"
  indexer load people.db -table freelancers
  indexer load -upsert today.csv -report report.html
  indexer load -patch rates.csv
  indexer load -retry dead-letters.ndjson
  indexer load -id-prefix north.csv=n- -id-prefix south.csv=s- north.csv south.csv
  indexer load -id site,handle -max-merged 2% people.csv
  indexer load -resumes applications
  indexer load freelancers.csv -embeddings-url http://127.0.0.1:11434/v1 -embeddings-model all-minilm \
    -embeddings-dimensions 384
`

const validateHelp = inputHelp + `
validate changes nothing. It writes a dead-letter file only if -dead-letters names one.

Examples:
  indexer validate freelancers.csv
  indexer validate -o mapping.yaml freelancers.csv
  indexer validate -max-failures 0 -dead-letters faults.ndjson freelancers.csv
  indexer validate -resumes applications -dead-letters unread.ndjson
`

// loadOptions are the flags of load and validate.
type loadOptions struct {
	config      config.Config
	source      source.Options
	resumes     string // folder; empty for none
	remote      remoteOptions
	identity    identityOptions
	maxFailures bulk.Limit
	deadLetters string
	report      string // HTML file; empty for none
	mapping     mappingOptions
	retry       retryOptions
	dryRun      bool
	upsert      bool
	patch       bool
	discard     bool              // what others change in the live index during the load
	ratesDates  map[string]string // by currency; see bulk.Options
	allowShrink bool
	allowKind   bool
	inPlace     bool   // upsert may change the live index in place
	taxonomy    string // version that the load uses; empty until it has opened the index
}

func (c *cli) loadCommand() *command {
	o := &loadOptions{config: config.Default()}
	flags := commandline.NewFlags("load")
	settings := slices.Concat(buildSettings(), rateSettings(), ocrSettings())
	environmentErr := config.Bind(&o.config, flags, c.environment, settings...)
	o.bind(flags)
	bindAllowShrink(flags, &o.allowShrink)
	o.bindRetry(flags)
	flags.BoolVar(&o.upsert, "upsert", false, "add the freelancers to the live index, or replace those with the same ids")
	flags.BoolVar(&o.inPlace, "in-place", true,
		"with -upsert: change the live index in place if the engine can; false to always build a new index")
	flags.BoolVar(&o.patch, "patch", false, "change only the given values of freelancers who are loaded already")
	flags.BoolVar(&o.discard, "discard-changes", false,
		"leave out what others change in the live index during the load, instead of keeping it")
	o.bindIfChanged(flags)
	flags.BoolVar(&o.dryRun, "dry-run", false, "do what validate does, and change nothing")

	return &command{
		name: "load", arguments: "FILE…", flags: flags, details: loadHelp,
		summary: "build an index from files and make it live",
		run: func(ctx context.Context, args []string) error {
			if o.retry.file != "" {
				if err := c.prepareRetry(ctx, o, environmentErr, args); err != nil {
					return err
				}
			}

			if o.patch && (o.upsert || o.discard || o.resumes != "") {
				return commandline.Usagef("-patch can't be used with -upsert, -discard-changes or -resumes")
			}
			o.source.Partial = o.patch
			if !o.inPlace && !o.upsert {
				return commandline.Usagef("-in-place requires -upsert; without it, load always builds a new index")
			}
			if o.remote.ifChanged && (o.dryRun || o.resumes != "") {
				return commandline.Usagef("-if-changed can't be used with -dry-run or -resumes")
			}
			if o.dryRun {
				return c.validate(ctx, args, o)
			}

			started := c.now()
			report, err := c.load(ctx, args, o, environmentErr)
			if errors.Is(err, errUnchanged) {
				return nil
			}

			c.recordLoad(o, args, started, report, err)
			return err
		},
	}
}

func (c *cli) validateCommand() *command {
	o := &loadOptions{config: config.Default()}
	flags := commandline.NewFlags("validate")
	settings := slices.Concat(rateSettings(), ocrSettings(), []string{"skills-file"})
	environmentErr := config.Bind(&o.config, flags, c.environment, settings...)
	o.bind(flags)
	o.bindMappingOutput(flags)
	return &command{
		name: "validate", arguments: "FILE…", flags: flags, details: validateHelp,
		summary: "read files as load does and print the report, without loading",
		run: func(ctx context.Context, args []string) error {
			if environmentErr != nil {
				return &commandline.UsageError{Message: environmentErr.Error()}
			}
			return c.validate(ctx, args, o)
		},
	}
}

// bind defines the flags that say how to read files.
func (o *loadOptions) bind(flags *flag.FlagSet) {
	o.source.Map = make(map[string]string)
	o.source.Rates = make(map[string]float64)
	o.maxFailures = bulk.DefaultLimit()
	flags.Func("map", "use a column for a field, as `field=column`; field= leaves the field unknown; may be repeated",
		o.setMap)
	flags.StringVar(&o.source.Currency, "currency", "USD", "ISO 4217 `code` of the currency of all amounts in the index")
	flags.Func("rate", "convert another currency, as `code=amount`, such as EUR=1.08 if one euro is worth 1.08 units "+
		"of -currency; may be repeated", o.setRate)
	flags.Func("delimiter", "`character` between the cells of a CSV file, or tab (default: detected)", o.setDelimiter)
	flags.Func("max-failures", "rows that may be rejected, as `N or P%` of all rows (default "+o.maxFailures.String()+")",
		func(text string) (err error) {
			o.maxFailures, err = bulk.ParseLimit(text)
			return err
		})

	o.bindKind(flags)
	flags.StringVar(&o.resumes, "resumes", "", "`folder` of resumes to load, alone or together with files")
	flags.StringVar(&o.deadLetters, "dead-letters", "",
		"`file` for rejected rows and their faults (default for load: dead-letters/INDEX.ndjson in the data folder)")
	o.bindMapping(flags)
	o.bindRemote(flags)
	o.bindFormats(flags)
	o.bindIdentity(flags)
	flags.StringVar(&o.report, "report", "", "HTML `file` to write a report to, with charts; it holds personal data")
}

func (o *loadOptions) setMap(text string) error {
	field, column, ok := strings.Cut(text, "=")
	if !ok || field == "" {
		return errors.New("want field=column, such as hourly_rate=Price")
	}
	o.source.Map[field] = column
	return nil
}

func (o *loadOptions) setRate(text string) error {
	code, amount, _ := strings.Cut(text, "=")
	rate, err := strconv.ParseFloat(amount, 64)
	if code == "" || err != nil {
		return errors.New("want code=amount, such as EUR=1.08")
	}
	o.source.Rates[code] = rate
	return nil
}

func (o *loadOptions) setDelimiter(text string) error {
	if text == "tab" {
		text = "\t"
	}
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 || size != len(text) || r == utf8.RuneError {
		return errors.New("want one character, or tab")
	}
	o.source.Delimiter = r
	return nil
}

// validate reads the files without loading them and prints the report.
func (c *cli) validate(ctx context.Context, args []string, o *loadOptions) error {
	in, err := c.openInputs(ctx, args, o)
	if err != nil {
		return err
	}
	defer in.close()

	in.printColumns(c.stdout)
	if o.mapping.output != "" {
		if err := in.writeMapping(o.mapping.output); err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "mapping written to %s; edit it, and use it with -mapping\n\n", o.mapping.output)
	}

	display := c.newDisplay()
	people := &profile.Profile{}
	report, err := bulk.Check(ctx, in.inputs, bulk.Options{
		MaxFailures: o.maxFailures,
		MaxMerged:   o.identity.maxMerged,
		RatesDates:  o.ratesDates,
		DeadLetters: func(string) string { return o.deadLetters },
		Progress:    display.show,
		Observe:     o.observe(people),
	})

	display.end()
	c.output.result = describeReport(in, report)
	c.printReport(report)
	c.summarize(report)
	err = advise(err, report)

	return errors.Join(err, c.writeReport(o, in, report, people, err))
}

// load reads the files into a new index or, for an upsert, into the live one. It reports environmentErr only after the
// faults of the files. The report is nil if no rows were read.
func (c *cli) load(
	ctx context.Context, args []string, o *loadOptions, environmentErr error,
) (report *bulk.Report, err error) {
	var live *engine.Info
	if o.remote.ifChanged {
		if live, o.remote.known, err = c.knownFiles(ctx, o, environmentErr, args); err != nil {
			return nil, err
		}
	}

	in, err := c.openInputs(ctx, args, o)
	if errors.Is(err, errUnchanged) {
		c.printUnchanged(live)
	}

	if err != nil {
		return nil, err
	}
	defer in.close()

	in.printColumns(c.stdout)
	x, err := c.openIndex(o.config, environmentErr)
	if err != nil {
		return nil, err
	}
	defer x.Close()

	o.taxonomy = x.Taxonomy.Version()
	loader, err := c.loader(ctx, x, true)
	if err != nil {
		return nil, unchanged(err)
	}

	display := c.newDisplay()
	options, err := c.bulkOptions(x, "load", o.config.Data, display)
	if err != nil {
		return nil, err
	}

	if options.Source = in.source(); o.retry.live != nil {
		options.Source = o.retry.live.Source
	}

	if options.Run.Mapping, err = in.mapping(); err != nil {
		return nil, err
	}
	options.Currency = strings.ToUpper(o.source.Currency)
	options.RatesDates = o.ratesDates
	o.recordRates(options.Run.Options)
	options.MaxFailures = o.maxFailures
	options.MaxMerged = o.identity.maxMerged
	options.NewIndex = !o.inPlace
	options.AllowShrink = o.allowShrink
	options.DiscardChanges = o.discard

	if o.deadLetters != "" {
		options.DeadLetters = func(string) string { return o.deadLetters }
	}
	run := loader.Load
	switch {
	case o.upsert:
		run = loader.Upsert
	case o.patch:
		run = loader.Patch
	}

	report, err = run(ctx, in.inputs, options)
	display.end()
	c.output.result = describeReport(in, report)
	c.printReport(report)
	c.summarize(report)

	if err != nil {
		err = unchanged(advise(err, report))
		return report, errors.Join(err, c.writeReport(o, in, report, nil, err))
	}

	if o.upsert || o.patch {
		c.printUpsert(report)
	}
	c.printResult(report)

	return report, errors.Join(c.removeOld(x, o.config.Data, report), c.reportLive(ctx, o, in, report, x.Engine))
}

// advise adds to an error what the user can do next.
func advise(err error, report *bulk.Report) error {
	err = adviseIdentity(err, report)
	if e, ok := errors.AsType[*bulk.CurrencyError](err); ok {
		return commandline.Usagef("%v; use -currency %s, and -rate to convert amounts in other currencies", err, e.Has)
	}
	if _, ok := errors.AsType[*bulk.VectorsError](err); ok {
		return fmt.Errorf("%w\nUse the embeddings settings that it was loaded with, or run indexer reindex first", err)
	}
	if _, ok := errors.AsType[*bulk.ShrinkError](err); ok {
		return fmt.Errorf("%w\nIf that is right, use -allow-shrink", err)
	}
	if e, ok := errors.AsType[*bulk.StaleError](err); ok {
		return fmt.Errorf("%w\nRun indexer reindex -from %s first", err, e.Index)
	}

	see := "See the reasons above"
	if report.DeadLetters != "" {
		see += " and the dead letters in " + report.DeadLetters
	}

	if _, ok := errors.AsType[*bulk.LostError](err); ok {
		return fmt.Errorf("%w\n%s. Correct these freelancers with indexer load -upsert, or remove them with indexer delete",
			err, see)
	}

	if _, ok := errors.AsType[*bulk.LimitError](err); ok {
		return fmt.Errorf("%w\n%s. Correct the file, map its columns with -map field=column, or raise -max-failures",
			err, see)
	}

	return err
}
