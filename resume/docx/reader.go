// Package docx reads Word documents: Office Open XML (ECMA-376, ISO 29500), transitional and strict, as Word,
// LibreOffice and Google Docs write it. It reads the parts of the archive as streams, and only those with text, styles
// and lists. It ignores macros, embedded files, comments and pictures.
package docx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

// Limits bound the work on one document. They are checked during reading, because the sizes that a file declares cannot
// be trusted.
type Limits struct {
	File       int   // bytes of the file
	Entries    int   // of the archive
	Ratio      int64 // of a part's size to its compressed size, beyond 100 KiB
	Part       int64 // bytes of one inflated part
	Total      int64 // bytes of all inflated parts
	Depth      int   // of nested elements
	Tokens     int   // tags, texts and comments in all parts
	Paragraphs int
	Characters int // of visible text
}

// DefaultLimits returns limits that are far above any resume. The sizes and the ratio follow Apache POI's
// ZipSecureFile.
func DefaultLimits() Limits {
	return Limits{
		File:       10 << 20,
		Entries:    2000,
		Ratio:      100,
		Part:       32 << 20,
		Total:      64 << 20,
		Depth:      256,
		Tokens:     1_000_000,
		Paragraphs: 20_000,
		Characters: 500_000,
	}
}

// A Reader reads Word documents within its limits. It is safe for concurrent use.
type Reader struct{ limits Limits }

var _ resume.Reader = (*Reader)(nil)

// New returns a Reader. All limits must be set.
func New(limits Limits) *Reader { return &Reader{limits: limits} }

// Read implements resume.Reader. It returns headers first, then the body with its notes, then sidebars of layout
// tables, then footers. If a damaged document has some readable text, Read returns that text with resume.WarnTruncated.
func (r *Reader) Read(ctx context.Context, file []byte) (resume.Document, error) {
	switch {
	case len(file) > r.limits.File:
		return resume.Document{}, tooComplex("The file has %d bytes, but the limit is %d.", len(file), r.limits.File)
	case resume.EncryptedOffice(file):
		return resume.Document{}, encrypted()
	}
	a, err := openArchive(ctx, file, r.limits)
	if err != nil {
		return resume.Document{}, err
	}
	d := &document{archive: a}
	if err := d.read(); err != nil {
		return resume.Document{}, err
	}
	return d.result()
}

// tooComplex returns the error for a document that exceeds a limit. The format is a sentence that names the limit.
func tooComplex(format string, args ...any) error {
	return &matching.Error{
		Code:    resume.CodeTooComplex,
		Message: fmt.Sprintf(format, args...) + " Shorten or simplify the document and upload it again.",
	}
}

// corrupt returns the error for a document that cannot be read. The problem is a sentence.
func corrupt(problem string, cause error) error {
	return &matching.Error{
		Code:    resume.CodeCorrupt,
		Message: problem + " Open it in Word or LibreOffice, save it again and upload that.",
		Cause:   cause,
	}
}

func encrypted() error {
	return &matching.Error{
		Code:    resume.CodeEncrypted,
		Message: "The document is protected by a password. Remove the password and upload it again.",
	}
}

// A document is the document being read.
type document struct {
	archive   *archive
	styles    styles
	numbering numbering

	lines      []line
	looseLinks []resume.Link // on no text
	painted    bool          // a drawing may be behind text
	hidden     bool          // invisible text was left out
	damage     error         // to parts of the document
	paragraphs int
	characters int
	links      int
}

// read reads the parts in reading order.
func (d *document) read() error {
	main, err := d.archive.mainPart()
	if err != nil {
		return err
	}
	rels, err := d.relationships(main)
	if err != nil {
		return err
	}
	if err := d.readStyles(rels.first("styles")); err != nil {
		return err
	}
	if err := d.readNumbering(rels.first("numbering")); err != nil {
		return err
	}
	if err := d.readRepeated(rels.all("header"), resume.Header); err != nil {
		return err
	}
	if err := d.readStory(main, rels, resume.Body); err != nil {
		return err
	}
	for _, kind := range []string{"footnotes", "endnotes"} {
		if err := d.readPart(rels.first(kind), resume.Body); err != nil {
			return err
		}
	}
	d.moveSidebars()
	return d.readRepeated(rels.all("footer"), resume.Footer)
}

// readPart reads a part other than the main one, unless its name is "". Such parts have their own relationships.
func (d *document) readPart(part string, where resume.Part) error {
	if part == "" {
		return nil
	}
	rels, err := d.relationships(part)
	if err != nil {
		return err
	}
	return d.readStory(part, rels, where)
}

// readRepeated reads headers or footers. A line that several of them share is kept once.
func (d *document) readRepeated(parts []string, where resume.Part) error {
	seen := map[string]bool{}
	for _, part := range parts {
		start := len(d.lines)
		if err := d.readPart(part, where); err != nil {
			return err
		}
		added := slices.DeleteFunc(d.lines[start:], func(l line) bool { return seen[l.Text] })
		d.lines = d.lines[:start+len(added)]
		for _, l := range added {
			seen[l.Text] = true
		}
	}
	return nil
}

// moveSidebars moves the lines of sidebars behind all others, so that the lines of each part are adjacent.
func (d *document) moveSidebars() {
	order := func(l line) int {
		if l.Part == resume.Sidebar {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(d.lines, func(a, b line) int { return order(a) - order(b) })
}

// tolerate returns errors that must end the reading. It records damage to a single part and returns nil.
func (d *document) tolerate(err error) error {
	if err == nil {
		return nil
	}
	if ctxErr := d.archive.contextError(); ctxErr != nil {
		return ctxErr
	}
	if code := matching.CodeOf(err); code == resume.CodeTooComplex || code == resume.CodeEncrypted {
		return err
	}
	d.damage = errors.Join(d.damage, err)
	return nil
}

// result returns the document that was read, or the reason why it has no text.
func (d *document) result() (resume.Document, error) {
	var doc resume.Document
	for _, l := range d.lines {
		for _, link := range l.links {
			link.Line = len(doc.Lines)
			doc.Links = append(doc.Links, link)
		}
		doc.Lines = append(doc.Lines, l.Line)
	}
	for _, link := range d.looseLinks {
		link.Line = -1
		doc.Links = append(doc.Links, link)
	}
	switch {
	case len(doc.Lines) > 0:
	case d.damage != nil:
		return doc, corrupt("The document is damaged.", d.damage)
	default:
		return doc, &matching.Error{
			Code: resume.CodeNoText,
			Message: "The document has no visible text. If it contains pictures of text, " +
				"run text recognition (OCR) and upload the result.",
		}
	}
	if d.hidden {
		doc.Warnings = append(doc.Warnings, resume.WarnHiddenText)
	}
	if d.damage != nil {
		doc.Warnings = append(doc.Warnings, resume.WarnTruncated)
	}
	return doc, nil
}

// isUTF16 reports whether text starts with a byte order mark of UTF-16.
func isUTF16(start []byte) bool {
	return bytes.HasPrefix(start, []byte{0xFF, 0xFE}) || bytes.HasPrefix(start, []byte{0xFE, 0xFF})
}
