package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/build"
	"github.com/freelancer-matching/service/indexer/source/columns"
	"github.com/freelancer-matching/service/indexer/source/csvfile"
	"github.com/freelancer-matching/service/indexer/source/deadletter"
	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/jsonfile"
	"github.com/freelancer-matching/service/indexer/source/kind"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/indexer/source/parquetfile"
	"github.com/freelancer-matching/service/indexer/source/repair"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/indexer/source/where"
	"github.com/freelancer-matching/service/indexer/source/workbook"
	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/value"
)

// Options say how to read a file. The zero value maps headers automatically and treats amounts as US dollars.
type Options struct {
	// Map overrides the automatic mapping: the header of a column by field, ignoring case. "" or "-" leaves the field
	// unknown.
	Map      map[string]string
	Currency string             // of the data set, ISO 4217; empty for USD
	Rates    map[string]float64 // by currency: the value of one unit of it in Currency, such as EUR: 1.08
	// HoursPerDay converts rates per day, week, month and year to hours; 0 for value.DefaultHoursPerDay.
	HoursPerDay float64
	Bounds      value.Bounds // of plausible rates, instead of the default ones for their units
	Delimiter   rune         // of CSV; 0 to detect it
	Encoding    string       // of text, such as iso-8859-2; empty to detect it
	SkipLines   int          // lines before the content, in a workbook rows
	NoHeader    bool         // the table has no header; its columns are named "column 1" and so on
	Sheet       string       // of a workbook, or the file in a zip archive; empty for the only one with freelancers
	JSONPath    string       // of the list of objects, such as data.items; empty to find it
	ID          []string     // headers of the columns that form the ID, or PositionID; empty to map the field id
	Constants   []Constant   // further columns of the file
	Partial     bool         // rows change freelancers, and may have nothing but an ID and one value
	IDPrefix    string       // before IDs that the file has, to tell the IDs of several sources apart
	Where       string       // a condition on rows, as in package where; others are left out; empty for all rows
	Year        int          // of the load, which ends an experience since a year; 0 to leave such experience unknown

	Mapping    *mappingfile.Mapping // of a mapping file, instead of the automatic one; Map overrides it
	Vocabulary columns.Vocabulary   // helps to recognize columns by their values; may be nil

	mapping  *mappingfile.File   // of this file
	isMapped bool                // the mapping includes Map
	letters  *deadletter.Letters // to read instead of a table
}

// Row is one row of a file.
type Row = rows.Row

// Fault is one thing wrong with a row.
type Fault = rows.Fault

// What the packages below have that callers of this one use.
type (
	// Input is what a file is read from.
	Input = input.Source
	// Column is how a column of a file is used.
	Column = columns.Column
	// Vocabulary knows the names of skills and jobs.
	Vocabulary = columns.Vocabulary
	// Mapping is the content of a mapping file.
	Mapping = mappingfile.Mapping
	// FileMapping is the mapping of one file.
	FileMapping = mappingfile.File
	// Letters are the dead letters in a dead-letter file.
	Letters = deadletter.Letters
)

// PositionID stands for the position of a row in its file, in place of a column in Options.ID.
const PositionID = columns.PositionID

// File is an open file of freelancers. It is not safe for concurrent use, except for Size and Offset.
type File struct {
	from    input.Source
	options Options
	in      *input.Stream
	format  string
	columns []columns.Column
	records table.Reader
	written []string // the headers as the file has them
	builder *build.Builder
	sample  table.Table
	close   func() error

	constants     []Constant // those that the file doesn't have itself; they are the first columns
	constantCells []string   // their values
}

// Open opens a file and detects its format, encoding and columns. It returns an error if the file as a whole or the
// options are invalid.
func Open(from input.Source, o Options) (*File, error) {
	currencies, err := o.currencies()
	if err != nil {
		return nil, err
	}

	// A file that was recognized once is opened again with its mapping, so that all passes agree.
	if !o.isMapped {
		if o.mapping, err = o.Mapping.File(from.Name); err != nil {
			return nil, err
		}
	}

	if o.mapping != nil {
		o = o.withMapping(o.mapping)
	}
	in, err := input.Open(from)
	if err != nil {
		return nil, err
	}

	f := &File{from: from, options: o, in: in, close: in.Close}
	if err := f.start(o, currencies); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}

	return f, nil
}

