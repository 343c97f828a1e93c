package negation

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/analysis"
)

func TestRead(t *testing.T) {
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		text     string
		language analysis.Language
		want     string // the parts between brackets are excluded, those between braces optional
	}{
		{"Any stack except WordPress", analysis.English, "[WordPress]"},
		{"No WordPress, no PHP please; Next.js", analysis.English, "[WordPress] [PHP]"},
		{"No WordPress, React and Node only", analysis.English, "[WordPress]"},
		{"avoid Java, Python and PHP", analysis.English, "[Java, Python and PHP]"},
		{"no Wix, WordPress or Shopify, a page in JavaScript", analysis.English, "[Wix, WordPress or Shopify]"},
		{"without Redux and with TypeScript", analysis.English, "[Redux]"},
		{"Front end in React, experience with WordPress is not required", analysis.English, "[experience with WordPress]"},
		{"shop without WordPress for a bakery", analysis.English, "[WordPress]"},
		{"not only React but also Vue", analysis.English, ""},
		{"no applications without Kubernetes experience", analysis.English, ""},
		{"I don't have a site and need one", analysis.English, ""},
		{"our site doesn't load", analysis.English, ""},
		{"no more than five pages", analysis.English, ""},
		{"Go is a plus but not required", analysis.English, "{Go}"},
		{"Migrate our shop from Magento to Shopify", analysis.English, "[Magento]"},
		{"Replace MongoDB with PostgreSQL", analysis.English, "[MongoDB]"},
		{"Replace the logo of our WordPress site", analysis.English, ""},
		{"Umstieg von Magento auf Shopify", analysis.German, "[Magento]"},
		{"kein PHP und kein Python, nur Go", analysis.German, "[PHP] [Python]"},
		{"non seulement React mais aussi Vue", analysis.French, ""},
	} {
		var got []string
		for _, span := range r.Read(c.text, c.language) {
			marks := [][2]string{Excluded: {"[", "]"}, Optional: {"{", "}"}}[span.Kind]
			got = append(got, marks[0]+c.text[span.Start:span.End]+marks[1])
		}
		if joined := strings.Join(got, " "); joined != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, joined, c.want)
		}
	}
}

func TestRead_AnyText(t *testing.T) {
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}

	for _, text := range []string{
		"", "no", "without,", "not required", "migrate from", "no no no", "replace with", "a\xff no",
	} {
		spans := r.Read(text, analysis.English)
		if slices.ContainsFunc(spans, func(s Span) bool { return s.Start >= s.End || s.End > len(text) }) {
			t.Errorf("%q: got %v", text, spans)
		}
	}
}

func TestParse_RejectsUnknownKinds(t *testing.T) {
	for _, file := range []string{"en nonsense: no", "xx before: no", "en before: (no|not"} {
		if _, err := parse(file); err == nil {
			t.Errorf("%q: got no error", file)
		}
	}
}
