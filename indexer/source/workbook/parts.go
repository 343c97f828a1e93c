package workbook

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/freelancer-matching/service/indexer/source/ratings"
	"github.com/freelancer-matching/service/indexer/source/table"
)

// The limits of what is remembered about a sheet.
const (
	maxMerges   = 100_000
	maxFormulas = 1_000_000

	// Beyond it, IDs of 16 digits stay rounded, and their rows have a warning.
	maxExactNumbers = 4_000_000
)

// sheetFacts is what the library can't say about a sheet while streaming it.
type sheetFacts struct {
	merges   []mergedRange // by their first rows
	formulas []cellRef     // of formulas without a stored value, in the order of the sheet
	columns  []columnFacts // by column
	exact    []exactNumber // numbers that the library rounds, in the order of the sheet
}

// An exactNumber is a whole number of 16 digits, such as an ID. Spreadsheets store it exactly, and show 15 digits.
type exactNumber struct {
	cellRef
	number uint64
}

// maxExact is the largest number up to which spreadsheets store all whole numbers.
const maxExact = 1 << 53

// columnFacts counts the cells of a column. The numbers are as they are stored: 98% is 0.98.
type columnFacts struct {
	numbers ratings.Stats
	cells   int // with numbers, also zeros
	others  int // with texts, dates and so on
}

// cellRef is a cell by the numbers of its row and column, from 1.
type cellRef struct{ row, column int }

// String returns the name of the cell, such as B7.
func (c cellRef) String() string {
	name, err := excelize.CoordinatesToCellName(c.column, c.row)
	if err != nil {
		return fmt.Sprintf("row %d, column %d", c.row, c.column)
	}
	return name
}

// mergedRange is a range of merged cells, of which only the first has a value.
type mergedRange struct{ first, last cellRef }

// String returns the name of the range, such as A2:A5.
func (m mergedRange) String() string { return m.first.String() + ":" + m.last.String() }

// checkWorkbook rejects archives other than workbooks, decompression bombs, and malformed XML: the library would treat
// the first error in a sheet as its end. It returns the facts about the sheets by their names.
func checkWorkbook(content []byte) (map[string]*sheetFacts, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("the workbook can't be read: %w", err)
	}
	isWorkbook := false
	var unpacked uint64
	for _, part := range archive.File {
		name := partName(part)
		isText := strings.HasPrefix(name, "xl/worksheets/") || name == "xl/sharedstrings.xml"
		isWorkbook = isWorkbook || name == workbookPart
		unpacked += part.UncompressedSize64

		// Small parts may compress extremely well, so the ratio counts only from 1 MiB. Only sheets and shared strings
		// may be large.
		isBomb := part.UncompressedSize64 > 1<<20 && part.UncompressedSize64/maxRatio > part.CompressedSize64
		isLarge := !isText && part.UncompressedSize64 > maxPart
		isTooMuch := isLarge || unpacked > maxUnpacked
		if isBomb || isTooMuch {
			return nil, fmt.Errorf("part %q of the workbook has %d bytes, compressed to %d; this is too much for a table",
				part.Name, part.UncompressedSize64, part.CompressedSize64)
		}
	}

	if !isWorkbook {
		return nil, errors.New("the file is a zip archive; extract it first")
	}

	return checkParts(archive)
}

const (
	workbookPart      = "xl/workbook.xml"
	relationshipsPart = "xl/_rels/workbook.xml.rels"
)

