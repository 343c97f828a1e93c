package fields

import (
	"strings"
	"testing"
)

func TestLevels(t *testing.T) {
	x := newExtractor(t)
	for text, want := range map[string]string{
		"English (native), German (B2), French – basic": "English native, German B2, French basic",
		"Fluent in English":            "English Fluent",
		"Muttersprache: Deutsch":       "German native",
		"Français : langue maternelle": "French native",
		"英语：流利":                        "English 流利",
		"Dänisch verhandlungssicher":   "Danish verhandlungssicher",
		"inglés c1":                    "English C1",
		"Java, Python":                 "",
	} {
		var got []string
		for _, l := range x.levels(text, "") {
			got = append(got, strings.TrimSpace(l.Name+" "+l.Level))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("levels(%q) = %q, want %q", text, got, want)
		}
	}
}
