package courtesy

import (
	"fmt"
	"strings"
	"testing"
)

func TestFilter_Without(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"only work", "Logo design for a bakery, two rounds.", "Logo design for a bakery, two rounds."},
		{"only courtesy stays", "Hello everyone, thank you!", "Hello everyone, thank you!"},

		{"greeting line", "Hello everyone,\nLogo for a bakery", "Logo for a bakery"},
		{"greeting in the sentence", "Hi there! I need a logo, please.", "I need a logo,"},
		{"greeting with a name", "Dear Ms Keller,\nLogo for a bakery", "Logo for a bakery"},
		{"greeting with a name in the line", "Hi Maria, we need a logo", "we need a logo"},
		{
			"hiring manager",
			"Dear Hiring Manager,\n\nI hope this message finds you well.\n\nLogo for a bakery",
			"Logo for a bakery",
		},
		{"name without comma", "Hello Maria\nLogo for a bakery", "Logo for a bakery"},
		{"name of a product", "Hello Kitty, a fan shop\nKitty as a mascot", "Hello Kitty, a fan shop\nKitty as a mascot"},
		{"product without comma", "Hello Kitty plush design", "Hello Kitty plush design"},
		{"Hello World", "Hello World app in Go", "Hello World app in Go"},
		{"Hi-Fi", "Hi-Fi Audio, a shop", "Hi-Fi Audio, a shop"},
		{"greeting within a text", "Logo: Hello Dolly, a bakery", "Logo: Hello Dolly, a bakery"},

		{"thanks", "Logo for a bakery. Thanks in advance for your time and consideration.", "Logo for a bakery."},
		{"name after thanks", "Logo for a bakery.\nCheers, Tom", "Logo for a bakery."},
		{
			"closing and signature", "Logo for a bakery.\n\nBest regards,\nMaria Keller\nHead of " +
				"Operations\nwww.example.com | +49 30 123",
			"Logo for a bakery.",
		},
		{"text below a closing", "Logo.\nKind regards\nRequirements:\nFigma", "Logo.\nRequirements:\nFigma"},
		{
			"long text below a closing", "Logo.\nKind regards\nP.S. it has to be an editable vector file in the " +
				"formats of Illustrator and Figma",
			"Logo.\nP.S. it has to be an editable vector file in the formats of Illustrator and Figma",
		},
		{
			"applying", "Logo. Please feel free to contact me if you have any questions, or write to anna@example.com.",
			"Logo. or write to anna@example.com.",
		},
		{"budget", "Logo.\nMy budget is around $1,200, but it is negotiable for the right person.", "Logo."},

		{
			"skills in polite clauses",
			"Please only apply if you know C++. Thanks for C#!",
			"Please only apply if you know C++. Thanks for C#!",
		},
		{
			"work in polite clauses", "We hope for a fast website. Please write a proposal for investors.",
			"We hope for a fast website. Please write a proposal for investors.",
		},
		{
			"words that look polite", "I need a community manager. Contact form, feedback app, email campaign.",
			"I need a community manager. Contact form, feedback app, email campaign.",
		},
		{"numbers", "Landing page, 5 sections, $500", "Landing page, 5 sections, $500"},

		{
			"German", "Guten Tag zusammen,\nLogo für eine Bäckerei.\nVielen Dank im Voraus und mit freundlichen " +
				"Grüßen\nSabine Meier",
			"Logo für eine Bäckerei.",
		},
		{
			"French",
			"Bonjour à tous,\nlogo pour une boulangerie.\nMerci d’avance, cordialement\nAnne",
			"logo pour une boulangerie.",
		},
		{
			"Spanish",
			"¡Hola a todos!\nLogo para una panadería.\nMuchas gracias de antemano. Saludos cordiales",
			"Logo para una panadería.",
		},
		{"Portuguese", "Olá, tudo bem?\nLogo para uma padaria.\nAguardo propostas, obrigado!", "Logo para uma padaria."},
		{
			"Italian", "Buongiorno a tutti,\nlogo per un panificio.\nGrazie mille in anticipo, cordiali saluti\nAnna",
			"logo per un panificio.",
		},
	}

	f, err := New()
	if err != nil {
		t.Fatal(err)
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := f.Without(test.text); got != test.want {
				t.Errorf("Without(%q)\n got %q\nwant %q", test.text, got, test.want)
			}
		})
	}
}

func TestParse_RejectsUnknownKinds(t *testing.T) {
	for _, file := range []string{"en polite: please", "xx thanks: tak", "thanks"} {
		if _, err := parse(file); err == nil {
			t.Errorf("%q: no error", file)
		}
	}
}

// What remains is made of lines and words of the text, in their order.
func FuzzFilter_Without(f *testing.F) {
	for _, seed := range []string{
		"Hi,\nThanks,\nTom", "Best regards\n\n\n", ",,,!", "Dear\xff,", "C++ please", "\n\n", "¡Hola! –– a",
	} {
		f.Add(seed)
	}

	filter, err := New()
	if err != nil {
		f.Fatal(err)
	}

	f.Fuzz(func(t *testing.T, text string) {
		got := filter.Without(text)
		if len(got) > len(text) {
			t.Errorf("%q became longer: %q", text, got)
		}

		rest := text
		for _, word := range strings.Fields(got) {
			i := strings.Index(rest, word)
			if i < 0 {
				t.Fatalf("%q has no word %q in that place", text, word)
			}
			rest = rest[i+len(word):]
		}
	})
}

func BenchmarkFilter_Without(b *testing.B) {
	f, err := New()
	if err != nil {
		b.Fatal(err)
	}

	brief := "Hello everyone,\n" +
		strings.Repeat("We need a developer for our online shop, React, Node.js & PostgreSQL.\nIt has to be fast.\n", 15) +
		"Thanks in advance,\nMaria"
	texts := map[string]string{"brief": brief}
	for _, unit := range []string{"Hi ", "hi,", ",", "thanks, A, ", "regards\n", "Hi A\n", "a-", "(", "please\n\n"} {
		for _, size := range []int{10_000, 100_000} {
			texts[fmt.Sprintf("%q/%d", unit, size)] = strings.Repeat(unit, size/len(unit))
		}
	}

	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f.Without(text)
			}
		})
	}
}
