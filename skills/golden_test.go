package skills_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const goldenFile = "testdata/words.golden"

// The golden file lists words under headings. Each has the answer for an index of a few freelancers and, on the next
// line, the answer for no index if it differs. To add a word, add a line with the word alone and run with -update.
func TestVerify_Golden(t *testing.T) {
	before, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}

	loaded := newService(t, people())
	empty := newService(t, nil)
	var after strings.Builder
	words := 0
	lines := bufio.NewScanner(strings.NewReader(string(before)))
	for lines.Scan() {
		line := lines.Text()
		word, _, _ := strings.Cut(line, "→")
		switch word = strings.TrimSpace(word); {
		case strings.HasPrefix(line, "#") || line == "":
			fmt.Fprintln(&after, line)
		case word == "": // the answer without an index; written again below its word
		default:
			words++
			keyword := unquote(t, word)
			indexed := describe(verify(t, loaded, keyword))
			fmt.Fprintf(&after, "%-34s → %s\n", word, indexed)
			if unindexed := describe(verify(t, empty, keyword)); unindexed != indexed {
				fmt.Fprintf(&after, "%-34s → no index: %s\n", "", unindexed)
			}
		}
	}

	if words < 60 {
		t.Errorf("%d words, want at least 60", words)
	}

	if *update {
		if err := os.WriteFile(goldenFile, []byte(after.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}

	if diff := cmp.Diff(string(before), after.String()); diff != "" {
		t.Errorf("run with -update and review (-golden +got):\n%s", diff)
	}
}

// unquote returns the keyword of a line, which is a Go string literal if it has special characters.
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

// describe formats an answer as one line.
func describe(v *matching.Verification) string {
	if !v.Exists {
		if len(v.SimilarTerms) == 0 {
			return "nothing"
		}
		return "nothing; similar: " + strings.Join(v.SimilarTerms, ", ")
	}

	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", v.Type.Value, strings.Join(v.Matches, ", "))
	if v.Type.Value == matching.TypeSkill && len(v.JobTitles) > 0 {
		fmt.Fprintf(&b, "; also the job title %s", strings.Join(v.JobTitles, ", "))
	}

	if v.Skill != nil && v.Type.Value == matching.TypeJobTitle {
		fmt.Fprintf(&b, "; about %s", v.Skill.Name)
	}

	if len(v.SimilarTerms) > 0 {
		fmt.Fprintf(&b, "; similar: %s", strings.Join(v.SimilarTerms, ", "))
	}

	if v.FreelancerCount > 0 {
		fmt.Fprintf(&b, "; freelancers: %d", v.FreelancerCount)
	}

	fmt.Fprintf(&b, " (%s %v)", v.Source.Value, v.Confidence)

	return b.String()
}
