// Package zipxml reads the XML parts of zip archives, such as DOCX and ODT files, as streams and within limits. The
// limits are checked during reading, because the sizes that a file declares cannot be trusted.
package zipxml

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/freelancer-matching/service/resume/flow"
)

const (
	ratioFrom = 100 << 10 // size of a part from which its compression ratio is checked, in bytes
	maxToken  = 2 << 20   // size of one tag or text, in bytes; Word stores pictures of old shapes in attributes
	ctxEvery  = 512       // tokens between checks of the context
)

// An Archive is the zip file of a document. It counts the work spent on reading it. It is not safe for concurrent use.
type Archive struct {
	contextError func() error // the error of the context that bounds the work
	limits       flow.Limits
	prefix       func(namespace string) string
	parts        map[string]*zip.File // by name, in lower case, because part names are case-insensitive
	inflated     int64                // bytes
	tokens       int
}

// Open opens the zip file of a document, which is read until ctx ends. prefix returns the usual prefix of a namespace,
// with its colon.
func Open(
	ctx context.Context, file []byte, limits flow.Limits, prefix func(namespace string) string,
) (*Archive, error) {
	// Entries are counted before the directory is read, because reading each one takes several times its size.
	if n := bytes.Count(file, []byte("PK\x01\x02")); n > limits.Entries {
		return nil, flow.TooComplex("The archive has %d entries, but the limit is %d.", n, limits.Entries)
	}

	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, flow.Corrupt("The file is incomplete or damaged.", err)
	}

	a := &Archive{
		contextError: ctx.Err, limits: limits, prefix: prefix, parts: make(map[string]*zip.File, len(z.File)),
	}

	// Names are compared without regard to case or the kind of slash. Of parts with the same name, the first one counts.
	for _, f := range z.File {
		name := PartName("", f.Name)
		if _, taken := a.parts[name]; !taken {
			a.parts[name] = f
		}
	}

	return a, nil
}

// PartName returns the name of the part to which target refers, relative to a folder.
func PartName(folder, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if !strings.HasPrefix(target, "/") {
		target = "/" + folder + "/" + target
	}
	return strings.ToLower(strings.TrimPrefix(path.Clean(target), "/"))
}

// Err returns the error of the context that bounds the work.
func (a *Archive) Err() error { return a.contextError() }

// Has reports whether the archive has a part.
func (a *Archive) Has(name string) bool { return a.parts[name] != nil }

// Names returns the names of the parts, in lower case and in alphabetical order.
func (a *Archive) Names() []string { return slices.Sorted(maps.Keys(a.parts)) }

// Scan starts reading a part. The caller must close the scanner.
func (a *Archive) Scan(name string) (*Scanner, error) {
	f, ok := a.parts[name]
	if !ok {
		return nil, errors.New("no part " + name)
	}
	if f.Flags&1 != 0 {
		return nil, flow.Encrypted()
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewReader(&meter{archive: a, name: name, source: r, packed: int64(f.CompressedSize64)})
	if start, _ := buffered.Peek(2); isUTF16(start) { // an error appears again when the part is read
		decoder := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
		buffered = bufio.NewReader(decoder.Reader(buffered))
	}
	return newScanner(a, &input{Reader: buffered}, r), nil
}

// A meter counts the bytes of one part as they are inflated.
type meter struct {
	archive *Archive
	name    string
	source  io.Reader
	packed  int64
	read    int64
}

// Read fails once a limit is exceeded.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.source.Read(p)
	m.read += int64(n)
	m.archive.inflated += int64(n)

	// The uncompressed sizes in the directory may be wrong, so the limits apply to the bytes that come out.
	limits := m.archive.limits
	switch {
	case m.read > limits.Part:
		return 0, flow.TooComplex("The part %s has more than %d bytes.", m.name, limits.Part)
	case m.archive.inflated > limits.Total:
		return 0, flow.TooComplex("The parts of the document have more than %d bytes.", limits.Total)
	case m.read > ratioFrom && m.read > limits.Ratio*max(m.packed, 1):
		return 0, flow.TooComplex("The part %s is more than %d times as large as its compressed form.", m.name, limits.Ratio)
	}
	return n, err
}

// An input bounds the bytes of one token, for which the XML decoder allocates memory before it returns the token.
type input struct {
	*bufio.Reader
	token int
}

// ReadByte implements io.ByteReader, through which the XML decoder reads.
func (i *input) ReadByte() (byte, error) {
	i.token++
	if i.token > maxToken {
		return 0, flow.TooComplex("A tag or text of the document has more than %d bytes.", maxToken)
	}
	return i.Reader.ReadByte()
}

// isUTF16 reports whether text starts with a byte order mark of UTF-16.
func isUTF16(start []byte) bool {
	return bytes.HasPrefix(start, []byte{0xFF, 0xFE}) || bytes.HasPrefix(start, []byte{0xFE, 0xFF})
}
