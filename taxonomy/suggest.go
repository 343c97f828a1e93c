package taxonomy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/spelling"
)

// buildSpelling returns a dictionary of the keys of all labels, numbered like the labels.
func (t *Taxonomy) buildSpelling() *spelling.Dictionary {
	return spelling.NewDictionary(func(yield func(string) bool) {
		for i := range t.names.labels {
			key := ""
			if t.names.labels[i].skill != noSkill {
				key = string(t.names.keyOf(&t.names.labels[i]))
			}
			if !yield(key) {
				return
			}
		}
	})
}

// Suggest returns up to n canonical names that a misspelled or incomplete name could stand for, best first. Names with
// fewer edits come first (an edit inserts, deletes or replaces a character, or swaps two neighbors), then names that
// start with the given one; ties go to the more common skill. A name of fewer than three characters is only completed.
func (t *Taxonomy) Suggest(name string, n int) []string {
	var buf [maxKey + 32]byte
	key, _, ok := appendKey(buf[:0], name)
	if !ok || n <= 0 {
		return nil
	}

	best := make(map[int32]int) // fewest edits by skill
	for label, edits := range t.spelling().Near(string(key), spelling.Limit(len(key))) {
		skill := t.names.labels[label].skill
		if known, ok := best[skill]; !ok || edits < known {
			best[skill] = edits
		}
	}

	type suggestion struct {
		edits int
		skill *Skill
	}

	suggestions := make([]suggestion, 0, len(best))
	for skill, edits := range best {
		suggestions = append(suggestions, suggestion{edits, &t.names.skills[skill]})
	}

	slices.SortFunc(suggestions, func(a, b suggestion) int {
		return cmp.Or(
			cmp.Compare(a.edits, b.edits),
			cmp.Compare(b.skill.Use, a.skill.Use),
			strings.Compare(a.skill.Name, b.skill.Name),
		)
	})

	names := make([]string, min(n, len(suggestions)))
	for i := range names {
		names[i] = suggestions[i].skill.Name
	}

	return names
}
