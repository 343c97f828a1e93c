package match

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/plaintext"
	"github.com/freelancer-matching/service/taxonomy"
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
	correct := func(name string) (ok bool) {
		skill, ok := r.taxonomy.Correct(name)
		if ok {
			corrections[name] = skill
		}
		return ok
	}

	for _, names := range [][]string{
		brief.RequiredSkills, brief.NiceToHaveSkills, brief.Filters.MustHaveSkills, brief.Filters.ExcludeSkills,
	} {
		for _, name := range names {
			// A name is corrected as a whole before its parts, because a part of "UX resaerch" is known.
			name = plaintext.Of(name)
			if r.taxonomy.Resolve(name).Known || correct(name) {
				continue
			}

			for _, part := range r.taxonomy.ResolveAll(name, names...) {
				if !part.Known {
					correct(part.Name)
				}
			}
		}
	}

	if len(corrections) == 0 {
		return nil, nil
	}
	if err := r.dropSharedMisspellings(ctx, snapshot, corrections); err != nil {
		return nil, err
	}
	return corrections, nil
}

// dropSharedMisspellings removes the corrections of names that freelancers list as well.
func (r *briefReader) dropSharedMisspellings(
	ctx context.Context, snapshot engine.Snapshot, corrections map[string]taxonomy.Resolution,
) error {
	var ids []string
	for _, name := range slices.Sorted(maps.Keys(corrections)) {
		ids = append(ids, r.taxonomy.Resolve(name).ID, corrections[name].ID)
	}

	stats, err := snapshot.Statistics(ctx, ids)
	if err != nil {
		return fmt.Errorf("count the freelancers with misspelled skills: %w", err)
	}

	for name, skill := range corrections {
		asWritten := stats.SkillCount[r.taxonomy.Resolve(name).ID]
		corrected := stats.SkillCount[skill.ID]
		if float64(asWritten) > maxSharedMisspelling*float64(corrected) {
			delete(corrections, name)
		}
	}
	return nil
}
