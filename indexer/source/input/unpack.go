package input

import (
	"archive/zip"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/indexer/spool"
)

// The limits of decompression. Tables compress to a fifth or a tenth of their size, and to a hundredth if they repeat
// themselves.
const (
	maxExpanded   = 256 << 30 // bytes
	maxExpansion  = 500       // times the compressed size, beyond freeExpansion
	freeExpansion = 64 << 20  // bytes
	MaxWindow     = 256 << 20 // bytes of earlier text that a compressed file may refer to, which are kept in memory
	maxSpooled    = 4 << 30   // bytes of a compressed file that is unpacked to the folder for temporary files
)

// packing is a format of compressed files.
type packing struct {
	name, magic string
	open        func(in *Stream) (io.Reader, error)
}

// packings returns the formats of compressed files that are read.
func packings() []packing {
	return []packing{
		{"gzip", "\x1f\x8b\x08", func(in *Stream) (io.Reader, error) { return gzip.NewReader(in.Reader) }},
		{"zstd", "\x28\xb5\x2f\xfd", openZstd},
		{"bzip2", "BZh?1AY&SY", func(in *Stream) (io.Reader, error) { return bzip2.NewReader(in.Reader), nil }},
		{"xz", "\xfd7zXZ\x00", openXZ},
	}
}

// packingOf returns the compression of a file by its first bytes. Its name is empty if the file is not compressed.
func packingOf(head []byte) packing {
	for _, p := range packings() {
		if len(head) >= len(p.magic) && matches(head, p.magic) {
			return p
		}
	}
	return packing{}
}

// matches reports whether b begins with the magic bytes, of which a question mark stands for any byte.
func matches(b []byte, magic string) bool {
	for i := range len(magic) {
		if magic[i] != '?' && b[i] != magic[i] {
			return false
		}
	}
	return true
}

// unpack decompresses the content. It replaces o.file by "" if it names a file in an archive.
func (in *Stream) unpack(o *Options) error {
	head, err := in.Peek(16)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if isZip(head) {
		return in.openArchive(o)
	}

	p := packingOf(head)
	if p.name == "" {
		return in.peek()
	}
	unpacked, err := p.open(in)
	if err != nil {
		return fmt.Errorf("the %s file can't be read: %w", p.name, err)
	}

	in.isPacked = true
	if err := in.through(in.limited(unpacked, p.name)); err != nil {
		return err
	}
	if again := packingOf(in.Head).name; again != "" {
		return fmt.Errorf("the file is compressed twice, with %s and %s; decompress it first", p.name, again)
	}

	return nil
}

func openZstd(in *Stream) (io.Reader, error) {
	decoder, err := zstd.NewReader(in.Reader, zstd.WithDecoderMaxWindow(MaxWindow))
	if err != nil {
		return nil, err
	}
	in.Closers = append(in.Closers, func() error {
		decoder.Close()
		return nil
	})
	return decoder, nil
}

// openXZ checks the size of the window first, because the library allocates whatever the file asks for.
func openXZ(in *Stream) (io.Reader, error) {
	header, err := in.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if window := xzWindow(header); window > MaxWindow {
		return nil, fmt.Errorf("decompression needs %s of memory; compress the file again with a window of up to %s",
			humanize.IBytes(uint64(window)), humanize.IBytes(MaxWindow))
	}
	return xz.NewReader(in.Reader)
}

// xzWindow returns the window size in the header of the first block of an xz file, or 0 if the header is invalid.
func xzWindow(header []byte) int64 {
	const streamHeader, filterLZMA2 = 12, 0x21
	if len(header) < streamHeader+2 {
		return 0
	}
	flags := header[streamHeader+1]
	rest := header[streamHeader+2:]
	for _, size := range []byte{0x40, 0x80} { // optional sizes of the block
		if flags&size != 0 {
			_, n := binary.Uvarint(rest)
			rest = rest[max(n, 0):]
		}
	}

	for range flags&3 + 1 { // filters: id, size of the properties, properties
		if len(rest) < 3 || int(rest[1]) > len(rest)-2 {
			return 0
		}

		if rest[0] == filterLZMA2 {
			window, err := lzma.DecodeDictCap(rest[2])
			if err != nil {
				return 0
			}
			return window
		}

		rest = rest[2+rest[1]:]
	}

	return 0
}

// limited returns a reader of decompressed content that returns an error if the content is a decompression bomb or
// incomplete.
func (in *Stream) limited(r io.Reader, name string) io.Reader {
	return &limitedReader{Reader: r, name: name, packed: &in.Offset}
}

type limitedReader struct {
	io.Reader
	name     string
	packed   *atomic.Int64 // compressed bytes read so far
	expanded int64
}