// partName returns the name of a part as it is compared.
func partName(part *zip.File) string { return strings.ToLower(strings.ReplaceAll(part.Name, `\`, "/")) }

// checkParts checks that all parts are well-formed.
func checkParts(archive *zip.Reader) (map[string]*sheetFacts, error) {
	targets := make(map[string]string)   // parts by relationship
	relations := make(map[string]string) // relationships by sheet
	facts := make(map[string]*sheetFacts)
	for _, part := range archive.File {
		name := partName(part)
		isXML := strings.HasSuffix(name, ".xml") || name == relationshipsPart
		if !isXML || strings.HasPrefix(name, "xl/media/") {
			continue
		}
		var visitor xmlVisitor
		switch {
		case name == workbookPart:
			visitor = attributeVisitor{element: "sheet", key: "name", value: "id", into: relations}
		case name == relationshipsPart:
			visitor = attributeVisitor{element: "Relationship", key: "Id", value: "Target", into: targets}
		case strings.HasPrefix(name, "xl/worksheets/"):
			s := &sheetVisitor{facts: &sheetFacts{}}
			visitor = s
			facts[name] = s.facts
		}

		if err := checkXML(part, visitor); err != nil {
			return nil, fmt.Errorf("part %q of the workbook: %w", part.Name, err)
		}
	}

	bySheet := make(map[string]*sheetFacts, len(relations))
	for sheet, relation := range relations {
		target := strings.ToLower(strings.ReplaceAll(targets[relation], `\`, "/"))
		if !strings.HasPrefix(target, "/") {
			target = "/xl/" + target
		}

		if f := facts[strings.TrimPrefix(path.Clean(target), "/")]; f != nil {
			slices.SortStableFunc(f.merges, func(a, b mergedRange) int { return cmp.Compare(a.first.row, b.first.row) })
			bySheet[sheet] = f
		}
	}

	return bySheet, nil
}

// xmlVisitor sees the elements and texts of a part.
type xmlVisitor interface {
	start(xml.StartElement) error
	text(xml.CharData)
	end(xml.EndElement) error
}

// checkXML checks that a part is well-formed, and shows its elements to visitor, which may be nil.
func checkXML(part *zip.File, visitor xmlVisitor) error {
	content, err := part.Open()
	if err != nil {
		return err
	}
	defer content.Close()

	decoder := xml.NewDecoder(content)
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }

	// RawToken doesn't compare end tags with start tags, so the depth reveals a part that was cut off.
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

		switch token := token.(type) {
		case xml.StartElement:
			if depth++; visitor != nil {
				err = visitor.start(token)
			}

		case xml.CharData:
			if visitor != nil {
				visitor.text(token)
			}

		case xml.EndElement:
			if depth--; visitor != nil {
				err = visitor.end(token)
			}

		case xml.Directive:
			// Document types can declare entities that expand to gigabytes. Workbooks have none.
			err = errors.New("a document type is not allowed")
		}

		if depth > maxXMLNested {
			err = errors.New("the XML is nested too deeply")
		}

		if err != nil {
			return err
		}
	}
}

// attributeVisitor collects two attributes of all elements of a name.
type attributeVisitor struct {
	element, key, value string
	into                map[string]string
}

func (v attributeVisitor) start(e xml.StartElement) error {
	if e.Name.Local == v.element {
		v.into[attribute(e, v.key)] = attribute(e, v.value)
	}
	return nil
}

func (attributeVisitor) text(xml.CharData)        {}
func (attributeVisitor) end(xml.EndElement) error { return nil }

// attribute returns the value of an attribute, whatever its namespace.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// sheetVisitor collects the facts about a sheet.
type sheetVisitor struct {
	facts               *sheetFacts
	cell                string // the name of the last cell
	kind                string // of the last cell; empty or "n" for a number
	hasFormula, isValue bool   // of the last cell
	isCounted           bool   // the value of the last cell
}

func (v *sheetVisitor) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "c":
		v.cell, v.kind, v.hasFormula, v.isValue = attribute(e, "r"), attribute(e, "t"), false, false
		v.isCounted = false
	case "f":
		v.hasFormula = true
	case "v", "is":
		v.isValue = true
	case "mergeCell":
		first, last, _ := strings.Cut(attribute(e, "ref"), ":")
		m := mergedRange{parseCell(first), parseCell(last)}
		isReversed := m.last.row < m.first.row || m.last.column < m.first.column
		if m.first.row == 0 || isReversed {
			return nil
		}
		if v.facts.merges = append(v.facts.merges, m); len(v.facts.merges) > maxMerges {
			return fmt.Errorf("more than %d ranges of merged cells; unmerge them", maxMerges)
		}
	}

	return nil
}

// text counts the value of a cell. Without its name, the cell's column is unknown and not counted.
func (v *sheetVisitor) text(value xml.CharData) {
	if !v.isValue || v.isCounted {
		return
	}
	v.isCounted = true
	column := columnOfCell(v.cell)
	if column < 0 || column >= table.MaxColumns {
		return
	}
	if missing := column + 1 - len(v.facts.columns); missing > 0 {
		v.facts.columns = append(v.facts.columns, make([]columnFacts, missing)...)
	}
	c := &v.facts.columns[column]
	if v.kind == "" || v.kind == "n" {
		c.numbers.Add(value)
		c.cells++
		v.addExact(value)
	} else {
		c.others++
	}
}

// addExact keeps a whole number that the library would round.
func (v *sheetVisitor) addExact(value []byte) {
	const digits = 16 // of the largest exact number; the library keeps up to 15
	if len(value) != digits || len(v.facts.exact) >= maxExactNumbers {
		return
	}
	number, err := strconv.ParseUint(string(value), 10, 64)
	isExact := err == nil && number <= maxExact
	if cell := parseCell(v.cell); isExact && cell.row > 0 {
		v.facts.exact = append(v.facts.exact, exactNumber{cell, number})
	}
}

// columnOfCell returns the number of the column in the name of a cell, from 0, or -1 if the name is invalid.
func columnOfCell(name string) int {
	column := 0
	for i := range len(name) {
		if c := name[i]; c >= 'A' && c <= 'Z' && column <= table.MaxColumns {
			column = column*26 + int(c-'A') + 1
		} else {
			break
		}
	}
	return column - 1
}

func (v *sheetVisitor) end(e xml.EndElement) error {
	lacksValue := v.hasFormula && !v.isValue
	if e.Name.Local != "c" || !lacksValue {
		return nil
	}
	if c := parseCell(v.cell); c.row > 0 {
		if v.facts.formulas = append(v.facts.formulas, c); len(v.facts.formulas) > maxFormulas {
			return fmt.Errorf("more than %d formulas without a stored value; open the workbook and save it again", maxFormulas)
		}
	}
	return nil
}

// parseCell parses the name of a cell. It returns the zero cellRef if the name is invalid.
func parseCell(name string) cellRef {
	column, row, err := excelize.CellNameToCoordinates(name)
	if err != nil {
		return cellRef{}
	}
	return cellRef{row, column}
}
