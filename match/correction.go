package match

import (
	"context"
	"fmt"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/plaintext"
	"freelancer-matching/taxonomy"
)

// maxSharedMisspelling is the share of freelancers who may list a name as it is written, of those with the corrected
// skill. With more of them, the name probably means something that the taxonomy lacks.
const maxSharedMisspelling = .05

// corrections returns the skills that misspelled names of a brief certainly mean, by the names without markup; see
// taxonomy.Correct. A name that freelancers of the index list, too, is not misspelled.
func (r *briefReader) corrections(
	ctx context.Context, snapshot engine.Snapshot, brief *matching.Brief,
) (map[string]taxonomy.Resolution, error) {
	corrections := make(map[string]taxonomy.Resolution)
	var ids []string
	correct := func(name string) (ok bool) {
		skill, ok := r.taxonomy.Correct(name)
		if ok {
			corrections[name] = skill
			ids = append(ids, r.taxonomy.Resolve(name).ID, skill.ID)
		}
		return ok
	}
	for _, names := range [][]string{
		brief.RequiredSkills, brief.NiceToHaveSkills, brief.Filters.MustHaveSkills, brief.Filters.ExcludeSkills,
	} {
		for _, name := range names {
			name = plaintext.Of(name)
			if r.taxonomy.Resolve(name).Known || correct(name) { // a part of "UX resaerch" is known
				continue
			}

			for _, part := range r.taxonomy.ResolveAll(name, names...) {
				if !part.Known {
					correct(part.Name)
				}
			}
		}
	}

	if len(ids) == 0 {
		return nil, nil
	}

	stats, err := snapshot.Statistics(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("count the freelancers with misspelled skills: %w", err)
	}

	for name, skill := range corrections {
		listed := stats.SkillCount[r.taxonomy.Resolve(name).ID]
		if float64(listed) > maxSharedMisspelling*float64(stats.SkillCount[skill.ID]) {
			delete(corrections, name)
		}
	}

	return corrections, nil
}
