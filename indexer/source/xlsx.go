package source

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"
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

// workbook reads the rows of one sheet of an XLSX file.
type workbook struct {
	file *excelize.File
	rows *excelize.Rows
	line int
}

// openWorkbook checks a workbook and opens it.
func openWorkbook(in *input) (w *workbook, err error) {
	defer recoverWorkbook(&err)
	content, err := io.ReadAll(io.LimitReader(in.Reader, maxWorkbook+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxWorkbook {
		return nil, errors.New("the workbook is larger than 256 MiB; save it as CSV")
	}
	if err := checkWorkbook(content); err != nil {
		return nil, err
	}
	file, err := excelize.OpenReader(bytes.NewReader(content), excelize.Options{
		UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxInMemory,
	})
	if err != nil {
		return nil, fmt.Errorf("the workbook can't be read: %w", err)
	}
	return &workbook{file: file}, nil
}

// recoverWorkbook turns a panic of the library into an error. The library assumes that the parts of a workbook are
// consistent.
func recoverWorkbook(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the workbook can't be read: %v", r)
	}
}

// checkWorkbook rejects archives other than workbooks, decompression bombs, and malformed XML: the library would treat
// the first error in a sheet as its end.
func checkWorkbook(content []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return fmt.Errorf("the workbook can't be read: %w", err)
	}
	isWorkbook := false
	var unpacked uint64
	for _, part := range archive.File {
		name := strings.ToLower(strings.ReplaceAll(part.Name, `\`, "/"))
		isText := strings.HasPrefix(name, "xl/worksheets/") || name == "xl/sharedstrings.xml"
		isWorkbook = isWorkbook || name == "xl/workbook.xml"
		unpacked += part.UncompressedSize64
		isBomb := part.UncompressedSize64 > 1<<20 && part.UncompressedSize64/maxRatio > part.CompressedSize64
		if isBomb || unpacked > maxUnpacked || !isText && part.UncompressedSize64 > maxPart {
			return fmt.Errorf("part %q of the workbook has %d bytes, compressed to %d; this is too much for a table",
				part.Name, part.UncompressedSize64, part.CompressedSize64)
		}
	}
	if !isWorkbook {
		return errors.New("the file is a zip archive; extract it first")
	}
	for _, part := range archive.File {
		if name := strings.ToLower(part.Name); !strings.HasSuffix(name, ".xml") || strings.HasPrefix(name, "xl/media/") {
			continue
		}
		if err := checkXML(part); err != nil {
			return fmt.Errorf("part %q of the workbook: %w", part.Name, err)
		}
	}
	return nil
}

// checkXML checks that a part is well-formed.
func checkXML(part *zip.File) error {
	content, err := part.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	decoder := xml.NewDecoder(content)
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	depth := 0
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			if depth != 0 {
				return errors.New("the XML ends too early")
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.Directive:
			return errors.New("a document type is not allowed")
		}
		if depth > maxXMLNested {
			return errors.New("the XML is nested too deeply")
		}
	}
}

// chooseSheet opens the first visible sheet that accept accepts, after its header.
func (w *workbook) chooseSheet(accept func(table) error) (t table, err error) {
	defer recoverWorkbook(&err)
	refusal := errors.New("the workbook is empty")
	for i, sheet := range w.file.GetSheetList() {
		if visible, err := w.file.GetSheetVisible(sheet); i >= maxSheets || err != nil || !visible {
			continue
		}
		t, err := w.head(sheet)
		if err != nil {
			return t, fmt.Errorf("sheet %q: %w", sheet, err)
		}
		if len(t.headers) == 0 {
			continue
		}
		err = accept(t)
		if err == nil && len(t.sample) == 0 {
			err = errors.New("the sheet has a header but no rows")
		}
		if err == nil {
			return t, w.rewind(sheet)
		}
		refusal = fmt.Errorf("sheet %q: %w", sheet, err)
	}
	return t, refusal
}

// head reads the header of a sheet and a sample of its rows.
func (w *workbook) head(sheet string) (t table, err error) {
	if err := w.open(sheet); err != nil {
		return t, err
	}
	for len(t.sample) < sampleRows {
		rec, err := w.next()
		switch {
		case errors.Is(err, io.EOF):
			return t, nil
		case err != nil:
			return t, err
		case isBlank(rec.cells):
		case t.headers == nil:
			for _, cell := range rec.cells {
				t.headers = append(t.headers, strings.TrimSpace(cell))
			}
		default:
			t.sample = append(t.sample, rec)
		}
	}
	return t, nil
}

// rewind opens a sheet again and skips its header.
func (w *workbook) rewind(sheet string) error {
	if err := w.open(sheet); err != nil {
		return err
	}
	for {
		rec, err := w.next()
		if err != nil || !isBlank(rec.cells) {
			return err
		}
	}
}

func (w *workbook) open(sheet string) (err error) {
	if w.rows != nil {
		if err := w.rows.Close(); err != nil {
			return err
		}
	}
	w.line = 0
	w.rows, err = w.file.Rows(sheet)
	return err
}

// next implements recordReader. It returns cells as the sheet shows them, so that 98% is not 0.98.
func (w *workbook) next() (rec record, err error) {
	defer recoverWorkbook(&err)
	if !w.rows.Next() {
		if err := w.rows.Error(); err != nil {
			return record{}, fmt.Errorf("row %d: %w", w.line, err)
		}
		return record{}, io.EOF
	}
	w.line++
	cells, err := w.rows.Columns()
	if err != nil {
		return record{}, fmt.Errorf("row %d: %w", w.line, err)
	}
	for _, cell := range cells {
		if len(cell) > maxCell {
			return record{}, fmt.Errorf("row %d: a cell is larger than 1 MiB", w.line)
		}
	}
	return record{line: w.line, cells: cells}, nil
}

func (w *workbook) close() error {
	var err error
	if w.rows != nil {
		err = w.rows.Close()
	}
	return errors.Join(err, w.file.Close())
}
