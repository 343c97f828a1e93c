package person

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
)

func TestFindEmail(t *testing.T) {
	for text, want := range map[string]string{
		"E-mail: ada@example.org, phone":      "ada@example.org",
		"mailto:ada.b+c@mail.example.org.":    "ada.b+c@mail.example.org",
		"邮箱：li.ming@example.cn。":              "li.ming@example.cn",
		"'ada@example.org'":                   "ada@example.org",
		"ada@localhost or ada@example.org":    "ada@example.org",
		"@ada and ada@localhost":              "",
		"ada@10.0.0.1":                        "",
		"Engineer @ Example.org is no e-mail": "",
		"Ünal@bücher.example":                 "Ünal@bücher.example",
	} {
		from, to := findEmail(text)
		if got := text[from:to]; got != want {
			t.Errorf("findEmail(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestDividesAddress(t *testing.T) {
	for _, c := range []struct {
		text, next string
		want       bool
	}{
		{"ada@mail.exampl", "e.org", true},
		{"E-mail: ada@example.or", "g", true},
		{"ada@example.org", "berlin", false},
		{"ada@example.org", "g", false},
		{"ada@example.", "Berlin", false},
		{"linkedin.com/in/ada-", "lovelace", true},
		{"linkedin.com/in/ada-", "github.com", false},
		{"linkedin.com/in/ada", "lovelace", false},
		{"well-", "known", false},
	} {
		if got := dividesAddress(c.text, c.next); got != c.want {
			t.Errorf("dividesAddress(%q, %q) = %v, want %v", c.text, c.next, got, c.want)
		}
	}
}

func TestLinkKind(t *testing.T) {
	for address, want := range map[string]string{
		"https://www.linkedin.com/in/ada": "linkedin",
		"https://de.linkedin.com/in/ada":  "linkedin",
		"http://twitter.com/ada":          "x",
		"https://x.com/ada":               "x",
		"https://ada.github.io/":          "portfolio",
		"https://netflix.com":             "website",
	} {
		if got := linkKind(address); got != want {
			t.Errorf("linkKind(%q) = %q, want %q", address, got, want)
		}
	}
}

func TestProfiles(t *testing.T) {
	reader := NewReader(lexicon.New(), nil, nil, nil)
	c := &Contacts{Reader: reader, links: []resume.ContactLink{{URL: ""}, {URL: "https://github.com/ada-lovelace"}}}
	if got, want := c.profiles(), "ada"; !strings.Contains(got, want) {
		t.Errorf("profiles() = %q, want the link after an empty one", got)
	}
}