// start detects the format and maps the columns.
func (f *File) start(o Options, currencies value.Currencies) error {
	mapColumns := func(t table.Table) (*columns.Mapping, error) {
		return columns.Map(repaired(t), o.ofColumns(), currencies.Base)
	}
	t, err := f.openRecords(o, func(t table.Table) (int, error) {
		m, err := mapColumns(t)
		if err != nil {
			return 0, err
		}
		return m.CountFields(), nil
	})
	if err != nil {
		return err
	}

	f.written = t.Headers
	t = repaired(f.addConstants(t))

	// Dead letters without records have faults only, and no columns.
	if o.letters != nil && len(t.Headers) == 0 {
		f.builder = build.New(nil, &columns.Mapping{}, build.Options{Currencies: currencies})
		return nil
	}

	m, err := mapColumns(t)
	if err != nil {
		return err
	}

	mayLackHeader := (f.format == input.CSV || f.format == input.XLSX) && !o.NoHeader
	if mayLackHeader {
		if err := m.CheckHeader(t.Headers); err != nil {
			return err
		}
	}

	if !o.Partial && !m.HasMoreThanNames() {
		f.in.Note("%s", noteOnlyNames)
	}

	// The first rows of a sorted file all fit a scale of 5, so this may read a column to its end.
	if err := f.judgeColumns(m, t, o); err != nil {
		return err
	}

	if records, ok := f.records.(listKeeper); ok {
		records.KeepLists(m.Uses(field.Skills, field.Languages)[len(f.constants):])
	}

	if err := m.ChooseID(t.Headers, o.ID, o.Map); err != nil {
		return err
	}
	m.JudgeIDs(t.Sample)

	f.builder = build.New(t.Headers, m, build.Options{
		Currencies: currencies, IsPartial: o.Partial,
		IsRagged: f.format == input.CSV || f.format == deadletter.Format,
		IDPrefix: o.IDPrefix, IDByPosition: len(o.ID) == 1 && o.ID[0] == columns.PositionID,
		Year: o.Year,
	})
	if err := f.leaveOut(o.Where, t.Headers); err != nil {
		return err
	}

	f.columns = f.builder.Describe(t.Sample)
	f.sample = t
	return nil
}

// leaveOut makes the builder leave out rows that don't fulfill a clause. Columns are recognized from all rows, because
// those that are left out show as well as others what a column holds.
func (f *File) leaveOut(clause string, headers []string) error {
	if clause == "" {
		return nil
	}
	parsed, err := where.Parse(clause)
	if err != nil {
		return err
	}
	filter, err := parsed.Bind(headers)
	if err != nil {
		return err
	}

	f.builder.Keeps = filter.Keeps
	f.in.Note("only rows with %s are loaded", clause)
	return nil
}

// repaired returns the beginning of a table without what programs did to its cells.
func repaired(t table.Table) table.Table {
	ignore := func(int, string, string) {} // Rows warns

	t.Headers = new(repair.Row).Repair(t.Headers, ignore)
	t.Sample = slices.Clone(t.Sample)
	for i := range t.Sample {
		t.Sample[i].Cells = new(repair.Row).Repair(t.Sample[i].Cells, ignore)
	}

	return t
}

// A listKeeper reads a format that has lists. They stay lists in some columns, and become text in others.
type listKeeper interface{ KeepLists(columns []bool) }

// ofColumns returns the options for the mapping of columns.
func (o Options) ofColumns() columns.Options {
	return columns.Options{
		Overrides: o.Map, Mapping: o.mapping, IsMapped: o.isMapped, IsPartial: o.Partial, ID: o.ID,
		Vocabulary: o.Vocabulary,
	}
}

// Kind judges by the headers and the first rows whether the file is about freelancers at all.
func (f *File) Kind() kind.Verdict {
	t := kind.Table{Headers: f.sample.Headers}
	for _, column := range f.columns {
		if column.How == columns.ByHeader || column.How == columns.ByFlag || column.How == columns.ByMapping {
			t.Fields = append(t.Fields, column.Field)
		}
	}
	for _, r := range f.sample.Sample {
		t.Rows = append(t.Rows, r.Cells)
	}
	return kind.NewJudge().Judge(t)
}

// openRecords detects the format and opens the records behind the header. countFields returns the number of fields that
// the columns of a sheet are mapped to, and chooses the sheet of a workbook.
func (f *File) openRecords(o Options, countFields func(table.Table) (int, error)) (t table.Table, err error) {
	if o.letters != nil {
		f.format = deadletter.Format
		f.records, t, err = deadletter.Open(f.in, o.letters)
		return t, err
	}

	from := input.Options{File: o.Sheet, Encoding: o.Encoding, SkipLines: o.SkipLines}
	if f.format, err = f.in.Detect(&from); err != nil {
		return t, err
	}

	o.Sheet = from.File // empty if it was a file in an archive
	noteUnusedOptions(f.in, f.format, o)

	switch f.format {
	case input.XLSX:
		return f.openSheet(o, countFields)
	case input.NDJSON:
		f.records, t, err = jsonfile.Open(f.in, jsonfile.Options{Path: o.JSONPath, Overrides: o.Map})
	case input.Parquet:
		f.records, t, err = parquetfile.Open(f.in)
	default:
		options := csvfile.Options{Delimiter: o.Delimiter, NoHeader: o.NoHeader, Overrides: o.Map}
		f.records, t, err = csvfile.Open(f.in, options)
	}

	return t, err
}

