package sections

import (
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/resumetest"
)

var words = sync.OnceValue(lexicon.New)

func newTestSections(tb testing.TB) *Reader {
	tb.Helper()
	words := words()
	t := resumetest.Taxonomy(tb)
	return NewReader(words, dates.NewFinder(words.DateWords, resumetest.Today), lexicon.NewTitles(words, t), t)
}

// sectionsOf returns the sections of a document in the notation of resume/fields/testdata/resumes/README.md, as "kind:
// line | line".
func sectionsOf(tb testing.TB, text string) []string {
	tb.Helper()
	doc := resumetest.ParseDocument(text)
	sections, _ := newTestSections(tb).Read(page.New(&doc))
	var got []string
	for _, s := range sections {
		var lines []string
		for _, l := range s.Lines {
			lines = append(lines, l.Text)
		}
		got = append(got, string(s.Kind)+": "+strings.Join(lines, " | "))
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
			"a heading within a job, with more jobs below",
			"{14 bold} EXPERIENCE\n{bold} Officer\nMinistry of Lakes, 2024 – Present\n{bold} Training\nTaught three people\n" +
				"{bold} Clerk\nHarbor Goods, June 2021 – August 2023\n\n{12 bold} Skills\nGo, SQL",
			[]string{
				"experience: Officer | Ministry of Lakes, 2024 – Present | Training | Taught three people | Clerk | " +
					"Harbor Goods, June 2021 – August 2023",
				"skills: Go, SQL",
			},
		},
		{
			"a heading within the last job",
			"{14 bold} EXPERIENCE\n{bold} Officer\nMinistry of Lakes, 2024 – Present\n" +
				"{bold} Key Achievements\n- Saved a lake\n" +
				"{14 bold} EDUCATION\nBSc Physics, Lindow University, 2019",
			[]string{
				"experience: Officer | Ministry of Lakes, 2024 – Present | Key Achievements | Saved a lake",
				"education: BSc Physics, Lindow University, 2019",
			},
		},
		{
			"a smaller heading without jobs below",
			"{14 bold} EXPERIENCE\nOfficer, Ministry of Lakes, 2024 – Present\n{12 bold} Projects\nTidal, a planner of tides",
			[]string{"experience: Officer, Ministry of Lakes, 2024 – Present", "projects: Tidal, a planner of tides"},
		},
		{
			"an unusual word in a heading",
			"\n{12 bold} WORKING EXPERIENCE\nOfficer, 2024 – Present\n{12 bold} EDUCATION\nBSc",
			[]string{"experience: Officer, 2024 – Present", "education: BSc"},
		},
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
			"a heading in the margin continues beside the text of its section",
			"Work    Engineer, Acme\nBuilt it.\nExperience    Analyst, Acme\nCounted it.\n" +
				"Technical    Welding\nSkills    Soldering",
			[]string{"experience: Engineer, Acme | Built it. | Analyst, Acme | Counted it.", "skills: Welding | Soldering"},
		},
		{
			"a section starts after a colon",
			"{12 bold} EDUCATION: BSc in Physics, University of Eastmere\nMSc in Physics",
			[]string{"education: BSc in Physics, University of Eastmere | MSc in Physics"},
		},
		{
			"labels that repeat start no section",
			"{12 bold} EXPERIENCE\nEngineer, Acme\n\nSKILLS: Go\nAnalyst, Acme\n\nSKILLS: SQL",
			[]string{"experience: Engineer, Acme | SKILLS: Go | Analyst, Acme | SKILLS: SQL"},
		},
		{
			"a degree in the style of headings",
			"{12 bold} Education\nEastmere College, 2016\n{12 bold} Certificate in Project Management\n" +
				"Eastmere College, 2014\n{12 bold} Skills\nGo",
			[]string{
				"education: Eastmere College, 2016 | Certificate in Project Management | Eastmere College, 2014", "skills: Go",
			},
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
			got := sectionsOf(t, "{18 bold} Ada Quill\n\n"+c.text)
			want := append([]string{"head: Ada Quill"}, c.want...)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("sections are %q, want %q", got, want)
			}
		})
	}
}

// Without a heading that the dictionary knows, the level, the look and the content of sections decide.
func TestSections_ByContent(t *testing.T) {
	content := []struct{ heading, lines, want string }{
		{"What I did", "Dock Manager, Heron Ferries Ltd    2019 – 2023\n- Ran four ferries.", "experience"},
		{"Where I sat and listened", "BSc in Physics, University of Eastmere    2012 – 2016", "education"},
		{"What I held", "Employer: Heron    2019 – 2023\nRuns: four ferries", "experience"},
		{"Where I stood", "School: Heron    2012 – 2016\nDegree: with honors", "education"},
		{"In my bag", "Go, PostgreSQL, Docker, Kubernetes", "skills"},
		{"How I talk", "German (native), English (C1)", "languages"},
		{"On paper", "Certified Welder, Dock Guild, 2019\nForklift License, 2020", "certifications"},
		{"In print", "Slow ferries, Journal of Harbors 12, 2019\nWet feet, Journal of Harbors 14, 2021", "publications"},
		{"Odds and ends", "Blue bicycle", "other"},
	}
	for name, look := range map[string]string{
		"Word's heading styles": "{h1} ", "a larger size": "{14} ", "bold capitals": "{10 bold} ",
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("{22 bold} Ada Quill\n\n")
			want := []string{"head"}
			for _, c := range content {
				heading := c.heading
				if name == "bold capitals" {
					heading = strings.ToUpper(heading)
				}
				text.WriteString("\n" + look + heading + "\n" + c.lines + "\n")
				want = append(want, c.want)
			}

			for i, got := range sectionsOf(t, text.String()) {
				if kind, _, _ := strings.Cut(got, ": "); i >= len(want) || kind != want[i] {
					t.Errorf("section %d is %q, want %q", i, got, want)
				}
			}
		})
	}
}

func TestSections_WithoutHeadings(t *testing.T) {
	for name, separator := range map[string]string{"paragraphs": "\n\n", "no gaps": "\n"} {
		t.Run(name, func(t *testing.T) {
			got := sectionsOf(t, "{20} Ada Quill\nLeeds, ada@quill.example"+separator+
				"Dock Manager, Heron Ferries Ltd\n04/2019 – 06/2023\nRan four ferries and two tugs."+separator+
				"BSc in Physics, University of Eastmere, 2012 – 2016"+separator+
				"Go, PostgreSQL, Docker, Kubernetes"+separator+"German (native), English (C1)")
			want := []string{
				"head: Ada Quill | Leeds, ada@quill.example",
				"experience: Dock Manager, Heron Ferries Ltd | 04/2019 – 06/2023 | Ran four ferries and two tugs.",
				"education: BSc in Physics, University of Eastmere, 2012 – 2016",
				"skills: Go, PostgreSQL, Docker, Kubernetes",
				"languages: German (native), English (C1)",
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("sections are %q, want %q", got, want)
			}
		})
	}
}

func TestSections_Qualifications(t *testing.T) {
	for lines, want := range map[string]string{
		"BSc in Physics, University of Eastmere    2012 – 2016": "education",
		"Go, PostgreSQL, Docker, Kubernetes":                    "skills",
	} {
		got := sectionsOf(t, "{12 bold} Qualifications\n"+lines)
		if len(got) != 1 || !strings.HasPrefix(got[0], want+":") {
			t.Errorf("%q below Qualifications has the sections %q, want one of kind %s", lines, got, want)
		}
	}
}
