package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/dustin/go-humanize"

	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/source"
	"freelancer-matching/internal/commandline"
)

// inputs are the files of a command line, each of which could be opened.
type inputs struct {
	inputs []bulk.Input
	heads  []head
	spools []string // folders with copies of what cannot be read twice
}

// head is what the beginning of a file says.
type head struct {
	name, format string
	size         int64
	columns      []source.Column
}

// openInputs looks at the head of every file, and tells everything that is wrong with any of them.
func (c *cli) openInputs(paths []string, o source.Options) (_ *inputs, err error) {
	if len(paths) == 0 {
		return nil, commandline.Usagef("no file given; - is standard input")
	}
	in := &inputs{}
	defer func() {
		if err != nil {
			in.close()
		}
	}()
	var faults []error
	for _, path := range paths {
		faults = append(faults, c.openInput(in, path, o))
	}
	return in, errors.Join(faults...)
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

// close removes the temporary files.
func (in *inputs) close() {
	for _, folder := range in.spools {
		_ = os.RemoveAll(folder) // the system removes what is left in its folder for temporary files
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
