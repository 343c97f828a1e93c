package browsertoken_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/internal/matching"
)

func sealer(t testing.TB, secret string) *browsertoken.Sealer {
	t.Helper()
	s, err := browsertoken.NewSealer([]byte(strings.Repeat(secret, 32)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func noon() time.Time { return time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC) }

func full() *browsertoken.Claims {
	return &browsertoken.Claims{
		Key: "key_4Tz9bQm2Xw7L", Expires: noon().Add(time.Minute), Origins: []string{"https://shop.example"},
		Filters: json.RawMessage(`{"countries":["DE"]}`), Currency: "EUR", Hide: []string{"rating"}, Visitor: "v 1 ☺",
		PerMinute: 20,
	}
}

func TestSeal_KeepsClaims(t *testing.T) {
	s := sealer(t, "a")
	token, err := s.Seal(full())
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Open(token, noon())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full(), got); diff != "" {
		t.Errorf("(-sealed +opened):\n%s", diff)
	}
	if again, _ := s.Seal(full()); again == token {
		t.Error("two tokens are equal")
	}

	if c, err := s.Open(token, noon().Add(time.Minute)); matching.CodeOf(err) != browsertoken.CodeExpired || c == nil {
		t.Errorf("at its end: %v, %v", c, err)
	}
	if c, err := sealer(t, "b").Open(token, noon()); matching.CodeOf(err) != browsertoken.CodeInvalid || c != nil {
		t.Errorf("with another secret: %v, %v", c, err)
	}
}

// No change of a character gives another spelling of the same token.
func TestOpen_Altered(t *testing.T) {
	s := sealer(t, "a")
	token, err := s.Seal(full())
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(token) {
		for _, other := range "AB_-=\n " {
			changed := token[:i] + string(other) + token[i+1:]
			if _, err := s.Open(changed, noon()); changed != token && matching.CodeOf(err) != browsertoken.CodeInvalid {
				t.Fatalf("%q at %d: %v", other, i, err)
			}
		}
	}
}

func TestSeal_TooLarge(t *testing.T) {
	c := full()
	c.Visitor = strings.Repeat("v", 4096)
	if _, err := sealer(t, "a").Seal(c); matching.CodeOf(err) != matching.CodeInvalid {
		t.Error(err)
	}
}

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"https://shop.example":        "https://shop.example",
		"HTTPS://Shop.EXAMPLE:443":    "https://shop.example",
		"http://localhost:80":         "http://localhost",
		"http://localhost:3000":       "http://localhost:3000",
		"https://shop.example:80":     "https://shop.example:80",
		"http://[::1]:8080":           "http://[::1]:8080",
		"http://[::1]":                "http://[::1]",
		"https://xn--mnchen-3ya.de":   "https://xn--mnchen-3ya.de",
		"https://münchen.de":          "",
		"https://shop.example/":       "",
		"https://shop.example?":       "",
		"https://shop.example#":       "",
		"https://a:b@shop.example":    "",
		"https://*.shop.example":      "",
		"https://shop.example, null":  "",
		"//shop.example":              "",
		"shop.example":                "",
		"null":                        "",
		"*":                           "",
		"":                            "",
		"file://":                     "",
		"chrome-extension://abcdef":   "",
		"https://":                    "",
		"https://:443":                "",
		"https://shop.example:99999x": "",
	} {
		got, err := browsertoken.ParseOrigin(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

// Every hideable field is one of a match, or of its details.
func TestHideable(t *testing.T) {
	shown := matching.FieldNames(matching.ScopeMatch, matching.ScopeDetails)
	hideable := browsertoken.Hideable()
	var others []string
	for _, field := range shown {
		if !slices.Contains(hideable, field) {
			others = append(others, field)
		}
	}
	if diff := cmp.Diff([]string{"job_title", "skills", "languages"}, others); diff != "" {
		t.Errorf("can't be hidden (-want +got):\n%s", diff)
	}
	for _, field := range hideable {
		if !slices.Contains(shown, field) {
			t.Errorf("no match shows %s", field)
		}
	}
}

func BenchmarkSealAndOpen(b *testing.B) {
	s := sealer(b, "a")
	for b.Loop() {
		token, err := s.Seal(full())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Open(token, noon()); err != nil {
			b.Fatal(err)
		}
	}
}
