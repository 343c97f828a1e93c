package fields

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume/resumetest"
)

// The text is below the name of a resume, in the notation of testdata/resumes/README.md.
func TestLanguages(t *testing.T) {
	x := newExtractor(t)
	for _, c := range []struct{ name, text, want string }{
		{"a label", "Natural languages: English, Dutch (B1)", "English , Dutch B1"},
		{"a label for mother tongues", "Mother tongue(s): Italian", "Italian native"},
		{"a label in a sidebar", "{12 bold} Contact\nLeeds\nForeign languages: Czech", "Czech "},
		{"bilingual in the job title", "Bilingual Office Manager (English and Spanish)", "English , Spanish "},
		{
			"bilingual in a summary", "{12 bold} Summary\nA clerk of nine years, bilingual (English/Spanish), calm.",
			"English , Spanish ",
		},
		{
			"fluent in", "{12 bold} Summary\nA clerk with nine years in clinics, fluent in Dutch and German.",
			"Dutch fluent, German fluent",
		},
		{"a line of its own", "Deutsch (Muttersprache), Englisch (C1)", "German native, English C1"},
		{
			"among skills", "{12 bold} Skills\nExcel, fluent Spanish, French\n- English (C2)",
			"Spanish fluent, French , English C2",
		},
		{"one per line with dots", "{12 bold} Idiomas\nEspañol    ●●●●●\nInglés    ★★☆☆", "Spanish , English "},
		{"levels below", "{12 bold} Sprachen\nDeutsch\nMuttersprache\nEnglisch\nfließend", "German native, English fließend"},
		{
			"a grid", "{12 bold} Languages\nGerman    English    Polish\nNative    B1    A2",
			"German native, English B1, Polish A2",
		},
		{
			"a row of levels",
			"{12 bold} Personal skills\nForeign languages    UNDERSTANDING    SPEAKING    WRITING\n" +
				"Listening    Reading    Spoken interaction    Spoken production\nGerman    B2    C1    B2    B1    B2",
			"German B2",
		},
		{"a row of two levels", "{12 bold} Sprachen\nPolnisch    A2    B1", "Polish A2"},
		{
			"levels by skill below", "{12 bold} Language Skills\nSpanish\nSpoken: Intermediate\nWritten: Novice",
			"Spanish Intermediate",
		},
		{
			"with interests",
			"{12 bold} Languages & Interests\nEnglish, Welsh (basic)\nSailing with the German club of Leeds, chess",
			"English , Welsh basic",
		},
		{"a nationality", "{12 bold} Personal Details\nNationality: German", ""},
		{"a task", "{12 bold} Experience\nTeacher, Acme School    2019 – 2021\n- Taught English and spoke Spanish.", ""},
		{"programming languages", "{12 bold} Languages\nJava, Go", ""},
		{"a company", "Engineer at Meta", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := extract(t, x, resumetest.ParseDocument("{20 bold} Marlow Quillfeather\nmarlow@quillfeather.example\n"+c.text))
			var got []string
			for _, l := range r.Languages {
				got = append(got, l.Name+" "+l.Level)
			}

			if strings.Join(got, ", ") != c.want {
				t.Errorf("languages are %q, want %q", got, c.want)
			}
		})
	}
}
