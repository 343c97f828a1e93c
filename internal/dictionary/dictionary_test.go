package dictionary_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/dictionary"
	"github.com/freelancer-matching/service/mappings"
)

func open() *dictionary.Dictionary { return dictionary.Open(mappings.Dictionary(), analysis.New()) }

func TestRead(t *testing.T) {
	d := open()
	for _, test := range []struct {
		language analysis.Language
		text     string
		want     string
	}{
		// Nouns connected by a preposition, and adjectives, stand before what they describe.
		{analysis.Spanish, "software de gestión de proyectos de construcción", "construction project management software"},
		{analysis.Portuguese, "gestão da identidade da minha marca", "brand identity management"},
		{analysis.Italian, "analisi dei dati di vendita", "sale data analysis"},
		{analysis.French, "un logo moderne pour une boutique", "modern logo for store"},
		{analysis.Spanish, "Diseñador web con experiencia en WordPress", "experienced web designer in WordPress"},
		// Phrases, in any number or with elided articles.
		{analysis.Spanish, "investigación de palabras clave", "keyword research"},
		{analysis.French, "recherche de mots-clés", "keyword research"},
		{analysis.German, "Keyword-Recherche", "keyword research"},
		{analysis.Spanish, "diseño de diapositivas", "presentation design"},
		{analysis.French, "l'expérience utilisateur d'une application", "application user experience"},
		// German compounds, inflections, capitals and umlauts.
		{analysis.German, "Produktkatalogverwaltung", "product catalog management"},
		{analysis.German, "Die hohe Qualität, die Höhe", "high quality, height"},
		{analysis.German, "Webseiten aufgebaut und aufzubauen", "website build and build"},
		// Names, numbers and abbreviations stay; punctuation and line breaks, too.
		{analysis.Spanish, "Campañas de Google Ads: 3 anuncios.\nUrgente", "Google Ads campaign: 3 ad.\nurgent"},
		{analysis.Spanish, "servicios de O&M y soporte de IT", "O&M service and IT support"},
		{analysis.German, "Nur White-Hat-SEO", "only White-Hat-SEO"},
		{analysis.German, "C++ und Node.js", "C++ and Node.js"},
		// A language without a dictionary.
		{analysis.English, "diseño web", "diseño web"},
	} {
		if got := strings.TrimSpace(d.Read(test.text, test.language, nil).Text); got != test.want {
			t.Errorf("Read(%q, %v) = %q, want %q", test.text, test.language, got, test.want)
		}
	}
}

func TestRead_NamesWinOverWords(t *testing.T) {
	text := "Montage dans Adobe Premiere Pro"
	start := strings.Index(text, "Adobe")
	names := []dictionary.Name{{Start: start, End: len(text), English: "Adobe Premiere Pro"}}
	got := open().Read(text, analysis.French, names)
	if want := "editing in Adobe Premiere Pro"; got.Text != want {
		t.Errorf("Text = %q, want %q", got.Text, want)
	}
}

func TestRead_ReportsWords(t *testing.T) {
	got := open().Read("Logotipo para Xyzzy", analysis.Spanish, nil)
	if len(got.Words) != 2 || got.Words[0] != (dictionary.Word{Written: "Logotipo", English: "logo"}) || got.Unknown != 1 {
		t.Errorf("Read = %+v, want the word Logotipo, the word para and 1 unknown word", got)
	}
}

func TestLanguage(t *testing.T) {
	d := open()
	for _, test := range []struct {
		text string
		want analysis.Language
	}{
		// Too few function words and accents for the analyzer.
		{"Erfahrener Full-Stack-Entwickler (Python/Django) für Projektmanagement-Software im Bauwesen", analysis.German},
		{"Desarrollador web freelance", analysis.Spanish},
		{"Développeur mobile", analysis.French},
		{"Redator de conteúdo", analysis.Portuguese},
		{"Traduzione contratti aziendali", analysis.Italian},
		// English, with words that other languages have.
		{"Senior Java developer", analysis.English},
		{"Animation and illustration agent", analysis.English},
		{"Logo", analysis.English},
		{"Data entry specialist (Excel), manual work", analysis.English},
		{"Commercial photo shoot in Paris: portrait, fashion, mode", analysis.English},
		{"", analysis.English},
	} {
		if got := d.Language(test.text); got != test.want {
			t.Errorf("Language(%q) = %v, want %v", test.text, got, test.want)
		}
	}
}

func TestEncode_RejectsFaultyRows(t *testing.T) {
	for name, source := range map[string]string{
		"before the first section": "logo|logotipo|logo|Logo|logotipo|logo",
		"columns":                  "## nouns\nlogo|logotipo",
		"unknown section":          "## things\n",
		"English":                  "## nouns\n|logotipo|logo|Logo|logotipo|logo",
	} {
		if _, err := dictionary.Encode(strings.NewReader(source)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Encode(%q) = %v, want an error about %q", source, err, name)
		}
	}
}

func FuzzRead(f *testing.F) {
	d := open()
	f.Add("de de de l'd' de la gestión\n—de O&M", uint8(1))
	f.Add("überüberüber\xff\xfe ä̈ß'’' 1.2.3", uint8(3))
	f.Fuzz(func(t *testing.T, text string, language uint8) {
		l := analysis.Language(language % 6)
		r := d.Read(text, l, []dictionary.Name{{Start: 0, End: len(text), English: "name"}})
		if utf8.ValidString(text) && !utf8.ValidString(r.Text) {
			t.Errorf("Read(%q) = %q, which is not UTF-8", text, r.Text)
		}
		d.Language(text)
	})
}

func BenchmarkRead(b *testing.B) {
	d := open()
	text := strings.Repeat("Buscamos un desarrollador web con experiencia para el rediseño de la tienda. ", 10)
	for b.Loop() {
		d.Read(text, d.Language(text), nil)
	}
}
