package docx

import (
	"errors"
	"path"
	"strings"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/zipxml"
)

// maxTable is the largest number of relationships, styles or lists.
const maxTable = 10_000

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

// readRelationships reads the relationships of a part, or of the package itself if part is "".
func readRelationships(a *zipxml.Archive, part string) (relationships, error) {
	folder, base := path.Split(part)
	folder = strings.TrimSuffix(folder, "/")
	name := zipxml.PartName(folder, "_rels/"+base+".rels")
	rels := relationships{byID: map[string]relationship{}}
	if !a.Has(name) {
		return rels, nil
	}

	s, err := a.Scan(name)
	if err != nil {
		return rels, err
	}
	defer s.Close()

	err = s.Children(func(e zipxml.Element) error {
		return s.Children(func(e zipxml.Element) error {
			if len(rels.order) >= maxTable {
				return flow.TooComplex("A part of the document has more than %d relationships.", maxTable)
			}

			rel := relationship{
				kind:     path.Base(e.Attr("Type")),
				target:   e.Attr("Target"),
				external: strings.EqualFold(e.Attr("TargetMode"), "External"),
			}

			// An external target is a URL. Any other is relative to the folder of the part.
			if !rel.external {
				rel.target = zipxml.PartName(folder, rel.target)
			}

			rels.byID[e.Attr("Id")] = rel
			rels.order = append(rels.order, e.Attr("Id"))
			return nil
		})
	})

	return rels, err
}

// relationships reads the relationships of a part as far as possible.
func (d *document) relationships(part string) (relationships, error) {
	rels, err := readRelationships(d.archive, part)
	return rels, d.tolerate(err)
}

// mainPart returns the name of the part with the body: the one that the relationships of the package name, or its
// content types, or Word's usual one.
func mainPart(a *zipxml.Archive) (string, error) {
	rels, relsErr := readRelationships(a, "")
	typed, typesErr := typedMainPart(a)
	for _, name := range []string{rels.first("officeDocument"), typed, "word/document.xml"} {
		if name != "" && a.Has(name) {
			return name, nil
		}
	}
	return "", flow.Corrupt("The file has no main document.", errors.Join(relsErr, typesErr))
}

// typedMainPart returns the name of the first part with the content type of a Word document or template, or "" without
// one.
func typedMainPart(a *zipxml.Archive) (name string, err error) {
	const types = "[content_types].xml"
	if !a.Has(types) {
		return "", nil
	}
	s, err := a.Scan(types)
	if err != nil {
		return "", err
	}
	defer s.Close()
	err = s.Children(func(zipxml.Element) error {
		return s.Children(func(e zipxml.Element) error {
			isWord := strings.HasSuffix(e.Name, ":Override") && resume.IsWordType(e.Attr("ContentType"))
			if isWord && name == "" {
				name = zipxml.PartName("", e.Attr("PartName"))
			}
			return nil
		})
	})
	return name, err
}

// usualPrefix returns the usual prefix of a namespace, transitional or strict. It returns "?:" for other namespaces.
func usualPrefix(uri string) string {
	switch uri {
	case "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
		"http://purl.oclc.org/ooxml/wordprocessingml/main":
		return "w:"
	case "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
		"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":
		return "wp:"
	case "http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main":
		return "a:"
	case "http://schemas.openxmlformats.org/drawingml/2006/picture",
		"http://purl.oclc.org/ooxml/drawingml/picture":
		return "pic:"
	case "http://schemas.openxmlformats.org/officeDocument/2006/math",
		"http://purl.oclc.org/ooxml/officeDocument/math":
		return "m:"
	case "http://schemas.openxmlformats.org/markup-compatibility/2006":
		return "mc:"
	case "http://schemas.microsoft.com/office/word/2010/wordprocessingShape":
		return "wps:"
	case "urn:schemas-microsoft-com:vml":
		return "v:"
	default:
		return "?:"
	}
}
