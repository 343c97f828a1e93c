package match

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/copies"
	"github.com/freelancer-matching/service/ranking"
)

const (
	// minCopyText is the least text score, as a multiple of that of the reference profile, of a freelancer whose profile
	// is compared. A copy that raises it less earns too little to matter.
	minCopyText = .7
	// maxCopyIDs limits the ids that an answer lists.
	maxCopyIDs = 10
	// moreHits is by how much the number of best hits is multiplied while copies are among them.
	moreHits = 4
)

// A copySearch looks for freelancers whose profiles repeat the brief among the candidates.
type copySearch struct {
	snapshot engine.Snapshot
	brief    *matching.Brief
	demand   *demand
	found    *retrieval
	hits     []ranking.Candidate // of the last search, copies included
	detector func() *copies.Detector
	checked  map[string]bool // by id: compared with the brief, or not worth it
	copies   []string        // the ids of the copies so far
}

// dropCopies removes the freelancers whose profiles repeat the brief from the candidates, down to the end of the page,
// and returns their ids. More hits take their places, so that pages agree with each other. Copies stay if the client
// asks for freelancers by id, or if there is nobody else; dropped is false then.
func (s *Service) dropCopies(
	ctx context.Context, snapshot engine.Snapshot, brief *matching.Brief, d *demand, found *retrieval,
) (ids []string, dropped bool, err error) {
	if brief.KeepCopies {
		return nil, false, nil
	}

	search := copySearch{
		snapshot: snapshot, brief: brief, demand: d, found: found, hits: found.candidates, checked: make(map[string]bool),
		// The words of the brief are read only if there is a profile to compare with.
		detector: sync.OnceValue(func() *copies.Detector { return copies.New(s.analyzer, brief, d.written()) }),
	}
	if err := search.run(ctx); err != nil {
		return nil, false, err
	}

	// A page of copies, with a warning, is better than none.
	if len(found.candidates) == 0 {
		found.candidates = search.hits
	}

	if dropped = len(found.candidates) < len(search.hits); dropped {
		found.matching = max(len(found.candidates), found.matching-len(search.copies))
	}

	slices.Sort(search.copies)

	return search.copies, dropped, nil
}

// run removes the copies that decide about the page from the candidates.
func (c *copySearch) run(ctx context.Context) error {
	// The records of the page come first, because the answer needs them anyway. If one of them is a copy, others move
	// up, and are checked in turn.
	for first := true; ; first = false {
		more, err := c.among(ctx, c.unchecked(first))
		if err != nil {
			return err
		}

		c.copies = append(c.copies, more...)
		if len(more) == 0 || c.brief.Filters.IDs != nil {
			return nil
		}

		if err := c.replace(ctx); err != nil {
			return err
		}
	}
}

// unchecked returns the candidates to compare with the brief, and marks them as checked: at first those that decide
// about the page, later all. It includes all freelancers of the page, because their records are needed anyway.
func (c *copySearch) unchecked(first bool) (unchecked []*ranking.Candidate) {
	ranked := c.found.rank()
	if first {
		ranked = ranked[:min(c.demand.size, len(ranked))]
	}

	for i, place := range ranked {
		candidate := &c.found.candidates[place.Index]
		onPage := first && i >= c.brief.Offset && i < c.brief.Offset+c.brief.Limit
		if (onPage || candidate.Text >= minCopyText) && !c.checked[candidate.ID] {
			c.checked[candidate.ID] = true
			unchecked = append(unchecked, candidate)
		}
	}

	return unchecked
}

// among fetches the records of candidates and returns the ids of those who repeat the brief.
func (c *copySearch) among(ctx context.Context, candidates []*ranking.Candidate) (repeating []string, err error) {
	ids := make([]string, len(candidates))
	for i, candidate := range candidates {
		ids[i] = candidate.ID
	}
	if err := c.found.fetch(ctx, c.snapshot, ids); err != nil {
		return nil, err
	}

	for _, candidate := range candidates {
		if candidate.Text < minCopyText {
			continue
		}
		record := c.found.records[candidate.ID]
		if record != nil && c.detector().Repeats(record) {
			repeating = append(repeating, candidate.ID)
		}
	}

	return repeating, nil
}

// replace removes the copies from the candidates and searches for others in their place.
func (c *copySearch) replace(ctx context.Context) error {
	c.found.without(c.copies)

	// Removed copies leave the page short, although the engine has more hits: search for a multiple of them.
	query := c.found.query
	for len(c.found.candidates) < c.demand.size && len(c.hits) >= query.Size && query.Size < c.demand.window {
		query.Size = min(moreHits*query.Size, c.demand.window)
		page, err := c.snapshot.Search(ctx, query)
		if err != nil {
			return fmt.Errorf("search in place of copies: %w", err)
		}

		c.found.setHits(page)
		c.hits = c.found.candidates
		c.found.without(c.copies)
	}

	// Others are among the first candidates now.
	return c.found.encode(ctx, c.snapshot)
}

// without removes candidates.
func (r *retrieval) without(ids []string) {
	r.candidates = slices.DeleteFunc(slices.Clone(r.candidates), func(c ranking.Candidate) bool {
		return slices.Contains(ids, c.ID)
	})
}

// copiesNote returns the note about freelancers whose profiles repeat the brief.
func copiesNote(ids []string, dropped bool) matching.Skipped {
	listed := strings.Join(ids[:min(len(ids), maxCopyIDs)], ", ")
	if more := len(ids) - maxCopyIDs; more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}

	one := len(ids) == 1
	var reason string
	switch {
	case dropped && one:
		reason = "1 freelancer was left out because the profile repeats the brief: %s; use filters.ids to score it anyway"
	case dropped:
		reason = fmt.Sprint(len(ids)) + " freelancers were left out because their profiles repeat the brief: %s; " +
			"use filters.ids to score them anyway"
	case one:
		reason = "the profile of 1 freelancer repeats the brief, so the score says little: %s"
	default:
		reason = "the profiles of " + fmt.Sprint(len(ids)) +
			" freelancers repeat the brief, so their scores say little: %s"
	}

	return matching.Skipped{Feature: matching.SkippedCopies, Reason: fmt.Sprintf(reason, listed)}
}
