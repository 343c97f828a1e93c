// Package odt reads OpenDocument texts (ISO 26300), as LibreOffice, Google Docs and Word write them. It reads the parts
// of the archive as streams, and only those with text and styles. It ignores macros, embedded files, comments, forms
// and pictures.
package odt

import (
	"context"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/zipxml"
)

// A Reader reads OpenDocument texts within its limits. It is safe for concurrent use.
type Reader struct{ limits flow.Limits }

var _ resume.Reader = (*Reader)(nil)

// New returns a Reader. All limits must be set.
func New(limits flow.Limits) *Reader { return &Reader{limits: limits} }

// The parts that are read, in lower case.
const (
	contentPart  = "content.xml"
	stylesPart   = "styles.xml"
	manifestPart = "meta-inf/manifest.xml"
)

// Read implements resume.Reader. If a damaged document has some readable text, Read returns that text with
// resume.WarnTruncated.
func (r *Reader) Read(ctx context.Context, file []byte) (resume.Document, error) {
	if err := r.limits.CheckSize(file); err != nil {
		return resume.Document{}, err
	}
	archive, err := zipxml.Open(ctx, file, r.limits, usualPrefix)
	if err != nil {
		return resume.Document{}, err
	}
	if !archive.Has(contentPart) {
		return resume.Document{}, flow.Corrupt("The file has no content.xml.", nil)
	}

	// The text of an encrypted file can't be read, and that of others needs the styles, so the order matters.
	doc := &document{archive: archive, builder: flow.NewBuilder(r.limits), styles: styles{byName: map[styleKey]style{}}}
	for _, read := range []func() error{doc.checkEncryption, doc.readStyles, doc.readContent} {
		if err := doc.tolerate(read()); err != nil {
			return resume.Document{}, err
		}
	}
	return doc.builder.Document()
}

// A document is the document being read.
type document struct {
	archive *zipxml.Archive
	builder *flow.Builder
	styles  styles
}

// tolerate returns errors that must end the reading. It records damage to a single part and returns nil.
func (d *document) tolerate(err error) error {
	if ctxErr := d.archive.Err(); ctxErr != nil {
		return ctxErr
	}
	if err == nil || flow.IsFinal(err) {
		return err
	}
	d.builder.Damaged(err)
	return d.builder.Err()
}

// checkEncryption returns an error if the manifest names encrypted parts.
func (d *document) checkEncryption() error {
	return d.scan(manifestPart, func(s *zipxml.Scanner, e zipxml.Element) error {
		return s.Children(func(zipxml.Element) error {
			return s.Children(func(e zipxml.Element) error {
				if e.Name == "manifest:encryption-data" {
					return flow.Encrypted()
				}
				return nil
			})
		})
	})
}

// readStyles reads the styles that content and pages share, and the headers and footers of pages.
func (d *document) readStyles() error {
	return d.scan(stylesPart, func(s *zipxml.Scanner, _ zipxml.Element) error {
		return s.Children(func(e zipxml.Element) error {
			switch e.Name {
			case "office:styles", "office:automatic-styles":
				return d.styles.read(s)
			case "office:master-styles":
				return d.readPages(s)
			}
			return nil
		})
	})
}

// readPages reads the headers and footers of the page styles.
func (d *document) readPages(s *zipxml.Scanner) error {
	return s.Children(func(e zipxml.Element) error {
		if e.Name != "style:master-page" {
			return nil
		}

		return s.Children(func(e zipxml.Element) error {
			part := resume.Footer
			switch e.Name {
			case "style:header", "style:header-left", "style:header-first":
				part = resume.Header
			case "style:footer", "style:footer-left", "style:footer-first":
			default:
				return nil
			}

			// A page style keeps the text of a header that is turned off.
			if e.Attr("display") == "false" {
				return nil
			}

			return (&story{document: d, Scanner: s, part: part}).readChildren()
		})
	})
}

func (d *document) readContent() error {
	return d.scan(contentPart, func(s *zipxml.Scanner, _ zipxml.Element) error {
		return s.Children(func(e zipxml.Element) error {
			switch e.Name {
			case "office:automatic-styles", "office:styles":
				return d.styles.read(s)
			case "office:body":
				return (&story{document: d, Scanner: s}).readChildren()
			}
			return nil
		})
	})
}

// scan reads a part if the archive has it. visit gets the root.
func (d *document) scan(part string, visit func(*zipxml.Scanner, zipxml.Element) error) error {
	if !d.archive.Has(part) {
		return nil
	}
	s, err := d.archive.Scan(part)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Children(func(e zipxml.Element) error { return visit(s, e) })
}

// usualPrefix returns the usual prefix of a namespace of OpenDocument. It returns "?:" for other namespaces.
func usualPrefix(uri string) string {
	switch uri {
	case "urn:oasis:names:tc:opendocument:xmlns:office:1.0":
		return "office:"
	case "urn:oasis:names:tc:opendocument:xmlns:text:1.0":
		return "text:"
	case "urn:oasis:names:tc:opendocument:xmlns:table:1.0":
		return "table:"
	case "urn:oasis:names:tc:opendocument:xmlns:style:1.0":
		return "style:"
	case "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0":
		return "draw:"
	case "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0":
		return "manifest:"
	default:
		return "?:"
	}
}
