package fields

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/wording"
)

// Text returns the running text of a document, up to limit characters: paragraphs, headings and list items on lines of
// their own, without the headers and footers of pages, unless nothing else has text. Words that a line end divides are
// joined. If it leaves text out because of the limit, the warnings have resume.WarnTruncated.
func Text(doc resume.Document, limit int) resume.Text {
	doc, cut := page.Bounded(doc)
	result := resume.Text{Pages: doc.Pages, Warnings: slices.Clone(doc.Warnings)}
	document := page.New(&doc)
	repeated := func(l page.Line) bool { return l.Part == resume.Header || l.Part == resume.Footer }
	lines := slices.DeleteFunc(slices.Clone(document.Lines), repeated)
	if len(lines) == 0 {
		lines = document.Lines
	}

	// Lines of a paragraph are joined, because a line break says nothing about running text.
	var paragraphs []string
	for i := 0; i < len(lines); {
		from := i
		for i++; i < len(lines) && continues(&lines[i-1], &lines[i], doc.Pages); i++ {
		}
		paragraphs = append(paragraphs, paragraph(lines[from:i]))
	}

	text := strings.Join(paragraphs, "\n")
	result.Title, _, _ = strings.Cut(text, "\n")
	result.Text = text

	if n := utf8.RuneCountInString(text); n > limit {
		result.Text = strings.TrimSpace(string([]rune(text)[:limit]))
		result.Omitted = n - limit
		cut = true
	}

	if cut && !slices.Contains(result.Warnings, resume.WarnTruncated) {
		result.Warnings = append(result.Warnings, resume.WarnTruncated)
	}

	return result
}

// continues reports whether a line continues the paragraph of the line before. Without pages (all but PDF), every line
// is a paragraph.
func continues(before, l *page.Line, pages int) bool {
	return pages > 0 && !l.Bullet && l.Part == before.Part && l.Gap <= .5 && l.Style() == before.Style() &&
		len(l.Cells) == 1 && len(before.Cells) == 1 && l.Heading == before.Heading
}

// paragraph joins the lines of a paragraph.
func paragraph(lines []page.Line) string {
	var b strings.Builder
	text := strings.ReplaceAll(lines[0].Text, "\t", " ")
	for _, l := range lines[1:] {
		next := strings.ReplaceAll(l.Text, "\t", " ")
		between, divided := wording.Joint(text, next)
		if divided {
			text = text[:len(text)-1]
		}
		b.WriteString(text + between)
		text = next
	}
	return b.String() + text
}
