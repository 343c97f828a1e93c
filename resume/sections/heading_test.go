package sections

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
)

func TestHeading(t *testing.T) {
	r := newTestSections(t)
	for text, want := range map[string]lexicon.Kind{
		"EXPERIENCE":                  lexicon.Experience,
		"Professional Experience":     lexicon.Experience,
		"Selected Work Experience:":   lexicon.Experience,
		"WORKEXPERIENCE":              lexicon.Experience,
		"Skills & Tools":              lexicon.Skills,
		"Berufserfahrung":             lexicon.Experience,
		"Beruflicher Werdegang":       lexicon.Experience,
		"EXPÉRIENCE PROFESSIONNELLE":  lexicon.Experience,
		"Formación académica":         lexicon.Education,
		"Sprachen und Hobbys":         lexicon.Languages,
		"工作经历":                        lexicon.Experience,
		"学歴":                          lexicon.Education,
		"荣誉奖项（可选）":                    "awards",
		"E D U C A T I O N":           lexicon.Education,
		"[ Skills ]":                  lexicon.Skills,
		"2. Work Experience":          lexicon.Experience,
		"II. SKILLS":                  lexicon.Skills,
		"Curriculum vitae":            lexicon.Title,
		"Resume":                      lexicon.Title, // in the first lines, and a summary below
		"Senior Engineer":             "",
		"Customer Experience Manager": "",
		"Java":                        "",
		"Experience with Go and Rust": "",
	} {
		doc := resume.Document{Lines: []resume.Line{
			{Text: "Marlow Quillfeather", Size: 20},
			{Text: text, Size: 14, Bold: true},
			{Text: strings.Repeat("running text ", 9), Size: 10},
		}}

		p := page.New(&doc)
		h, ok := r.findHeadings(p)[1]
		if h.Kind != want || ok != (want != "") {
			t.Errorf("heading(%q) has the kind %q (%v), want %q", text, h.Kind, ok, want)
		}
	}
}

// Lines that look like known headings are headings, too.
func TestFindHeadings_ByLooks(t *testing.T) {
	got := sectionsOf(t, strings.Join([]string{
		"{18} Ada Quill",
		"{12 bold} Education", "Bachelor of Science in Physics, University of Eastmere",
		"{12 bold} Lighthouses", "Eddystone",
		"{12 bold} Skills", "Go",
		"{12 bold} Volunteer Lifeguard Experience", "Lifeguard on the beach of Leeds, from May to September 2019",
	}, "\n"))
	want := []string{
		"head: Ada Quill",
		"education: Bachelor of Science in Physics, University of Eastmere",
		"other: Eddystone",
		"skills: Go",
		"experience: Lifeguard on the beach of Leeds, from May to September 2019",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("sections are %q, want %q", got, want)
	}
}
