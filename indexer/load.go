package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/source"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/config"
)

const readingHelp = `Files are CSV with any delimiter, NDJSON, JSON or XLSX, also under gzip; what a file is, its content says. - is
standard input. Columns are mapped to fields by their names, and the mapping is printed; -map overrules it. The fields
are id, name, job_title, skills, experience, rating, hourly_rate, profile_url, availability, total_sales and
description. Rows with the same id are one freelancer. Several files become one index.

-resumes names a folder of resumes, PDF or DOCX by their content, each of which becomes a freelancer as it is read: name, job
title, skills, experience and what was done. Resumes with the same address of e-mail are one freelancer. Those that cannot be
read, such as pictures of pages, are rejected like rows.

Rows that are no freelancer are rejected; the reasons are printed, and each fault goes to the dead-letter file, one JSON
object a line. More rejected rows than -max-failures end in exit code 1; a share is judged when all rows were read.
`

const loadHelp = readingHelp + `
A load makes a new index and, when everything is well, points the alias to it: a running server changes over within a
second. Until then, and after any failure or Ctrl-C, the old index serves. Earlier indexes are kept until prune.

Meanings are compared by built-in vectors. With -embeddings-url, -embeddings-model and -embeddings-dimensions, freelancers
also get vectors of an embeddings API (OpenAI's, or that of Ollama, vLLM, llama.cpp); the server needs the same three. When
that API fails, nothing is loaded.

With -upsert the freelancers of the files replace those of the live index with the same ids, or are new to it; everybody
else stays. Elasticsearch changes the live index in place where it was prepared alike, by the same mapping, taxonomy and
models of vectors; rollback does not take such a change back. Otherwise, and always with -in-place=false, a new index is
made of both. All rows are read and judged by -max-failures before anything is changed.

Examples:
  indexer load freelancers.csv
  indexer load -dry-run freelancers.csv
  indexer load -map hourly_rate=Price -map job_title=headline -max-failures 50 people.xlsx more.csv.gz
  indexer load -currency USD -rate EUR=1.08 -rate GBP=1.27 europe.csv
  zcat export.ndjson.gz | indexer load -
  indexer load -upsert today.csv
  indexer load -resumes applications
  indexer load -embeddings-url http://127.0.0.1:11434/v1 -embeddings-model all-minilm -embeddings-dimensions 384 freelancers.csv
`

const validateHelp = readingHelp + `
Nothing is loaded or changed, and no dead-letter file is written unless -dead-letters names one.

Examples:
  indexer validate freelancers.csv
  indexer validate -max-failures 0 -dead-letters faults.ndjson freelancers.csv
  indexer validate -resumes applications -dead-letters unread.ndjson
`

// loadOptions are the flags of load and validate.
type loadOptions struct {
	config      config.Config
	source      source.Options
	resumes     string // folder; "": none
	maxFailures bulk.Limit
	deadLetters string
	dryRun      bool
	upsert      bool
	inPlace     bool // an upsert may change the live index itself
}

func (c *cli) loadCommand() *command {
	o := &loadOptions{config: config.Default()}
	flags := commandline.NewFlags("load")
	faults := config.Bind(&o.config, flags, c.environment, makingSettings()...)
	o.bind(flags)
	flags.BoolVar(&o.upsert, "upsert", false, "change the live index: freelancers of the files replace those with their ids or are new, others stay")
	flags.BoolVar(&o.inPlace, "in-place", true, "let -upsert change the live index itself where the engine can; false: always make a new one")
	flags.BoolVar(&o.dryRun, "dry-run", false, "look first: do what validate does, and change nothing")
	return &command{
		name: "load", arguments: "FILE…", summary: "make an index of the files and put it in the place of the one before",
		details: loadHelp, flags: flags,
		run: func(ctx context.Context, args []string) error {
			if !o.inPlace && !o.upsert {
				return commandline.Usagef("-in-place is for load -upsert; a load without it always makes a new index")
			}
			if o.dryRun {
				return c.validate(ctx, args, o)
			}
			return c.load(ctx, args, o, faults)
		},
	}
}

func (c *cli) validateCommand() *command {
	o := &loadOptions{config: config.Default()}
	flags := commandline.NewFlags("validate")
	faults := config.Bind(&o.config, flags, c.environment, "skills-file")
	o.bind(flags)
	return &command{
		name: "validate", arguments: "FILE…", summary: "read the files as load does, tell what it would say, load nothing",
		details: validateHelp, flags: flags,
		run: func(ctx context.Context, args []string) error {
			if faults != nil {
				return &commandline.UsageError{Message: faults.Error()}
			}
			return c.validate(ctx, args, o)
		},
	}
}

