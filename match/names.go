package match

import (
	"cmp"
	"slices"

	"github.com/freelancer-matching/service/internal/dictionary"
	"github.com/freelancer-matching/service/internal/plaintext"
	"github.com/freelancer-matching/service/taxonomy"
)

// skillName returns the canonical name of a skill, or its id if the taxonomy doesn't know it.
func skillName(known *taxonomy.Taxonomy, id string) string {
	skill, _ := known.Skill(id)
	return cmp.Or(skill.Name, id)
}

// skillNames returns the canonical names of skills.
func skillNames(known *taxonomy.Taxonomy, ids []string) []string {
	var names []string
	for _, id := range ids {
		names = append(names, skillName(known, id))
	}
	return names
}

// namedSkills returns the skills that a text names, with their canonical names.
func namedSkills(known *taxonomy.Taxonomy, text string) []dictionary.Name {
	mentions := known.Extract(text)
	names := make([]dictionary.Name, 0, len(mentions))
	for _, m := range mentions {
		if skill, ok := known.Skill(m.ID); ok {
			names = append(names, dictionary.Name{Start: m.Start, End: m.End, English: skill.Name})
		}
	}
	return names
}

// withoutEveryday returns a text without names of skills that it uses as everyday words.
func withoutEveryday(known *taxonomy.Taxonomy, text string) string {
	text, _ = known.WithoutEveryday(text)
	return text
}

// canonical returns the distinct skills, with canonical names for those that the taxonomy knows. It clears and uses
// seen, which callers with many lists share among them.
func canonical(known *taxonomy.Taxonomy, listed []string, seen map[string]bool) []string {
	names := make([]string, 0, len(listed))
	clear(seen)
	for _, skill := range listed {
		r := known.Resolve(skill)
		if !seen[r.ID] {
			seen[r.ID] = true
			names = append(names, r.Name)
		}
	}
	return names
}

// listsSkill reports whether one of the listed names means a skill.
func listsSkill(known *taxonomy.Taxonomy, listed []string, id string) bool {
	means := func(r taxonomy.Resolution) bool { return r.ID == id }
	return slices.ContainsFunc(listed, func(name string) bool {
		return slices.ContainsFunc(known.ResolveAll(plaintext.Of(name), listed...), means)
	})
}
