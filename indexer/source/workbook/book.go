// Package workbook reads XLSX files. It checks them before the library reads them, and keeps large parts on disk in
// files without names.
package workbook

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/ratings"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// The limits of workbooks. Real workbooks compress to a tenth of their size, and bombs to a thousandth.
const (
	maxWorkbook  = 256 << 20 // bytes
	maxUnpacked  = 2 << 30   // bytes, of all parts
	maxPart      = 64 << 20  // bytes, of a part other than sheets and their texts, which are streamed from disk
	maxRatio     = 200       // of the size of a part above 1 MiB to its compressed size
	maxInMemory  = 16 << 20  // bytes of a part that are kept in memory
	maxSheets    = 50
	maxXMLNested = 64
)

// The reasons of warnings and faults about cells of a workbook.
const (
	remarkFormula    = "a formula without a stored value; open the workbook in a spreadsheet program and save it again"
	reasonFormulas   = "the row has only formulas without a stored value; open the workbook and save it again"
	remarkMerged     = "merged cells; the value was used for each of their rows"
	remarkMergedWide = "cells merged across columns; the value was used for the first of them"
	remarkHeading    = "skipped, because the row has only a heading across several columns"
)

// Book reads the rows of one sheet of an XLSX file.
type Book struct {
	file *excelize.File
	temp *tempFolder // for large parts
	// stringsPending is set if the library will unpack the shared strings to disk when it needs the first one.
	stringsPending bool
	facts          map[string]*sheetFacts
	sheet          string // the open one
	skip           int    // rows before the table
	rows           *excelize.Rows
	line           int
	headers        []string // for warnings; nil before the header

	formulas []cellRef     // of the sheet, from the last row on
	exact    []exactNumber // of the sheet, from the last row on
	merges   []mergedRange // of the sheet, below the last row
	open     []openMerge   // ranges that the last row is in
}

// openMerge is a range of merged cells with its value.
type openMerge struct {
	mergedRange
	value string
}

// Options say how to read a workbook.
type Options struct {
	Sheet     string // its name; empty for the only one with freelancers
	SkipRows  int    // before the table
	NoHeader  bool
	Overrides headers.Overrides
}

// Open checks a workbook and opens it.
func Open(in *input.Stream, o Options) (w *Book, err error) {
	w = &Book{skip: o.SkipRows}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()

	// Deferred last, so it runs first: a panic of the library becomes the error that closes the workbook.
	defer recoverWorkbook(&err)

	content, err := io.ReadAll(io.LimitReader(in.Reader, maxWorkbook+1))
	if err != nil {
		return w, err
	}
	if len(content) > maxWorkbook {
		return w, errors.New("the workbook is larger than 256 MiB; save it as CSV")
	}

	// The check comes before the library unpacks anything, because it stops decompression bombs.
	if w.facts, err = checkWorkbook(content); err != nil {
		return w, err
	}
	if w.temp, err = newTempFolder(time.Now()); err != nil {
		return w, err
	}

	w.file, err = excelize.OpenReader(bytes.NewReader(content), excelize.Options{
		UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxInMemory, TmpDir: w.temp.path,
	})
	if err != nil {
		return w, fmt.Errorf("the workbook can't be read: %w", err)
	}

	// Large shared strings are unpacked only when the first rows are read, so their temporary file must be hidden then.
	w.stringsPending = hasLargeStrings(content)
	_, err = w.temp.hide()
	return w, err
}

// hasLargeStrings reports whether the shared strings of a workbook are too large to be kept in memory.
func hasLargeStrings(content []byte) bool {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	return err == nil && slices.ContainsFunc(archive.File, func(part *zip.File) bool {
		return partName(part) == "xl/sharedstrings.xml" && part.UncompressedSize64 > maxInMemory
	})
}

// recoverWorkbook turns a panic of the library into an error. The library assumes that the parts of a workbook are
// consistent.
func recoverWorkbook(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the workbook can't be read: %v", r)
	}
}

// sheetHead is the beginning of a sheet.
type sheetHead struct {
	name   string
	table  table.Table
	line   int // of the header; 0 if there is none
	note   string
	fields int   // of freelancers, that the columns are mapped to
	err    error // why the sheet is no table of freelancers
}

