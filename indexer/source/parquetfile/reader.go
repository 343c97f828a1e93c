// Package parquetfile reads Parquet files. It checks their sizes before the library allocates what they say.
package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/charset"
	"github.com/freelancer-matching/service/indexer/source/flatten"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// The limits of Parquet files. A row group is read page by page, so only pages and rows are in memory.
const (
	maxLeaves    = 10 * table.MaxColumns
	parquetBatch = 64 // read at a time
)

// Reader reads the rows of a Parquet file. A row becomes a JSON object, so that lists and nested groups mean the
// same in both formats.
type Reader struct {
	file    *parquet.File
	root    *parquetNode
	checker pageChecker
	group   int          // the number of row groups that were opened
	rows    parquet.Rows // of the open group; nil if there is none
	buffer  []parquet.Row
	pending []parquet.Row // read, but not returned
	line    int
	columns [][]parquet.Value // of the row
	object  []byte
	flat    flatten.Flattener
	lists   []bool // by column: lists stay JSON; otherwise they become text
}

// Open opens a Parquet file and reads a sample to collect the columns.
func Open(in *input.Stream) (r *Reader, t table.Table, err error) {
	defer recoverParquet(&err)

	content, size, err := in.Seekable()
	if err != nil {
		return nil, t, err
	}
	if err := checkFooter(content, size); err != nil {
		return nil, t, err
	}

	file, err := parquet.OpenFile(content, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, t, fmt.Errorf("the Parquet file is incomplete or damaged: %w", err)
	}
	leaves := 0
	root := newParquetNode(file.Schema(), "", parquetNode{}, &leaves)

	if leaves > maxLeaves {
		return nil, t, table.TooManyColumns(leaves)
	}

	for _, name := range root.binary {
		in.Note("column %q is not used, because its values are bytes and not text", name)
	}

	r = &Reader{
		file: file, root: root, columns: make([][]parquet.Value, leaves), checker: pageChecker{content: content},
	}
	in.Closers = append(in.Closers, r.closeAll)
	r.flat = flatten.New(make(map[string]int), nil, true)
	for len(t.Sample) < table.SampleRows {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, t, err
		}

		rec.Cells = slices.Clone(rec.Cells)
		t.Sample = append(t.Sample, rec)
	}

	if len(t.Sample) == 0 {
		return nil, t, errors.New("the Parquet file has no rows")
	}
	t.Headers = r.flat.Keys

	// The sample has shown the columns. Further rows must not add any, so reading starts again.
	return r, t, r.restart(flatten.New(r.flat.Index, t.Headers, false))
}

// recoverParquet turns a panic of the library into an error. The library assumes that pages are consistent.
func recoverParquet(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the Parquet file is damaged: %v", p)
	}
}

// restart goes back to the first row.
func (r *Reader) restart(flat flatten.Flattener) error {
	err := r.close()
	r.flat = flat
	r.group = 0
	r.pending = nil
	r.line = 0
	return err
}

// Next implements table.Reader.
func (r *Reader) Next() (rec table.Record, err error) {
	defer recoverParquet(&err)

	for len(r.pending) == 0 {
		if err := r.fetch(); err != nil {
			return table.Record{}, err
		}
	}

	row := r.pending[0]
	r.pending = r.pending[1:]
	r.line++
	clear(r.columns)
	row.Range(func(column int, values []parquet.Value) bool {
		r.columns[column] = values
		return true
	})

	rec.Line = r.line
	e := parquetEncoder{object: r.object[:0]}
	if err := e.value(r.root, r.columns); err != nil {
		return table.Record{}, fmt.Errorf("row %d: %w", r.line, err)
	}

	r.object = e.object
	r.flat.Flatten(e.object, r.lists)
	rec.Cells = r.flat.Cells

	for i := range e.warnings {
		e.warnings[i].Line = r.line
	}
	e.warnings = append(e.warnings, r.flat.Warnings(r.line)...)
	rec.Warnings = e.warnings

	return rec, r.check(&rec)
}

// KeepLists keeps the lists in some columns as JSON.
func (r *Reader) KeepLists(columns []bool) { r.lists = columns }

// check enforces the limits of cells, and reports lost characters.
func (r *Reader) check(rec *table.Record) error {
	if len(rec.Cells) > table.MaxColumns {
		return fmt.Errorf("row %d: %w", r.line, table.TooManyColumns(len(rec.Cells)))
	}
	for column, cell := range rec.Cells {
		if len(cell) > table.MaxCell {
			return fmt.Errorf("row %d: a value is larger than 1 MiB", r.line)
		}
		if strings.Contains(cell, charset.Replacement) {
			rec.Warnings = append(rec.Warnings, rows.Fault{
				Line: r.line, Column: r.flat.Keys[column], Value: value.Truncate(cell, table.MaxValue),
				Reason: charset.RemarkLost,
			})
		}
	}
	return nil
}

// fetch reads the next rows. It returns io.EOF after the last one, and an error if rows are missing.
func (r *Reader) fetch() error {
	if r.rows == nil {
		groups := r.file.RowGroups()
		if r.group == len(groups) {
			if want := r.file.NumRows(); int64(r.line) != want {
				return fmt.Errorf("the Parquet file has %d rows, but says that it has %d; it is damaged", r.line, want)
			}
			return io.EOF
		}

		if err := r.checker.check(&r.file.Metadata().RowGroups[r.group]); err != nil {
			return fmt.Errorf("row %d: the Parquet file is damaged: %w", r.line+1, err)
		}
		r.rows = groups[r.group].Rows()
		r.group++
	}

	if r.buffer == nil {
		r.buffer = make([]parquet.Row, parquetBatch)
	}
	n, err := r.rows.ReadRows(r.buffer)
	r.pending = r.buffer[:n]

	switch {
	case errors.Is(err, io.EOF):
		err = r.close()
	case err != nil:
		err = fmt.Errorf("row %d: the Parquet file is damaged: %w", r.line+n+1, err)
	// Next would ask forever for rows that neither come nor end.
	case n == 0:
		err = fmt.Errorf("row %d: the Parquet file is damaged", r.line+1)
	}

	return err
}

// closeAll closes the reader.
func (r *Reader) closeAll() error {
	r.checker.close()
	return r.close()
}

// close closes the open row group.
func (r *Reader) close() (err error) {
	defer recoverParquet(&err)
	if rows := r.rows; rows != nil {
		r.rows = nil
		return rows.Close()
	}
	return nil
}
