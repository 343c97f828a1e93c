package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"freelancer-matching/internal/value"
)

const byteOrderMark = "\ufeff"

// decode converts text to UTF-8 from the named encoding or, without a name, from UTF-16 or UTF-32, and the line ends of
// old Macs to line feeds. It removes a byte order mark. It leaves Windows-1252 to the readers of cells.
func (in *input) decode(name string) error {
	from := wideEncoding(in.head)
	if name != "" {
		var err error
		if from, err = encodingNamed(name); err != nil {
			return err
		}

		if from == unicode.UTF8 {
			from = nil // the readers of cells report invalid bytes
		}
	}

	if from != nil {
		if err := in.through(transform.NewReader(in.Reader, from.NewDecoder())); err != nil {
			return err
		}
	}

	if bytes.HasPrefix(in.head, []byte(byteOrderMark)) {
		if _, err := in.Discard(len(byteOrderMark)); err != nil {
			return err
		}
		if err := in.peek(); err != nil {
			return err
		}
	}

	if bytes.IndexByte(in.head, '\r') >= 0 && bytes.IndexByte(in.head, '\n') < 0 {
		return in.through(macReader{in.Reader})
	}

	return nil
}

// through replaces the reader of the input by one that reads from it.
func (in *input) through(r io.Reader) error {
	in.Reader = bufio.NewReaderSize(r, headSize)
	return in.peek()
}

// wideEncoding detects UTF-16 and UTF-32, and returns nil for any other encoding. It judges by the byte order mark, or
// by the zeros in every other byte, or in three of four, of text that is mostly ASCII.
func wideEncoding(head []byte) encoding.Encoding {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe\x00\x00")), bytes.HasPrefix(head, []byte("\x00\x00\xfe\xff")):
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}

	var zeros [4]int
	sample := head[:min(len(head), 4096)]
	for i, c := range sample {
		if c == 0 {
			zeros[i%4]++
		}
	}

	most := len(sample)/4/2 + 1 // more than half of the bytes at one of four positions
	isZero := [4]bool{zeros[0] >= most, zeros[1] >= most, zeros[2] >= most, zeros[3] >= most}
	switch isZero {
	case [4]bool{false, true, true, true}:
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case [4]bool{true, true, true, false}:
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case [4]bool{false, true, false, true}:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case [4]bool{true, false, true, false}:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}

	return nil
}

// chooseCharset decides how cells are decoded.
func (in *input) chooseCharset(o Options) error {
	if o.Encoding != "" {
		return nil
	}
	if in.text = newCharset(in.head); !in.text.isLegacy {
		return nil
	}
	example, err := checkLegacy(in.head)
	if err != nil {
		return err
	}
	in.note("not UTF-8; read as Windows-1252, such as %q; if this is wrong, name the encoding with -encoding", example)
	return nil
}

// skipLines skips lines before the content.
func (in *input) skipLines(n int) error {
	var long []byte
	for i := range n {
		var err error
		_, long, err = readLine(in.Reader, long, maxRow)
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the file has only %d lines, but %d are to be skipped", i, n)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", in.lines+1, err)
		}
		in.lines++
	}
	return in.peek()
}

// skipPreamble skips what may come before the header of a CSV file: the line "sep=;", with which spreadsheets declare
// the delimiter, and comments. It returns the declared delimiter, or 0.
//
// A line that begins with # is a comment only before the header, because later it may be a row: a title such as "#1
// designer".
func (in *input) skipPreamble(o Options) (delim rune, err error) {
	if text := strings.Trim(in.firstLine(), `"`); len(text) == 5 && strings.EqualFold(text[:4], "sep=") {
		delim = rune(text[4])
		if err := in.skipLines(1); err != nil {
			return 0, err
		}
		in.note("line %d declares the delimiter %q", in.lines, delim)
	}

	comments, first := 0, ""
	for !o.NoHeader && bytes.HasPrefix(in.head, []byte{'#'}) && !isHeaderLine(in.firstLine(), o) {
		if comments++; comments == 1 {
			first, _ = value.Line(in.firstLine(), 60)
		}
		if err := in.skipLines(1); err != nil {
			return 0, err
		}
	}

	if comments > 0 {
		in.note("skipped comments above the header: %d, beginning with %q", comments, first)
	}

	return delim, nil
}

// firstLine returns the first line of head.
func (in *input) firstLine() string {
	line, _, _ := bytes.Cut(in.head, []byte{'\n'})
	return strings.TrimSuffix(string(line), "\r")
}

// isHeaderLine reports whether a line that begins with # is a header: a column named "#", or several known headers.
func isHeaderLine(line string, o Options) bool {
	candidates := delimiters
	if o.Delimiter != 0 {
		candidates = string(o.Delimiter)
	}
	for _, delim := range candidates {
		cells := strings.Split(line, string(delim))
		cells[0] = strings.Trim(cells[0], `# "`)
		if len(cells) > 1 && cells[0] == "" || countKnown(cells, o.Map) > 1 {
			return true
		}
	}
	return false
}

// countKnown returns the number of cells that are known headers.
func countKnown(cells []string, overrides map[string]string) (n int) {
	for _, cell := range cells {
		if isKnown(strings.Trim(cell, ` "`), overrides) {
			n++
		}
	}
	return n
}

// maxTitleRows is the number of rows in which a header is looked for.
const maxTitleRows = 20

// headerRow returns the index of the header among the first rows. Titles and notes may be above it: if the first row
// has no known header, the header is the first row with at least two.
func headerRow(records []record, overrides map[string]string) int {
	if len(records) == 0 {
		return 0
	}
	known := countKnown(records[0].cells, overrides)
	filled := 0
	for _, cell := range records[0].cells {
		if strings.TrimSpace(cell) != "" {
			filled++
		}
	}

	if known > 1 || known == 1 && filled > 1 {
		return 0
	}

	for i, rec := range records[:min(len(records), maxTitleRows)] {
		if countKnown(rec.cells, overrides) > 1 {
			return i
		}
	}

	return 0
}

// titleNote describes the rows above a header.
func titleNote(records []record, header int) string {
	title, _ := value.Line(strings.Join(records[0].cells, " "), 60)
	return fmt.Sprintf("the header is in line %d; the lines above it were skipped, beginning with %q",
		records[header].line, title)
}

// numberedHeaders returns headers for a table without a header: "column 1", "column 2" and so on. Their number is that
// of most rows.
func numberedHeaders(sample []record) []string {
	counts := map[int]int{}
	most := 0
	for _, rec := range sample {
		n := len(rec.cells)
		if counts[n]++; counts[n] > counts[most] {
			most = n
		}
	}
	headers := make([]string, most)
	for i := range headers {
		headers[i] = fmt.Sprintf("column %d", i+1)
	}
	return headers
}

// macReader replaces carriage returns, the line ends of old Macs, by line feeds.
type macReader struct{ io.Reader }

// Read implements io.Reader.
func (r macReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
