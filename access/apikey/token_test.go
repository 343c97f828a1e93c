package apikey

import (
	"regexp"
	"strings"
	"testing"
)

// published is the pattern for secret scanners.
var published = regexp.MustCompile(`^svc_(fr|pr|ent)_[0-9A-Za-z]{36}$`)

func TestGenerate_MakesKeysThatParse(t *testing.T) {
	seen := map[string]bool{}
	for _, plan := range Plans() {
		for range 200 {
			token := Generate(plan)
			if !published.MatchString(token) {
				t.Fatalf("%q does not have the published form", token)
			}
			got, err := Parse(token)
			if err != nil || got != plan {
				t.Fatalf("parse %q: got %+v, %v, want %+v", token, got, err, plan)
			}
			if seen[token] {
				t.Fatalf("%q was made twice", token)
			}
			seen[token] = true
		}
	}
}

func TestGenerate_UsesTheWholeAlphabet(t *testing.T) {
	var made strings.Builder
	for range 300 {
		made.WriteString(randomText(randomLen))
	}
	for _, c := range base62 {
		// 9,000 characters: 145 of each are expected, and under 80 are a fault in more than five standard deviations.
		if n := strings.Count(made.String(), string(c)); n < 80 || n > 220 {
			t.Errorf("%c was drawn %d times in 9,000", c, n)
		}
	}
}

// The checksum is part of the format: keys that are out there must stay valid. Its values were computed with zlib's
// crc32 and base62 by hand in another language.
func TestParse_KnowsKeysOfOldVersions(t *testing.T) {
	for token, plan := range map[string]string{
		"svc_fr_0000000000000000000000000000001sVnj4":  "freelancer",
		"svc_ent_abcdefghijklmnopqrstuvwxyzABCD21JHgh": "enterprise",
	} {
		if got, err := Parse(token); err != nil || got.Name != plan {
			t.Errorf("%s: got %q, %v, want %q", token, got.Name, err, plan)
		}
	}
}

func TestParse_Refuses(t *testing.T) {
	plan, _ := PlanNamed("professional")
	token := Generate(plan)
	flipped := []byte(token)
	flipped[12] = base62[(strings.IndexByte(base62, flipped[12])+1)%62]
	tests := []struct{ name, token string }{
		{"nothing", ""},
		{"the prefix alone", "svc_pr_"},
		{"a character less", token[:len(token)-1]},
		{"a character more", token + "0"},
		{"a changed character", string(flipped)},
		{"another plan's prefix", strings.Replace(token, "svc_pr_", "svc_fr_", 1)},
		{"an unknown prefix", strings.Replace(token, "svc_pr_", "svc_xx_", 1)},
		{"no prefix", token[len("svc_pr_"):]},
		{"a space after it", token + " "},
		{"another alphabet", "svc_pr_" + strings.Repeat("é", 18)},
		{"one more underscore", strings.Replace(token, "svc_pr_", "svc_pr__", 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if plan, err := Parse(tt.token); err == nil {
				t.Errorf("%q was taken for a key of plan %s", tt.token, plan.Name)
			}
		})
	}
}

// Whatever is accepted has the published form, and a single changed byte is noticed.
func FuzzParse(f *testing.F) {
	for _, plan := range Plans() {
		f.Add(plan.Prefix+strings.Repeat("a", 36), byte(3))
		f.Add(Generate(plan), byte(9))
	}
	f.Fuzz(func(t *testing.T, token string, at byte) {
		if _, err := Parse(token); err != nil {
			return
		}
		if !published.MatchString(token) {
			t.Fatalf("%q was accepted", token)
		}
		changed := []byte(token)
		changed[int(at)%len(changed)] ^= 1
		if _, err := Parse(string(changed)); err == nil {
			t.Fatalf("%q was accepted, changed from %q", changed, token)
		}
	})
}
