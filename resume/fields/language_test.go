package fields

import (
	"testing"

	"github.com/freelancer-matching/service/resume/resumetest"
)

func TestLanguageOfScript(t *testing.T) {
	for text, want := range map[string]string{
		"工作经历 2019 Python": "zh",
		"職務経歴書のデザイン":       "ja",
		"경력 사항":            "ko",
		"Опыт работы":      "ru",
		"Досвід роботи її": "uk",
		"الخبرة العملية":   "ar",
		"ניסיון תעסוקתי":   "he",
		"Εμπειρία":         "el",
		"ประสบการณ์":       "th",
		"अनुभव":            "hi",
		"Experience, 经历":   "",
		"":                 "",
	} {
		if got := languageOfScript(text); got != want {
			t.Errorf("languageOfScript(%q) = %q, want %q", text, got, want)
		}
	}
}

// The documents are in the notation of testdata/resumes/README.md.
func TestLanguage(t *testing.T) {
	x := newExtractor(t)
	for text, want := range map[string]string{
		"{14 bold} Experience\nMoved the ledger of the bank to Go and tested it with the team": "en",
		"{14 bold} Berufserfahrung\n{14 bold} Kenntnisse\nGo, Python, Docker":                  "de",
		"{14 bold} Vaardigheden\n{14 bold} Opleiding\nGo, Python":                              "nl",
		"Zqx wvb kjh": "",
	} {
		if got := extract(t, x, resumetest.ParseDocument(text)).Language; got != want {
			t.Errorf("the language of %q is %q, want %q", text, got, want)
		}
	}
}
