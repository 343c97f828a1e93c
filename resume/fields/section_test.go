package fields

import (
	"strings"
	"testing"
)

// sectionsOf returns the sections of a document in the notation of testdata/resumes/README.md, as "kind: line | line".
func sectionsOf(text string) []string {
	doc := parseDocument(text)
	sections, _ := newDictionary().sections(newPage(&doc))
	var got []string
	for _, s := range sections {
		var lines []string
		for _, l := range s.lines {
			lines = append(lines, l.text)
		}
		got = append(got, string(s.kind)+": "+strings.Join(lines, " | "))
	}
	return got
}

func TestSections(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a heading on two lines", "{12 bold} RESEARCH\n{12 bold} EXPERIENCE\nEngineer\nAnalyst", []string{
			"experience: Engineer | Analyst",
		}},
		{
			"a heading on two lines beside its section",
			"{12 bold} RESEARCH    Engineer\n{12 bold} EXPERIENCE    Analyst",
			[]string{"experience: Engineer | Analyst"},
		},
		{
			"a heading on two lines, its second beside its section",
			"{12 bold} RESEARCH\n{12 bold} EXPERIENCE    Engineer\nAnalyst",
			[]string{"experience: Engineer | Analyst"},
		},
		{
			"a section continues on the next page",
			"{12 bold} SKILLS\nGo\n== page\n== sidebar\nLeeds\n== body\nSQL",
			[]string{"skills: Go | SQL", "head: Leeds"},
		},
		{"headers and footers are the margin", "{12 bold} SKILLS\nGo\n== footer\nPage 1 of 2", []string{
			"skills: Go", "margin: Page 1 of 2",
		}},
		{"human languages", "{12 bold} LANGUAGES\nGerman, English", []string{"languages: German, English"}},
		{"programming languages", "{12 bold} LANGUAGES\nPython, Rust", []string{"skills: Python, Rust"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sectionsOf("{18 bold} Ada Quill\n\n" + c.text)
			want := append([]string{"head: Ada Quill"}, c.want...)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("sections are %q, want %q", got, want)
			}
		})
	}
}
