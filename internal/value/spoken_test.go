package value

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// format returns languages as "en:C1 de".
func format(list []matching.SpokenLanguage) string {
	parts := make([]string, len(list))
	for i, l := range list {
		parts[i] = strings.TrimSuffix(l.Tag+":"+string(l.Level), ":")
	}
	return strings.Join(parts, " ")
}

func TestSpokenLanguages(t *testing.T) {
	for _, test := range []struct{ cell, want string }{
		{"English (fluent), German B2", "en:C1 de:B2"},
		{"Español - nativo", "es:native"},
		{"English:C1", "en:C1"},
		{"en:C1; de:?", "en:C1 de"},
		{"en", "en"},
		{"EN-us", "en-US"},
		{"no:?", "no"},
		{"English, Fluent, German, Native", "en:C1 de:native"},
		{"English and Spanish", "en es"},
		{"Deutsch (Muttersprache) und Englisch (fließend)", "de:native en:C1"},
		{"Native German, fluent English", "de:native en:C1"},
		{"Fluent in English", "en:C1"},
		{"English: Native or Bilingual | Hindi: Conversational", "en:native hi:B1"},
		{"English (Native/Bilingual), French (Basic)", "en:native fr:A2"},
		{"English/French", "en fr"},
		{"Chinese (Mandarin), Cantonese", "zh yue"},
		{"Mandarin Chinese", "zh"},
		{"Portuguese (Brazil)", "pt-BR"},
		{"Brazilian Portuguese", "pt-BR"},
		{"Chinese (Traditional)", "zh-Hant"},
		{"English (US), Spanish (Latin American)", "en-US es-419"},
		{"English (B1/B2)", "en:B1"},
		{"English - full professional proficiency", "en:C1"},
		{"English: limited working", "en:B1"},
		{"Tagalog", "fil"},
		{"Farsi", "fa"},
		{"Norwegian", "no"},
		{"Swiss German", "gsw"},
		{"Polski", "pl"},
		{"Français : langue maternelle", "fr:native"},
		{"Inglês (avançado)", "en:C1"},
		{"Język angielski", "en"},
		{"English (fluent), English (B2)", "en:C1"},
		{"English, n/a", "en"},
		{"", ""},
		{"-", ""},
		{"['English', 'French']", "en fr"},
		{`["English (C2)", "de"]`, "en:C2 de"},
		{`[{"language": "English", "level": "Fluent"}, {"language": "de"}]`, "en:C1 de"},
		{
			`[{"language":{"iso639Code":"en","englishName":"English"},"proficiencyLevel":{"code":"NATIVE_OR_BILINGUAL"}}]`,
			"en:native",
		},
		{`{"French": "B2", "English": "Native"}`, "en:native fr:B2"},
		{`{"name": "no", "level": ""}`, "no"},
		{"English\nGerman", "en de"},
		{"English • German", "en de"},
	} {
		if got, remark := SpokenLanguages(test.cell); format(got) != test.want || remark != "" {
			t.Errorf("%q: %q (%s), want %q", test.cell, format(got), remark, test.want)
		}
	}

	for _, test := range []struct{ cell, want, remark string }{
		{"no", "", remarkNotLanguage},
		{"yes", "", remarkNotLanguage},
		{"Klingonese", "", remarkNotLanguage},
		{"English (like a pirate)", "en", remarkUnknownLevel},
		{"English 90%", "en", remarkUnknownLevel},
		{"English, Elvish (B2)", "en", remarkNotLanguage},
		{"5", "", remarkNotLanguage},
		{"Python, Java", "", remarkNotLanguage},
		{`[1]`, "", remarkNotLanguage},
		{"und", "", remarkNotLanguage},
		{strings.Repeat("English", 1000), "", remarkNotLanguage},
		{`[{"language": "English", "level": "so so"}]`, "en", remarkUnknownLevel},
	} {
		if got, remark := SpokenLanguages(test.cell); format(got) != test.want || remark != test.remark {
			t.Errorf("%q: %q (%s), want %q (%s)", test.cell, format(got), remark, test.want, test.remark)
		}
	}
}

func TestLanguageLevel(t *testing.T) {
	for _, test := range []struct {
		text string
		want matching.LanguageLevel
	}{
		{"C1", "C1"},
		{"b2", "B2"},
		{"B2 (upper intermediate)", "B2"},
		{"native", "native"},
		{"NATIVE OR BILINGUAL", "native"},
		{"Basic", "A2"},
		{"Conversational", "B1"},
		{"Fluent", "C1"},
		{"professional working proficiency", "B2"},
		{"verhandlungssicher", "C1"},
		{"courant", "C1"},
		{"", ""},
	} {
		if got, remark := LanguageLevel(test.text); got != test.want || remark != "" {
			t.Errorf("%q: %q (%s), want %q", test.text, got, remark, test.want)
		}
	}

	if got, remark := LanguageLevel("so so"); got != "" || remark == "" {
		t.Errorf("%q (%s), want a remark", got, remark)
	}
}

func TestLevelsFrom(t *testing.T) {
	if got := LevelsFrom("C1"); !slices.Equal(got, []matching.LanguageLevel{"C1", "C2", "native"}) {
		t.Errorf("%v", got)
	}
	if got := LevelsFrom("D1"); got != nil {
		t.Errorf("%v", got)
	}
}

// A language of the data that is no valid tag would be invisible to filters.
func TestLanguagesAreCanonical(t *testing.T) {
	for key, tag := range spokenNames().tags {
		if canonical, ok := languageTag(tag); !ok || canonical != tag {
			t.Errorf("%s: %q is not canonical", key, tag)
		}
	}
}
