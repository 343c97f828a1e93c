package analysis_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/internal/analysis"
)

func TestAppend(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"stems and stop words", "Designing the logos of a brand", "design logo brand"},
		{"case and punctuation", "Node.js, REST-API (v2)!", "node js rest api v2"},
		{"signs of languages", "C++ and C#, F# or c", "c++ c# f# c"},
		{"signs elsewhere", "abc++ d# C+", "abc d c"},
		{"apostrophes", "the client's don't ’quoted’ O’Reilly", "client don quot o"},
		{"elisions", "l'image d’Italia dell'azienda l' C's", "imag italia azienda l c"},
		{"accents", "Übersetzung für Español", "ubersetzung fur espanol"},
		{"fancy letters", "𝑫𝒂𝒕𝒂 𝐄𝐧𝐭𝐫𝐲", "data entri"},
		{"ligature", "ﬁgma", "figma"},
		{"ideographs", "网站 design", "网 站 design"},
		{"combining accents", "re\u0301sume\u0301", "resum"},
		{"too long", "x " + strings.Repeat("y", 65) + " z", "x z"},
		{"nothing", " \t!?", ""},
		{"only stop words", "and the", ""},
		{"invalid UTF-8", "web\xff\xfedesign", "web design"},
	}

	a := analysis.New()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := a.Append(nil, test.text)
			if diff := cmp.Diff(strings.Fields(test.want), got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Append(%q) (-want +got):\n%s", test.text, diff)
			}

			if diff := cmp.Diff(got, a.Append(nil, test.text)); diff != "" {
				t.Errorf("from the cache it differs (-first +second):\n%s", diff)
			}
		})
	}
}

func TestAppend_KeepsWhatIsThere(t *testing.T) {
	got := analysis.New().Append([]string{"first"}, "second third")
	if diff := cmp.Diff([]string{"first", "second", "third"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzAppend(f *testing.F) {
	for _, seed := range []string{"C++ developer’s", "网站 ﬁ 𝐄", "a\xffb", "don't'", "e\u0301'", "C#"} {
		f.Add(seed)
	}

	a := analysis.New()

	for _, text := range samples()[:20] {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		terms := a.Append(nil, text)
		for l := analysis.English; l <= analysis.Italian; l++ {
			terms = a.AppendIn(terms, text, l)
		}

		for _, term := range terms {
			if term == "" || !utf8.ValidString(term) {
				t.Fatalf("term %q of %q", term, text)
			}
			if len(strings.Fields(term)) != 1 || strings.TrimSpace(term) != term {
				t.Fatalf("term %q has white space: engines split terms at it", term)
			}
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	text := strings.Repeat("I am a seasoned full stack developer with over 9 years of experience in crafting robust, "+
		"secure software: React, Node.js and PostgreSQL. ", 8)
	benchmark(b, text)
}

func BenchmarkAppend_Spanish(b *testing.B) {
	benchmark(b, strings.Repeat("Soy una desarrolladora con más de nueve años de experiencia en la creación de "+
		"aplicaciones robustas y seguras para empresas: React, Node.js y PostgreSQL. ", 8))
}

func benchmark(b *testing.B, text string) {
	a := analysis.New()
	terms := a.Append(nil, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		terms = a.Append(terms[:0], text)
	}
}

func TestAnalyzer_AppendNameAppendsTheSameTerms(t *testing.T) {
	a := analysis.New()
	other := analysis.New()
	for range 2 { // the second time from the cache
		for _, name := range []string{
			"Graphic Designer", "diseñadores gráficos de páginas", "C++", "", strings.Repeat("long ", 30),
		} {
			want := other.Append([]string{"before"}, name)
			if diff := cmp.Diff(want, a.AppendName([]string{"before"}, name)); diff != "" {
				t.Errorf("AppendName(%q) differs from Append:\n%s", name, diff)
			}
		}
	}
}
