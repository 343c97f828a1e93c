package match

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// minDuplicate is the least similarity of near-duplicates. In the lists of 1,850 job posts, .8 groups Article Writing
// with Content Writing and 2D Drafting with 2D Drawing, and leaves Data Entry and Data Visualization (.76) apart.
const minDuplicate = .8

// groupDuplicates finds the required skills that are near-duplicates, such as 2D Drafting and 2D Drawing, and gives
// them the number of a demand, which counts once. Every two skills of a demand are near-duplicates of each other. The
// order in which the client lists the skills has no effect.
func (r *briefReader) groupDuplicates(ctx context.Context, d *demand) error {
	if r.vectors == nil || d.required < 2 {
		return nil
	}

	compare, err := r.compareSkills(ctx, d.skills[:d.required])
	if err != nil {
		return err
	}

	// A skill joins the first demand that it fits, so the result depends on the order: by ID, not as the client sent them.
	byID := make([]int, d.required)
	for i := range byID {
		byID[i] = i
	}
	slices.SortFunc(byID, func(a, b int) int { return cmp.Compare(d.skills[a].id, d.skills[b].id) })

	var demands [][]int // the skills of each
	for _, skill := range byID {
		differs := func(other int) bool { return compare(skill, other) < minDuplicate }
		fitting := slices.IndexFunc(demands, func(demand []int) bool { return !slices.ContainsFunc(demand, differs) })
		if fitting < 0 {
			demands = append(demands, []int{skill})
		} else {
			demands[fitting] = append(demands[fitting], skill)
		}
	}

	for number, demand := range demands {
		if len(demand) < 2 {
			continue
		}
		for _, skill := range demand {
			d.skills[skill].demand = number + 1 // 0 is a demand of its own
		}
	}

	return nil
}

// compareSkills returns a function that compares two of some skills, given their numbers: the mean cosine of their
// names as written and as the taxonomy has them, and 0 for those that are never near-duplicates.
func (r *briefReader) compareSkills(
	ctx context.Context, skills []requirement,
) (compare func(i, j int) float64, err error) {
	written := make([]string, len(skills))
	canonical := make([]string, len(skills))
	for i, skill := range skills {
		written[i] = skill.name
		canonical[i] = skill.canonical
	}
	vectors, err := r.vectors.Embed(ctx, slices.Concat(written, canonical))
	if err != nil {
		return nil, fmt.Errorf("compare the required skills: %w", err)
	}

	// A name without a known word has no vector.
	cosine := func(a, b matching.Vector) float64 {
		if a == nil || b == nil {
			return 0
		}
		return matching.Cosine(a, b)
	}
	asWritten := vectors[:len(skills)]
	asKnown := vectors[len(skills):]

	return func(i, j int) float64 {
		if !r.mayDuplicate(skills[i].id, skills[j].id) {
			return 0
		}
		return (cosine(asWritten[i], asWritten[j]) + cosine(asKnown[i], asKnown[j])) / 2
	}, nil
}

// mayDuplicate reports whether two skills may be near-duplicates. A skill that implies another says more, the members
// of a family are tools of which each is asked for by itself, and so is each language.
func (r *briefReader) mayDuplicate(a, b string) bool {
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		skill, known := r.taxonomy.Skill(pair[0])
		isTool := skill.Family != ""
		isLanguage := skill.Category == "Languages" || skill.Category == "Translation and languages"
		if !known || isTool || isLanguage || slices.Contains(skill.Implies, pair[1]) {
			return false
		}
	}
	return true
}

// duplicates returns the names of the near-duplicates of a skill, as the client wrote them.
func (d *demand) duplicates(skill int) (names []string) {
	number := d.skills[skill].demand
	for i, other := range d.skills[:d.required] {
		if number != 0 && other.demand == number && i != skill {
			names = append(names, other.name)
		}
	}
	return names
}

// meets reports whether evidence for the skills meets the demand of one of them, by a near-duplicate or by itself.
func (d *demand) meets(skill int, evidence []matching.Evidence) bool {
	number := d.skills[skill].demand
	for i, other := range d.skills[:d.required] {
		isOfDemand := i == skill || number != 0 && other.demand == number
		if isOfDemand && evidence[i].Matches() {
			return true
		}
	}
	return false
}
