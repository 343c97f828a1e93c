package fields

import (
	"strings"
	"testing"

	"freelancer-matching/resume"
)

func TestHeading(t *testing.T) {
	x := newExtractor(t)
	for text, want := range map[string]kind{
		"EXPERIENCE":                  experience,
		"Professional Experience":     experience,
		"Selected Work Experience:":   experience,
		"WORKEXPERIENCE":              experience,
		"Skills & Tools":              skills,
		"Berufserfahrung":             experience,
		"Beruflicher Werdegang":       experience,
		"EXPÉRIENCE PROFESSIONNELLE":  experience,
		"Formación académica":         education,
		"Sprachen und Hobbys":         languages,
		"工作经历":                        experience,
		"学歴":                          education,
		"荣誉奖项（可选）":                    "awards",
		"E D U C A T I O N":           education,
		"[ Skills ]":                  skills,
		"2. Work Experience":          experience,
		"II. SKILLS":                  skills,
		"Curriculum vitae":            title,
		"Resume":                      title, // in the first lines, and a summary below
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

		p := newPage(&doc)
		h, ok := x.sections.findHeadings(p)[1]
		if h.kind != want || ok != (want != "") {
			t.Errorf("heading(%q) has the kind %q (%v), want %q", text, h.kind, ok, want)
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
