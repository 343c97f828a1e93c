package documents

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/internal/matching"
)

// The text to embed has the words of the description that say what a freelancer does, and no others.
func TestPrepare_BeginningOfTheDescription(t *testing.T) {
	p := newPreparer(t)
	far := strings.Repeat("lorem ", beginningWords)
	tests := []struct {
		name       string
		freelancer matching.Freelancer
		want       string
	}{
		{
			"work only",
			matching.Freelancer{Description: "Hello! I edit PODCASTS, write show notes & mix audio."},
			"edit podcasts write show notes mix audio",
		},
		{"skills with signs", matching.Freelancer{Description: "C++, C# and .NET"}, "c++ c# .net"},
		{"other languages", matching.Freelancer{Description: "Diseño de páginas web"}, "diseno de paginas web"},
		{"not far down", matching.Freelancer{Description: far + "photographer"}, ""},
		{"a script without spaces", matching.Freelancer{Description: strings.Repeat("翻译", 4000) + " editor"}, ""},
		{"languages, if they are not listed", matching.Freelancer{Description: "German to English translator"}, "translator"},
		{
			"languages in title and skills",
			matching.Freelancer{JobTitle: "German translator", Skills: []string{"English"}, Description: "I am German."},
			"German translator. English",
		},
		{
			"the freelancer's name",
			matching.Freelancer{Name: "Mason Baker", Description: "Mason Baker, illustrator"},
			"illustrator",
		},
		{
			"a name that is also a skill",
			matching.Freelancer{Name: "Ruby Smith", JobTitle: "Ruby programmer", Description: "Ruby since 2010"},
			"Ruby programmer. ruby",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, got, _ := p.prepare(test.freelancer); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Who freelancers are and where they come from does not change the text to embed.
func TestPrepare_TextOfTwins(t *testing.T) {
	p := newPreparer(t)
	text := func(name, who, from string) string {
		_, text, _ := p.prepare(matching.Freelancer{
			Name:     name,
			JobTitle: "Logo designer", Skills: []string{"Illustrator"},
			Description: fmt.Sprintf("%s is %s designer from %s who loves logos.", name, who, from),
		})
		return text
	}

	want := "Logo designer. Adobe Illustrator. designer logos"
	for _, name := range []string{"", "Ann", "Muhammad Ali", "Priya S.", "José", "Mason", "Carter", "Jade", "Grace"} {
		if got := text(name, "a", ""); got != want {
			t.Errorf("name %q: %q, want %q", name, got, want)
		}
	}

	who := strings.Fields("male female Muslim Christian Jewish young married he/him she/her gay Black white American " +
		"German Indian Pakistani Bangladeshi Nigerian Filipino Filipina Chinese Ukrainian Russian Polish Turkish Egyptian " +
		"Brazilian mexicana argentino française allemand deutscher italiana brasileira European African Asian Latin Kenyan")
	for _, w := range append(who, "a mother and", "an old", "a woman and") {
		if got := text("", w, ""); got != want {
			t.Errorf("%q: %q, want %q", w, got, want)
		}
	}

	names := display.English.Regions()
	for _, region := range language.Supported.Regions() {
		if from := names.Name(region); region.IsCountry() && !strings.Contains(from, " ") {
			if got := text("", "a", from); got != want {
				t.Errorf("from %s: %q, want %q", from, got, want)
			}
		}
	}

	for _, from := range strings.Fields("Lahore Karachi Dhaka Mumbai Lagos Cairo London Paris Berlin Manila Kyiv Lima") {
		if got := text("", "a", from); got != want {
			t.Errorf("from %s: %q, want %q", from, got, want)
		}
	}
}

func BenchmarkWorkVocabulary(b *testing.B) {
	p := newPreparer(b)
	for b.Loop() {
		workWords(p.taxonomy, p.analyzer)
	}
}
