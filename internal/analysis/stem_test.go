package analysis_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/text/unicode/norm"

	"github.com/freelancer-matching/service/internal/analysis"
)

// Each line holds forms of one word, also without accents, that have one stem.
var forms = map[analysis.Language]string{
	analysis.English: `
		design designs designing DESIGN
		developing developed
		manager managers managing`,
	analysis.Spanish: `
		diseño diseno DISEÑO diseños diseñador diseñadora diseñadores
		desarrollador desarrolladora desarrolladores desarrollo
		animación animacion animaciones
		traducción traduccion traducciones
		tecnología tecnologia tecnologías
		página pagina páginas`,
	analysis.French: `
		développeur developpeur développeurs DÉVELOPPEUR
		développement développer developper
		création creation créations
		qualité qualite qualités
		première premiere premières`,
	analysis.German: `
		Übersetzung Übersetzungen UEBERSETZUNG Ubersetzung
		Entwickler Entwicklung
		Lösung Lösungen Loesungen
		Straße Strasse Straßen
		Bücher Buch`,
	analysis.Portuguese: `
		criação criacao CRIAÇÃO
		criações criacoes
		experiência experiencia experiências
		desenvolvedor desenvolvedora desenvolvedores
		responsável responsavel responsáveis`,
	analysis.Italian: `
		sviluppatore sviluppatori sviluppo sviluppare
		traduzione traduzioni
		creatività creativita
		grafico grafica grafici grafiche`,
}

func TestAppendStems_FormsOfAWordMeet(t *testing.T) {
	a := analysis.New()
	for language, lines := range forms {
		for line := range strings.Lines(strings.TrimSpace(lines)) {
			stems := a.AppendStems(nil, line, language)
			if len(stems) != len(strings.Fields(line)) || len(slices.Compact(slices.Clone(stems))) != 1 {
				t.Errorf("%v: stems of %q are %v, want one", language, strings.TrimSpace(line), stems)
			}
		}
	}
}

func TestAppend_OtherLanguages(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{
			"spanish", "Busco un desarrollador de aplicaciones para mi empresa con React y Figma",
			"busco busc desarrollador desarroll aplicacion aplic empresa empres react figma figm",
		},
		{
			"french", "Nous cherchons une rédactrice pour les textes de l'entreprise et d'un blog",
			"cherchon redactric text entrepris blog",
		},
		{
			"german", "Wir suchen einen Übersetzer für die Handbücher und das Marketing",
			"suchen such ubersetz handbuch market marketing",
		},
		{
			"portuguese", "Preciso de uma ilustração para a capa do livro e não de um logo",
			"preciso precis ilustracao ilustr capa cap livro livr logo log",
		},
		{
			"italian", "Cerco un grafico per il logo dell'editore con una certa esperienza di stampa",
			"cerco cerc grafico grafic logo log editor certa cert esperienza esperient stampa stamp",
		},
		{
			"ideographs", "Necesito un diseño para la web 网站 y las redes de mi tienda",
			"necesito necesit diseno disen web 网 站 rede red tienda tiend",
		},
	}

	a := analysis.New()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := a.Append(nil, test.text)
			if diff := cmp.Diff(strings.Fields(test.want), got); diff != "" {
				t.Errorf("Append(%q) (-want +got):\n%s", test.text, diff)
			}

			if diff := cmp.Diff(append([]string{"first"}, got...), a.Append([]string{"first"}, test.text)); diff != "" {
				t.Errorf("after another term it differs (-want +got):\n%s", diff)
			}
		})
	}
}

