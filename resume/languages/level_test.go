package languages

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume/lexicon"
)

func TestLevels(t *testing.T) {
	r := NewReader(lexicon.New(), nil)
	for text, want := range map[string]string{
		"English (native), German (B2), French – basic": "English native, German B2, French basic",
		"Fluent in English":                                     "English Fluent",
		"Muttersprache: Deutsch":                                "German native",
		"Français : langue maternelle":                          "French native",
		"英语：流利":                                                 "English 流利",
		"Dänisch verhandlungssicher":                            "Danish verhandlungssicher",
		"inglés c1":                                             "English C1",
		"Fluent: English, Spanish; Basic: French":               "English Fluent, Spanish Fluent, French Basic",
		"Muttersprache: Deutsch, Englisch: fließend":            "German native, English fließend",
		"English fluent, some Portuguese":                       "English fluent, Portuguese some",
		"Native English and conversational Dutch":               "English native, Dutch conversational",
		"ENGLISH\tC1\tC2\tB2\tB2\tC1":                           "English C1",
		"Polish: Listening A2, Reading B1, Writing A1":          "Polish A2",
		"Japanese (JLPT N2)":                                    "Japanese JLPT N2",
		"Chinese (Mandarin) – native":                           "Chinese native",
		"Spanish ●●●●○":                                         "Spanish ",
		"Italian | Professional working proficiency | Czech A1": "Italian Professional working proficiency, Czech A1",
		"Java, Python":                                          "",
	} {
		var got []string
		for _, l := range r.levels(text, "") {
			got = append(got, l.Name+" "+l.Level)
		}

		if strings.Join(got, ", ") != want {
			t.Errorf("levels(%q) = %q, want %q", text, got, want)
		}
	}
}
