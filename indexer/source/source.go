package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"freelancer-matching/indexer/rows"
	"freelancer-matching/indexer/source/kind"
	"freelancer-matching/internal/exchange"
	"freelancer-matching/internal/value"
)

// Options say how to read a file. The zero value maps headers automatically and treats amounts as US dollars.
type Options struct {
	// Map overrides the automatic mapping: the header of a column by field, ignoring case. "" or "-" leaves the field
	// unknown.
	Map       map[string]string
	Currency  string             // of the data set, ISO 4217; empty for USD
	Rates     map[string]float64 // by currency: the value of one unit of it in Currency, such as EUR: 1.08
	Delimiter rune               // of CSV; 0 to detect it
	Encoding  string             // of text, such as iso-8859-2; empty to detect it
	SkipLines int                // lines before the content, in a workbook rows
	NoHeader  bool               // the table has no header; its columns are named "column 1" and so on
	Sheet     string             // of a workbook, or the file in a zip archive; empty for the only one with freelancers
	JSONPath  string             // of the list of objects, such as data.items; empty to find it
	ID        []string           // headers of the columns that form the ID, or PositionID; empty to map the field id
	Partial   bool               // rows change freelancers, and may have nothing but an ID and one value
	IDPrefix  string             // before IDs that the file has, to tell the IDs of several sources apart

	Mapping    *Mapping   // of a mapping file, instead of the automatic one; Map overrides it
	Vocabulary Vocabulary // helps to recognize columns by their values; may be nil

	mapping  *FileMapping // of this file
	isMapped bool         // the mapping includes Map
	letters  *Letters     // to read instead of a table
}

// Row is one row of a file.
type Row = rows.Row

// Fault is one thing wrong with a row.
type Fault = rows.Fault

// File is an open file of freelancers. It is not safe for concurrent use, except for Size and Offset.
type File struct {
	from    Input
	options Options
	in      *input
	format  string
	columns []Column
	records recordReader
	builder *builder
	sample  table
	close   func() error
}

// Open opens a file and detects its format, encoding and columns. It returns an error if the file as a whole or the
// options are invalid.
func Open(from Input, o Options) (*File, error) {
	currencies, err := o.currencies()
	if err != nil {
		return nil, err
	}

	if !o.isMapped {
		if o.mapping, err = o.Mapping.file(from.Name); err != nil {
			return nil, err
		}
	}

	if o.mapping != nil {
		o = o.withMapping(o.mapping)
	}
	in, err := openInput(from)
	if err != nil {
		return nil, err
	}

	f := &File{from: from, options: o, in: in, close: in.close}
	if err := f.start(o, currencies); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", in.name, err)
	}

	return f, nil
}

// start detects the format and maps the columns.
func (f *File) start(o Options, currencies value.Currencies) error {
	mapColumns := func(t table) (*mapping, error) { return mapColumns(t, o.ofColumns(), currencies.Base) }
	t, err := f.openRecords(o, func(t table) (int, error) {
		m, err := mapColumns(t)
		if err != nil {
			return 0, err
		}
		return m.countFields(), nil
	})
	if err != nil {
		return err
	}

	// Dead letters without records have faults only, and no columns.
	if o.letters != nil && len(t.headers) == 0 {
		f.builder = newBuilder(nil, &mapping{}, builderOptions{currencies: currencies})
		return nil
	}

	m, err := mapColumns(t)
	if err != nil {
		return err
	}

	if !o.Partial && !m.hasMoreThanNames() {
		f.in.note("%s", noteOnlyNames)
	}

	if err := f.judgeColumns(m, t, o); err != nil {
		return err
	}

	if records, ok := f.records.(listKeeper); ok {
		records.keepLists(m.uses(fieldSkills, fieldLanguages))
	}

	if err := m.chooseID(t.headers, o.ID, o.Map); err != nil {
		return err
	}

	f.builder = newBuilder(t.headers, m, builderOptions{
		currencies: currencies, isPartial: o.Partial,
		isRagged: f.format == formatCSV || f.format == formatLetters,
		idPrefix: o.IDPrefix, idByPosition: len(o.ID) == 1 && o.ID[0] == PositionID,
	})
	f.columns = f.builder.describe(t.sample)
	f.sample = t
	return nil
}

// A listKeeper reads a format that has lists. They stay lists in some columns, and become text in others.
type listKeeper interface{ keepLists(columns []bool) }

// ofColumns returns the options for the mapping of columns.
func (o Options) ofColumns() columnOptions {
	return columnOptions{
		overrides: o.Map, mapping: o.mapping, isMapped: o.isMapped, isPartial: o.Partial, id: o.ID,
		vocabulary: o.Vocabulary,
	}
}

// Kind judges by the headers and the first rows whether the file is about freelancers at all.
func (f *File) Kind() kind.Verdict {
	t := kind.Table{Headers: f.sample.headers}
	for _, column := range f.columns {
		if column.How == ByHeader || column.How == ByFlag || column.How == ByMapping {
			t.Fields = append(t.Fields, column.Field)
		}
	}
	for _, r := range f.sample.sample {
		t.Rows = append(t.Rows, r.cells)
	}
	return kind.NewJudge().Judge(t)
}

