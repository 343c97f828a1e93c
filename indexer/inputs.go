package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/dustin/go-humanize"

	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/resumes"
	"freelancer-matching/indexer/source"
	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/commandline"
	"freelancer-matching/internal/setup"
	"freelancer-matching/resume"
)

// inputs are the files of a command line, each of which could be opened.
type inputs struct {
	inputs   []bulk.Input
	heads    []head
	tempDirs []string      // folders with copies of standard input and pipes
	parser   *setup.Parser // nil if there are no resumes
}

// head describes an input, judging by its beginning.
type head struct {
	name, format string
	size         int64
	files        int // in a folder of resumes; otherwise 0
	columns      []source.Column
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
		errs = append(errs, c.openInput(in, path, o.source))
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
func (c *cli) openInput(in *inputs, path string, o source.Options) error {
	name := path
	path, err := c.rereadable(in, path)
	if err != nil {
		return err
	}
	if name == "-" {
		name = "standard input"
	}
	f, err := source.Open(path, o)
	if err != nil {
		return err
	}
	in.heads = append(in.heads, head{name: name, format: f.Format(), size: f.Size(), columns: f.Columns()})
	in.inputs = append(in.inputs, bulk.Input{
		Name: name,
		Open: func() (bulk.File, error) { return source.Open(path, o) },
	})
	return f.Close()
}

// rereadable returns the path of a file that can be read more than once. It copies standard input and pipes to a
// temporary file.
func (c *cli) rereadable(in *inputs, path string) (string, error) {
	from, name := c.stdin, "standard input"
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil || info.Mode().IsRegular() || info.IsDir() {
			return path, nil // source.Open returns the error
		}
		pipe, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer pipe.Close()
		from, name = pipe, filepath.Base(path)
	}
	folder, err := os.MkdirTemp("", "indexer-")
	if err != nil {
		return "", err
	}
	in.tempDirs = append(in.tempDirs, folder)
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, from)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("copy %s to a temporary file: %w", name, err)
	}
	return file.Name(), nil
}

// close removes the temporary files and closes the parser.
func (in *inputs) close() {
	for _, folder := range in.tempDirs {
		_ = os.RemoveAll(folder) // the system cleans its folder for temporary files
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
