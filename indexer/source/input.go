package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// headSize is the number of bytes from which the format of a file is detected.
const headSize = 256 << 10

// input is the decompressed content of an Input.
type input struct {
	name    string
	offset  atomic.Int64 // bytes of the content read so far
	content Content
	*bufio.Reader
	head  []byte   // the first bytes, not yet consumed
	whole bool     // head is all there is
	text  charset  // of the cells
	lines int      // lines skipped before head
	notes []string // what was decided about the content
}

// note records a decision about the content.
func (in *input) note(format string, args ...any) {
	in.notes = append(in.notes, fmt.Sprintf(format, args...))
}

func openInput(from Input) (*input, error) {
	content, err := from.Open()
	if err != nil {
		return nil, err
	}
	in := &input{name: from.Name, content: content}
	in.Reader = bufio.NewReaderSize(countingReader{content, &in.offset}, headSize)
	return in, nil
}

// detect sets up decompression and decoding of the input, judging by its first bytes, and returns the format.
func (in *input) detect(o Options) (format string, err error) {
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		unpacked, err := gzip.NewReader(in.Reader)
		if err != nil {
			return "", fmt.Errorf("gzip: %w", err)
		}
		in.Reader = bufio.NewReaderSize(unpacked, headSize)
	}
	if err := in.peek(); err != nil {
		return "", err
	}
	if bytes.HasPrefix(in.head, []byte("PK\x03\x04")) {
		return formatXLSX, nil
	}
	if kind := binaryKind(in.head); kind != "" {
		return "", fmt.Errorf("the file is %s; want CSV, NDJSON, JSON or XLSX", kind)
	}
	if err := in.decode(o.Encoding); err != nil {
		return "", err
	}
	if err := in.skipLines(o.SkipLines); err != nil {
		return "", err
	}
	text := bytes.TrimSpace(in.head)
	if len(text) == 0 {
		return "", errors.New("the file is empty")
	}
	if hasControls(text) {
		return "", errors.New("the file is binary; want CSV, NDJSON, JSON or XLSX")
	}
	if err := in.chooseCharset(o); err != nil {
		return "", err
	}
	if text[0] == '{' || text[0] == '[' {
		return formatNDJSON, nil
	}
	return formatCSV, nil
}

// peek sets head. It returns an error if the file can't be read.
func (in *input) peek() error {
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	in.head, in.whole = head, err != nil
	return nil
}

// binaryKind recognizes common files that are not tables by their first bytes. It returns "" for any other file.
func binaryKind(head []byte) string {
	for _, kind := range []struct{ magic, name string }{
		{"\xd0\xcf\x11\xe0", "an encrypted workbook or in the old .xls format (save it as .xlsx without a password)"},
		{"%PDF", "a PDF"},
		{"\x89PNG", "a picture"},
		{"\xff\xd8\xff", "a picture"},
		{"SQLite format 3\x00", "an SQLite database"},
		{"PAR1", "a Parquet file"},
		{"Obj\x01", "an Avro file"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd (decompress it first)"},
		{"BZh", "compressed with bzip2 (decompress it first)"},
		{"\xfd7zXZ\x00", "compressed with xz (decompress it first)"},
		{"7z\xbc\xaf", "a 7z archive (extract it first)"},
		{"\x1f\x8b", "compressed with gzip twice (decompress it first)"},
		{"\x7fELF", "an executable program"},
	} {
		if bytes.HasPrefix(head, []byte(kind.magic)) {
			return kind.name
		}
	}
	return ""
}

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

// countingReader counts the bytes read through it.
type countingReader struct {
	io.Reader
	count *atomic.Int64
}

// Read implements io.Reader.
func (r countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.count.Add(int64(n))
	return n, err
}

// readLine reads a line and returns it without its line end. long is a buffer for a line that exceeds the buffer of in;
// it is returned for the next call. At the end of the file, the line is empty and the error is io.EOF.
func readLine(in *bufio.Reader, long []byte, limit int) (line, buffer []byte, err error) {
	line, err = in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long = long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			if len(long) > limit {
				return nil, long, errLongRow
			}
			line, err = in.ReadSlice('\n')
		}
		long = append(long, line...)
		line = long
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), long, err
}

var errLongRow = errors.New("a row is larger than 4 MiB")