// openRecords detects the format and opens the records behind the header. countFields returns the number of fields that
// the columns of a sheet are mapped to, and chooses the sheet of a workbook.
func (f *File) openRecords(o Options, countFields func(table) (int, error)) (t table, err error) {
	if o.letters != nil {
		f.format = formatLetters
		f.records, t, err = openLetters(f.in, o.letters)
		return t, err
	}

	from := inputOptions{file: o.Sheet, encoding: o.Encoding, skipLines: o.SkipLines}
	if f.format, err = f.in.detect(&from); err != nil {
		return t, err
	}

	o.Sheet = from.file // empty if it was a file in an archive
	noteUnusedOptions(f.in, f.format, o)

	switch f.format {
	case formatXLSX:
		return f.openSheet(o, countFields)
	case formatNDJSON:
		f.records, t, err = openJSON(f.in, jsonOptions{path: o.JSONPath, overrides: o.Map})
	case formatParquet:
		f.records, t, err = openParquet(f.in)
	default:
		f.records, t, err = openCSV(f.in, csvOptions{delimiter: o.Delimiter, noHeader: o.NoHeader, overrides: o.Map})
	}

	return t, err
}

// openSheet opens the sheet of a workbook that has freelancers.
func (f *File) openSheet(o Options, countFields func(table) (int, error)) (table, error) {
	options := workbookOptions{sheet: o.Sheet, skipRows: o.SkipLines, noHeader: o.NoHeader, overrides: o.Map}
	book, err := openWorkbook(f.in, options)
	if err != nil {
		return table{}, err
	}
	f.records, f.close = book, func() error { return errors.Join(book.close(), f.in.close()) }
	return book.chooseSheet(f.in, options, countFields)
}

// currencies checks the options for money.
func (o Options) currencies() (value.Currencies, error) {
	c := value.Currencies{Base: "USD", Rates: make(map[string]float64, len(o.Rates))}
	if o.Currency != "" {
		code, err := exchange.Code(o.Currency)
		if err != nil {
			return c, fmt.Errorf("unknown currency %q; use an ISO 4217 code, such as USD", o.Currency)
		}
		c.Base = code
	}

	for name, rate := range o.Rates {
		code, err := exchange.Code(name)
		if err != nil {
			return c, fmt.Errorf("unknown currency %q of an exchange rate; use an ISO 4217 code, such as EUR", name)
		}
		if !(rate > 0 && rate < 1e9) { // also rejects NaN
			return c, fmt.Errorf("invalid exchange rate %v for %s; use a positive number", rate, code)
		}

		c.Rates[code] = rate
	}

	return c, nil
}

// Format returns csv, ndjson (also for a JSON array), xlsx or parquet, unless the Input has a Format.
func (f *File) Format() string { return cmp.Or(f.in.madeFrom, f.format) }

// Columns returns how each column is used, in the order of the file.
func (f *File) Columns() []Column { return f.columns }

// Notes returns what was decided about the file as a whole, such as its encoding, as sentences without final stops.
func (f *File) Notes() []string { return f.in.notes }

// Size returns the size of the file in bytes.
func (f *File) Size() int64 { return f.in.content.Size() }

// Offset returns the number of bytes of the file read so far; in a compressed file, of compressed bytes. It is safe for
// concurrent use. A workbook is read completely when it is opened.
func (f *File) Offset() int64 { return min(f.in.offset.Load(), f.Size()) }

// Rows yields the rows of the file, once. It skips empty rows. If the file can't be read any further or ctx is done, it
// yields an error, which names the line, and ends.
func (f *File) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for position := 1; ; position++ {
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
				position--
				continue
			}

			if rec.position > 0 {
				position = rec.position
			}

			if !yield(f.builder.build(rec, position), nil) {
				return
			}
		}
	}
}

// Close closes the file.
func (f *File) Close() error { return f.close() }

// noteUnusedOptions notes the options that do not apply to a format.
func noteUnusedOptions(in *input, format string, o Options) {
	for _, option := range []struct {
		flag         string
		isSet, isFor bool
	}{
		{"-sheet", o.Sheet != "", format == formatXLSX},
		{"-json-path", o.JSONPath != "", format == formatNDJSON},
		{"-no-header", o.NoHeader, format == formatCSV || format == formatXLSX},
		{"-skip-lines", o.SkipLines > 0, format != formatParquet},
		{"-encoding", o.Encoding != "", format == formatCSV || format == formatNDJSON},
	} {
		if option.isSet && !option.isFor {
			in.note("%s does not apply to this format (%s)", option.flag, format)
		}
	}
}

// noteOnlyNames is about a file that has nothing to search for.
const noteOnlyNames = "no column has job titles, skills or descriptions, so no search finds these people; name one " +
	"with -map, such as -map skills=HEADER"

// StartHash starts to compute the checksum for SHA256. It must be called before Rows.
func (f *File) StartHash() error {
	if err := f.in.bytes.startHash(); err != nil {
		return fmt.Errorf("%s: %w", f.in.name, err)
	}
	return nil
}

// SHA256 returns the checksum of the file as it is stored, compressed or not, in hexadecimal. StartHash must have been
// called, and all rows must have been read.
func (f *File) SHA256() (string, error) {
	sum, err := f.in.bytes.finishHash()
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.in.name, err)
	}
	return sum, nil
}
