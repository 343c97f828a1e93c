package taxonomy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/taxonomy"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	tax := load(t)
	for prefix, want := range map[string]taxonomy.Completion{
		"javas":   {Name: "JavaScript"},
		"java":    {Name: "Java"},
		"JavaScr": {Name: "JavaScript"},
		"reac":    {Name: "React"},
		"c#":      {Name: "C#"},
		"k8s":     {Name: "Kubernetes", Alias: "k8s"},
		"node j":  {Name: "Node.js"},
	} {
		got := tax.Complete(prefix, 10)
		if len(got) == 0 || got[0].Name != want.Name || !strings.EqualFold(got[0].Alias, want.Alias) {
			t.Errorf("Complete(%q) = %v, want %v first", prefix, got, want)
		}
	}

	for _, prefix := range []string{"", " ", "§", "zzzzqq", strings.Repeat("x", 500)} {
		if got := tax.Complete(prefix, 10); len(got) != 0 {
			t.Errorf("Complete(%q) = %v, want none", prefix, got)
		}
	}

	if got := tax.Complete("j", 3); len(got) != 3 {
		t.Errorf("Complete returned %v, want 3 skills", got)
	}

	if got := tax.Complete("j", 0); len(got) != 0 {
		t.Errorf("Complete returned %v for n = 0", got)
	}
}

// Each skill occurs once, however many of its names start with the prefix. Names come before synonyms, and among them
// the most common skills.
func TestComplete_NamesEachSkillOnce(t *testing.T) {
	t.Parallel()
	tax := load(t)
	for _, prefix := range []string{"a", "s", "web", "design"} {
		var names []string
		last := 0
		for i, c := range tax.Complete(prefix, 1000) {
			names = append(names, c.Name)
			s, ok := tax.Named(c.Name)
			if !ok {
				t.Errorf("Complete(%q) names the unknown skill %q", prefix, c.Name)
			}

			shown := c.Name
			rank := 255 - s.Use
			if c.Alias != "" {
				shown = c.Alias
				rank += 256
			}

			if !strings.HasPrefix(taxonomy.Key(shown), prefix) {
				t.Errorf("Complete(%q) shows %q", prefix, shown)
			}

			if i > 0 && rank < last { // the first may be called exactly like the prefix
				t.Errorf("Complete(%q): %s comes too late", prefix, c.Name)
			}

			if i > 0 {
				last = rank
			}
		}

		slices.Sort(names)
		if unique := slices.Compact(slices.Clone(names)); len(unique) != len(names) {
			t.Errorf("Complete(%q) names %d of %d skills twice", prefix, len(names)-len(unique), len(names))
		}
	}
}
