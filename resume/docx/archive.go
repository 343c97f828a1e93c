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
	ratioFrom = 100 << 10 // bytes of a part before its ratio counts
	maxToken  = 2 << 20   // bytes of one tag or text: Word keeps pictures of old shapes in attributes
	maxTable  = 10_000    // relationships, styles or list levels
	ctxEvery  = 512       // tokens between looks at the context
)

// archive is the zip file of a document, with what was spent on reading it so far.
type archive struct {
	ctx    context.Context
	limits Limits
	parts  map[string]*zip.File // by name, in lower case as names of parts have none
	spent  int64                // bytes inflated
	tokens int
}

func openArchive(ctx context.Context, file []byte, limits Limits) (*archive, error) {
	// Counted before the directory is read: each of its entries costs several times its size in memory.
	if n := bytes.Count(file, []byte("PK\x01\x02")); n > limits.Entries {
		return nil, tooComplex("the archive has %d entries, at most %d are read", n, limits.Entries)
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, corrupt("the file is cut off or damaged", err)
	}
	a := &archive{ctx: ctx, limits: limits, parts: make(map[string]*zip.File, len(z.File))}
	for _, f := range z.File {
		name := partName("", f.Name)
		if _, taken := a.parts[name]; !taken {
			a.parts[name] = f
		}
	}
	return a, nil
}

// partName is the name of the part that target means, seen from a folder.
func partName(folder, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if !strings.HasPrefix(target, "/") {
		target = "/" + folder + "/" + target
	}
	return strings.ToLower(strings.TrimPrefix(path.Clean(target), "/"))
}

// open begins to read a part.
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
	if start, _ := buffered.Peek(2); isUTF16(start) { // a part that cannot be read says so again below
		decoder := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
		buffered = bufio.NewReader(decoder.Reader(buffered))
	}
	return newScanner(a, &input{Reader: buffered}, r), nil
}

// meter counts the bytes of one part while they are inflated.
type meter struct {
	archive *archive
	name    string
	source  io.Reader
	packed  int64
	read    int64
}

// Read reads on until a limit is passed.
func (m *meter) Read(p []byte) (int, error) {
	n, err := m.source.Read(p)
	m.read += int64(n)
	m.archive.spent += int64(n)
	limits := m.archive.limits
	switch {
	case m.read > limits.Part:
		return 0, tooComplex("the part %s has more than %d bytes", m.name, limits.Part)
	case m.archive.spent > limits.Total:
		return 0, tooComplex("the parts of the document have more than %d bytes", limits.Total)
	case m.read > ratioFrom && m.read > limits.Ratio*max(m.packed, 1):
		return 0, tooComplex("the part %s is more than %d times as large as it is compressed", m.name, limits.Ratio)
	}
	return n, err
}

// input bounds the bytes of one token, for which the XML decoder makes room before anybody can look at it.
type input struct {
	*bufio.Reader
	token int
}

// ReadByte is what the XML decoder reads by.
func (i *input) ReadByte() (byte, error) {
	i.token++
	if i.token > maxToken {
		return 0, tooComplex("a tag or text of the document has more than %d bytes", maxToken)
	}
	return i.Reader.ReadByte()
}

// relationship is a link from one part to another, or to an address outside.
type relationship struct {
	kind     string // the last word of its type: styles, header, hyperlink
	target   string // a part's name, or an address
	external bool
}

// relationships are those of one part.
type relationships struct {
	byID  map[string]relationship
	order []string
}

// all are the parts of one kind, in the order of the file.
func (r relationships) all(kind string) []string {
	var parts []string
	for _, id := range r.order {
		if rel := r.byID[id]; rel.kind == kind && !rel.external {
			parts = append(parts, rel.target)
		}
	}
	return parts
}

// first is the first part of one kind, "" where there is none.
func (r relationships) first(kind string) string {
	if parts := r.all(kind); len(parts) > 0 {
		return parts[0]
	}
	return ""
}

// address is the target of a hyperlink, "" where there is none.
func (r relationships) address(id string) string {
	if rel := r.byID[id]; rel.external {
		return rel.target
	}
	return ""
}

// relationships reads those of a part; a part without has none. The package itself is the part "".
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
				return tooComplex("a part of the document has more than %d relationships", maxTable)
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

// relationships of a part, as far as they can be read.
func (d *document) relationships(part string) (relationships, error) {
	rels, err := d.archive.relationships(part)
	return rels, d.tolerate(err)
}

// mainPart is the name of the part with the body, by the relationships of the package, or where Word always puts it.
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
	return "", corrupt("the file has no main document", err)
}
