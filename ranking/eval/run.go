package eval

import (
	"context"
	"fmt"
)

// Run is what a way of ranking answered: for each brief, the ids of freelancers, the best first.
type Run map[string][]string

// Play asks search for every brief. The first error ends it.
func Play(ctx context.Context, briefs []Brief, search func(context.Context, Brief) ([]string, error)) (Run, error) {
	run := Run{}
	for _, b := range briefs {
		ids, err := search(ctx, b)
		if err != nil {
			return nil, fmt.Errorf("brief %q: %w", b.ID, err)
		}
		run[b.ID] = ids
	}
	return run, nil
}

// grades are those of a ranking of one brief, each id taken at its first place, and whether each was judged at all.
func (j Judgments) grades(brief string, ids []string) (ranked []Grade, judged []bool) {
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		grade, known := j[brief][id]
		ranked = append(ranked, grade)
		judged = append(judged, known)
	}
	return ranked, judged
}
