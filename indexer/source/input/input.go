// Package input opens files, decompresses them, and detects their format and encoding from the content.
package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/freelancer-matching/service/indexer/source/charset"
)

// HeadSize is the number of bytes from which the format of a file is detected.
const HeadSize = 256 << 10

// Options say how to read the bytes of a file.
type Options struct {
	File      string // in a zip archive; empty for the only one
	Encoding  string // of text; empty to detect it
	SkipLines int    // before the content of a text
}

// Stream is the decompressed content of an Input.
type Stream struct {
	Name     string
	MadeFrom string       // Input.Format
	Offset   atomic.Int64 // bytes of the content read so far
	Content  Content
	Bytes    *contentReader
	*bufio.Reader
	Head    []byte // the first bytes, not yet consumed
	IsWhole bool   // head is all there is

	isPacked     bool // the content is compressed
	Closers      []func() error
	Charset      charset.Decoder // of the cells
	SkippedLines int             // lines skipped before head
	Notes        []string        // what was decided about the content
}

// Note records a decision about the content.
func (in *Stream) Note(format string, args ...any) {
	in.Notes = append(in.Notes, fmt.Sprintf(format, args...))
}

// Close closes the decompressors and the content.
func (in *Stream) Close() error {
	var errs []error
	for _, closer := range slices.Backward(in.Closers) {
		errs = append(errs, closer())
	}
	return errors.Join(append(errs, in.Content.Close())...)
}

// Open opens a source as a stream, without reading from it. Detect sets up the decompression and decoding.
func Open(from Source) (*Stream, error) {
	content, err := from.Open()
	if err != nil {
		return nil, err
	}
	in := &Stream{Name: from.Name, MadeFrom: from.Format, Content: content}
	in.Bytes = &contentReader{content: content, count: &in.Offset}
	in.Reader = bufio.NewReaderSize(in.Bytes, HeadSize)
	return in, nil
}

// Detect sets up decompression and decoding of the input, judging by its first bytes, and returns the format.
func (in *Stream) Detect(o *Options) (format string, err error) {
	if err := in.unpack(o); err != nil {
		return "", err
	}

	// Workbooks and Parquet files are binary, so they are recognized before text is decoded.
	switch {
	case isZip(in.Head):
		return XLSX, nil
	case bytes.HasPrefix(in.Head, []byte("PAR1")):
		return Parquet, nil
	}

	if kind := binaryKind(in.Head); kind != "" {
		return "", fmt.Errorf("the file is %s; want CSV, NDJSON, JSON, XLSX or Parquet", kind)
	}
	if err := in.decode(o.Encoding); err != nil {
		return "", err
	}
	if err := in.SkipLines(o.SkipLines); err != nil {
		return "", err
	}

	text := bytes.TrimSpace(in.Head)
	if len(text) == 0 {
		return "", errors.New("the file is empty")
	}
	if kind := documentKind(text); kind != "" {
		return "", fmt.Errorf("the file is %s; want CSV, NDJSON, JSON, XLSX or Parquet", kind)
	}

	// UTF-16 is full of zeros, so control characters are counted once the text is decoded.
	if hasControls(text) {
		return "", errors.New("the file is binary; want CSV, NDJSON, JSON, XLSX or Parquet")
	}
	if err := in.chooseCharset(o.Encoding); err != nil {
		return "", err
	}
	if text[0] == '{' || text[0] == '[' {
		return NDJSON, nil
	}

	return CSV, nil
}

// peek sets head. It returns an error if the file can't be read.
func (in *Stream) peek() error {
	head, err := in.Peek(HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	in.Head = head
	in.IsWhole = err != nil
	return nil
}

// binaryKind recognizes common files that are not tables by their first bytes. It returns "" for any other file.
func binaryKind(head []byte) string {
	for _, kind := range []struct{ magic, name string }{
		{
			"\xd0\xcf\x11\xe0", "an encrypted workbook or in the old .xls format (save it as .xlsx without a password, or " +
				"convert it with " + convertHint + ")",
		},
		{"%PDF", "a PDF"},
		{"\x89PNG", "a picture"},
		{"\xff\xd8\xff", "a picture"},
		{"SQLite format 3\x00", "an SQLite database"},
		{"PARE", "an encrypted Parquet file"},
		{"Obj\x01", "an Avro file"},
		{"7z\xbc\xaf", "a 7z archive (extract it first)"},
		{"Rar!", "a RAR archive (extract it first)"},
		{"\x04\x22\x4d\x18", "compressed with lz4 (decompress it first)"},
		{"\x1f\x8b", "a damaged gzip file"},
		{"\x1f\x9d", "compressed with compress (decompress it first)"},
		{"\x7fELF", "an executable program"},
	} {
		if bytes.HasPrefix(head, []byte(kind.magic)) {
			return kind.name
		}
	}

	const tarMagic, tarOffset = "ustar", 257
	if len(head) > tarOffset && bytes.HasPrefix(head[tarOffset:], []byte(tarMagic)) {
		return "a tar archive (extract it first)"
	}

	return ""
}

// documentKind recognizes common text files that are not tables by how they begin. It returns "" for any other file.
func documentKind(text []byte) string {
	const longest = 40
	start := strings.ToLower(string(text[:min(len(text), longest)]))
	start = strings.TrimLeft(start, "- \r\n") // comments in SQL
	for _, kind := range []struct{ prefix, name string }{
		{"<!doctype html", htmlKind},
		{"<html", htmlKind},
		{"<table", htmlKind},
		{"<?xml", "an XML file (open it in a spreadsheet program and save it as .xlsx)"},
		{"begin:vcard", "a list of contacts (vCard)"},
		{"mysql dump", sqlKind},
		{"mariadb dump", sqlKind},
		{"phpmyadmin sql dump", sqlKind},
		{"postgresql database dump", sqlKind},
		{"create table", sqlKind},
		{"insert into", sqlKind},
	} {
		if strings.HasPrefix(start, kind.prefix) {
			return kind.name
		}
	}

	return ""
}

const (
	htmlKind = "a web page: perhaps a page to sign in, or a table that must be opened in a spreadsheet program and " +
		"saved as .xlsx"
	sqlKind = "an SQL dump (export the table as CSV)"
)

// hasControls reports whether more than 2% of the bytes are control characters, which is never so in text.
func hasControls(text []byte) bool {
	controls := 0
	for _, c := range text {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			controls++
		}
	}
	return controls > len(text)/50
}

// ReadLine reads a line and returns it without its line end. long is a buffer for a line that exceeds the buffer of in;
// it is returned for the next call. At the end of the file, the line is empty and the error is io.EOF.
func ReadLine(in *bufio.Reader, long []byte, limit int) (line, buffer []byte, err error) {
	line, err = in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long = long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			if len(long) > limit {
				return nil, long, ErrLongRow
			}
			line, err = in.ReadSlice('\n')
		}
		long = append(long, line...)
		line = long
	}

	// The last line may lack its end.
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), long, err
}

// ErrLongRow is the error for a row over the maximum size.
var ErrLongRow = errors.New("a row is larger than 4 MiB")

// The file formats.
const (
	CSV    = "csv"
	NDJSON = "ndjson"
	XLSX   = "xlsx"

	Parquet = "parquet"
)
