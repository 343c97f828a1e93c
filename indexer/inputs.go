package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"

	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/resumes"
	"freelancer-matching/indexer/source"
	"freelancer-matching/indexer/spool"
	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/resume"
	"freelancer-matching/setup"
)

// inputs are the files of a command line, each of which could be opened.
type inputs struct {
	inputs   []bulk.Input
	heads    []head
	mappings []source.FileMapping
	spools   []*spool.Spool // copies of what can be read only once or is elsewhere
	parser   *setup.Parser  // nil if there are no resumes
}

// head describes an input, judging by its beginning.
type head struct {
	name, format string
	size         int64
	files        int // in a folder of resumes; otherwise 0
	columns      []source.Column
	notes        []string
}

// openInputs opens every file and reads its beginning. The error covers all files that can't be read.
func (c *cli) openInputs(ctx context.Context, paths []string, o *loadOptions) (_ *inputs, err error) {
	if len(paths) == 0 && o.resumes == "" && o.retry.file == "" {
		return nil, commandline.Usagef("no file given; name a file, a URL, - for standard input, or a folder with -resumes")
	}
	if err := errors.Join(o.checkRemote(paths), o.checkReport()); err != nil {
		return nil, err
	}
	if err := o.identity.check(o.source.ID, paths); err != nil {
		return nil, err
	}
	if err := errors.Join(o.readMapping(), o.readRates(c.now(), c.log())); err != nil {
		return nil, err
	}

	o.source.Vocabulary = newVocabulary(o.config.SkillsFile)
	in := &inputs{}
	defer func() {
		if err != nil {
			in.close()
		}
	}()

	all, err := c.fetchAll(ctx, in, paths, o)
	if errors.Is(err, errUnchanged) {
		return nil, err
	}
	errs := []error{err}
	for i := range all {
		errs = append(errs, c.openInput(in, &all[i], o))
	}

	if o.resumes != "" {
		errs = append(errs, c.openResumes(ctx, in, o))
	}

	if o.retry.file != "" {
		errs = append(errs, c.openLetters(in, o))
	}

	return in, errors.Join(errs...)
}

// openResumes adds a folder of resumes to the inputs and opens a parser that uses all cores.
func (c *cli) openResumes(ctx context.Context, in *inputs, o *loadOptions) error {
	folder := o.resumes
	parallel := runtime.GOMAXPROCS(0)
	options := resumes.Options{Parallel: parallel, MaxBytes: resume.MaxFile}
	f, err := resumes.Open(folder, options)
	if err != nil {
		return err
	}

	in.heads = append(in.heads, head{name: folder, format: "resumes", size: f.Size(), files: f.Len()})
	if err := f.Close(); err != nil {
		return err
	}
	skills, err := setup.LoadTaxonomy(o.config.SkillsFile)
	if err != nil {
		return err
	}

	in.parser, err = setup.OpenParser(ctx, setup.ParserConfig{
		Taxonomy: skills, Analyzer: analysis.New(), Parallel: parallel, OCR: o.config.OCR, Log: c.log(),
	})
	if err != nil {
		return err
	}

	options.Parser = in.parser
	in.inputs = append(in.inputs, bulk.Input{
		Name: folder,
		Open: func() (bulk.File, error) { return resumes.Open(folder, options) },
	})

	return nil
}

// openInput adds a file to the inputs.
func (c *cli) openInput(in *inputs, from *fetched, o *loadOptions) error {
	options := o.source
	options.IDPrefix = o.identity.of(from.path)
	f, err := source.Open(from.Input, options)
	if err != nil {
		return err
	}
	if err := o.checkKind(from.Name, f.Kind()); err != nil {
		return errors.Join(err, f.Close())
	}

	in.heads = append(in.heads, head{
		name: from.Name, format: f.Format(), size: f.Size(), columns: f.Columns(), notes: append(from.notes, f.Notes()...),
	})
	again := f.Options() // the columns are recognized once
	in.mappings = append(in.mappings, f.Mapping())
	in.inputs = append(in.inputs, bulk.Input{
		Name: from.Name,
		Open: func() (bulk.File, error) { return source.Open(from.Input, again) },
		ETag: from.version.ETag, LastModified: from.version.LastModified,
	})

	return f.Close()
}

// close frees the copies and closes the parser.
func (in *inputs) close() {
	for _, s := range in.spools {
		_ = s.Close() // nothing uses it now
	}
	if in.parser != nil {
		_ = in.parser.Close() // nothing uses it now
	}
}

// source returns the format of all inputs, or "mixed".
func (in *inputs) source() string {
	format := in.heads[0].format
	for _, h := range in.heads {
		if h.format != format {
			return "mixed"
		}
	}
	return format
}

// maxNote is the number of characters of a note about a file that are printed.
const maxNote = 400

// printColumns prints how the columns of each file are mapped to fields.
func (in *inputs) printColumns(w io.Writer) {
	for _, h := range in.heads {
		size := humanize.Bytes(uint64(h.size))
		if h.files > 0 {
			fmt.Fprintf(w, "%s: %s, %s\n\n", h.name, count(h.files, "file", ""), size)
			continue
		}
		fmt.Fprintf(w, "%s: %s, %s\n", h.name, h.format, size)
		h.printTable(w)
		for _, note := range h.notes {
			fmt.Fprintf(w, "  note: %s\n", printable(note, maxNote))
		}
		fmt.Fprintln(w)
	}
}

// printable makes text from a file safe for a terminal: one line, without control characters, at most limit characters.
func printable(text string, limit int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
	if len(runes) > limit {
		runes = append(runes[:limit-1], '…')
	}
	return string(runes)
}
