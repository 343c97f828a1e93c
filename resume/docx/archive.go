package docx

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

const (
	ratioFrom = 100 << 10 // size of a part from which its compression ratio is checked, in bytes
	maxToken  = 2 << 20   // size of one tag or text, in bytes; Word stores pictures of old shapes in attributes
	maxTable  = 10_000    // relationships, styles or lists
	ctxEvery  = 512       // tokens between checks of the context
)

// An archive is the zip file of a document. It counts the work spent on reading it.
type archive struct {
	contextError func() error // the error of the context that bounds the work
	limits       Limits
	parts        map[string]*zip.File // by name, in lower case, because part names are case-insensitive
	inflated     int64                // bytes
	tokens       int
}

// openArchive opens the zip file of a document, which is read until ctx ends.
func openArchive(ctx context.Context, file []byte, limits Limits) (*archive, error) {
	// Entries are counted before the directory is read, because reading each one takes several times its size.
	if n := bytes.Count(file, []byte("PK\x01\x02")); n > limits.Entries {
		return nil, tooComplex("The archive has %d entries, but the limit is %d.", n, limits.Entries)
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, corrupt("The file is incomplete or damaged.", err)
	}
	a := &archive{contextError: ctx.Err, limits: limits, parts: make(map[string]*zip.File, len(z.File))}
	for _, f := range z.File {
		name := partName("", f.Name)
		if _, taken := a.parts[name]; !taken {
			a.parts[name] = f
		}
	}
	return a, nil
}

// partName returns the name of the part to which target refers, relative to a folder.
func partName(folder, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if !strings.HasPrefix(target, "/") {
		target = "/" + folder + "/" + target
	}
	return strings.ToLower(strings.TrimPrefix(path.Clean(target), "/"))
}

// open starts reading a part.
func (a *archive) open(name string) (*scanner, error) {
	f, ok := a.parts[name]
	if !ok {
		return nil, errors.New("no part " + name)
	}
	if f.Flags&1 != 0 {
		return nil, encrypted()
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
	archive *archive
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
	limits := m.archive.limits
	switch {
	case m.read > limits.Part:
		return 0, tooComplex("The part %s has more than %d bytes.", m.name, limits.Part)
	case m.archive.inflated > limits.Total:
		return 0, tooComplex("The parts of the document have more than %d bytes.", limits.Total)
	case m.read > ratioFrom && m.read > limits.Ratio*max(m.packed, 1):
		return 0, tooComplex("The part %s is more than %d times as large as its compressed form.", m.name, limits.Ratio)
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
		return 0, tooComplex("A tag or text of the document has more than %d bytes.", maxToken)
	}
	return i.Reader.ReadByte()
}

// A relationship links one part to another, or to an external address.
type relationship struct {
	kind     string // the last word of its type: styles, header, hyperlink, …
	target   string // the name of a part, or an address
	external bool
}

// relationships are the relationships of one part.
type relationships struct {
	byID  map[string]relationship
	order []string // IDs in the order of the file
}

// all returns the parts of one kind, in the order of the file.
func (r relationships) all(kind string) []string {
	var parts []string
	for _, id := range r.order {
		if rel := r.byID[id]; rel.kind == kind && !rel.external {
			parts = append(parts, rel.target)
		}
	}
	return parts
}

// first returns the first part of one kind, or "" without one.
func (r relationships) first(kind string) string {
	if parts := r.all(kind); len(parts) > 0 {
		return parts[0]
	}
	return ""
}

// address returns the target of an external hyperlink, or "" without one.
func (r relationships) address(id string) string {
	if rel := r.byID[id]; rel.external {
		return rel.target
	}
	return ""
}

// relationships reads the relationships of a part, or of the package itself if part is "".
func (a *archive) relationships(part string) (relationships, error) {
	folder, base := path.Split(part)
	folder = strings.TrimSuffix(folder, "/")
	name := partName(folder, "_rels/"+base+".rels")
	rels := relationships{byID: map[string]relationship{}}
	if _, ok := a.parts[name]; !ok {
		return rels, nil
	}
	s, err := a.open(name)
	if err != nil {
		return rels, err
	}
	defer s.close()
	err = s.children(func(e element) error {
		return s.children(func(e element) error {
			if len(rels.order) >= maxTable {
				return tooComplex("A part of the document has more than %d relationships.", maxTable)
			}
			rel := relationship{
				kind:     path.Base(e.attr("Type")),
				target:   e.attr("Target"),
				external: strings.EqualFold(e.attr("TargetMode"), "External"),
			}
			if !rel.external {
				rel.target = partName(folder, rel.target)
			}
			rels.byID[e.attr("Id")] = rel
			rels.order = append(rels.order, e.attr("Id"))
			return nil
		})
	})
	return rels, err
}

// relationships reads the relationships of a part as far as possible.
func (d *document) relationships(part string) (relationships, error) {
	rels, err := d.archive.relationships(part)
	return rels, d.tolerate(err)
}

// mainPart returns the name of the part with the body: the one in the relationships of the package, or Word's usual
// one.
func (a *archive) mainPart() (string, error) {
	rels, err := a.relationships("")
	name := rels.first("officeDocument")
	if _, ok := a.parts[name]; err == nil && ok {
		return name, nil
	}
	const usual = "word/document.xml"
	if _, ok := a.parts[usual]; ok {
		return usual, nil
	}
	return "", corrupt("The file has no main document.", err)
}