// ChooseSheet opens the sheet with the freelancers, after its header. countFields returns the number of fields that the
// columns of a table are mapped to.
func (w *Book) ChooseSheet(
	in *input.Stream, o Options, countFields func(table.Table) (int, error),
) (t table.Table, err error) {
	defer recoverWorkbook(&err)

	visible, hidden := w.sheets()
	names := visible

	// People copy the name of a sheet from its tab, so case and spaces around it don't count.
	if o.Sheet != "" {
		i := slices.IndexFunc(append(visible, hidden...), func(name string) bool {
			return strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(o.Sheet))
		})
		if i < 0 {
			return t, fmt.Errorf("no sheet %q; the sheets are %s", o.Sheet, table.Quoted(append(visible, hidden...)))
		}

		names = append(visible, hidden...)[i : i+1]
		hidden = nil
	}

	heads, err := w.heads(append(slices.Clone(names), hidden...), o, countFields)
	if err != nil {
		return t, err
	}

	// Hidden sheets are never chosen unless they are named. They are read only so that a note can mention them.
	chosen, err := pickSheet(heads[:len(names)])
	if err != nil {
		return t, err
	}

	noteSheets(in, chosen, heads[:len(names)], heads[len(names):])
	w.headers = chosen.table.Headers
	return chosen.table, w.rewind(chosen)
}

// sheets returns the names of the sheets, up to maxSheets.
func (w *Book) sheets() (visible, hidden []string) {
	list := w.file.GetSheetList()
	for _, sheet := range list[:min(len(list), maxSheets)] {
		if ok, err := w.file.GetSheetVisible(sheet); err == nil && ok {
			visible = append(visible, sheet)
		} else {
			hidden = append(hidden, sheet)
		}
	}
	return visible, hidden
}

// heads reads the beginnings of sheets.
func (w *Book) heads(names []string, o Options, countFields func(table.Table) (int, error)) ([]sheetHead, error) {
	heads := make([]sheetHead, 0, len(names))
	for _, name := range names {
		head, err := w.head(name, o)
		if err != nil {
			return nil, fmt.Errorf("sheet %q: %w", name, err)
		}
		if head.err == nil {
			head.fields, head.err = countFields(head.table)
		}
		heads = append(heads, head)
	}
	return heads, nil
}

// pickSheet returns the only sheet with freelancers. A sheet with one field, such as a list of skills, counts only if
// no other one has more.
func pickSheet(heads []sheetHead) (*sheetHead, error) {
	err := errors.New("the workbook has no visible sheet with rows")
	var chosen *sheetHead
	for i := range heads {
		head := &heads[i]
		switch {
		// A fault in a sheet with headers says more than that no sheet has rows.
		case head.err != nil:
			if len(head.table.Headers) > 0 {
				err = fmt.Errorf("sheet %q: %w", head.name, head.err)
			}

		case chosen == nil, chosen.fields < 2 && head.fields > 1:
			chosen = head
		// A list beside the table, such as one of skills, is no second table.
		case head.fields < 2 && chosen.fields > 1:
		default:
			return nil, fmt.Errorf("the sheets %q and %q may both be freelancers; name one with -sheet, such as -sheet %q, "+
				"and load the other one with -upsert", chosen.name, head.name, chosen.name)
		}
	}

	if chosen == nil {
		return nil, err
	}

	return chosen, nil
}

// noteSheets notes which sheet is read and which ones are not.
func noteSheets(in *input.Stream, chosen *sheetHead, heads, hidden []sheetHead) {
	if chosen.note != "" {
		in.Note("%s", chosen.note)
	}
	var others []string
	for _, head := range heads {
		if head.name != chosen.name && len(head.table.Headers) > 0 {
			others = append(others, head.name)
		}
	}
	if len(others) > 0 {
		in.Note("read the sheet %q, and not %s", chosen.name, table.Quoted(others))
	}
	for _, head := range hidden {
		if head.err == nil {
			in.Note("the hidden sheet %q was not read; name it with -sheet to read it", head.name)
		}
	}
}

