// Package jsonfile reads NDJSON, JSON lists, and JSON objects that have a list of freelancers somewhere in them.
package jsonfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/charset"
	"github.com/freelancer-matching/service/indexer/source/flatten"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// Reader reads objects: one per line (NDJSON), or one after another, as in an array. The members of nested objects
// become columns named "outer.inner".
type Reader struct {
	in      *bufio.Reader
	byLine  bool
	charset charset.Decoder
	line    int // the last line read
	open    int // arrays that have not ended
	pages   int // arrays around the objects that have the list at path
	long    []byte
	flat    flatten.Flattener
	lists   []bool // by column: lists stay JSON; otherwise they become text

	path     []string                 // the keys that lead to the list of objects; nil if the objects are not in an object
	isRecord func(object []byte) bool // reports whether another list may be meant; nil if the path was given
}

// Options say how to read JSON.
type Options struct {
	Path      string // the keys that lead to the list of objects, joined with dots; empty to find it
	Overrides headers.Overrides
}

// Open detects how objects are separated, and reads a sample to collect the columns.
func Open(in *input.Stream, o Options) (*Reader, table.Table, error) {
	var t table.Table
	path, err := choosePath(in, o)
	if err != nil {
		return nil, t, err
	}

	r := &Reader{in: in.Reader, charset: in.Charset, line: in.SkippedLines, path: path}
	r.byLine = path == nil && isByLine(in.Head)

	if o.Path == "" {
		r.isRecord = isRecordIn(o.Overrides)
	}

	// The sample comes from a copy of the head, so that the reader itself begins at the first object.
	head := *r
	head.in = bufio.NewReaderSize(bytes.NewReader(in.Head), len(in.Head)+16)
	head.flat = flatten.New(make(map[string]int), nil, true)
	for len(t.Sample) < table.SampleRows {
		rec, err := head.Next()
		isCut := err != nil && !in.IsWhole // the head of a large file ends anywhere
		if isCut || errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, t, noListHint(err, in.Head)
		}
		if rec.Fault != "" {
			continue // Rows reports it
		}

		rec.Cells = slices.Clone(rec.Cells)
		t.Sample = append(t.Sample, rec)
	}

	t.Headers = head.flat.Keys
	if len(t.Sample) == 0 {
		return nil, t, noListHint(errors.New("there is no JSON object among the first rows; each freelancer must be an "+
			`object with names of fields, such as {"name": "Ann", "skills": ["Go"]}`), in.Head)
	}
	if err := listsByColumn(t); err != nil {
		return nil, t, err
	}

	r.flat = flatten.New(head.flat.Index, t.Headers, false)
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

// Next implements table.Reader.
func (r *Reader) Next() (table.Record, error) {
	read := r.nextElement
	if r.byLine {
		read = r.nextLine
	}
	element, begin, err := read()
	if err != nil {
		return table.Record{}, err
	}

	rec := table.Record{Line: begin}
	text := element
	if !r.charset.IsClean(text) {
		var remark string
		text, remark = r.charset.Decode(text)
		rec.Warnings = append(rec.Warnings, rows.Fault{Line: begin, Value: excerpt(string(text)), Reason: remark})
	}

	switch {
	case !json.Valid(text):
		// Behind a line that was cut off, other people are missing. A broken line elsewhere is about one person.
		if r.byLine && r.isCutOff(text) {
			return table.Record{}, fmt.Errorf("line %d: the last line ends within a value; the file is incomplete", begin)
		}
		rec.Fault, rec.Value = "not valid JSON", string(text)

	case text[0] != '{':
		rec.Fault, rec.Value = "not a JSON object", string(text)
	default:
		r.flat.Flatten(text, r.lists)
		rec.Cells = r.flat.Cells
		rec.Warnings = append(rec.Warnings, r.flat.Warnings(begin)...)
		for column, cell := range rec.Cells {
			if strings.Contains(cell, charset.Replacement) {
				rec.Warnings = append(rec.Warnings, rows.Fault{
					Line: begin, Column: r.flat.Keys[column], Value: value.Truncate(cell, table.MaxValue),
					Reason: charset.RemarkLost,
				})
			}

			if len(cell) > table.MaxCell {
				return table.Record{}, fmt.Errorf("line %d: a value is larger than 1 MiB", begin)
			}
		}

		if len(rec.Cells) > table.MaxColumns {
			return table.Record{}, fmt.Errorf("line %d: %w", begin, table.TooManyColumns(len(rec.Cells)))
		}
	}

	return rec, nil
}

// KeepLists keeps the lists in some columns as JSON.
func (r *Reader) KeepLists(columns []bool) { r.lists = columns }

// isCutOff reports whether a line is the last one, without a line end, and ends within a value.
func (r *Reader) isCutOff(line []byte) bool {
	if err := r.in.UnreadByte(); err != nil {
		return false
	}
	if last, err := r.in.ReadByte(); err != nil || last == '\n' {
		return false
	}
	err := json.NewDecoder(bytes.NewReader(line)).Decode(new(json.RawMessage))
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// noListHint adds the lists of a file to an error.
func noListHint(err error, head []byte) error {
	if lists, _ := findLists(head); len(lists) > 0 {
		return fmt.Errorf("%w; there are lists of objects at %s; name one with -json-path", err, listNames(lists))
	}
	return err
}

// nextLine returns the next line that is not blank.
func (r *Reader) nextLine() (line []byte, begin int, err error) {
	for {
		line, r.long, err = input.ReadLine(r.in, r.long, table.MaxRow)
		if errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		if err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", r.line+1, err)
		}
		r.line++
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte(input.ByteOrderMark))) // files may have been joined
		if len(line) > 0 {
			return line, r.line, nil
		}
	}
}

