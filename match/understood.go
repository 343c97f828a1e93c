package match

import (
	"math"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// understood returns the share, rounded to two decimals, of the distinct words of a brief that occur in the data or
// name a skill. unknown holds the terms that no freelancer has. The share is unknown if the brief has no words.
func (r *briefReader) understood(d *demand, brief *matching.Brief, unknown []string) matching.Optional[float64] {
	if len(d.content) == 0 {
		return matching.Optional[float64]{}
	}

	missing := slices.DeleteFunc(slices.Clone(d.content), func(term string) bool {
		return !slices.Contains(unknown, term)
	})

	// Names of skills are understood even if nobody has them. Most briefs have no such words, so they cost no time.
	if len(missing) > 0 {
		named := r.skillTerms(d, brief)
		missing = slices.DeleteFunc(missing, func(term string) bool { return slices.Contains(named, term) })
	}

	share := 1 - float64(len(missing))/float64(len(d.content))
	return matching.Some(math.Round(100*share) / 100)
}

// skillTerms returns the index terms of the skills that a brief lists or names in its text.
func (r *briefReader) skillTerms(d *demand, brief *matching.Brief) (terms []string) {
	add := func(text string) { terms = r.analyzer.AppendIn(terms, text, d.language) }
	for _, skill := range d.skills {
		if _, known := r.taxonomy.Skill(skill.id); known {
			add(skill.canonical)
		}
	}

	text := brief.JobTitle + "\n" + brief.Description
	for _, mention := range r.taxonomy.Extract(text) {
		add(text[mention.Start:mention.End])
	}

	return terms
}