// bind gives flags the flags that say how files are read.
func (o *loadOptions) bind(flags *flag.FlagSet) {
	o.source.Map = make(map[string]string)
	o.source.Rates = make(map[string]float64)
	o.maxFailures = bulk.DefaultLimit()
	flags.Func("map", "take a field from this column, as `field=column`; field= leaves it unknown; may be repeated", o.setMap)
	flags.StringVar(&o.source.Currency, "currency", "USD", "`code` of the currency of all amounts in the index (ISO 4217)")
	flags.Func("rate", "what one unit of another currency is worth, as `code=amount`: EUR=1.08; may be repeated", o.setRate)
	flags.Func("delimiter", "`character` between the cells of CSV, or tab (default: found out)", o.setDelimiter)
	flags.Func("max-failures", "most rows that may be rejected, as `N or P%` of all rows (default "+o.maxFailures.String()+")",
		func(text string) (err error) {
			o.maxFailures, err = bulk.ParseLimit(text)
			return err
		})
	flags.StringVar(&o.resumes, "resumes", "", "`folder` of resumes to read beside the files, or in their place")
	flags.StringVar(&o.deadLetters, "dead-letters", "",
		"`file` for the faults of rejected rows (load: dead-letters/INDEX.ndjson in the data folder)")
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

// validate reads the files without loading them.
func (c *cli) validate(ctx context.Context, args []string, o *loadOptions) error {
	in, err := c.openInputs(ctx, args, o)
	if err != nil {
		return err
	}
	defer in.close()
	in.printColumns(c.stdout)
	display := c.newDisplay()
	report, err := bulk.Check(ctx, in.inputs, bulk.Options{
		MaxFailures: o.maxFailures,
		DeadLetters: func(string) string { return o.deadLetters },
		Progress:    display.show,
	})
	display.end()
	c.printReport(report)
	return advise(err, report)
}

// load reads the files into a new index, or changes the live one by them. faults are those of the environment.
func (c *cli) load(ctx context.Context, args []string, o *loadOptions, faults error) error {
	in, err := c.openInputs(ctx, args, o)
	if err != nil {
		return err
	}
	defer in.close()
	in.printColumns(c.stdout)
	x, err := c.openIndex(o.config, faults)
	if err != nil {
		return err
	}
	defer x.Close()
	loader, err := c.loader(ctx, x, true)
	if err != nil {
		return unchanged(err)
	}
	display := c.newDisplay()
	options, err := c.options(x, "load", o.config.Data, display)
	if err != nil {
		return err
	}
	options.Source, options.Currency, options.MaxFailures = in.source(), strings.ToUpper(o.source.Currency), o.maxFailures
	options.NewIndex = !o.inPlace
	if o.deadLetters != "" {
		options.DeadLetters = func(string) string { return o.deadLetters }
	}
	var report *bulk.Report
	if o.upsert {
		report, err = loader.Upsert(ctx, in.inputs, options)
	} else {
		report, err = loader.Load(ctx, in.inputs, options)
	}
	display.end()
	c.printReport(report)
	if err != nil {
		return unchanged(advise(err, report))
	}
	if o.upsert {
		c.printUpsert(report)
	}
	c.printNext(report)
	return nil
}

// advise adds to a failure what to do next.
func advise(err error, report *bulk.Report) error {
	if e, ok := errors.AsType[*bulk.CurrencyError](err); ok {
		return commandline.Usagef("%v; want -currency %s, with -rate for amounts in others", err, e.Has)
	}
	if _, ok := errors.AsType[*bulk.VectorsError](err); ok {
		return fmt.Errorf("%w\nGive the embeddings settings that it was loaded with, or change them first: indexer reindex", err)
	}
	_, lost := errors.AsType[*bulk.LostError](err)
	if _, ok := errors.AsType[*bulk.LimitError](err); !ok && !lost {
		return err
	}
	look := "See the reasons above"
	if report.DeadLetters != "" {
		look += " and the dead letters in " + report.DeadLetters
	}
	if lost {
		return fmt.Errorf("%w\n%s; then mend these freelancers by load -upsert, or do without them: indexer delete", err, look)
	}
	return fmt.Errorf("%w\n%s; then mend the file, map the column with -map field=column, or raise -max-failures", err, look)
}
