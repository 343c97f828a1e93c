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

// countAll counts the freelancers who have all of the skills that the client listed as required and that anybody has. A
// skill that nobody has, such as a misspelled one, says nothing about the others.
func (d *demand) countAll(ctx context.Context, snapshot engine.Snapshot) error {
	if d.derived {
		return nil
	}
	var all []string
	for _, skill := range d.skills[:d.required] {
		if d.stats.SkillCount[skill.id] > 0 {
			all = append(all, skill.id)
		}
	}
	if len(all) < 2 {
		return nil
	}
	n, err := snapshot.Count(ctx, engine.Filters{MustHave: all})
	if err != nil {
		return fmt.Errorf("count the freelancers with all required skills: %w", err)
	}
	d.haveAll = matching.Some(n)
	return nil
}

// requiredSkills returns how many freelancers have each skill that the client listed as required. passing holds the
// numbers of those who pass requiredFilters.
func (s *Service) requiredSkills(d *demand, passing []int) []matching.RequiredSkill {
	if d.derived {
		return nil
	}

	var counts []matching.RequiredSkill
	for i, skill := range d.skills[:d.required] {
		n := matching.RequiredSkill{Skill: skill.name, Freelancers: d.stats.SkillCount[skill.id]}
		verb := "have"
		if _, known := s.taxonomy.Skill(skill.id); !known {
			verb = "list" // an unknown skill isn't found in titles and descriptions
		}

		n.Message = fmt.Sprintf("%s of %s freelancers %s %s", count(n.Freelancers),
			count(d.stats.Documents), verb, skill.name)

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

// allRequiredSkills returns how many freelancers have all of the skills that the client listed as required, or nil if
// these are fewer than two. The message names the rarest of the skills that anybody has: it limits the choice.
func (d *demand) allRequiredSkills() *matching.AllRequiredSkills {
	if d.derived || d.required < 2 {
		return nil
	}

	all := &matching.AllRequiredSkills{Skills: d.required, Freelancers: d.haveAll.Value}
	var rarest requirement
	for _, skill := range d.skills[:d.required] {
		n := d.stats.SkillCount[skill.id]
		if n == 0 {
			all.Freelancers = 0 // d.haveAll is about the other skills
			continue
		}
		if rarest.id == "" || n < d.stats.SkillCount[rarest.id] {
			rarest = skill
		}
	}

	all.Message = fmt.Sprintf("%s of %s freelancers have all %d required skills",
		count(all.Freelancers), count(d.stats.Documents), all.Skills)
	if rarest.id != "" {
		all.Message += fmt.Sprintf("; %s have %s", count(d.stats.SkillCount[rarest.id]), rarest.name)
	}

	return all
}
