// Package datafile writes and reads the data file of a taxonomy: lines of text in sections, compressed with gzip. The
// first line names the format and the version of the content. A section begins with the number of its lines and its
// name, such as "3 phrases".
package datafile

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	header  = "taxonomy 3 "
	maxBody = 64 << 20 // bytes before compression; Open rejects larger files
)

// A Section is a part of a file.
type Section struct {
	Name  string
	Lines []string // without line breaks
}

// Encode returns a file with some sections. Equal sections encode to equal bytes. The version is a checksum of them.
func Encode(sections []Section) ([]byte, error) {
	var body bytes.Buffer
	for _, s := range sections {
		fmt.Fprintf(&body, "%d %s\n", len(s.Lines), s.Name)
		for _, line := range s.Lines {
			fmt.Fprintln(&body, line)
		}
	}

	sum := sha256.Sum256(body.Bytes())
	return compress(header + hex.EncodeToString(sum[:6]) + "\n" + body.String())
}

func compress(text string) ([]byte, error) {
	var file bytes.Buffer
	zip, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(zip, text); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// A Reader reads the sections of a file in order. After an error, it reads nothing more.
type Reader struct {
	Version string

	rest string
	err  error
}

// Open decompresses a file and returns a reader of its sections.
func Open(file []byte) (*Reader, error) {
	zip, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("open the taxonomy: %w", err)
	}
	var body strings.Builder
	if len(file) >= 4 { // gzip ends with the uncompressed size (RFC 1952, section 2.3.1)
		body.Grow(int(file[len(file)-4]) | int(file[len(file)-3])<<8 | int(file[len(file)-2])<<16)
	}
	if _, err := io.Copy(&body, io.LimitReader(zip, maxBody)); err != nil {
		return nil, fmt.Errorf("decompress the taxonomy: %w", err)
	}

	first, rest, _ := strings.Cut(body.String(), "\n")
	version, ok := strings.CutPrefix(first, header)
	if !ok {
		return nil, fmt.Errorf("taxonomy: the file starts with %q, want %q and a version", first, header)
	}
	return &Reader{Version: version, rest: rest}, nil
}

// Err returns the error that ended reading, or nil.
func (r *Reader) Err() error { return r.err }

// Fail ends reading with an error that the caller has found in a line. The error names the taxonomy.
func (r *Reader) Fail(format string, args ...any) { r.err = fmt.Errorf("taxonomy: "+format, args...) }

// Section reads the next section, which must have the given name. It calls size with the number of lines, then each
// with the tab-separated fields of every line. The slice of fields is reused.
func (r *Reader) Section(name string, size func(n int), each func(fields []string)) {
	if r.err != nil {
		return
	}

	count, title, _ := strings.Cut(r.line(), " ")
	n, err := strconv.Atoi(count)
	fits := err == nil && n >= 0 && n <= len(r.rest)
	if !fits || title != name {
		r.Fail("section %q with %q lines, want section %q", title, count, name)
		return
	}

	// The number of lines comes first, so that the caller allocates once.
	size(n)
	var fields []string
	for range n {
		if r.rest == "" {
			r.Fail("the file ends within section %q", name)
			return
		}

		fields = fields[:0]
		for field := range strings.SplitSeq(r.line(), "\t") {
			fields = append(fields, field)
		}

		each(fields)
	}
}

// Last returns the lines of the last section, which must have the given name, as they are stored.
func (r *Reader) Last(name string) string {
	if r.err == nil && !strings.HasSuffix(r.line(), " "+name) {
		r.Fail("section %q is missing", name)
	}
	return r.rest
}

func (r *Reader) line() string {
	line, rest, _ := strings.Cut(r.rest, "\n")
	r.rest = rest
	return line
}

// Number parses a decimal number. It fails if that is malformed, unless reading has failed before.
func (r *Reader) Number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil && r.err == nil {
		r.Fail("%q is not a number", digits)
	}
	return n
}