// head reads the header of a sheet and a sample of its rows.
func (w *Book) head(sheet string, o Options) (head sheetHead, err error) {
	head.name = sheet
	if err := w.start(sheet); err != nil {
		return head, err
	}

	// Titles and remarks may precede the header, so the sample starts after as many rows as those may take.
	var records []table.Record
	for len(records) < table.MaxTitleRows+table.SampleRows {
		rec, err := w.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return head, err
		}

		if !table.IsBlank(rec.Cells) {
			records = append(records, rec)
		}
	}

	if len(records) == 0 {
		head.err = errors.New("the sheet is empty")
		return head, nil
	}

	if o.NoHeader {
		head.table = table.Table{Headers: table.NumberedHeaders(records), Sample: records}
		return head, nil
	}

	i := table.HeaderRow(records, o.Overrides)

	// Skipped rows are mentioned, because a header in the wrong row would turn people into column names.
	if i > 0 {
		head.note = table.TitleNote(records, i)
	}
	head.line = records[i].Line
	head.table.Headers = w.header(sheet, records[i])
	if head.table.Sample = records[i+1 : min(len(records), i+1+table.SampleRows)]; len(head.table.Sample) == 0 {
		head.err = errors.New("the sheet has a header but no rows")
	}

	return head, nil
}

// header returns the headers in a row. A header merged across columns is the header of each of them.
func (w *Book) header(sheet string, rec table.Record) []string {
	headers := make([]string, 0, len(rec.Cells))
	for _, cell := range rec.Cells {
		headers = append(headers, strings.TrimSpace(cell))
	}

	// Only the first cell of a merged range has a value in the file, and a row ends at its last value.
	if facts := w.facts[sheet]; facts != nil {
		for _, m := range facts.merges {
			isInRow := m.first.row <= rec.Line && rec.Line <= m.last.row
			if !isInRow || m.first.column > len(headers) {
				continue
			}

			for column := m.first.column; column < min(m.last.column, table.MaxColumns); column++ {
				if column == len(headers) {
					headers = append(headers, "")
				}
				if headers[column] == "" {
					headers[column] = headers[m.first.column-1]
				}
			}
		}
	}

	return headers
}

// rewind opens a sheet again and skips the rows up to its header.
func (w *Book) rewind(head *sheetHead) error {
	if err := w.start(head.name); err != nil {
		return err
	}
	for w.line < head.line {
		if _, err := w.Next(); err != nil {
			return err
		}
	}
	return nil
}

// start opens a sheet.
func (w *Book) start(sheet string) (err error) {
	if w.rows != nil {
		if err := w.rows.Close(); err != nil {
			return err
		}
	}
	w.sheet = sheet
	w.line = 0
	w.formulas = nil
	w.exact = nil
	w.merges = nil
	w.open = nil
	if facts := w.facts[sheet]; facts != nil {
		w.formulas = facts.formulas
		w.exact = facts.exact
		w.merges = facts.merges
	}
	w.rows, err = w.file.Rows(sheet)
	return err
}

// Next implements table.Reader. It returns cells as the sheet shows them, so that 98% is not 0.98.
func (w *Book) Next() (rec table.Record, err error) {
	defer recoverWorkbook(&err)

	for {
		if !w.rows.Next() {
			if err := w.rows.Error(); err != nil {
				return table.Record{}, fmt.Errorf("row %d: %w", w.line, err)
			}
			return table.Record{}, io.EOF
		}

		w.line++
		cells, err := w.rows.Columns()
		if err != nil {
			return table.Record{}, fmt.Errorf("row %d: %w", w.line, err)
		}

		// The library writes its file of shared strings when it reads a row; until that has happened, there is nothing
		// to hide.
		if w.stringsPending {
			hidden, err := w.temp.hide()
			if err != nil {
				return table.Record{}, err
			}
			w.stringsPending = hidden == 0
		}

		for _, cell := range cells {
			if len(cell) > table.MaxCell {
				return table.Record{}, fmt.Errorf("row %d: a cell is larger than 1 MiB", w.line)
			}
		}

		// Skipped rows are read, too, so that line numbers agree with the sheet.
		if w.line <= w.skip {
			continue
		}
		rec := table.Record{Line: w.line, Cells: cells}
		w.restoreExact(&rec)
		w.checkErrors(&rec)
		w.checkFormulas(&rec)
		w.fillMerged(&rec)
		return rec, nil
	}
}

// checkErrors replaces error values, such as #REF!, by nothing.
func (w *Book) checkErrors(rec *table.Record) {
	for i, cell := range rec.Cells {
		if table.IsSpreadsheetError(cell) {
			w.warn(rec, i, cellRef{w.line, i + 1}.String()+" "+cell, table.RemarkError)
			rec.Cells[i] = ""
		}
	}
}

