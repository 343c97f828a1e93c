package match

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/taxonomy"
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
	var all, listed [][]string
	for _, demand := range d.mandatoryDemands() {
		if d.mostHaving(demand) == 0 {
			continue
		}
		var ids []string
		for _, i := range demand {
			ids = append(ids, d.skills[i].id)
		}
		all = append(all, ids)
		if !d.skills[demand[0]].spoken {
			listed = append(listed, ids)
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

// mandatoryDemands returns the numbers of the mandatory skills, with near-duplicates together.
func (d *demand) mandatoryDemands() [][]int {
	var demands [][]int
	for _, i := range d.mandatory() {
		number := d.skills[i].demand
		at := slices.IndexFunc(demands, func(demand []int) bool {
			return number != 0 && d.skills[demand[0]].demand == number
		})
		if at < 0 {
			demands = append(demands, []int{i})
			continue
		}
		demands[at] = append(demands[at], i)
	}
	return demands
}

// mostHaving returns how many freelancers have the most common of some skills.
func (d *demand) mostHaving(skills []int) int {
	most := 0
	for _, i := range skills {
		most = max(most, d.stats.SkillCount[d.skills[i].id])
	}
	return most
}

// countWith counts the freelancers who have one skill of each of some demands. The number is unknown if these are fewer
// than two.
func countWith(
	ctx context.Context, snapshot engine.Snapshot, demands [][]string,
) (n matching.Optional[int], err error) {
	if len(demands) < 2 {
		return n, nil
	}
	count, err := snapshot.Count(ctx, engine.Filters{MustHaveOne: demands})
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

		if duplicates := d.duplicates(number); duplicates != nil {
			n.Message += "; counts once with " + strings.Join(duplicates, ", ")
		}

		counts = append(counts, n)
	}

	return counts
}

// allRequiredSkills returns how many freelancers have all mandatory skills, or nil if these are fewer than two. The
// message names the rarest of the skills that anybody has: it limits the choice.
func (d *demand) allRequiredSkills() *matching.AllRequiredSkills {
	demands := d.mandatoryDemands()
	if len(demands) < 2 {
		return nil
	}

	all := &matching.AllRequiredSkills{Skills: len(demands), Freelancers: d.haveAll.Value}
	var rarest []int
	for _, demand := range demands {
		n := d.mostHaving(demand)
		if n == 0 {
			all.Freelancers = 0 // d.haveAll is about the other skills
			continue
		}
		if rarest == nil || n < d.mostHaving(rarest) {
			rarest = demand
		}
	}

	all.Message = fmt.Sprintf("%s of %s freelancers have all %d required skills",
		count(all.Freelancers), count(d.stats.Documents), all.Skills)
	if len(demands) < len(d.mandatory()) {
		all.Message += ", of which near-duplicates count once"
	}
	if len(rarest) == 1 {
		skill := d.skills[rarest[0]]
		all.Message += fmt.Sprintf("; %s have %s", count(d.stats.SkillCount[skill.id]), skill.name)
	}

	return all
}
