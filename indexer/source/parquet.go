package source

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"freelancer-matching/indexer/rows"
	"freelancer-matching/internal/value"
)

// The limits of Parquet files. A row group is read page by page, so only pages and rows are in memory.
const (
	maxLeaves    = 10 * maxColumns
	parquetBatch = 64 // read at a time
)

// parquetReader reads the rows of a Parquet file. A row becomes a JSON object, so that lists and nested groups mean the
// same in both formats.
type parquetReader struct {
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
	flat    flattener
	lists   []bool // by column: lists stay JSON; otherwise they become text
}

// openParquet opens a Parquet file and reads a sample to collect the columns.
func openParquet(in *input) (r *parquetReader, t table, err error) {
	defer recoverParquet(&err)

	content, size, err := in.seekable()
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
		return nil, t, tooManyColumns(leaves)
	}

	for _, name := range root.binary {
		in.note("column %q is not used, because its values are bytes and not text", name)
	}

	r = &parquetReader{
		file: file, root: root, columns: make([][]parquet.Value, leaves), checker: pageChecker{content: content},
	}
	in.closers = append(in.closers, r.closeAll)
	r.flat = newFlattener(make(map[string]int), nil, true)
	for len(t.sample) < sampleRows {
		rec, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, t, err
		}

		rec.cells = slices.Clone(rec.cells)
		t.sample = append(t.sample, rec)
	}

	if len(t.sample) == 0 {
		return nil, t, errors.New("the Parquet file has no rows")
	}
	t.headers = r.flat.keys

	return r, t, r.restart(newFlattener(r.flat.index, t.headers, false))
}

// recoverParquet turns a panic of the library into an error. The library assumes that pages are consistent.
func recoverParquet(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the Parquet file is damaged: %v", p)
	}
}

// restart goes back to the first row.
func (r *parquetReader) restart(flat flattener) error {
	err := r.close()
	r.flat = flat
	r.group = 0
	r.pending = nil
	r.line = 0
	return err
}

// next implements recordReader.
func (r *parquetReader) next() (rec record, err error) {
	defer recoverParquet(&err)

	for len(r.pending) == 0 {
		if err := r.fetch(); err != nil {
			return record{}, err
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

	rec.line = r.line
	e := parquetEncoder{object: r.object[:0]}
	if err := e.value(r.root, r.columns); err != nil {
		return record{}, fmt.Errorf("row %d: %w", r.line, err)
	}

	r.object = e.object
	r.flat.flatten(e.object, r.lists)
	rec.cells = r.flat.cells

	for i := range e.warnings {
		e.warnings[i].Line = r.line
	}
	e.warnings = append(e.warnings, r.flat.warnings(r.line)...)
	rec.warnings = e.warnings

	return rec, r.check(&rec)
}

// keepLists keeps the lists in some columns as JSON.
func (r *parquetReader) keepLists(columns []bool) { r.lists = columns }

// check enforces the limits of cells, and reports lost characters.
func (r *parquetReader) check(rec *record) error {
	if len(rec.cells) > maxColumns {
		return fmt.Errorf("row %d: %w", r.line, tooManyColumns(len(rec.cells)))
	}
	for column, cell := range rec.cells {
		if len(cell) > maxCell {
			return fmt.Errorf("row %d: a value is larger than 1 MiB", r.line)
		}
		if strings.Contains(cell, replacement) {
			rec.warnings = append(rec.warnings,
				rows.Fault{Line: r.line, Column: r.flat.keys[column], Value: value.Truncate(cell, maxValue), Reason: remarkLost})
		}
	}
	return nil
}

// fetch reads the next rows. It returns io.EOF after the last one, and an error if rows are missing.
func (r *parquetReader) fetch() error {
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
	case n == 0:
		err = fmt.Errorf("row %d: the Parquet file is damaged", r.line+1)
	}

	return err
}

// closeAll closes the reader.
func (r *parquetReader) closeAll() error {
	r.checker.close()
	return r.close()
}

// close closes the open row group.
func (r *parquetReader) close() (err error) {
	defer recoverParquet(&err)
	if rows := r.rows; rows != nil {
		r.rows = nil
		return rows.Close()
	}
	return nil
}
