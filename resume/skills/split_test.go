package skills

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/resume/lexicon"
)

func TestSplitCompound(t *testing.T) {
	r := &listReader{words: lexicon.New()}
	for _, test := range []struct {
		name, item string
		parts      []string
		slashes    bool
	}{
		{"a slash", "Linux/Unix", []string{"Linux", "Unix"}, true},
		{"an ampersand, and no letter is lost", "Git & GitHub", []string{"Git", "GitHub"}, false},
		{"an ampersand without spaces", "R&D", []string{"R", "D"}, false},
		{"a plus sign between spaces", "Go + Rust", []string{"Go", "Rust"}, false},
		{"a plus sign of a name", "C++", []string{"C++"}, true},
		{"a word", "Git and GitHub", []string{"Git", "GitHub"}, false},
		{"signs of both kinds", "Git / SVN & CVS", []string{"Git", "SVN", "CVS"}, false},
		{"plus signs without a name after them", "A + +", []string{"A"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			parts, slashes := r.splitCompound(test.item)
			if diff := cmp.Diff(test.parts, parts); diff != "" {
				t.Errorf("parts of %q (-want +got):\n%s", test.item, diff)
			}
			if slashes != test.slashes {
				t.Errorf("split %q at slashes only: %v, want %v", test.item, slashes, test.slashes)
			}
		})
	}
}
