package taxonomy

import (
	"cmp"
	"slices"
	"strings"

	"freelancer-matching/internal/spelling"
)

// buildSpelling is a dictionary of the keys of all labels, numbered as they are.
func (t *Taxonomy) buildSpelling() *spelling.Dictionary {
	return spelling.NewDictionary(func(yield func(string) bool) {
		for i := range t.labels {
			key := ""
			if t.labels[i].skill != noSkill {
				key = string(t.keyOf(&t.labels[i]))
			}
			if !yield(key) {
				return
			}
		}
	})
}

// Suggest is up to n canonical names that a name may have been meant as, best first: by the number of edits between
// them (a character inserted, deleted, replaced, or two neighbours swapped), names that only go on behind it next, and
// among equals the more common skill. A name of fewer than three characters is only completed.
func (t *Taxonomy) Suggest(name string, n int) []string {
	var buf [maxKey + 32]byte
	key, _, ok := appendKey(buf[:0], name)
	if !ok || n <= 0 {
		return nil
	}
	best := make(map[int32]int) // the fewest edits, by skill
	for label, edits := range t.spelling().Near(string(key), spelling.Limit(len(key))) {
		skill := t.labels[label].skill
		if known, ok := best[skill]; !ok || edits < known {
			best[skill] = edits
		}
	}
	type suggestion struct {
		edits int
		skill *Skill
	}
	found := make([]suggestion, 0, len(best))
	for skill, edits := range best {
		found = append(found, suggestion{edits, &t.skills[skill]})
	}
	slices.SortFunc(found, func(a, b suggestion) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(b.skill.Use, a.skill.Use), strings.Compare(a.skill.Name, b.skill.Name))
	})
	names := make([]string, min(n, len(found)))
	for i := range names {
		names[i] = found[i].skill.Name
	}
	return names
}
