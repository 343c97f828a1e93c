package lexicon

import (
	"testing"
)

func TestWebAddress(t *testing.T) {
	for word, want := range map[string]string{
		"https://example.org/x": "https://example.org/x",
		"github.com/ada":        "https://github.com/ada",
		"www.example.zz":        "https://www.example.zz",
		"example.zz/cv":         "https://example.zz/cv",
		"ada.dev":               "https://ada.dev",
		"Node.js":               "",
		"ada@example.org":       "",
		"ftp://example.org":     "",
		"1.5/2":                 "",
	} {
		if got := WebAddress(word); got != want {
			t.Errorf("webAddress(%q) = %q, want %q", word, got, want)
		}
	}
}
