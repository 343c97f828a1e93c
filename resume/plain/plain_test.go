package plain_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/plain"
	"github.com/freelancer-matching/service/resume/resumetest"
)

func reader() *plain.Reader { return plain.New(flow.DefaultLimits()) }

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []resume.Line
	}{
		{"lines", "Ada Example\r\nData Engineer\n\n\n\nBerlin", []resume.Line{
			{Text: "Ada Example"}, {Text: "Data Engineer"}, {Text: "Berlin", Gap: 2},
		}},
		{"bullets", "* Go\n- SQL\n  • Python\n-", []resume.Line{
			{Text: "Go", Bullet: true}, {Text: "SQL", Bullet: true}, {Text: "Python", Bullet: true}, {Text: "-"},
		}},
		{"gaps between columns", "Acme      2019 - 2021\nData\tBerlin", []resume.Line{
			{Text: "Acme\t2019 - 2021"}, {Text: "Data\tBerlin"},
		}},
		{"Markdown", "# Ada Example\n\n## Skills ##\n**Go**, *SQL*\n**2019**", []resume.Line{
			{Text: "Ada Example", Heading: 1},
			{Text: "Skills", Heading: 2, Gap: 1},
			{Text: "Go, *SQL*"},
			{Text: "2019", Bold: true},
		}},
		{"underlined headings", "Ada\nSkills\n======\nGo\n---\n\nA rule:\n\n-----\n\nEnd", []resume.Line{
			{Text: "Ada"},
			{Text: "Skills", Heading: 1},
			{Text: "Go", Heading: 1},
			{Text: "A rule:", Gap: 1},
			{Text: "End", Gap: 2},
		}},
		{"C# and phone numbers", "C# developer\n+49 30 1234567", []resume.Line{
			{Text: "C# developer"}, {Text: "+49 30 1234567"},
		}},
		{
			"wrapped paragraphs",
			"Engineer with ten years of experience in\nbuilding data platforms for banks. Leads\n" +
				"teams of five people and mentors them.\nSkills\n- Moved forty pipelines from cron jobs to\n" +
				"  Apache Airflow\nBerlin",
			[]resume.Line{
				{Text: "Engineer with ten years of experience in building data platforms for banks. Leads " +
					"teams of five people and mentors them."},
				{Text: "Skills"},
				{Text: "Moved forty pipelines from cron jobs to Apache Airflow", Bullet: true},
				{Text: "Berlin"},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := reader().Read(t.Context(), []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(test.want, d.Lines); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRead_Charset(t *testing.T) {
	for _, file := range []string{"Zo\xEB M\xFCller, K\xF6ln", "\uFEFFZoë Müller, Köln"} {
		if got := resumetest.ReadBrief(t, reader(), []byte(file)); got != "Zoë Müller, Köln" {
			t.Errorf("%q: got %q", file, got)
		}
	}
	if got := resumetest.ReadBrief(t, reader(), []byte("Ada\uFFFD")); got != "Ada\uFFFD\nwarning unmapped_glyphs" {
		t.Errorf("lost characters: got %q", got)
	}
}

func TestRead_Errors(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want matching.Code
	}{
		"blank":           {" \n\t\n", resume.CodeNoText},
		"only rules":      {"-----\n=====\n", resume.CodeNoText},
		"many lines":      {strings.Repeat("x\n", 30_000), resume.CodeTooComplex},
		"many characters": {strings.Repeat("many words ", 500_000), resume.CodeTooComplex},
		"large file":      {strings.Repeat("x", 10<<20+1), resume.CodeTooComplex},
	} {
		if _, err := reader().Read(t.Context(), []byte(test.text)); matching.CodeOf(err) != test.want {
			t.Errorf("%s: got %v, want code %s", name, err, test.want)
		}
	}
	resumetest.Canceled(t, reader(), []byte(strings.Repeat("x\n", 10_000)))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("# Ada\n=====\n- Go\n\n\n**b** __c__\tx"))
	f.Add([]byte("\xFF\xFEA\x00\n\x00"))
	f.Add([]byte("Engineer with ten years of experience in\nbuilding data platforms for banks. Leads\n  o\tx\n"))
	f.Fuzz(func(t *testing.T, file []byte) { resumetest.Check(t, reader(), file) })
}
