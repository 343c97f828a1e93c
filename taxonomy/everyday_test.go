package taxonomy_test

import (
	"strings"
	"testing"
)

// An everyday word that is also the name of a skill must not be compared with the skill.
func TestTaxonomy_WithoutEveryday(t *testing.T) {
	tests := []struct{ text, want string }{
		{"Your Go-To expert for brand design", "Your -To expert for brand design"},
		{"You excel at writing", "You at writing"},
		{"express delivery app", "delivery app"},
		{"C-level reports", "-level reports"},
		{"Rust", "Rust"},
		{"A backend in Go, Rust and C++", "A backend in Go, Rust and C++"},
		{"React developer with Excel skills", "React developer with Excel skills"},
		{"Logo for a bakery", "Logo for a bakery"},
		{"", ""},
	}

	x := load(t)
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got, mentions := x.WithoutEveryday(test.text)
			if got := strings.Join(strings.Fields(got), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}

			if all := x.Extract(test.text); len(all) != len(mentions) {
				t.Errorf("mentions %v, want %v", mentions, all)
			}
		})
	}
}
