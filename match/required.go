package match

import (
	"context"
	"fmt"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// requiredFilters returns for each skill that the client listed as required the conditions for freelancers who have it
// and pass the filters of the brief, or none if the brief has no filters.
func (d *demand) requiredFilters(conditions []condition) []engine.Filters {
	if d.derived || len(conditions) == 0 {
		return nil
	}
	filters := make([]engine.Filters, d.required)
	for i, skill := range d.skills[:d.required] {
		filters[i] = combine(conditions...)
		filters[i].MustHave = append([]string{skill.id}, filters[i].MustHave...)
	}
	return filters
}

// nobodyHasAll reports whether some freelancers have one of the skills that the client listed as required, but nobody
// has all of those that anybody has. A skill that nobody has, such as a misspelled one, says nothing about the others.
func (d *demand) nobodyHasAll(ctx context.Context, snapshot engine.Snapshot, stats engine.Statistics) (bool, error) {
	if d.derived {
		return false, nil
	}
	var all []string
	for _, skill := range d.skills[:d.required] {
		if stats.SkillCount[skill.id] > 0 {
			all = append(all, skill.id)
		}
	}
	if len(all) < 2 {
		return false, nil
	}
	n, err := snapshot.Count(ctx, engine.Filters{MustHave: all})
	if err != nil {
		return false, fmt.Errorf("count the freelancers with all required skills: %w", err)
	}
	return n == 0, nil
}

// requiredSkills returns how many freelancers have each skill that the client listed as required. passing holds the
// numbers of those who pass requiredFilters.
func (s *Service) requiredSkills(d *demand, stats engine.Statistics, passing []int) []matching.RequiredSkill {
	if d.derived {
		return nil
	}

	var counts []matching.RequiredSkill
	for i, skill := range d.skills[:d.required] {
		n := matching.RequiredSkill{Skill: skill.name, Freelancers: stats.SkillCount[skill.id]}
		verb := "have"
		if _, known := s.taxonomy.Skill(skill.id); !known {
			verb = "list" // an unknown skill isn't found in titles and descriptions
		}

		n.Message = fmt.Sprintf("%s of %s freelancers %s %s", count(n.Freelancers),
			count(stats.Documents), verb, skill.name)

		if len(passing) > 0 {
			n.PassingFilters = matching.Some(passing[i])
			if n.Freelancers > 0 {
				n.Message += fmt.Sprintf("; %s of them pass the filters", count(passing[i]))
			}
		}

		counts = append(counts, n)
	}

	return counts
}
