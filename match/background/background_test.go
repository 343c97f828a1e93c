package background

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReader_Without(t *testing.T) {
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}

	tests := []struct{ text, want string }{
		{"We create animated ads. Writer needed for scripts.", "Writer needed for scripts."},
		{"Write ten scripts.\nOur company sells candles\nAbout 500 words each", "Write ten scripts. About 500 words each"},
		{"We're a WordPress agency and need a bookkeeper.", "We're a WordPress agency and need a bookkeeper."},
		{"We make games, and you will write their stories.", "We make games, and you will write their stories."},
		{"A shop in React. We're an agency for Node.js 3.5 apps!", "A shop in React."},
		{"We created a logo. Print it.", "We created a logo. Print it."},
		{"Wir sind eine Agentur für SEO. Texter gesucht.", "Texter gesucht."},
		{"Wir entwickeln Spiele und suchen Texter.", "Wir entwickeln Spiele und suchen Texter."},
		{"Nous sommes une agence de référencement. Rédaction de dix articles.", "Rédaction de dix articles."},
		{"Somos una agencia de diseño. Textos para un blog.", "Textos para un blog."},
		{"Somos uma agência de design. Textos para um blog.", "Textos para um blog."},
		{"Siamo una agenzia di design. Testi per un blog.", "Testi per un blog."},
		{"", ""},
	}
	for _, tt := range tests {
		got := r.Without(tt.text)
		if len(got) != len(tt.text) {
			t.Errorf("%q: the offsets changed: %q", tt.text, got)
		}
		if got := strings.Join(strings.Fields(got), " "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestParse_UnknownKind(t *testing.T) {
	if _, err := parse("en other: we are\n"); err == nil {
		t.Error("parse returned no error for an unknown kind")
	}
}

func FuzzReader_Without(f *testing.F) {
	f.Add("We are a\x00 ﷺ. İ; our company\n")
	r, err := New()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := r.Without(text)
		if len(got) != len(text) || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
