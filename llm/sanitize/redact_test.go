package sanitize

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRedact(t *testing.T) {
	tests := []struct{ text, name, want string }{
		// The name that is known.
		{"I am José Nuñez-Ortega, a Go developer.", "José Nuñez-Ortega", "I am [name] [name]-[name], a Go developer."},
		{"Jose\u0301 writes Go", "José", "[name] writes Go"},
		{"An Li knows Go and An API", "An Li", "An Li knows Go and An API"}, // too short to be told from other words
		{"李雷 knows Go", "李雷", "[name] knows Go"},
		// Contact details.
		{"see http://a.example/x?y, www.b.example or c@d.example", "", "see [link] [link] or [link]"},
		{"see github.com/jane and https://x.com/j", "", "see [link] and [link]"},
		{"de.linkedin.com/in/jane-doe", "", "[link]"},
		{"call +49 (170) 123-4567 or 0170/1234567", "", "call [number] or [number]"},
		{"Telegram: @jane_d, Skype live:jane.d", "", "Telegram: [contact], Skype [contact]"},
		{"WhatsApp @jd", "", "WhatsApp [contact]"},
		// Other people.
		{"Ask Mr. Wilmot Pryce. Wilmot decides.", "", "Ask Mr. [name] [name]. [name] decides."},
		{"Hi, my name is Tamsin van der Berg and I sell tea.", "", "Hi, my name is [name] van der [name] and I sell tea."},
		{"Contact: Tamsin Oakenfold", "", "Contact: [name] [name]"},
		{"Our CEO Tamsin, who founded it", "", "Our CEO [name], who founded it"},
		{"A shop.\n\nThanks,\nWilmot", "", "A shop.\n\nThanks,\n[name]"},
		{"A shop.\nBest regards, Wilmot Pryce", "", "A shop.\nBest regards, [name] [name]"},
		{"Hola, me llamo Begoña.\nUn saludo\nBegoña Ruiz", "", "Hola, me llamo [name].\nUn saludo\n[name] [name]"},
		{
			"Mein Name ist Ödön.\n\nMit freundlichen Grüßen\n\nÖdön Ágoston", "",
			"Mein Name ist [name].\n\nMit freundlichen Grüßen\n\n[name] [name]",
		},
		// What stays.
		{"2015-2019, 3.14, 100 000 users, v1.2.3", "", "2015-2019, 3.14, 100 000 users, v1.2.3"},
		{"Node.js/Express, ASP.NET/C#, and/or socket.io", "", "Node.js/Express, ASP.NET/C#, and/or socket.io"},
		{"a Slack integration, Discord bots, Microsoft Teams", "", "a Slack integration, Discord bots, Microsoft Teams"},
		{
			"Sr. Go developer for MS SQL and the Contact Form 7 plugin", "",
			"Sr. Go developer for MS SQL and the Contact Form 7 plugin",
		},
		{"@angular/core and @Transactional", "", "@angular/core and @Transactional"},
		{
			"Thanks to React we ship faster. Best Practices matter.", "",
			"Thanks to React we ship faster. Best Practices matter.",
		},
		{"Pandas and NumPy; pan and zoom in Figma", "", "Pandas and NumPy; pan and zoom in Figma"},
		{"The owner: a bakery. Budget: 500", "", "The owner: a bakery. Budget: 500"},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, Redact([]string{test.text}, []string{test.name})[0]); diff != "" {
			t.Errorf("%q: -want +got:\n%s", test.text, diff)
		}
	}
}

// A name that one text of a task introduces is removed from all of them.
func TestRedact_AllTextsOfATask(t *testing.T) {
	got := Redact([]string{"Tamsin answers questions.", "My name is Tamsin Oakenfold."}, nil)
	if diff := cmp.Diff([]string{"[name] answers questions.", "My name is [name] [name]."}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// The documentation has this number of digits.
func TestDocumentation_StatesWhatIsANumber(t *testing.T) {
	if minPhoneDigits != 9 {
		t.Errorf("docs/operations/language-models.md says nine digits or more, got %d", minPhoneDigits)
	}
}

// Redaction adds no text but placeholders, and redacting twice changes nothing.
func FuzzRedact(f *testing.F) {
	f.Add("Mr. Wilmot Pryce, +49 170 1234567, skype: live:w", "Wilmot")
	f.Add("Thanks,\n\xffWilmot\x00", "\xff")
	f.Fuzz(func(t *testing.T, text, name string) {
		text = Clean(text)
		once := Redact([]string{text}, []string{name})[0]
		if len(redactions.ReplaceAllString(once, "")) > 2*len(text) {
			t.Errorf("%q became %q", text, once)
		}
		names := make(nameSet)
		names.add(name)
		if linkPattern.MatchString(once) || contacts.profile.MatchString(once) {
			t.Errorf("%q still has a link: %q", text, once)
		}
	})
}