// nextElement returns the next value of an array, of a sequence of values, or of the lists at r.path.
func (r *Reader) nextElement() (element []byte, begin int, err error) {
	for {
		// Several objects may have a list at the path, such as the pages of an API in one file.
		if r.path != nil && r.open == 0 {
			if err := r.enter(); err != nil {
				return nil, 0, err
			}
		}
		element, begin, err = r.element()
		if !errors.Is(err, errListEnd) {
			return element, begin, err
		}
		if err := r.leave(); err != nil {
			return nil, 0, err
		}
	}
}

// element returns the next value of an array or of a sequence of values.
func (r *Reader) element() (element []byte, begin int, err error) {
	c, err := r.skip()
	if errors.Is(err, io.EOF) && r.open > 0 {
		err = errors.New("the array is not closed")
	}

	if err != nil {
		return nil, 0, r.at(r.line, err)
	}
	begin = r.line
	r.long = r.long[:0]

	// An object ends with its last brace. Another value, such as a number, ends before what separates it from the next.
	isObject := c == '{'
	depth := 0 // of objects and lists around the next character
	inString := false
	escaped := false // a backslash stands before the next character

	for {
		r.long = append(r.long, c)

		// A file may be one object that never ends.
		if len(r.long) > table.MaxRow {
			return nil, 0, r.at(begin, input.ErrLongRow)
		}

		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = c == '\\'
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}

		isComplete := isObject && depth == 0 && !inString
		if isComplete {
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
		}

		// What separates two values belongs to their list, so it goes back to the input.
		isSeparator := c == ',' || c == ']' || c == '\n'
		isBetweenValues := !isObject && !inString && isSeparator
		if isBetweenValues {
			if c == '\n' {
				r.line--
			}
			return r.long, begin, r.in.UnreadByte()
		}
	}
}

// skip returns the first byte of the next value.
func (r *Reader) skip() (byte, error) {
	r.line = max(r.line, 1)
	for {
		c, err := r.readByte()
		if err != nil {
			return 0, err
		}
		switch c {
		case ' ', '\t', '\r', '\n', ',': // a comma counts as white space, so that sequences are read like arrays
		case '[':
			r.open++
		case ']':
			if r.open--; r.open == 0 && r.path != nil {
				return 0, errListEnd
			}
		default:
			return c, nil
		}
	}
}

func (r *Reader) readByte() (byte, error) {
	c, err := r.in.ReadByte()
	if c == '\n' && err == nil {
		r.line++
	}
	return c, err
}

// at adds the line to an error other than io.EOF.
func (r *Reader) at(line int, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
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

// scanWindow is the number of bytes in which keys are searched at a time, and maxScanned that of a key with its value.
const (
	scanWindow = input.HeadSize / 2
	maxScanned = 512
)

// valuesOf yields the texts and numbers after a quoted key that begins before window[end].
func valuesOf(key, window []byte, end int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for keyStart := bytes.Index(window, key); keyStart >= 0 && keyStart < end; {
			after := keyStart + len(key)
			if cell := scanValue(window[after:]); cell != nil && !yield(cell) {
				return
			}

			next := bytes.Index(window[after:], key)
			if next < 0 {
				return
			}
			keyStart = after + next
		}
	}
}

// ScanKeys calls add with each text or number under the keys of some columns, at any depth, up to the end of the file
// or the first error, which Rows reports. It doesn't parse objects, so it may find the keys in other objects, too.
//
// It reports whether each line is an object and no key has more values than there are lines, so that the values very
// likely belong to the columns.
func (r *Reader) ScanKeys(headers []string, columns []int, add func(column int, cell []byte)) (isExact bool) {
	lines := 1
	found := make([]int, len(columns))
	keys := make([][]byte, len(columns))
	for i, column := range columns {
		key := headers[column][strings.LastIndexByte(headers[column], '.')+1:]
		keys[i] = []byte(`"` + key + `"`)
	}

	for {
		window, err := r.in.Peek(scanWindow)
		end := len(window) // of the keys to find in this window

		// Windows overlap, so that each key has its whole value in one of them.
		if err == nil {
			end -= maxScanned
		}

		for i, key := range keys {
			for cell := range valuesOf(key, window, end) {
				add(columns[i], cell)
				found[i]++
			}
		}

		lines += bytes.Count(window[:end], []byte{'\n'})
		if _, discardErr := r.in.Discard(end); err != nil || discardErr != nil {
			return r.byLine && slices.Max(found) <= lines
		}
	}
}

// scanValue returns the text or number after a key, or nil if something else follows.
func scanValue(b []byte) []byte {
	b = flatten.SkipSpace(b)
	if len(b) == 0 || b[0] != ':' {
		return nil
	}
	b = flatten.SkipSpace(b[1:])
	if len(b) > 0 && b[0] == '"' {
		end := bytes.IndexByte(b[1:], '"')
		if end < 0 {
			return nil
		}
		return b[1 : 1+end]
	}
	end := 0
	for end < len(b) && strings.IndexByte("+-.0123456789eE", b[end]) >= 0 {
		end++
	}
	return b[:end]
}
