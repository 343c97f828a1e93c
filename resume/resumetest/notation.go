package resumetest

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
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

// ParseDocument parses the notation of resume/fields/testdata/resumes/README.md.
func ParseDocument(text string) resume.Document {
	doc := resume.Document{Pages: 1}
	part := resume.Body
	gap := 0.0
	usual := 10.0
	for i, row := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		// A first line that begins with {} marks a document without font sizes, such as plain text.
		if i == 0 && strings.HasPrefix(row, "{} ") {
			row = row[3:]
			usual = 0
		}

		switch {
		case strings.TrimSpace(row) == "":
			gap = 1
			continue
		case row == "== page":
			doc.Pages++
			continue
		case strings.HasPrefix(row, "== "):
			part = map[string]resume.Part{
				"body": resume.Body, "sidebar": resume.Sidebar, "header": resume.Header, "footer": resume.Footer,
			}[row[3:]]
			continue

		case strings.HasPrefix(row, "-> "):
			doc.Links = append(doc.Links, resume.Link{URL: row[3:], Line: len(doc.Lines) - 1})
			continue
		}

		l := resume.Line{Page: doc.Pages, Part: part, Gap: gap, Size: usual}
		gap = 0

		if marks, rest, ok := strings.Cut(row, "} "); ok && strings.HasPrefix(marks, "{") {
			row = rest
			for mark := range strings.FieldsSeq(marks[1:]) {
				switch size, err := strconv.ParseFloat(mark, 64); {
				case err == nil:
					l.Size = size
				case mark == "bold":
					l.Bold = true
				default:
					l.Heading = int(mark[1] - '0')
				}
			}
		}

		// Four spaces stand for a tab, which editors would replace.
		row, l.Bullet = strings.CutPrefix(row, "- ")
		l.Text = strings.TrimSpace(strings.ReplaceAll(row, "    ", "\t"))
		doc.Lines = append(doc.Lines, l)
	}

	return doc
}
