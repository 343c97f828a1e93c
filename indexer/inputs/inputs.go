// Package inputs opens what a command line names: files, URLs, results of queries, folders of resumes and dead letters.
// It also defines the flags that say how to read them.
package inputs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/indexer/loading"
	"github.com/freelancer-matching/service/indexer/progress"
	"github.com/freelancer-matching/service/indexer/remote"
	"github.com/freelancer-matching/service/indexer/resumes"
	"github.com/freelancer-matching/service/indexer/spool"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/setup"
)

// Inputs are the files of a command line, each of which could be opened.
type Inputs struct {
	loading.Inputs
	spools []*spool.Spool // copies of what can be read only once or is elsewhere
	parser *setup.Parser  // nil if there are no resumes
}

// A Program is what Open uses of the program that calls it.
type Program struct {
	LookupEnv  func(string) (string, bool)
	Stdin      io.Reader
	Log        *slog.Logger
	Now        func() time.Time
	NewDisplay func() *progress.Display // for downloads and queries
}

// An opener opens the inputs of one command line.
type opener struct {
	Program
	*Options
	in        *Inputs           // opened so far
	changes   string            // the input with change messages; empty if there is none
	transport http.RoundTripper // for downloads; nil for a new one for each
}

// CheckNamed returns a usage error if neither the arguments nor the flags name an input, or if -where fits none.
func (o *Options) CheckNamed(paths []string) error {
	if len(paths) == 0 && o.Resumes == "" && o.RetryFile == "" {
		return commandline.Usagef("no file given; name a file, a URL, - for standard input, or a folder with -resumes")
	}
	if len(paths) == 0 && o.Resumes != "" && o.Source.Where != "" {
		return commandline.Usagef("-where is for files with columns, and resumes have none")
	}
	return nil
}

// Open opens every file and reads its beginning. The error covers all files that can't be read. CheckNamed and
// CheckRemote must have accepted the paths. ChooseCurrency must be called before the rows are read.
func Open(ctx context.Context, paths []string, o *Options, program Program) (_ *Inputs, err error) {
	if err := o.identity.check(o.Source.ID, paths); err != nil {
		return nil, err
	}
	if err := o.prepare(program); err != nil {
		return nil, err
	}

	// All objects in a folder on S3 are downloaded over one connection.
	transport := remote.NewTransport()
	defer transport.CloseIdleConnections()
	op := &opener{Program: program, Options: o, in: &Inputs{}, transport: transport}
	defer func() {
		if err != nil {
			op.in.Close()
		}
	}()

	all, err := op.fetchAll(ctx, paths)
	if errors.Is(err, ErrUnchanged) {
		return nil, err
	}

	// A user corrects a command line once, so the faults of all inputs are reported together.
	errs := []error{err}
	for i := range all {
		errs = append(errs, op.openInput(&all[i]))
	}

	if o.Resumes != "" {
		errs = append(errs, op.openResumes(ctx))
	}

	if o.RetryFile != "" {
		errs = append(errs, op.openLetters())
	}

	return op.in, errors.Join(errs...)
}

// prepare reads the files that say how to read inputs.
func (o *Options) prepare(program Program) error {
	if err := errors.Join(o.readMapping(), o.readRates()); err != nil {
		return err
	}
	o.Source.Vocabulary = newVocabulary(o.Config.SkillsFile)
	o.Source.Year = program.Now().Year()
	return nil
}

// openResumes adds a folder of resumes to the inputs and opens a parser that uses all cores.
func (op *opener) openResumes(ctx context.Context) error {
	folder := op.Resumes
	parallel := runtime.GOMAXPROCS(0)
	options := resumes.Options{Parallel: parallel, MaxBytes: resume.MaxFile}

	// This look at the folder only counts its files; a load opens it again, with the parser.
	f, err := resumes.Open(folder, options)
	if err != nil {
		return err
	}

	op.in.Heads = append(op.in.Heads, loading.Head{Name: folder, Format: "resumes", Size: f.Size(), Resumes: f.Len()})
	if err := f.Close(); err != nil {
		return err
	}
	skills, err := setup.LoadTaxonomy(op.Config.SkillsFile)
	if err != nil {
		return err
	}

	op.in.parser, err = setup.OpenParser(ctx, setup.ParserConfig{
		Taxonomy: skills, Analyzer: analysis.New(), Parallel: parallel, OCR: op.Config.OCR, Log: op.Log,
	})
	if err != nil {
		return err
	}

	options.Parser = op.in.parser
	op.in.Files = append(op.in.Files, bulk.Input{
		Name: folder,
		Open: func() (bulk.File, error) { return resumes.Open(folder, options) },
	})

	return nil
}

// openInput adds a file to the inputs.
func (op *opener) openInput(from *fetchedInput) error {
	options := op.Source
	options.IDPrefix = op.identity.of(from.path)
	options.Constants = op.partitions[from.path]
	version := loading.Version{ETag: from.version.ETag, LastModified: from.version.LastModified}
	return adviseKind(op.in.Add(from.Input, options, op.AllowKind, version, from.notes...))
}

// Close frees the copies and closes the parser.
func (in *Inputs) Close() {
	for _, s := range in.spools {
		_ = s.Close() // nothing uses it now
	}
	if in.parser != nil {
		_ = in.parser.Close() // nothing uses it now
	}
}

// maxNote is the number of characters of a note about a file that are printed.
const maxNote = 400

// PrintColumns prints how the columns of each file are mapped to fields.
func (in *Inputs) PrintColumns(w io.Writer) {
	for _, h := range in.Heads {
		size := humanize.Bytes(uint64(h.Size))
		if h.Resumes > 0 {
			fmt.Fprintf(w, "%s: %s, %s\n\n", h.Name, format.Count(h.Resumes, "file", ""), size)
			continue
		}
		fmt.Fprintf(w, "%s: %s, %s\n", h.Name, h.Format, size)
		printTable(w, h.Columns)
		for _, note := range h.Notes {
			fmt.Fprintf(w, "  note: %s\n", format.Printable(note, maxNote))
		}
		fmt.Fprintln(w)
	}
}

// BaseName returns the last part of the name of an input, without folders and without the query of a URL.
func BaseName(name string) string {
	if scheme(name) != "" {
		name, _, _ = strings.Cut(name, "?")
	}
	if name == "" {
		return ""
	}
	return format.Printable(filepath.Base(name), maxNote)
}