// restoreExact replaces the numbers of the row that the library has rounded.
func (w *Book) restoreExact(rec *table.Record) {
	for len(w.exact) > 0 && w.exact[0].row <= w.line {
		cell := w.exact[0]
		w.exact = w.exact[1:]
		if cell.row == w.line && cell.column <= len(rec.Cells) {
			rec.Cells[cell.column-1] = strconv.FormatUint(cell.number, 10)
		}
	}
}

// checkFormulas reports formulas of the row without a stored value.
func (w *Book) checkFormulas(rec *table.Record) {
	isReported := false
	for len(w.formulas) > 0 && w.formulas[0].row <= w.line {
		cell := w.formulas[0]
		w.formulas = w.formulas[1:]
		if cell.row == w.line {
			w.warn(rec, cell.column-1, cell.String(), remarkFormula)
			isReported = true
		}
	}
	if isReported && table.IsBlank(rec.Cells) {
		rec.Fault = reasonFormulas
	}
}

// openMerges adds the merged cells that begin in this row, and drops those that have ended above it.
func (w *Book) openMerges(rec *table.Record) {
	for len(w.merges) > 0 && w.merges[0].first.row <= w.line {
		m := w.merges[0]
		w.merges = w.merges[1:]

		text := strings.TrimSpace(table.CellAt(rec.Cells, m.first.column-1))
		if m.first.row == w.line && text != "" {
			w.open = append(w.open, openMerge{m, text})
		}
	}

	w.open = slices.DeleteFunc(w.open, func(m openMerge) bool { return m.last.row < w.line })
}

// fillMerged puts the values of merged cells into each of their rows.
func (w *Book) fillMerged(rec *table.Record) {
	w.openMerges(rec)
	if len(w.open) == 0 {
		return
	}

	// A tall merge often reaches below the data. Filling blank rows would make up people.
	if table.IsBlank(rec.Cells) {
		return
	}

	filled := 0
	for _, cell := range rec.Cells {
		if strings.TrimSpace(cell) != "" {
			filled++
		}
	}

	for _, m := range w.open {
		isWide := m.last.column > m.first.column
		isTall := m.last.row > m.first.row

		// A wide cell that is alone in its row is a heading between the rows.
		isHeading := isWide && !isTall && filled == 1
		if isHeading {
			rec.Skip = remarkHeading
			continue
		}

		column := m.first.column - 1
		for len(rec.Cells) <= column {
			rec.Cells = append(rec.Cells, "")
		}

		if strings.TrimSpace(rec.Cells[column]) == "" {
			rec.Cells[column] = m.value
		}

		remark := remarkMerged
		if !isTall {
			remark = remarkMergedWide
		}
		w.warn(rec, column, m.String()+" "+m.value, remark)
	}
}

// warn adds a warning about a cell of a record.
func (w *Book) warn(rec *table.Record, column int, text, reason string) {
	warning := rows.Fault{Line: rec.Line, Value: value.Truncate(text, table.MaxValue), Reason: reason}
	if column < len(w.headers) {
		warning.Column = w.headers[column]
	}
	rec.Warnings = append(rec.Warnings, warning)
}

// Close closes the workbook and removes its temporary files.
func (w *Book) Close() error {
	var errs []error
	if w.rows != nil {
		errs = append(errs, w.rows.Close())
	}
	if w.file != nil {
		errs = append(errs, w.file.Close())
	}
	if w.temp != nil {
		errs = append(errs, w.temp.close())
	}
	return errors.Join(errs...)
}

// CountRatings sets the counts of the numbers in some columns, which were collected when the workbook was checked.
// stats has the counts of a sample. It returns false if a column also has many other values, or numbers that a sheet
// shows as percentages.
func (w *Book) CountRatings(columns []int, stats map[int]*ratings.Stats) bool {
	facts := w.facts[w.sheet]
	for _, column := range columns {
		if facts == nil || column >= len(facts.columns) || stats[column].Declared > 0 {
			return false
		}
		if c := &facts.columns[column]; (c.others-table.MaxTitleRows-1)*20 > c.cells {
			return false
		}
	}
	for _, column := range columns {
		*stats[column] = facts.columns[column].numbers
	}
	return true
}