// openSheet opens the sheet of a workbook that has freelancers.
func (f *File) openSheet(o Options, countFields func(table.Table) (int, error)) (table.Table, error) {
	options := workbook.Options{Sheet: o.Sheet, SkipRows: o.SkipLines, NoHeader: o.NoHeader, Overrides: o.Map}
	book, err := workbook.Open(f.in, options)
	if err != nil {
		return table.Table{}, err
	}
	f.records, f.close = book, func() error { return errors.Join(book.Close(), f.in.Close()) }
	return book.ChooseSheet(f.in, options, countFields)
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

	c.HoursPerDay = cmp.Or(o.HoursPerDay, value.DefaultHoursPerDay)
	c.Bounds = make(value.Bounds)
	if value.IsLargeCurrency(c.Base) {
		c.Bounds = value.DefaultBounds()
	}
	maps.Copy(c.Bounds, o.Bounds)

	return c, nil
}

// Format returns csv, ndjson (also for a JSON array), xlsx or parquet, unless the Input has a Format.
func (f *File) Format() string { return cmp.Or(f.in.MadeFrom, f.format) }

// Columns returns how each column is used, in the order of the file.
func (f *File) Columns() []columns.Column { return f.columns }

// Notes returns what was decided about the file as a whole, such as its encoding, as sentences without final stops.
func (f *File) Notes() []string { return f.in.Notes }

// Size returns the size of the file in bytes.
func (f *File) Size() int64 { return f.in.Content.Size() }

// Offset returns the number of bytes of the file read so far; in a compressed file, of compressed bytes. It is safe for
// concurrent use. A workbook is read completely when it is opened.
func (f *File) Offset() int64 { return min(f.in.Offset.Load(), f.Size()) }

// Rows yields the rows of the file, once. It skips empty rows. If the file can't be read any further or ctx is done, it
// yields an error, which names the line, and ends.
func (f *File) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for position := 1; ; position++ {
			if err := ctx.Err(); err != nil {
				yield(Row{}, err)
				return
			}

			rec, err := f.records.Next()
			if errors.Is(err, io.EOF) {
				return
			}

			if err != nil {
				yield(Row{}, fmt.Errorf("%s: %w", f.in.Name, err))
				return
			}

			if rec.Fault == "" && table.IsBlank(rec.Cells) {
				position--
				continue
			}

			if len(f.constants) > 0 && rec.Fault == "" {
				rec.Cells = slices.Concat(f.constantCells, rec.Cells)
			}

			// A dead letter has its position in the original file, which may be its id.
			if rec.Position > 0 {
				position = rec.Position
			}

			if !yield(f.builder.Build(rec, position), nil) {
				return
			}
		}
	}
}

// Close closes the file.
func (f *File) Close() error { return f.close() }

// noteUnusedOptions notes the options that do not apply to a format.
func noteUnusedOptions(in *input.Stream, format string, o Options) {
	for _, option := range []struct {
		flag         string
		isSet, isFor bool
	}{
		{"-sheet", o.Sheet != "", format == input.XLSX},
		{"-json-path", o.JSONPath != "", format == input.NDJSON},
		{"-no-header", o.NoHeader, format == input.CSV || format == input.XLSX},
		{"-skip-lines", o.SkipLines > 0, format != input.Parquet},
		{"-encoding", o.Encoding != "", format == input.CSV || format == input.NDJSON},
	} {
		if option.isSet && !option.isFor {
			in.Note("%s does not apply to this format (%s)", option.flag, format)
		}
	}
}

// noteOnlyNames is about a file that has nothing to search for.
const noteOnlyNames = "no column has job titles, skills or descriptions, so no search finds these people; name one " +
	"with -map, such as -map skills=HEADER"

// StartHash starts to compute the checksum for SHA256. It must be called before Rows.
func (f *File) StartHash() error {
	if err := f.in.Bytes.StartHash(); err != nil {
		return fmt.Errorf("%s: %w", f.in.Name, err)
	}
	return nil
}

// SHA256 returns the checksum of the file as it is stored, compressed or not, in hexadecimal. StartHash must have been
// called, and all rows must have been read.
func (f *File) SHA256() (string, error) {
	sum, err := f.in.Bytes.FinishHash()
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.in.Name, err)
	}
	return sum, nil
}
