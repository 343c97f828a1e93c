package match

import (
	"context"
	"fmt"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/taxonomy"
)

// requiredFilters returns for each mandatory skill the conditions for freelancers who have it and pass the filters of
// the brief, or none if the brief has no filters.
func (d *demand) requiredFilters(conditions []condition) []engine.Filters {
	if len(conditions) == 0 {
		return nil
	}
	var filters []engine.Filters
	for _, i := range d.mandatory() {
		withSkill := combine(conditions...)
		withSkill.MustHave = append([]string{d.skills[i].id}, withSkill.MustHave...)
		filters = append(filters, withSkill)
	}
	return filters
}

// countAll counts the freelancers who have all of the mandatory skills that anybody has, and those who have all of the
// listed ones among them. A skill that nobody has, such as a misspelled one, says nothing about the others.
func (d *demand) countAll(ctx context.Context, snapshot engine.Snapshot) error {
	var all, listed []string
	for _, i := range d.mandatory() {
		skill := d.skills[i]
		if d.stats.SkillCount[skill.id] == 0 {
			continue
		}
		all = append(all, skill.id)
		if !skill.spoken {
			listed = append(listed, skill.id)
		}
	}

	var err error
	if d.haveAll, err = countWith(ctx, snapshot, all); err != nil {
		return err
	}
	d.haveListed = d.haveAll
	if len(listed) < len(all) {
		d.haveListed, err = countWith(ctx, snapshot, listed)
	}
	return err
}

// countWith counts the freelancers who have all of some skills. The number is unknown if these are fewer than two.
func countWith(ctx context.Context, snapshot engine.Snapshot, skills []string) (n matching.Optional[int], err error) {
	if len(skills) < 2 {
		return n, nil
	}
	count, err := snapshot.Count(ctx, engine.Filters{MustHave: skills})
	if err != nil {
		return n, fmt.Errorf("count the freelancers with all required skills: %w", err)
	}
	return matching.Some(count), nil
}

// requiredSkills returns how many freelancers have each mandatory skill. passing holds the numbers of those who pass
// requiredFilters.
func (d *demand) requiredSkills(known *taxonomy.Taxonomy, passing []int) []matching.RequiredSkill {
	var counts []matching.RequiredSkill
	for i, number := range d.mandatory() {
		skill := d.skills[number]
		n := matching.RequiredSkill{Skill: skill.name, Freelancers: d.stats.SkillCount[skill.id]}
		if skill.spoken {
			n.Because = d.languagesBecause
		}
		verb := "have"
		if _, isKnown := known.Skill(skill.id); !isKnown {
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

// allRequiredSkills returns how many freelancers have all mandatory skills, or nil if these are fewer than two. The
// message names the rarest of the skills that anybody has: it limits the choice.
func (d *demand) allRequiredSkills() *matching.AllRequiredSkills {
	mandatory := d.mandatory()
	if len(mandatory) < 2 {
		return nil
	}

	all := &matching.AllRequiredSkills{Skills: len(mandatory), Freelancers: d.haveAll.Value}
	var rarest requirement
	for _, i := range mandatory {
		skill := d.skills[i]
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
