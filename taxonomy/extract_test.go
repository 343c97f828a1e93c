package taxonomy_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/taxonomy"
)

func TestExtract(t *testing.T) {
	tax := load(t)
	tests := []struct {
		name, text, want string // want lists text:id in order
	}{
		{"longest match", "React Native and machine learning", "React Native:react-native machine learning:machine-learning"},
		{"token boundaries", "JavaScript, not Java", "JavaScript:javascript Java:java"},
		{"inside a word", "reactive javanese scalable golfing", ""},
		{
			"signs in names", "C++/C#/.NET and F#, Node.js.",
			"C++:c-plus-plus C#:c-sharp .NET:dot-net F#:f-sharp Node.js:node-js",
		},
		{"spelling variants", "nodejs, node js, Node.JS", "nodejs:node-js node js:node-js Node.JS:node-js"},
		{
			".NET after other words", "ASP.NET with VB.NET on .NET Core.",
			"ASP.NET:asp-net VB.NET:visual-basic-dot-net .NET Core:dot-net-core",
		},
		{"each occurrence", "SEO. More SEO.", "SEO:seo SEO:seo"},
		{"single line break", "virtual\nassistant", "virtual\nassistant:virtual-assistance"},
		{"empty line", "virtual\n\nassistant", ""},
		{"sentence end", "We sell data. Entry is free.", ""},
		{"comma", "machine, learning", ""},
		{"mathematical letters", "𝑫𝒂𝒕𝒂 𝑬𝒏𝒕𝒓𝒚 for all", "𝑫𝒂𝒕𝒂 𝑬𝒏𝒕𝒓𝒚:data-entry"},
		{"hashtag", "#DataEntry #WordPress", "DataEntry:data-entry WordPress:wordpress"},
		{"plural of several words", "landing pages, REST APIs", "landing pages:landing-pages REST APIs:rest-api"},
		{"plural of an acronym", "LLMs", "LLMs:large-language-models"},
		{"possessive", "Photoshop's layers", "Photoshop:adobe-photoshop"},
		{"web address", "see https://www.facebook.com/wordpress/php and www.python.org", ""},
		{"too general", "design, business, management, communication, web", ""},

		{
			"list of ambiguous words", "Word, Excel, Access",
			"Word:microsoft-word Excel:microsoft-excel Access:microsoft-access",
		},
		{"lower-case list", "php, go, rust, python", "php:php go:go rust:rust python:python"},
		{"slashes", "Python/Go/Java", "Python:python Go:go Java:java"},
		{"bullets", "• Python\n• Go\n• C\n", "Python:python Go:go C:c"},
		{"single letters in a list", "Java, C, R, Python", "Java:java C:c R:r Python:python"},
		{"context word after the name", "an experienced Go developer", "Go:go"},
		{"lower case beside a strong word", "swift developer, excel templates", "swift:swift excel:microsoft-excel"},
		{"vendor before the name", "MS Word and Microsoft Excel", "MS Word:microsoft-word Microsoft Excel:microsoft-excel"},
		{"version after the name", "we use Swift 5", "Swift:swift"},
		{"statistics in R", "analysis with Python and R", "Python:python R:r"},
		{"Flask in a list", "Django, Flask, pandas", "Django:django Flask:flask pandas:pandas"},
		{"language pair", "English to Spanish translation", "English to Spanish translation:spanish-translation"},
		{"fluent in a language", "I am fluent in German", "German:german"},
		{"web frameworks", "built with React, Express and MongoDB", "React:react Express:express-js MongoDB:mongodb"},
		{"Node after a slash", "React/Node", "React:react Node:node-js"},

		{
			"academic degrees", "BSc Computer Science, MSc in Go; B.Sc. or BSC in blockchain.",
			"Computer Science:computer-science Go:go blockchain:blockchain",
		},
		{"excel, the verb", "I excel at Python. We Excel in service.", "Python:python"},
		{"go, the verb", "Go to market with us and go live.", ""},
		{"express, the verb", "Express yourself! Express delivery.", ""},
		{"rest, the noun", "Relax, the rest is ours.", ""},
		{"make, the verb", "I make Python code. Make it work.", "Python:python"},
		{"abbreviations", "R&D, C-level, Vitamin C, plan B, J. R. Smith", ""},
		{"spark, the noun", "spark joy and a spark of genius", ""},
		{"swift, the adjective", "a swift response", ""},
		{"teams, the noun", "our teams work well", ""},
		{"access, the noun", "access to the server", ""},
		{"word, the noun", "word of mouth, 500 words", ""},
		{"flash, the noun", "in a flash", ""},
		{"scratch, the noun", "from scratch", ""},
		{"next, the adjective", "our next step", ""},
		{"language without context", "a Spanish villa", ""},
		{"contraction", "I'm a writer, I'd go", ""},
		{"rust, the noun", "rust on the car", ""},
		{
			"at the end of a clause", "a forecast in Excel. A bot in Go, or in Rust and C++",
			"Excel:microsoft-excel Go:go Rust:rust C++:c-plus-plus",
		},
		{
			"name that starts in an everyday phrase", "it has a REST API, to Express.js",
			"REST API:rest-api Express.js:express-js",
		},
		{
			"language codes", "I translate EN-PT, ES <> EN and ENG>HIN.",
			"EN-PT:portuguese-translation ES <> EN:spanish-translation ENG>HIN:hindi-translation",
		},
		{"not language codes", "EN-US, IT/HR, EN and PT, en-pt, EN-13", ""},
		{"hourly rate", "$20/hr", ""},

		{"file formats", "vectors (AI, SVG or EPS)", "AI:adobe-illustrator"},
		{"not a file format", "AI and data", "AI:artificial-intelligence"},
		{"file formats in another sentence", "We use AI. Send EPS.", "AI:artificial-intelligence"},
		{"computer vision", "OpenCV, CV, ML", "OpenCV:opencv CV:computer-vision ML:machine-learning"},
		{"curriculum vitae", "send your CV", ""},
		{"accounting", "both AP and AR", "AP:accounts-payable AR:accounts-receivable"},
		{"augmented reality", "AR and VR apps", "AR:augmented-reality VR:virtual-reality"},
		{"postscript", "PS: I like it. Richmond, VA.", ""},
		{"design tools", "PS, AE, ID", "PS:adobe-photoshop AE:adobe-after-effects ID:adobe-indesign"},
		{
			"other languages", "diseño gráfico, rédaction web, Buchhaltung, edição de vídeo, sviluppo web",
			"diseño gráfico:graphic-design rédaction web:content-writing Buchhaltung:bookkeeping edição de " +
				"vídeo:video-editing sviluppo web:web-development",
		},
		{"crystal, the noun", "a crystal ball", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range tax.Extract(tt.text) {
				got = append(got, tt.text[m.Start:m.End]+":"+m.ID)
			}

			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("Extract(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

// An occupation that is also the name of a product means the product only where the words around it say so.
func TestExtract_Trades(t *testing.T) {
	tax := load(t)
	tests := []struct{ text, want string }{
		{"I need an illustrator for a picture book", "Illustration"},
		{"Illustrator\nIllustrator for a picture book", "Illustration"},
		{"Graphic designer & Illustrator", "Graphic Design; Illustration"},
		{"Children's Book Illustrator", "Illustration"},
		{"Draw them in Illustrator", "Adobe Illustrator"},
		{"Master of Illustrator, Photoshop and CorelDraw", "Adobe Illustrator; Adobe Photoshop; CorelDRAW"},
		{"Please deliver Illustrator files", "Adobe Illustrator"},
		{"Looking for a chef for a dinner", "Cooking"},
		{"Chef, Puppet and Ansible", "Chef; Puppet; Ansible"},
		{"An award-winning playwright", "Script Writing"},
		{"Browser checks in Playwright", "Playwright"},
		{"The foreman of our site is ill", ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			var names []string
			for _, s := range tax.Subjects(tt.text) {
				skill, _ := tax.Skill(s.ID)
				names = append(names, skill.Name)
			}
			if got := strings.Join(names, "; "); got != tt.want {
				t.Errorf("skills are %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSubjects(t *testing.T) {
	tax := load(t)
	got := tax.Subjects("WordPress and SEO, with Jira. More WordPress, word press!")
	want := []taxonomy.Subject{
		{ID: "wordpress", First: 0, Count: 3},
		{ID: "seo", First: 14, Count: 1},
		{ID: "jira", First: 24, Count: 1, Generic: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Subjects (-want +got):\n%s", diff)
	}
	if got := tax.Subjects("nothing at all"); len(got) != 0 {
		t.Errorf("Subjects of a text without skills: %v", got)
	}
}

func FuzzExtract(f *testing.F) {
	tax := load(f)
	for _, seed := range []string{
		"Python, Go & C++ developer.", "𝑫𝒂𝒕𝒂 𝑬𝒏𝒕𝒓𝒚", "R&D’s ✔️windows", "https://x.y/php", "\xff\xfe .net.", "a.\n\nb/c/",
		"I’m C", "www.",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, m := range tax.Extract(text) {
			if m.Start < end || m.End <= m.Start || m.End > len(text) {
				t.Fatalf("Extract(%q) has the mention %+v after one that ends at %d", text, m, end)
			}

			end = m.End

			if utf8.ValidString(text) && !utf8.ValidString(text[m.Start:m.End]) {
				t.Errorf("Extract(%q) splits a character: %+v", text, m)
			}

			if _, ok := tax.Skill(m.ID); !ok {
				t.Errorf("Extract(%q) returns the unknown skill %q", text, m.ID)
			}
		}
	})
}
