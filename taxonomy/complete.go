package taxonomy

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// maxUse is the maximum of Skill.Use.
const maxUse = 255

// A Completion is a skill with a name that starts with what somebody has typed.
type Completion struct {
	Name  string // canonical
	Alias string // the synonym that starts with it; "" if Name does
}

// buildCompletions returns the numbers of all labels of skills, sorted by key.
func (t *Taxonomy) buildCompletions() []int32 {
	sorted := make([]int32, 0, len(t.names.labels))
	for i := range t.names.labels {
		if t.names.labels[i].skill != noSkill && t.names.labels[i].size > 0 {
			sorted = append(sorted, int32(i))
		}
	}
	slices.SortFunc(sorted, func(a, b int32) int {
		return cmp.Or(bytes.Compare(t.names.keyOf(&t.names.labels[a]), t.names.keyOf(&t.names.labels[b])), cmp.Compare(a, b))
	})
	return sorted
}

// Complete returns up to n skills whose name or synonym starts with prefix. It compares names as Named does. The skill
// that is called exactly like the prefix comes first, then those whose name starts with it, then those with such a
// synonym; ties go to the more common skill.
func (t *Taxonomy) Complete(prefix string, n int) []Completion {
	var buf [maxKey + 32]byte
	key, _, ok := appendKey(buf[:0], prefix)
	if !ok || n <= 0 {
		return nil
	}

	sorted := t.completions()
	first, _ := slices.BinarySearchFunc(sorted, key, func(i int32, key []byte) int {
		return bytes.Compare(t.names.keyOf(&t.names.labels[i]), key)
	})
	exact := int32(noSkill)
	if l := t.names.known(key); l != nil {
		exact = l.skill
	}

	best := make(map[int32]string) // the label to show, by skill
	for _, i := range sorted[first:] {
		l := &t.names.labels[i]
		if !bytes.HasPrefix(t.names.keyOf(l), key) {
			break
		}

		if _, seen := best[l.skill]; !seen || l.text == t.names.skills[l.skill].Name {
			best[l.skill] = l.text
		}
	}

	return t.mostCommon(best, exact, n)
}

// mostCommon returns the n most common of the skills, each with the label to show. The skill first precedes all others,
// and names precede synonyms.
func (t *Taxonomy) mostCommon(labels map[int32]string, first int32, n int) []Completion {
	skills := make([]int32, 0, len(labels))
	for skill := range labels {
		skills = append(skills, skill)
	}

	rank := func(number int32) int {
		skill := &t.names.skills[number]
		rarity := maxUse - skill.Use
		switch {
		case number == first:
			return -1
		case labels[number] == skill.Name:
			return rarity

		// Even the rarest skill that is shown under its own name precedes those that are shown under a synonym.
		default:
			return maxUse + 1 + rarity
		}
	}

	slices.SortFunc(skills, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(t.names.skills[a].Name, t.names.skills[b].Name))
	})

	completions := make([]Completion, min(n, len(skills)))
	for i := range completions {
		name := t.names.skills[skills[i]].Name
		completions[i].Name = name
		if label := labels[skills[i]]; label != name {
			completions[i].Alias = label
		}
	}

	return completions
}
