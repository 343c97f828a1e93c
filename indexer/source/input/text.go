package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"github.com/freelancer-matching/service/indexer/source/charset"
	"github.com/freelancer-matching/service/indexer/source/table"
)

// ByteOrderMark is the character that may mark the beginning of a text.
const ByteOrderMark = "\ufeff"

// decode converts text to UTF-8 from the named encoding or, without a name, from UTF-16 or UTF-32, and the line ends of
// old Macs to line feeds. It removes a byte order mark. It leaves Windows-1252 to the readers of cells.
func (in *Stream) decode(name string) error {
	from := wideEncoding(in.Head)
	if name != "" {
		var err error
		if from, err = charset.Named(name); err != nil {
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

	if bytes.HasPrefix(in.Head, []byte(ByteOrderMark)) {
		if _, err := in.Discard(len(ByteOrderMark)); err != nil {
			return err
		}
		if err := in.peek(); err != nil {
			return err
		}
	}

	// A carriage return alone ends the lines of old Macs.
	if bytes.IndexByte(in.Head, '\r') >= 0 && bytes.IndexByte(in.Head, '\n') < 0 {
		return in.through(macReader{in.Reader})
	}

	return nil
}

// through replaces the reader of the input by one that reads from it.
func (in *Stream) through(r io.Reader) error {
	in.Reader = bufio.NewReaderSize(r, HeadSize)
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
func (in *Stream) chooseCharset(name string) error {
	if name != "" {
		return nil
	}
	if in.Charset = charset.Detect(in.Head); !in.Charset.IsLegacy {
		return nil
	}
	example, err := charset.CheckLegacy(in.Head)
	if err != nil {
		return err
	}
	in.Note("not UTF-8; read as Windows-1252, such as %q; if this is wrong, name the encoding with -encoding", example)
	return nil
}

// SkipLines skips lines before the content.
func (in *Stream) SkipLines(n int) error {
	var long []byte
	for i := range n {
		var err error
		_, long, err = ReadLine(in.Reader, long, table.MaxRow)
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the file has only %d lines, but %d are to be skipped", i, n)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", in.SkippedLines+1, err)
		}
		in.SkippedLines++
	}
	return in.peek()
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
