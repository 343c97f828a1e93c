package main

import (
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
	inputs []bulk.Input
	heads  []head
	spools []string      // folders with copies of what cannot be read twice
	parser *setup.Parser // of resumes; nil: there are none
}

// head is what the beginning of a file says.
type head struct {
	name, format string
	size         int64
	files        int // in a folder
	columns      []source.Column
}

// openInputs looks at the head of every file, and tells everything that is wrong with any of them.
func (c *cli) openInputs(ctx context.Context, paths []string, o *loadOptions) (_ *inputs, err error) {
	if len(paths) == 0 && o.resumes == "" {
		return nil, commandline.Usagef("no file given; - is standard input, and -resumes names a folder of resumes")
	}
	in := &inputs{}
	defer func() {
		if err != nil {
			in.close()
		}
	}()
	var faults []error
	for _, path := range paths {
		faults = append(faults, c.openInput(in, path, o.source))
	}
	if o.resumes != "" {
		faults = append(faults, c.openResumes(ctx, in, o))
	}
	return in, errors.Join(faults...)
}

// openResumes looks at the files of a folder. As many are read at once as there are cores.
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

// rereadable is the path of a file that can be read any number of times: standard input and pipes are copied to a
// temporary file first.
func (c *cli) rereadable(in *inputs, path string) (string, error) {
	from, name := c.stdin, "standard input"
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil || info.Mode().IsRegular() || info.IsDir() {
			return path, nil // source.Open says what is wrong
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
	in.spools = append(in.spools, folder)
	copied, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(copied, from)
	if err := errors.Join(err, copied.Close()); err != nil {
		return "", fmt.Errorf("copy %s to a temporary file: %w", name, err)
	}
	return copied.Name(), nil
}

// close removes the temporary files, and ends the parser.
func (in *inputs) close() {
	for _, folder := range in.spools {
		_ = os.RemoveAll(folder) // the system removes what is left in its folder for temporary files
	}
	if in.parser != nil {
		_ = in.parser.Close() // nothing is read any more
	}
}

// source is the format of all files in one word.
func (in *inputs) source() string {
	format := in.heads[0].format
	for _, h := range in.heads {
		if h.format != format {
			return "mixed"
		}
	}
	return format
}

// printColumns tells for each file which column is used for what.
func (in *inputs) printColumns(w io.Writer) {
	for _, h := range in.heads {
		if h.files > 0 {
			fmt.Fprintf(w, "%s: %s %s, %s\n\n", h.name, count(h.files), h.format, humanize.Bytes(uint64(h.size)))
			continue
		}
		fmt.Fprintf(w, "%s: %s, %s\n", h.name, h.format, humanize.Bytes(uint64(h.size)))
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "  COLUMN\tFIELD\tEXAMPLE\tNOTE")
		for _, column := range h.columns {
			field := column.Field
			if field == "" {
				field = "-"
			}
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", shown(column.Header, 30), field, shown(column.Example, 40), column.Note)
		}
		table.Flush()
		fmt.Fprintln(w)
	}
}

// shown is text from a file as it may be written to a terminal: on one line, without control characters, and at most
// limit characters long.
func shown(text string, limit int) string {
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
