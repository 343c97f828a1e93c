package match

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

// ErrNotWatched is returned for a brief that the engine of the service can't tell how to score.
var ErrNotWatched = errors.New("the search engine can't score single documents for briefs")

// ErrNoData is returned by Watch while nothing is loaded.
var ErrNoData = errors.New("nothing is loaded")

// A Watch is a brief that is understood once, and scores any document as its match did then: with the same weights and
// the same statistics of the data set. The sentence encoder and the model take no part, and profiles that repeat the
// brief are not left out. A Watch is safe for concurrent use.
type Watch struct {
	Query   *engine.Query
	Scoring engine.TextScoring
	// Reference is engine.Page.Reference.
	Reference float64
	Scorer    *ranking.Scorer

	skills []requirement // the required ones
	demand *demand
}

// Watch matches a brief up to a number of places, and returns how documents are scored for it, together with its hits
// by descending final score, ties broken by ID. Hits that tie with the last one may follow. isAll reports whether there
// are no other hits. It returns the errors of Match, ErrNotWatched and ErrNoData.
func (s *Service) Watch(
	ctx context.Context, brief *matching.Brief, places int,
) (w *Watch, hits []ranking.Candidate, isAll bool, err error) {
	profile, err := s.profile(brief)
	if err != nil {
		return nil, nil, false, err
	}

	plain := *s
	plain.embedders.encoder = nil
	plain.embedders.model = nil
	var refused error
	err = engine.ReadLive(ctx, s.engine, Alias, func(live engine.Snapshot) error {
		if live == nil {
			refused = ErrNoData
			return nil
		}
		understood, err := plain.understand(ctx, live, profile, brief)
		if err != nil {
			return err
		}
		understood.demand.size = places
		found, err := plain.retrieve(ctx, live, profile, understood.inData, &understood.demand)
		if err != nil {
			return err
		}
		if found.scoring == nil {
			refused = ErrNotWatched
			return nil
		}

		w = &Watch{
			Query: found.query, Scoring: *found.scoring, Reference: found.reference, Scorer: found.scorer,
			skills: understood.demand.skills[:understood.demand.required],
			demand: &demand{skills: understood.demand.skills, required: understood.demand.required},
		}
		hits = hits[:0]
		for _, ranked := range found.rank() {
			hits = append(hits, found.candidates[ranked.Index])
		}
		isAll = len(hits) >= found.matching && len(hits) < places
		return nil
	})
	return w, hits, isAll, cmp.Or(err, refused)
}

// Candidate returns a document as a candidate of the brief, given how often it has each of w.Query.Terms. isHit is
// false if the document has nothing in common with the brief. Filters are not checked.
func (w *Watch) Candidate(
	d *engine.Document, evidence []matching.Evidence, frequency func(term int) float64,
) (c ranking.Candidate, isHit bool) {
	c = ranking.Candidate{
		ID: d.Freelancer.ID, Evidence: evidence, Signals: d.Freelancer.Signals, Schedule: d.Schedule,
	}
	isHit = w.Query.MatchAll || slices.ContainsFunc(evidence, func(e matching.Evidence) bool {
		return e != matching.NoEvidence
	})

	text := w.Scoring.Text(len(d.Terms), frequency)
	isHit = isHit || text > 0
	if w.Reference > 0 {
		c.Text = text / w.Reference
	}

	if q := w.Query.Semantic; q != nil && q.Space < len(d.Vectors) {
		c.Semantic = q.Closeness(matching.Cosine(q.Vector, d.Vectors[q.Space]))
		isHit = isHit || c.Semantic > q.Hit
	}
	return c, isHit
}

// Skills returns the names of the required skills that a candidate has and lacks, as Match does.
func (w *Watch) Skills(c *ranking.Candidate) (matched, missing []string) {
	matched, missing = []string{}, []string{}
	for i, skill := range w.skills {
		if c.Evidence[i].Matches() {
			matched = append(matched, skill.name)
		} else if !w.demand.meets(i, c.Evidence) {
			missing = append(missing, skill.name)
		}
	}
	return matched, missing
}
