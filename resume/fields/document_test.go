package fields

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/page"
)

func TestText(t *testing.T) {
	body := func(text string) resume.Line { return resume.Line{Text: text, Page: 1, Size: 11} }
	with := func(l resume.Line, change func(*resume.Line)) resume.Line {
		change(&l)
		return l
	}

	bullet := func(l *resume.Line) { l.Bullet = true }
	gap := func(l *resume.Line) { l.Gap = .8 }
	part := func(p resume.Part) func(*resume.Line) { return func(l *resume.Line) { l.Part = p } }
	for _, test := range []struct {
		name string
		doc  resume.Document
		want resume.Text
	}{
		{"nothing", resume.Document{}, resume.Text{}},
		{
			"lines of a paragraph are joined, others not",
			resume.Document{Pages: 1, Lines: []resume.Line{
				{Text: "Shop for ceramics", Page: 1, Size: 18},
				body("We need a develop-"), body("er for React and"),
				body("Node.js."), with(body("A new paragraph,"), gap), body("which goes on"), with(body("Go"), bullet),
				body("or Rust"), with(body("• SQL"), bullet), body("Budget\t5,000"), body("Time\t3 weeks"),
			}},
			resume.Text{Title: "Shop for ceramics", Pages: 1, Text: "Shop for ceramics\nWe need a developer for React and " +
				"Node.js.\nA new paragraph, which goes on\nGo or Rust\nSQL\nBudget 5,000\nTime 3 weeks"},
		},
		{
			"every line of a document without pages is a paragraph",
			resume.Document{Lines: []resume.Line{
				{Text: "One"}, {Text: "two"},
			}},
			resume.Text{Title: "One", Text: "One\ntwo"},
		},
		{
			"headers and footers are left out",
			resume.Document{Pages: 1, Lines: []resume.Line{
				with(body("Secret Corp"), part(resume.Header)), body("Brief"), with(body("Aside"), part(resume.Sidebar)),
				with(body("Page 1"), part(resume.Footer)),
			}},
			resume.Text{Title: "Brief", Pages: 1, Text: "Brief\nAside"},
		},
		{
			"unless there is nothing else",
			resume.Document{Lines: []resume.Line{{Text: "Brief", Part: resume.Header}}},
			resume.Text{Title: "Brief", Text: "Brief"},
		},
		{
			"warnings are kept",
			resume.Document{
				Lines: []resume.Line{{Text: "Brief"}}, Warnings: []resume.Warning{resume.WarnHiddenText},
			},
			resume.Text{Title: "Brief", Text: "Brief", Warnings: []resume.Warning{resume.WarnHiddenText}},
		},
		{
			"characters that nobody can read are dropped",
			resume.Document{Lines: []resume.Line{{Text: "ﬁne\x00\u200b\ttext"}}},
			resume.Text{Title: "fine text", Text: "fine text"},
		},
		{
			"the rest is counted",
			resume.Document{Lines: []resume.Line{{Text: strings.Repeat("é", 248)}, {Text: "äöü"}}},
			resume.Text{
				Title: strings.Repeat("é", 248), Text: strings.Repeat("é", 248) + "\nä", Omitted: 2,
				Warnings: []resume.Warning{resume.WarnTruncated},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Text(test.doc, 250)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// No paragraph is cut short of the limit, and a document beyond the limits on lines says so.
func TestText_LongDocuments(t *testing.T) {
	words := strings.Repeat("word ", 3000)
	long := Text(resume.Document{Lines: []resume.Line{{Text: words}}}, 20_000)
	if long.Text != strings.TrimSpace(words) || long.Omitted != 0 || long.Warnings != nil {
		t.Errorf("%d bytes, %d omitted, %v", len(long.Text), long.Omitted, long.Warnings)
	}
	many := Text(resume.Document{Lines: slices.Repeat([]resume.Line{{Text: "x"}}, page.MaxLines+1)}, 1<<20)
	if !slices.Contains(many.Warnings, resume.WarnTruncated) {
		t.Error("no warning about the lines left out")
	}
}
