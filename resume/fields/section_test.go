package fields

import (
	"strings"
	"testing"
)

// textsOf returns the sections of a document in the notation of testdata/resumes/README.md, one "kind: line | line" each.
func textsOf(text string) []string {
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

func TestSections_HeadingOnTwoLines(t *testing.T) {
	for name, text := range map[string]string{
		"alone in their lines": "RESEARCH\nEXPERIENCE\nEngineer, Acme Ltd\nAnalyst, Initech Ltd",
		"beside the section":   "RESEARCH    Engineer, Acme Ltd\nEXPERIENCE    Analyst, Initech Ltd",
		"the second one beside the section": "RESEARCH\nEXPERIENCE    Engineer, Acme Ltd\n" +
			"{10} Analyst, Initech Ltd",
	} {
		t.Run(name, func(t *testing.T) {
			got := textsOf("{18 bold} Ada Quill\n\n{12 bold} " + strings.ReplaceAll(text, "\nEXPERIENCE", "\n{12 bold} EXPERIENCE"))
			want := []string{"head: Ada Quill", "experience: Engineer, Acme Ltd | Analyst, Initech Ltd"}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("sections are %q, want %q", got, want)
			}
		})
	}
}