// A brief and a profile in different languages meet in every technical word that both hold, in both directions: the
// terms are the same on both sides, and hold those of the English text.
func TestAppend_LanguagesMeet(t *testing.T) {
	const skills = "React developer, digital marketing, Figma, Java, Docker, testing, data analytics"
	texts := []string{
		"Busco una persona con experiencia en " + skills + " para la tienda de mi empresa",
		"Je cherche une personne pour les projets de notre agence: " + skills,
		"Ich suche jemanden für die Projekte in unserer Agentur: " + skills,
		"Preciso de uma pessoa para os projetos da minha loja, mas com experiência: " + skills,
		"Cerco una persona che sia esperta per il progetto della mia azienda: " + skills,
	}

	a := analysis.New()
	english := a.Append(nil, skills)
	for _, text := range texts {
		if a.Language(text) == analysis.English {
			t.Errorf("%q is taken for English", text)
		}
		terms := a.Append(nil, text)
		for _, term := range english {
			if !slices.Contains(terms, term) {
				t.Errorf("%q lacks the term %q of an English text", text, term)
			}
		}
	}
}

// Texts of one language meet in forms that the English stemmer does not bring together, also where one of them is too
// short to tell its language.
func TestAppend_OneLanguageMeets(t *testing.T) {
	a := analysis.New()
	brief := a.Append(nil, "Necesitamos dos diseñadores para las ilustraciones de nuestra revista y un logotipo")
	profile := a.Append(nil, "Soy diseñadora y hago ilustración para los libros de varias editoriales")
	for _, want := range []string{"disen", "ilustr"} {
		if !slices.Contains(brief, want) || !slices.Contains(profile, want) {
			t.Errorf("%q is not in both %v and %v", want, brief, profile)
		}
	}
	if title := a.Append(nil, "Diseñador gráfico"); !slices.Contains(brief, title[0]) {
		t.Errorf("%q of a short title is not in %v", title[0], brief)
	}
}

func TestAppendIn_IsAppendInTheLanguageOfTheText(t *testing.T) {
	a := analysis.New()
	for _, text := range samples() {
		if diff := cmp.Diff(a.Append(nil, text), a.AppendIn(nil, text, a.Language(text)), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-Append +AppendIn):\n%s", text, diff)
		}
	}
}

// However a text is written, and whatever was analyzed before, its terms are the same.
func TestAppend_WritingChangesNothing(t *testing.T) {
	texts := samples()
	a := analysis.New()
	for _, text := range texts {
		want := analysis.New().Append(nil, text)
		for name, written := range map[string]string{
			"as it is":   text,
			"NFC":        norm.NFC.String(text),
			"NFD":        norm.NFD.String(text),
			"upper case": strings.ToUpper(text),
			"lower case": strings.ToLower(text),
		} {
			if diff := cmp.Diff(want, a.Append(nil, written)); diff != "" {
				t.Errorf("%q, %s (-want +got):\n%s", text, name, diff)
			}
		}
	}
}

// In every language each word has its English stem among the terms, and at most one more.
func TestAppendIn_AddsAtMostOneTermForEachWord(t *testing.T) {
	a := analysis.New()
	for _, text := range samples() {
		for l := analysis.Spanish; l <= analysis.Italian; l++ {
			terms := a.AppendIn(nil, text, l)
			own := a.AppendStems(nil, text, l)
			if len(terms) < len(own) || len(terms) > 2*len(own) {
				t.Errorf("%v: %q has %d words and %d terms", l, text, len(own), len(terms))
			}
			for _, term := range own {
				if !slices.Contains(terms, term) {
					t.Errorf("%v: %q lacks the stem %q", l, text, term)
				}
			}
		}
	}
}

// samples returns random texts from words of all languages, most of them from one.
func samples() []string {
	words := []string{
		"the designs with React for our managers and testing of Node.js",
		"el diseño de las páginas para nuestras tiendas y también la traducción",
		"les développeurs de notre équipe ont créé des sites pour l'entreprise",
		"die Übersetzungen für unsere Bücher sind größer und nicht über Straßen",
		"a criação das ilustrações não é só para você mas também da nossa página",
		"gli sviluppatori della società per la qualità del nostro progetto più",
	}

	rng := rand.New(rand.NewPCG(4, 2))
	var texts []string
	for range 300 {
		fields := strings.Fields(words[rng.IntN(len(words))])
		if rng.IntN(2) == 0 {
			fields = append(fields, strings.Fields(words[rng.IntN(len(words))])...)
		}
		rng.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		texts = append(texts, strings.Join(fields[:1+rng.IntN(len(fields))], " "))
	}

	return texts
}
