package page

import (
	"testing"
	"unicode/utf8"
)

func TestRepaired(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"2014 â€“ 2016 â€” now":         "2014 – 2016 — now",
		"Company ï¼ City":               "Company - City",
		"donâ€™t â€œquoteâ€ me":         "don’t “quote” me",
		"CafÃ© MÃ¼nchen":                "Café München",
		"Café München, naïve âge, Ã la": "Café München, naïve âge, Ã la",
		"Â© 2020":                       "© 2020",
		"â€¢ Task":                      "• Task",
		"Škoda – “right” already":       "Škoda – “right” already",
		"日本語":                           "日本語",
		"Ã":                             "Ã",
	} {
		if got := repaired(text); got != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}

func FuzzRepaired(f *testing.F) {
	f.Add("â€“ï¼ Ã©\xff")
	f.Fuzz(func(t *testing.T, text string) {
		if got := repaired(text); utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q becomes the invalid %q", text, got)
		}
	})
}
