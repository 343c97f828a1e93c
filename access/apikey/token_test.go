package apikey

import (
	"regexp"
	"strings"
	"testing"
)

// published is the pattern that secret scanners use.
var published = regexp.MustCompile(`^svc_(fr|pr|ent)_[0-9A-Za-z]{36}$`)

func TestGenerate(t *testing.T) {
	seen := map[string]bool{}
	for _, plan := range Plans() {
		for range 200 {
			token := Generate(plan)
			if !published.MatchString(token) {
				t.Fatalf("%q does not match the published pattern", token)
			}
			got, err := Parse(token)
			if err != nil || got != plan {
				t.Fatalf("Parse(%q) = %+v, %v; want %+v", token, got, err, plan)
			}
			if seen[token] {
				t.Fatalf("%q was generated twice", token)
			}
			seen[token] = true
		}
	}
}

func TestRandomText_UsesAllCharactersEqually(t *testing.T) {
	var text strings.Builder
	for range 300 {
		text.WriteString(randomText(randomLen))
	}
	for _, c := range base62 {
		// Each should occur about 145 times in 9,000; less than 80 is more than five standard deviations away.
		if n := strings.Count(text.String(), string(c)); n < 80 || n > 220 {
			t.Errorf("%c occurs %d times in 9,000 characters", c, n)
		}
	}
}

// The checksum is part of the format, so tokens of old versions must remain valid. These were computed with zlib's
// crc32 and a base62 encoder in another language.
func TestParse_TokensOfOldVersions(t *testing.T) {
	for token, plan := range map[string]string{
		"svc_fr_0000000000000000000000000000001sVnj4":  "freelancer",
		"svc_ent_abcdefghijklmnopqrstuvwxyzABCD21JHgh": "enterprise",
	} {
		if got, err := Parse(token); err != nil || got.Name != plan {
			t.Errorf("Parse(%q) = %q, %v; want %q", token, got.Name, err, plan)
		}
	}
}

func TestParse_Errors(t *testing.T) {
	plan, _ := PlanNamed("professional")
	token := Generate(plan)
	changed := []byte(token)
	changed[12] = base62[(strings.IndexByte(base62, changed[12])+1)%62]
	tests := []struct{ name, token string }{
		{"empty", ""},
		{"prefix only", "svc_pr_"},
		{"one character less", token[:len(token)-1]},
		{"one character more", token + "0"},
		{"changed character", string(changed)},
		{"prefix of another plan", strings.Replace(token, "svc_pr_", "svc_fr_", 1)},
		{"unknown prefix", strings.Replace(token, "svc_pr_", "svc_xx_", 1)},
		{"no prefix", token[len("svc_pr_"):]},
		{"trailing space", token + " "},
		{"other alphabet", "svc_pr_" + strings.Repeat("é", 18)},
		{"extra underscore", strings.Replace(token, "svc_pr_", "svc_pr__", 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if plan, err := Parse(tt.token); err == nil {
				t.Errorf("Parse(%q) = %s, want an error", tt.token, plan.Name)
			}
		})
	}
}

// Every accepted token has the published form, and no accepted token differs from another in one bit.
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
			t.Fatalf("Parse accepts %q", token)
		}
		changed := []byte(token)
		changed[int(at)%len(changed)] ^= 1
		if _, err := Parse(string(changed)); err == nil {
			t.Fatalf("Parse accepts %q and %q", changed, token)
		}
	})
}
