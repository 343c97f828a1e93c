package match_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

// polyglots returns a world in which most freelancers describe themselves in English.
func polyglots(t *testing.T) *world {
	t.Helper()
	return newWorld(t,
		matching.Freelancer{ID: "logo", JobTitle: "Logo designer", Description: "I draw logos and brand identities."},
		matching.Freelancer{ID: "seo", JobTitle: "SEO specialist", Skills: []string{"Keyword Research"}},
		matching.Freelancer{ID: "slides", JobTitle: "Presentation designer", Skills: []string{"Presentation Design"}},
		matching.Freelancer{ID: "books", JobTitle: "Bookkeeper", Description: "Monthly bookkeeping and invoices."},
		matching.Freelancer{ID: "maceta", JobTitle: "Ceramista", Description: "Hago macetas de cerámica por encargo."},
	)
}

func TestMatch_BriefsInOtherLanguages(t *testing.T) {
	w := polyglots(t)
	for _, test := range []struct{ text, want string }{
		{"Busco a alguien para el diseño de un logotipo para mi panadería", "logo"},
		{"Wir suchen jemanden für die Logogestaltung unserer Bäckerei", "logo"},
		{"Je cherche quelqu'un pour la tenue des factures et de la comptabilité de ma société", "books"},
		{"Preciso de alguém para fazer uma pesquisa de palavras-chave para o meu site", "seo"},
		{"Cerco qualcuno per la progettazione di diapositive per la mia presentazione", "slides"},
		// Words that the dictionary lacks find freelancers who write in the language of the brief.
		{"Necesito unas macetas de cerámica para el jardín de nuestro hotel", "maceta"},
	} {
		if got := ids(w.match(matching.Brief{Description: test.text})); len(got) == 0 || got[0] != test.want {
			t.Errorf("%q finds %v, want %s first", test.text, got, test.want)
		}
	}
}

func TestMatch_SkillsInTheLanguageOfTheBrief(t *testing.T) {
	answer := polyglots(t).match(matching.Brief{
		Description:    "Necesitamos a una persona para el posicionamiento de nuestra tienda",
		RequiredSkills: []string{"estudio de palabras clave"},
	})
	if len(answer.UnknownSkills) > 0 {
		t.Errorf("unknown skills: %v", answer.UnknownSkills)
	}
	want := []string{"estudio de palabras clave"}
	if diff := cmp.Diff(want, find(t, answer, "seo").MatchedSkills); diff != "" {
		t.Errorf("matched skills, as the client wrote them (-want +got):\n%s", diff)
	}
}

func TestMatch_SaysThatABriefWasReadInEnglish(t *testing.T) {
	w := polyglots(t)
	answer := w.match(matching.Brief{Description: "Necesito un logotipo para la web de un xyzzy", Explain: true})
	note := slices.IndexFunc(answer.Skipped, func(s matching.Skipped) bool {
		return s.Feature == matching.SkippedLanguage && strings.Contains(s.Reason, "Spanish") &&
			strings.Contains(s.Reason, "1 word isn't in it")
	})
	if note < 0 {
		t.Errorf("skipped = %v, want a note about Spanish and the unknown word", answer.Skipped)
	}

	explanation := ""
	for _, f := range find(t, answer, "logo").Explanation {
		explanation += f.Summary + "\n"
	}

	if want := `logo (from "logotipo")`; !strings.Contains(explanation, want) {
		t.Errorf("explanation lacks %s:\n%s", want, explanation)
	}

	english := w.match(matching.Brief{Description: "I need a logo for my website"})
	for _, s := range english.Skipped {
		if s.Feature == matching.SkippedLanguage {
			t.Errorf("a brief in English was read as %q", s.Reason)
		}
	}
}
