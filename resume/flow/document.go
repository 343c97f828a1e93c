package flow

import (
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// Text is the text of a file as a reader found it.
type Text struct {
	Lines  []Line
	Links  []resume.Link // on no line
	Hidden bool          // invisible text was left out
	Lost   bool          // the file doesn't identify some of its characters
	Damage error         // to parts of the file
}

// Document returns the document with the text, or the reason why there is none. It moves the lines of each part
// together: headers first, then the body, sidebars and footers.
func (t *Text) Document() (resume.Document, error) {
	var d resume.Document
	if len(t.Lines) == 0 {
		if t.Damage != nil {
			return d, Corrupt("The document is damaged.", t.Damage)
		}

		return d, &matching.Error{
			Code: resume.CodeNoText,
			Message: "The document has no visible text. If it contains pictures of text, " +
				"run text recognition (OCR) and upload the result.",
		}
	}

	// The sort is stable because lines of a part keep the order of the file.
	order := []resume.Part{resume.Header, resume.Body, resume.Sidebar, resume.Footer}
	lines := slices.Clone(t.Lines)
	slices.SortStableFunc(lines, func(a, b Line) int {
		return slices.Index(order, a.Part) - slices.Index(order, b.Part)
	})

	for _, l := range lines {
		for _, link := range l.Links {
			link.Line = len(d.Lines)
			d.Links = append(d.Links, link)
		}
		d.Lines = append(d.Lines, l.Line)
	}

	// Links outside of lines have no line to point to.
	for _, link := range t.Links {
		link.Line = -1
		d.Links = append(d.Links, link)
	}

	for _, w := range []struct {
		applies bool
		warning resume.Warning
	}{
		{t.Hidden, resume.WarnHiddenText}, {t.Lost, resume.WarnUnmappedGlyph}, {t.Damage != nil, resume.WarnTruncated},
	} {
		if w.applies {
			d.Warnings = append(d.Warnings, w.warning)
		}
	}

	return d, nil
}
