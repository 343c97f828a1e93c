package source

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/indexer/source/value"
)

// jsonReader reads objects: one per line (NDJSON), or one after another, as in an array. The members of nested objects
// become columns named "outer.inner".
type jsonReader struct {
	in     *bufio.Reader
	byLine bool
	text   charset
	line   int // the last line read
	open   int // arrays that have not ended
	long   []byte
	flat   flattener
	lists  []bool // by column: lists stay JSON; otherwise they become text
}

// openJSON detects how objects are separated, and reads a sample to collect the columns.
func openJSON(in *input) (*jsonReader, table, error) {
	r := &jsonReader{in: in.Reader, text: in.text, byLine: isByLine(in.head), line: in.lines}
	head := &jsonReader{
		in:     bufio.NewReaderSize(bytes.NewReader(in.head), len(in.head)+16),
		text:   in.text,
		byLine: r.byLine,
		line:   in.lines,
		flat:   flattener{index: make(map[string]int), isOpen: true},
	}
	var t table
	for len(t.sample) < sampleRows {
		rec, err := head.next()
		if errors.Is(err, io.EOF) || err != nil && !in.whole {
			break
		}
		if err != nil {
			return nil, t, err
		}
		if rec.fault != "" {
			continue // Rows reports it
		}
		rec.cells = slices.Clone(rec.cells)
		t.sample = append(t.sample, rec)
	}
	t.headers = head.flat.keys
	if len(t.sample) == 0 {
		return nil, t, errors.New("there is no JSON object among the first rows")
	}
	r.flat = flattener{index: head.flat.index, keys: t.headers}
	return r, t, nil
}

// isByLine reports whether each line is one JSON value.
func isByLine(head []byte) bool {
	head = bytes.TrimSpace(head)
	if head[0] == '[' {
		return false
	}
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	if json.Valid(line) {
		return true
	}
	var first json.RawMessage
	return json.NewDecoder(bytes.NewReader(head)).Decode(&first) != nil
}

// next implements recordReader.
func (r *jsonReader) next() (record, error) {
	read := r.nextElement
	if r.byLine {
		read = r.nextLine
	}
	element, begin, err := read()
	if err != nil {
		return record{}, err
	}
	rec := record{line: begin}
	text := element
	if !r.text.isClean(text) {
		var remark string
		text, remark = r.text.decode(text)
		rec.warnings = append(rec.warnings, Fault{Line: begin, Value: excerpt(string(text)), Reason: remark})
	}
	switch {
	case !json.Valid(text):
		rec.fault, rec.value = "not valid JSON", string(text)
	case text[0] != '{':
		rec.fault, rec.value = "not a JSON object", string(text)
	default:
		r.flat.flatten(text, r.lists)
		rec.cells = r.flat.cells
		for _, key := range r.flat.late {
			rec.warnings = append(rec.warnings, Fault{Line: begin, Column: key, Reason: remarkLate})
		}
		for column, cell := range rec.cells {
			if strings.Contains(cell, replacement) {
				rec.warnings = append(rec.warnings,
					Fault{Line: begin, Column: r.flat.keys[column], Value: value.Truncate(cell, maxValue), Reason: remarkLost})
			}
			if len(cell) > maxCell {
				return record{}, fmt.Errorf("line %d: a value is larger than 1 MiB", begin)
			}
		}
		if len(rec.cells) > maxColumns {
			return record{}, fmt.Errorf("line %d: %w", begin, tooManyColumns(len(rec.cells)))
		}
	}
	return rec, nil
}

const remarkLate = "not used, because the field is missing from the first rows of the file"

// nextLine returns the next line that is not blank.
func (r *jsonReader) nextLine() (line []byte, begin int, err error) {
	for {
		line, r.long, err = readLine(r.in, r.long, maxRow)
		if errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		if err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", r.line+1, err)
		}
		r.line++
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, r.line, nil
		}
	}
}

// nextElement returns the next value of an array or of a sequence of values.
func (r *jsonReader) nextElement() (element []byte, begin int, err error) {
	c, err := r.skip()
	if errors.Is(err, io.EOF) && r.open > 0 {
		err = errors.New("the array is not closed")
	}
	if err != nil {
		return nil, 0, r.at(r.line, err)
	}
	begin, r.long = r.line, r.long[:0]
	isObject := c == '{'
	depth, inString, escaped := 0, false, false
	for {
		r.long = append(r.long, c)
		if len(r.long) > maxRow {
			return nil, 0, r.at(begin, errLongRow)
		}
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if isObject && depth == 0 && !inString {
			return r.long, begin, nil
		}
		c, err = r.readByte()
		switch {
		case errors.Is(err, io.EOF) && isObject:
			return nil, 0, r.at(begin, errors.New("the object is not closed"))
		case errors.Is(err, io.EOF):
			return r.long, begin, nil
		case err != nil:
			return nil, 0, r.at(r.line, err)
		case !isObject && !inString && (c == ',' || c == ']' || c == '\n'):
			if c == '\n' {
				r.line-- // UnreadByte returns it to the input
			}
			return r.long, begin, r.in.UnreadByte()
		}
	}
}

// skip returns the first byte of the next value.
func (r *jsonReader) skip() (byte, error) {
	r.line = max(r.line, 1)
	for {
		c, err := r.readByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n', ',':
		case '[':
			r.open++
		case ']':
			r.open--
		default:
			return c, nil
		}
	}
}

func (r *jsonReader) readByte() (byte, error) {
	c, err := r.in.ReadByte()
	if c == '\n' && err == nil {
		r.line++
	}
	return c, err
}

// at adds the line to an error other than io.EOF.
func (r *jsonReader) at(line int, err error) error {
	if errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// excerpt returns the part of a text around its first character beyond ASCII.
func excerpt(text string) string {
	i := max(0, strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }))
	start := max(0, i-40)
	for !utf8.RuneStart(text[start]) {
		start++
	}
	return value.Truncate(text[start:], 80)
}