// Read implements io.Reader.
func (r *limitedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.expanded += int64(n)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the %s file ends too early; it is incomplete", r.name)
	case err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("the %s file is damaged: %w", r.name, err)
	case r.expanded > maxExpanded,
		r.expanded > freeExpansion && r.expanded/maxExpansion > r.packed.Load():
		err = fmt.Errorf("%s of the %s file were decompressed to more than %s; this is too much for a table",
			humanize.IBytes(uint64(r.packed.Load())), r.name, humanize.IBytes(uint64(r.expanded)))
	}
	return n, err
}

func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// openArchive opens the only file of a zip archive, or the one that o.file names. It leaves a workbook, which is a zip
// archive, as it is.
func (in *Stream) openArchive(o *Options) error {
	read := in.Offset.Load()
	archive, err := zip.NewReader(countingReaderAt{in.Content, &in.Offset}, in.Content.Size())
	if errors.Is(err, zip.ErrFormat) {
		return errors.New("the zip archive or workbook is incomplete or damaged")
	}
	if err != nil {
		return fmt.Errorf("zip: %w", err)
	}

	kind, files := archiveKind(archive)
	if kind == XLSX {
		in.Offset.Store(read) // the workbook is read from its start
		return in.peek()
	}

	if kind != "" {
		return fmt.Errorf("the file is %s", kind)
	}
	file, err := chooseFile(files, o)
	if err != nil {
		return err
	}
	if file.Flags&1 != 0 {
		return fmt.Errorf("the file %q in the zip archive is encrypted; extract it first", file.Name)
	}

	content, err := file.Open()
	if err != nil {
		return fmt.Errorf("zip: %w", err)
	}
	in.Closers = append(in.Closers, content.Close)
	in.isPacked = true
	in.Note("read %q from the zip archive", file.Name)

	if err := in.through(in.limited(content, "zip")); err != nil {
		return err
	}
	if again := packingOf(in.Head).name; again != "" {
		return fmt.Errorf("the file %q in the zip archive is compressed with %s; extract it first", file.Name, again)
	}

	return nil
}

// archiveKind returns what a zip archive is: a workbook, a document that is not read, or "" for an archive of files. It
// leaves out what systems add to archives.
func archiveKind(archive *zip.Reader) (kind string, files []*zip.File) {
	for _, file := range archive.File {
		name := strings.ToLower(strings.ReplaceAll(file.Name, `\`, "/"))
		switch {
		case name == "xl/workbook.xml":
			return XLSX, nil
		case name == "xl/workbook.bin":
			return "a binary workbook (.xlsb); save it as .xlsx", nil
		case name == "index/document.iwa":
			return "a Numbers document; export it as .xlsx or CSV", nil
		case name == "content.xml":
			return "an OpenDocument file; convert a table to .xlsx, such as with " + convertHint, nil
		case name == "word/document.xml":
			return "a Word document; save the table as .xlsx or CSV", nil
		case strings.HasSuffix(name, "/"), strings.HasPrefix(name, "__macosx/"), strings.HasPrefix(path.Base(name), "."),
			path.Base(name) == "thumbs.db", path.Base(name) == "desktop.ini":
		default:
			files = append(files, file)
		}
	}

	return "", files
}

// convertHint is a command that converts spreadsheets of other formats.
const convertHint = "libreoffice --headless --convert-to xlsx FILE"

// chooseFile returns the file of an archive to read.
func chooseFile(files []*zip.File, o *Options) (*zip.File, error) {
	i := slices.IndexFunc(files, func(file *zip.File) bool {
		return strings.EqualFold(file.Name, o.File) || strings.EqualFold(path.Base(file.Name), o.File)
	})
	switch {
	case o.File != "" && i >= 0:
		o.File = ""
		return files[i], nil
	case len(files) == 1:
		return files[0], nil
	case len(files) == 0:
		return nil, errors.New("the zip archive has no files")
	}

	names := make([]string, len(files))
	for i, file := range files {
		names[i] = file.Name
	}

	if o.File != "" {
		return nil, fmt.Errorf("no file %q in the zip archive; it has %s", o.File, table.Quoted(names))
	}

	return nil, fmt.Errorf("the zip archive has several files: %s; name one with -sheet, such as -sheet %q",
		table.Quoted(names), names[0])
}

// countingReaderAt counts the bytes read through it.
type countingReaderAt struct {
	io.ReaderAt
	count *atomic.Int64
}

// ReadAt implements io.ReaderAt.
func (r countingReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, offset)
	r.count.Add(int64(n))
	return n, err
}

// Seekable returns the decompressed content for reading by offset. It unpacks a compressed file to a temporary file.
func (in *Stream) Seekable() (content io.ReaderAt, size int64, err error) {
	if !in.isPacked {
		return countingReaderAt{in.Content, &in.Offset}, in.Content.Size(), nil
	}
	unpacked, err := spool.New(maxSpooled)
	if err != nil {
		return nil, 0, err
	}
	in.Closers = append(in.Closers, unpacked.Close)
	if _, err := io.Copy(unpacked, in.Reader); err != nil {
		return nil, 0, err
	}
	return unpacked, unpacked.Size(), nil
}
