package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"golang.org/x/text/currency"

	"freelancer-matching/indexer/source/value"
	"freelancer-matching/internal/matching"
)

// Options says how to read. The zero value maps headers automatically and takes amounts for US dollars.
type Options struct {
	// Map overrules the automatic mapping: field → header of its column, without regard to case; "" or "-" leaves the
	// field unknown.
	Map       map[string]string
	Currency  string             // of the data set, ISO 4217; "" is USD
	Rates     map[string]float64 // currency → units of Currency that one unit of it is worth: EUR → 1.08
	Delimiter rune               // of CSV; 0: detected
}

// Row is one row of a file: a freelancer, or the reasons why it is none.
type Row struct {
	Freelancer matching.Freelancer
	File       string  // in a folder of files, its path below the folder
	Line       int     // where the row begins, 1-based; for XLSX the row of the sheet; 0: the row is a whole file
	Faults     []Fault // reasons to reject the row; none: it is usable
	Warnings   []Fault // values left unknown, shortened or made certain, and why
}

// Fault is one thing wrong with a row.
type Fault struct {
	Line   int    // of the row
	Column string // its header; "" when the row as a whole is meant
	Value  string // as in the file, at most 200 characters
	Reason string
}

// The formats of files.
const (
	formatCSV    = "csv"
	formatNDJSON = "ndjson"
	formatXLSX   = "xlsx"
)

// The bounds of what is read.
const (
	maxCell    = 1 << 20 // bytes
	maxRow     = 4 << 20 // bytes
	maxColumns = 500
)

// record is one row of any format, before its cells are read. Its cells are valid until the next record.
type record struct {
	line     int
	cells    []string
	fault    string // why the row has no cells
	value    string // the part of the file that fault is about
	warnings []Fault
}

// recordReader reads a format row by row, up to io.EOF.
type recordReader interface {
	next() (record, error)
}

// table is the beginning of a file of any format: its headers and some of the rows below them.
type table struct {
	headers []string
	sample  []record
}

// sampleRows is how many rows of the head are looked at.
const sampleRows = 200

// File is an open file of freelancers. Except for Size and Offset it is for one goroutine.
type File struct {
	in      *input
	format  string
	columns []Column
	records recordReader
	builder *builder
	close   func() error
}

// Open reads the head of a file, or of standard input for "-", and finds out its format, encoding and columns. An
// error says what is wrong with the file as a whole or with the options.
func Open(path string, o Options) (*File, error) {
	currencies, err := o.currencies()
	if err != nil {
		return nil, err
	}
	in, err := openInput(path)
	if err != nil {
		return nil, err
	}
	f := &File{in: in, close: in.close}
	if err := f.start(o, currencies); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", in.name, err)
	}
	return f, nil
}

// start detects the format and maps the columns.
func (f *File) start(o Options, currencies value.Currencies) (err error) {
	if f.format, err = f.in.content(); err != nil {
		return err
	}
	var t table
	switch f.format {
	case formatXLSX:
		t, err = f.startWorkbook(o, currencies.Base)
	case formatNDJSON:
		f.records, t, err = openJSON(f.in)
	default:
		f.records, t, err = openCSV(f.in, o)
	}
	if err != nil {
		return err
	}
	m, err := mapColumns(t, o.Map, currencies.Base)
	if err != nil {
		return err
	}
	if objects, ok := f.records.(*jsonReader); ok {
		objects.lists = m.uses(fieldSkills)
	}
	f.builder = newBuilder(t, m, currencies, f.format == formatCSV)
	f.columns = describe(f.builder, t.sample)
	return nil
}

// startWorkbook takes the first sheet whose columns can be mapped.
func (f *File) startWorkbook(o Options, base string) (table, error) {
	book, err := openWorkbook(f.in)
	if err != nil {
		return table{}, err
	}
	f.records, f.close = book, func() error { return errors.Join(book.close(), f.in.close()) }
	return book.chooseSheet(func(t table) error {
		_, err := mapColumns(t, o.Map, base)
		return err
	})
}

// currencies checks the options about money.
func (o Options) currencies() (value.Currencies, error) {
	c := value.Currencies{Base: "USD", Rates: make(map[string]float64, len(o.Rates))}
	if o.Currency != "" {
		unit, err := currency.ParseISO(o.Currency)
		if err != nil {
			return c, fmt.Errorf("currency %q: a code of ISO 4217 expected, such as USD", o.Currency)
		}
		c.Base = unit.String()
	}
	for code, rate := range o.Rates {
		unit, err := currency.ParseISO(code)
		if err != nil {
			return c, fmt.Errorf("currency %q of a rate: a code of ISO 4217 expected, such as EUR", code)
		}
		if !(rate > 0 && rate < 1e9) { // NaN is refused too
			return c, fmt.Errorf("rate %v of %s: a positive number expected", rate, unit)
		}
		c.Rates[unit.String()] = rate
	}
	return c, nil
}

// Format is csv, ndjson (also for a JSON array) or xlsx.
func (f *File) Format() string { return f.format }

// Columns tells what each column of the file is used for, in the order of the file.
func (f *File) Columns() []Column { return f.columns }

// Size is the number of bytes of the file, 0 where it is not known.
func (f *File) Size() int64 { return f.in.size }

// Offset is the number of bytes of the file that were read so far, compressed ones where it is compressed. It may be
// called from any goroutine. A workbook is read whole when it is opened.
func (f *File) Offset() int64 { return f.in.offset.Load() }

// Rows yields the rows of the file, once. An error ends it: the file cannot be read on, and says where. Rows without
// any content are passed over.
func (f *File) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for {
			if err := ctx.Err(); err != nil {
				yield(Row{}, err)
				return
			}
			rec, err := f.records.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Row{}, fmt.Errorf("%s: %w", f.in.name, err))
				return
			}
			if rec.fault == "" && isBlank(rec.cells) {
				continue
			}
			if !yield(f.builder.build(rec), nil) {
				return
			}
		}
	}
}

// Close closes the file.
func (f *File) Close() error { return f.close() }

func isBlank(cells []string) bool {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}
