package skills_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
)

var update = flag.Bool("update", false, "write the golden file anew")

const goldenFile = "testdata/words.golden"

// The golden file holds words under headings, each with what is known of it where a few freelancers are loaded, and, on the
// line below, where nobody is and the answer is another one. A new word is a line with nothing behind it, and -update.
func TestVerify_Golden(t *testing.T) {
	before, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	loaded, empty := newService(t, people()), newService(t, nil)
	var after strings.Builder
	words := 0
	lines := bufio.NewScanner(strings.NewReader(string(before)))
	for lines.Scan() {
		line := lines.Text()
		word, _, _ := strings.Cut(line, "→")
		switch word = strings.TrimSpace(word); {
		case strings.HasPrefix(line, "#") || line == "":
			fmt.Fprintln(&after, line)
		case word == "": // without freelancers: follows from the word above
		default:
			words++
			keyword := unquote(t, word)
			told := describe(verify(t, loaded, keyword))
			fmt.Fprintf(&after, "%-34s → %s\n", word, told)
			if alone := describe(verify(t, empty, keyword)); alone != told {
				fmt.Fprintf(&after, "%-34s → alone: %s\n", "", alone)
			}
		}
	}
	if words < 60 {
		t.Errorf("%d words, want 60 at least", words)
	}
	if *update {
		if err := os.WriteFile(goldenFile, []byte(after.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(before), after.String()); diff != "" {
		t.Errorf("run with -update and review (-golden +now):\n%s", diff)
	}
}

// unquote reads a word that cannot stand as it is.
func unquote(t *testing.T, word string) string {
	t.Helper()
	if !strings.HasPrefix(word, `"`) {
		return word
	}
	var text string
	if _, err := fmt.Sscanf(word, "%q", &text); err != nil {
		t.Fatalf("%s: %v", word, err)
	}
	return text
}

// describe is an answer in one line.
func describe(v *matching.Verification) string {
	if !v.Exists {
		if len(v.SimilarTerms) == 0 {
			return "nothing"
		}
		return "nothing; perhaps " + strings.Join(v.SimilarTerms, ", ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", v.Type.Value, strings.Join(v.Matches, ", "))
	if v.Type.Value == matching.TypeSkill && len(v.JobTitles) > 0 {
		fmt.Fprintf(&b, "; also the job %s", strings.Join(v.JobTitles, ", "))
	}
	if v.Skill != nil && v.Type.Value == matching.TypeJobTitle {
		fmt.Fprintf(&b, "; about %s", v.Skill.Name)
	}
	if len(v.SimilarTerms) > 0 {
		fmt.Fprintf(&b, "; perhaps %s", strings.Join(v.SimilarTerms, ", "))
	}
	if v.FreelancerCount > 0 {
		fmt.Fprintf(&b, "; %d have it", v.FreelancerCount)
	}
	fmt.Fprintf(&b, " (%s %v)", v.Source.Value, v.Confidence)
	return b.String()
}
