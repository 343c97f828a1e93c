// Package docx reads Word documents: Office Open XML as ECMA-376 and ISO 29500 describe it, transitional and strict, as Word,
// LibreOffice and Google Docs write it. Parts of the archive are read as streams, and only those that hold text or what
// decides about it. Macros, embedded files, comments and pictures are left alone.
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

// Limits bound what one document may cost. The counts are taken while reading: what the file says about itself is not trusted.
type Limits struct {
	File       int   // bytes of the file
	Entries    int   // of the archive
	Ratio      int64 // of a part's size to its compressed size, past 100 KiB
	Part       int64 // bytes of one part, inflated
	Total      int64 // bytes of all parts that are read, inflated
	Depth      int   // of nested elements
	Tokens     int   // tags, texts and comments in all parts that are read
	Paragraphs int
	Characters int // of visible text
}

// DefaultLimits are far above any resume. Sizes and the ratio follow Apache POI's ZipSecureFile.
func DefaultLimits() Limits {
	return Limits{
		File: 10 << 20, Entries: 2000, Ratio: 100, Part: 32 << 20, Total: 64 << 20,
		Depth: 256, Tokens: 1_000_000, Paragraphs: 20_000, Characters: 500_000,
	}
}

// Reader reads Word documents within its limits.
type Reader struct{ limits Limits }

var _ resume.Reader = (*Reader)(nil)

// New is a Reader with the given limits, all of which must be set.
func New(limits Limits) *Reader { return &Reader{limits: limits} }

// Read is the text of a document: headers first, then the body with its notes, sidebars of layout tables, footers. What is
// damaged is read as far as it goes, with WarnTruncated, if that is any text at all.
func (r *Reader) Read(ctx context.Context, file []byte) (resume.Document, error) {
	switch {
	case len(file) > r.limits.File:
		return resume.Document{}, tooComplex("the file has %d bytes, at most %d are read", len(file), r.limits.File)
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

// tooComplex is a document beyond a limit.
func tooComplex(format string, args ...any) error {
	return &matching.Error{
		Code: resume.CodeTooComplex, Message: fmt.Sprintf(format, args...) + "; save it shorter or simpler and upload that",
	}
}

// corrupt is a document that is damaged beyond reading.
func corrupt(message string, cause error) error {
	return &matching.Error{
		Code: resume.CodeCorrupt, Message: message + "; open it in Word or LibreOffice, save it again and upload that", Cause: cause,
	}
}

func encrypted() error {
	return &matching.Error{
		Code: resume.CodeEncrypted, Message: "the document is protected by a password; save it without one and upload that",
	}
}

// document is one document while it is read.
type document struct {
	archive   *archive
	styles    styles
	numbering numbering

	lines      []line
	loose      []resume.Link // on no text
	painted    bool          // something is drawn that may lie behind text
	hidden     bool          // text was left out
	damaged    error
	paragraphs int
	characters int
	links      int
}

// read goes through the parts in the order of reading.
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
	if err := d.repeated(rels.all("header"), resume.Header); err != nil {
		return err
	}
	if err := d.story(main, rels, resume.Body); err != nil {
		return err
	}
	for _, kind := range []string{"footnotes", "endnotes"} {
		if err := d.attached(rels.first(kind), resume.Body); err != nil {
			return err
		}
	}
	d.sidebarsLast()
	return d.repeated(rels.all("footer"), resume.Footer)
}

// attached reads a part beside the main one, which has relationships of its own; "": there is none.
func (d *document) attached(part string, where resume.Part) error {
	if part == "" {
		return nil
	}
	rels, err := d.relationships(part)
	if err != nil {
		return err
	}
	return d.story(part, rels, where)
}

// repeated reads headers or footers, and keeps a line that several of them have once.
func (d *document) repeated(parts []string, where resume.Part) error {
	seen := map[string]bool{}
	for _, part := range parts {
		begin := len(d.lines)
		err := d.attached(part, where)
		kept := d.lines[:begin]
		for _, l := range d.lines[begin:] {
			if !seen[l.Text] {
				kept = append(kept, l)
			}
		}
		d.lines = kept
		for _, l := range kept[begin:] {
			seen[l.Text] = true
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sidebarsLast moves the lines of sidebars behind those of the body, as Document wants it.
func (d *document) sidebarsLast() {
	slices.SortStableFunc(d.lines, func(a, b line) int {
		switch aside := a.Part == resume.Sidebar; {
		case aside == (b.Part == resume.Sidebar):
			return 0
		case aside:
			return 1
		default:
			return -1
		}
	})
}

// tolerate passes on what ends the reading, and keeps in mind what is only damage to one part.
func (d *document) tolerate(err error) error {
	if err == nil {
		return nil
	}
	if d.archive.ctx.Err() != nil {
		return d.archive.ctx.Err()
	}
	if code := matching.CodeOf(err); code == resume.CodeTooComplex || code == resume.CodeEncrypted {
		return err
	}
	d.damaged = errors.Join(d.damaged, err)
	return nil
}

// result is the document that was read, or why there is none.
func (d *document) result() (resume.Document, error) {
	var doc resume.Document
	for _, l := range d.lines {
		for _, link := range l.links {
			link.Line = len(doc.Lines)
			doc.Links = append(doc.Links, link)
		}
		doc.Lines = append(doc.Lines, l.Line)
	}
	for _, link := range d.loose {
		link.Line = -1
		doc.Links = append(doc.Links, link)
	}
	switch {
	case len(doc.Lines) > 0:
	case d.damaged != nil:
		return doc, corrupt("the document is damaged", d.damaged)
	default:
		return doc, &matching.Error{
			Code:    resume.CodeNoText,
			Message: "the document holds no text that can be seen; pictures of text need to be recognised (OCR) before uploading",
		}
	}
	if d.hidden {
		doc.Warnings = append(doc.Warnings, resume.WarnHiddenText)
	}
	if d.damaged != nil {
		doc.Warnings = append(doc.Warnings, resume.WarnTruncated)
	}
	return doc, nil
}

// isUTF16 tells text in UTF-16 by its byte order mark.
func isUTF16(start []byte) bool {
	return bytes.HasPrefix(start, []byte{0xFF, 0xFE}) || bytes.HasPrefix(start, []byte{0xFE, 0xFF})
}
