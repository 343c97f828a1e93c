package resumetest

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/taxonomy"
)

// Today returns the day as of which the tests extract fields.
func Today() time.Time { return time.Date(2026, 6, 15, 0, 0, 0, 0, time.UTC) }

var loadTaxonomy = sync.OnceValues(taxonomy.Load)

// Taxonomy returns the taxonomy. It loads it once, because that takes a while.
func Taxonomy(tb testing.TB) *taxonomy.Taxonomy {
	tb.Helper()
	t, err := loadTaxonomy()
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// usualSize is the size of text without a mark, in points.
const usualSize = 10

// parts returns the parts of a page by their names in the notation.
func parts() map[string]resume.Part {
	return map[string]resume.Part{
		"body": resume.Body, "sidebar": resume.Sidebar, "header": resume.Header, "footer": resume.Footer,
	}
}

// ParseDocument parses the notation of resume/fields/testdata/resumes/README.md, where each row of the text is a line
// of a resume or a directive: "== sidebar" begins a part of the page, "== page" a page, "-> URL" links the line before,
// and an empty row is a gap. Marks in braces before a line are its size, weight or heading level: "{16 bold} Ada Kaya".
func ParseDocument(text string) resume.Document {
	doc := resume.Document{Pages: 1}
	next := resume.Line{Part: resume.Body, Size: usualSize} // what directives have set for the next line

	// A document without font sizes, such as plain text, begins with empty marks.
	text, withoutSizes := strings.CutPrefix(text, "{} ")
	if withoutSizes {
		next.Size = 0
	}

	for row := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		directive, isDirective := strings.CutPrefix(row, "== ")
		url, isLink := strings.CutPrefix(row, "-> ")
		switch {
		case strings.TrimSpace(row) == "":
			next.Gap = 1
		case isDirective && directive == "page":
			doc.Pages++
		case isDirective:
			next.Part = parts()[directive]
		case isLink:
			doc.Links = append(doc.Links, resume.Link{URL: url, Line: len(doc.Lines) - 1})

		default:
			next.Page = doc.Pages
			doc.Lines = append(doc.Lines, parseLine(row, next))
			next.Gap = 0
		}
	}

	return doc
}

// parseLine returns a line with the text and the marks of a row, and otherwise the properties of base.
func parseLine(row string, base resume.Line) resume.Line {
	l := base
	if marks, rest, ok := strings.Cut(row, "} "); ok && strings.HasPrefix(marks, "{") {
		row = rest
		for mark := range strings.FieldsSeq(marks[1:]) {
			size, err := strconv.ParseFloat(mark, 64)
			switch {
			case err == nil:
				l.Size = size
			case mark == "bold":
				l.Bold = true
			default: // h1 to h9
				l.Heading = int(mark[1] - '0')
			}
		}
	}

	// Four spaces stand for a tab, which editors would replace.
	row, l.Bullet = strings.CutPrefix(row, "- ")
	l.Text = strings.TrimSpace(strings.ReplaceAll(row, "    ", "\t"))
	return l
}
