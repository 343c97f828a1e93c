package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/dustin/go-humanize"

	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/resumes"
	"freelancer-matching/indexer/source"
	"freelancer-matching/indexer/spool"
	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/setup"
	"freelancer-matching/resume"
)

// inputs are the files of a command line, each of which could be opened.
type inputs struct {
	inputs []bulk.Input
	heads  []head
	spools []*spool.Spool // copies of what can be read only once
	parser *setup.Parser  // nil if there are no resumes
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
	if len(paths) == 0 && o.resumes == "" {
		return nil, commandline.Usagef("no file given; name a file, - for standard input, or a folder with -resumes")
	}
	in := &inputs{}
	defer func() {
		if err != nil {
			in.close()
		}
	}()
	var errs []error
	for _, path := range paths {
		errs = append(errs, c.openInput(in, path, o))
	}
	if o.resumes != "" {
		errs = append(errs, c.openResumes(ctx, in, o))
	}
	return in, errors.Join(errs...)
}

// openResumes adds a folder of resumes to the inputs and opens a parser that uses all cores.
func (c *cli) openResumes(ctx context.Context, in *inputs, o *loadOptions) error {
	folder, parallel := o.resumes, runtime.GOMAXPROCS(0)
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
		Taxonomy: skills, Analyzer: analysis.New(), Parallel: parallel, Log: c.log(),
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
func (c *cli) openInput(in *inputs, path string, o *loadOptions) error {
	from, err := c.rereadable(in, path, o)
	if err != nil {
		return err
	}
	f, err := source.Open(from, o.source)
	if err != nil {
		return err
	}
	in.heads = append(in.heads, head{
		name: from.Name, format: f.Format(), size: f.Size(), columns: f.Columns(), notes: f.Notes(),
	})
	in.inputs = append(in.inputs, bulk.Input{
		Name: from.Name,
		Open: func() (bulk.File, error) { return source.Open(from, o.source) },
	})
	return f.Close()
}

// rereadable returns a file as an input that can be read more than once. It spools standard input, pipes, and files
// whose size is unknown, such as those in /proc.
func (c *cli) rereadable(in *inputs, path string, o *loadOptions) (source.Input, error) {
	if path == "-" {
		return in.spool("standard input", c.stdin, o.maxDownload)
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || info.Mode().IsRegular() && info.Size() > 0 {
		return source.FromPath(path), nil // source.Open returns the error
	}
	pipe, err := os.Open(path)
	if err != nil {
		return source.Input{}, err
	}
	defer pipe.Close()
	return in.spool(path, pipe, o.maxDownload)
}

// spool returns a copy of what it reads.
func (in *inputs) spool(name string, from io.Reader, limit int64) (source.Input, error) {
	s, err := spool.New(limit)
	if err != nil {
		return source.Input{}, err
	}
	in.spools = append(in.spools, s)
	if _, err := io.Copy(s, from); err != nil {
		if _, ok := errors.AsType[*spool.LimitError](err); ok {
			return source.Input{}, fmt.Errorf("%s: %w; raise -max-download to load it", name, err)
		}
		return source.Input{}, fmt.Errorf("copy %s to a temporary file: %w", name, err)
	}
	return source.FromReaderAt(name, s, s.Size()), nil
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
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "  COLUMN\tFIELD\tBY\tEXAMPLE\tNOTE")
		for _, column := range h.columns {
			example := ""
			if len(column.Examples) > 0 {
				example = column.Examples[0]
			}
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", printable(column.Header, 30), cmp.Or(column.Field, "-"),
				cmp.Or(string(column.How), "-"), printable(example, 40), column.Note)
		}
		table.Flush()
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
