package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// headSize is the number of bytes from which the format of a file is detected.
const headSize = 256 << 10

// input is the decompressed content of an Input.
type input struct {
	name    string
	offset  atomic.Int64 // bytes of the content read so far
	content Content
	*bufio.Reader
	head  []byte // the first bytes, not yet consumed
	whole bool   // head is all there is
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
func (in *input) detect() (format string, err error) {
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
	if err := in.decode(); err != nil {
		return "", err
	}
	text := bytes.TrimSpace(in.head)
	if len(text) == 0 {
		return "", errors.New("the file is empty")
	}
	if hasControls(text) {
		return "", errors.New("the file is binary; want CSV, NDJSON, JSON or XLSX")
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

// decode removes a byte order mark, and converts UTF-16 to UTF-8 and the line ends of old Macs to line feeds.
func (in *input) decode() error {
	if bytes.HasPrefix(in.head, []byte("\xef\xbb\xbf")) {
		if _, err := in.Discard(3); err != nil {
			return err
		}
	} else if order, ok := utf16Order(in.head); ok {
		decoder := unicode.UTF16(order, unicode.UseBOM).NewDecoder()
		in.Reader = bufio.NewReaderSize(transform.NewReader(in.Reader, decoder), headSize)
	}
	if err := in.peek(); err != nil {
		return err
	}
	if bytes.IndexByte(in.head, '\r') >= 0 && bytes.IndexByte(in.head, '\n') < 0 {
		in.Reader = bufio.NewReaderSize(macReader{in.Reader}, headSize)
		return in.peek()
	}
	return nil
}

// utf16Order detects UTF-16 and its byte order: by the mark, or by the zeros in every other byte of Western text.
func utf16Order(head []byte) (order unicode.Endianness, ok bool) {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return unicode.LittleEndian, true
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return unicode.BigEndian, true
	}
	var zeros [2]int
	for i, c := range head[:min(len(head), 1024)] {
		if c == 0 {
			zeros[i%2]++
		}
	}
	pairs := min(len(head), 1024) / 2
	switch {
	case pairs > 0 && zeros[0] == 0 && zeros[1] > pairs/2:
		return unicode.LittleEndian, true
	case pairs > 0 && zeros[1] == 0 && zeros[0] > pairs/2:
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
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
