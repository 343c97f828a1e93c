package scoring

import (
	"strings"
	"testing"
)

func TestFindPassage(t *testing.T) {
	const answer = "I wrote  the\n\tparser, the parser of 2019, in Zürich. a a ab"
	tests := []struct{ quotation, want string }{
		{"I wrote  the", "I wrote  the"},
		{" I wrote the parser ", "I wrote  the\n\tparser"},
		{"the parser of", "the parser of"}, // after an earlier "the" with a different continuation
		{"Zürich", "Zürich"},
		{"a ab", "a ab"},
		{"arser, th", "arser, th"},
		{"i wrote the", ""},
		{"I wrotethe", ""},
		{"parser.", ""},
		{"", ""},
		{" \n", ""},
	}
	for _, tt := range tests {
		got, ok := findPassage(answer, tt.quotation)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("passage for %q is %q, %t", tt.quotation, got, ok)
		}
	}
}

// A passage is part of the answer and has the words of the quotation.
func FuzzFindPassage(f *testing.F) {
	f.Add("I wrote  the parser", "wrote the")
	f.Add("a a a b", "a a b")
	f.Add("é\u00a0é", "é é")
	f.Fuzz(func(t *testing.T, answer, quotation string) {
		passage, ok := findPassage(answer, quotation)
		words := strings.Join(strings.Fields(quotation), " ")
		if ok && (!strings.Contains(answer, passage) || strings.Join(strings.Fields(passage), " ") != words) {
			t.Errorf("got passage %q for quotation %q", passage, quotation)
		}
		if !ok && words != "" && strings.Contains(answer, words) {
			t.Errorf("did not find %q, which is in the answer", words)
		}
	})
}
