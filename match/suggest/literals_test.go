package suggest

import (
	_ "embed" // for the sentences
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/sentences.tsv
var sentencesOfTables string

// A sentence that a rule matches contains the texts that the rule needs.
func TestNeededLiterals(t *testing.T) {
	tests := []struct {
		expression string
		want       string // lists, with their items sorted
	}{
		{`native (?:level )?speaker`, "native level speaker|native speaker"},
		{`(?:want|wants|watch)`, "want|wants|watch"},
		{`fluent(?: \w+){0,3} in german`, " in german; fluent"},
		{`\w+ (?:a|an)? \d+ hours`, "  | a | an ;  hours"},
		{`(?:years|\d+)`, ""},
		{`(?:must )?`, ""},
		{`(?:very \w+|rather \w+) good`, " good; rather |very "},
		{`(?:must )+know`, "know; must "},
		{`(?i)utc`, ""},
	}
	for _, test := range tests {
		lists, err := neededLiterals(test.expression)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, list := range lists {
			slices.Sort(list)
			got = append(got, strings.Join(list, "|"))
		}
		slices.Sort(got)
		if text := strings.Join(got, "; "); text != test.want {
			t.Errorf("%s needs %q, want %q", test.expression, text, test.want)
		}
	}
}

// No rule that matches a sentence lacks a text that it needs, and nearly all rules need one.
func TestRules_NeedLiterals(t *testing.T) {
	s, err := New()
	if err != nil {
		t.Fatal(err)
	}

	finder := s.needed.finder()
	for text := range strings.Lines(sentencesOfTables) {
		for sentence := range s.names.sentences(text) {
			finder.reset(sentence.text)
			for _, rule := range s.rules {
				if rule.pattern().MatchString(sentence.text) && !finder.hasAll(rule.needs) {
					t.Errorf("%q lacks what %s needs", sentence.text, rule.pattern())
				}
			}
		}
	}

	without := 0
	for _, rule := range s.rules {
		if len(rule.needs) == 0 {
			without++
			t.Logf("no literal in %s", rule.pattern())
		}
	}
	if without > len(s.rules)/20 {
		t.Errorf("%d of %d rules need no literal", without, len(s.rules))
	}
}
