// Package docx reads Word documents: Office Open XML (ECMA-376, ISO 29500), transitional and strict, as Word,
// LibreOffice and Google Docs write it. It reads the parts of the archive as streams, and only those with text, styles
// and lists. It ignores macros, embedded files, comments and pictures.
package docx

import (
	"context"
	"errors"
	"slices"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/zipxml"
)

// A Reader reads Word documents within its limits. It is safe for concurrent use.
type Reader struct{ limits flow.Limits }

var _ resume.Reader = (*Reader)(nil)

// New returns a Reader. All limits must be set.
func New(limits flow.Limits) *Reader { return &Reader{limits: limits} }

// Read implements resume.Reader. It returns headers first, then the body with its notes, then sidebars of layout
// tables, then footers. If a damaged document has some readable text, Read returns that text with resume.WarnTruncated.
func (r *Reader) Read(ctx context.Context, file []byte) (resume.Document, error) {
	if err := r.limits.CheckSize(file); err != nil {
		return resume.Document{}, err
	}
	if resume.EncryptedOffice(file) {
		return resume.Document{}, flow.Encrypted()
	}
	a, err := zipxml.Open(ctx, file, r.limits, usualPrefix)
	if err != nil {
		return resume.Document{}, err
	}
	d := &document{archive: a, limits: r.limits}
	if err := d.read(); err != nil {
		return resume.Document{}, err
	}
	return (&flow.Text{Lines: d.lines, Links: d.looseLinks, Hidden: d.hidden, Damage: d.damage}).Document()
}

// A document is the document being read.
type document struct {
	archive   *zipxml.Archive
	limits    flow.Limits
	styles    styles
	numbering numbering

	lines      []flow.Line
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
	main, err := mainPart(d.archive)
	if err != nil {
		return err
	}

	rels, err := d.relationships(main)
	if err != nil {
		return err
	}

	// Text needs the styles and lists, so they are read first.
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

	// Notes are parts of their own. They follow the whole body, since pages are unknown.
	for _, kind := range []string{"footnotes", "endnotes"} {
		if err := d.readPart(rels.first(kind), resume.Body); err != nil {
			return err
		}
	}

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
		added := slices.DeleteFunc(d.lines[start:], func(l flow.Line) bool { return seen[l.Text] })
		d.lines = d.lines[:start+len(added)]
		for _, l := range added {
			seen[l.Text] = true
		}
	}
	return nil
}

// tolerate returns errors that must end the reading. It records damage to a single part and returns nil.
func (d *document) tolerate(err error) error {
	if err == nil {
		return nil
	}
	if ctxErr := d.archive.Err(); ctxErr != nil {
		return ctxErr
	}
	if flow.IsFinal(err) {
		return err
	}
	d.damage = errors.Join(d.damage, err)
	return nil
}
