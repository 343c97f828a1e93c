package match

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/tracing"
	"github.com/freelancer-matching/service/ranking"
)

// A retrieval holds the engine's hits as candidates for ranking, and the query and scorer that go with them.
type retrieval struct {
	query      *engine.Query
	plain      *ranking.Scorer // without a model, as the engine scores
	scorer     *ranking.Scorer
	candidates []ranking.Candidate        // in the engine's order
	comparison comparison                 // of the first candidates, if the query asks for it
	matching   int                        // engine.Page.Matching
	understood matching.Optional[float64] // matching.Answer.Understood
	skipped    []matching.Skipped
	records    map[string]*matching.Freelancer // fetched so far, by id; nil for a damaged record
	damage     error                           // the reason of the last damaged record
	reference  float64                         // engine.Page.Reference
	scoring    *engine.TextScoring             // engine.Page.Scoring
}

// retrieve searches for the brief and turns the hits into candidates. The amounts of the brief must be in the currency
// of the data set.
//
// The engine finds hits by the built-in vectors alone, so its query takes the weights of a plain score, without the
// model. The candidates are scored with all that is known once they are found.
func (s *Service) retrieve(
	ctx context.Context, snapshot engine.Snapshot, profile *ranking.Profile, brief *matching.Brief, d *demand,
) (*retrieval, error) {
	if err := d.countAll(ctx, snapshot); err != nil {
		return nil, err
	}
	var meaning meanings
	if profile.WeighsMeaning() {
		meaning = s.embedders.meanings(ctx, snapshot.Info().Vectors, brief, d)
	}

	request := d.request(brief)
	request.HasSemantic = meaning.semantic != nil
	plain := profile.Scorer(request)
	query := d.query(plain)
	meaning.addTo(query, plain.SemanticWeight(), profile.Semantic.Compared)

	page, err := searchHits(ctx, snapshot, query)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}

	found := &retrieval{
		query: query, plain: plain, skipped: meaning.skipped,
		comparison: s.embedders.newComparison(profile, &meaning),
		records:    make(map[string]*matching.Freelancer),
	}
	if page.Damaged > 0 {
		found.skipped = append(found.skipped, damagedRecords(page.Damaged))
	}
	found.setHits(page)
	if err := found.encode(ctx, snapshot); err != nil {
		return nil, err
	}

	found.understood = s.reader.understood(d, brief, page.UnknownTerms)
	request.Understood = found.understood
	request.Trade = found.trade()

	// Before any profile is encoded, the order is that without an encoder.
	if _, known, _ := found.compared(); known > 0 {
		request.HasModel = true
		request.HasEncoder = meaning.encoded != nil
	}
	found.scorer = profile.Scorer(request)

	return found, nil
}

// addTo adds the vectors of a brief to its query. The best hits are compared by the model or the encoder, so that pages
// of any size must be cut from the same order of compared hits.
func (m *meanings) addTo(query *engine.Query, weight float64, compared int) {
	if m.semantic != nil {
		m.semantic.Weight = weight
		query.Semantic = m.semantic
	}
	if m.compare != nil || m.encoded != nil {
		query.Compare = m.compare
		query.Size = max(query.Size, compared)
	}
}

// searchHits searches with a query. If the index has no word of the title, the headline and the skills, there is no
// reference for text scores. The headline may be in another language than the rest of the description, so searchHits
// measures hits by all words then.
func searchHits(ctx context.Context, snapshot engine.Snapshot, query *engine.Query) (page *engine.Page, err error) {
	ctx, span := tracing.Start(ctx, "search", tracing.String("index", snapshot.Info().Name))
	defer func() { span.End(err) }()

	page, err = snapshot.Search(ctx, query)
	lacksReference := err == nil && page.Reference == 0 && len(query.Terms) > 0
	if !lacksReference {
		return page, err
	}

	query.Terms = slices.Clone(query.Terms)
	for i := range query.Terms {
		query.Terms[i].Reference = true
	}
	return snapshot.Search(ctx, query)
}

// setHits replaces the candidates with the hits of a search for the query.
func (r *retrieval) setHits(page *engine.Page) {
	r.matching = page.Matching
	r.reference = page.Reference
	r.scoring = page.Scoring
	r.candidates = make([]ranking.Candidate, len(page.Hits))
	for i := range page.Hits {
		hit := &page.Hits[i]
		c := ranking.Candidate{ID: hit.ID, Evidence: hit.Evidence, Signals: hit.Signals, Schedule: hit.Schedule}
		if page.Reference > 0 {
			c.Text = hit.Text / page.Reference
		}
		if r.query.Semantic != nil {
			c.Semantic = r.query.Semantic.Closeness(hit.Cosine)
		}
		if r.query.Compare != nil {
			r.comparison.of[hit.ID] = r.comparison.numbers.Closeness(hit.Compared, r.comparison.floor)
		}
		r.candidates[i] = c
	}
}

// fetch adds the freelancers with these ids to the records, unless they are there.
func (r *retrieval) fetch(ctx context.Context, snapshot engine.Snapshot, ids []string) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { _, known := r.records[id]; return known })
	if len(ids) == 0 {
		return nil
	}
	freelancers, err := snapshot.Fetch(ctx, ids)
	broken, isDamage := errors.AsType[*engine.DamagedError](err)
	if err != nil && !isDamage {
		return fmt.Errorf("fetch the freelancers: %w", err)
	}
	for i, id := range ids {
		if isDamage && slices.Contains(broken.IDs, id) {
			r.damage = broken
			r.records[id] = nil
			continue
		}
		r.records[id] = &freelancers[i]
	}
	return nil
}

// request returns the brief in the form that ranking needs, as far as it is known before the search.
func (d *demand) request(brief *matching.Brief) ranking.Request {
	r := ranking.Request{
		Derived:      d.derived,
		HasText:      len(d.terms) > 0 || brief.JobTitle != "" || brief.Description != "",
		Budget:       brief.Budget,
		Complexity:   brief.Complexity,
		TimelineDays: brief.TimelineDays,
		Start:        brief.StartDay.Value,
		Effort:       matching.Some(d.effort),
		Money:        d.money,
		NobodyHasAll: d.haveListed.Known && d.haveListed.Value == 0,
		Corpus: ranking.Corpus{
			Documents: d.stats.Documents, MeanRating: d.stats.MeanRating, RateMedian: d.stats.RateMedian,
		},
	}
	for i, skill := range d.skills {
		r.Skills = append(r.Skills, ranking.Requirement{
			Name:   skill.canonical,
			Nice:   i >= d.required,
			Spoken: skill.spoken,
			Demand: skill.demand,
			Count:  d.stats.SkillCount[skill.id],
		})
	}

	return r
}

// query returns an engine query with the scorer's weights, so that the engine's best hits are the best matches.
func (d *demand) query(scorer *ranking.Scorer) *engine.Query {
	from, to := scorer.Bend()
	q := &engine.Query{
		Terms:      d.terms,
		TextWeight: scorer.TextWeight(),
		Credit:     scorer.Credits(),
		Bend:       engine.Bend{From: from, To: to},
		Discount:   scorer.Discount(),
		Fit:        scorer.Fit,
		Quality:    scorer.Quality,
		Filters:    d.filters,
		MatchAll:   d.matchAll,
		Size:       d.size,
		Window:     d.window,
	}

	weights := scorer.SkillWeights()
	for i, skill := range d.skills {
		q.Skills = append(q.Skills, engine.SkillClause{
			ID: skill.id, Family: skill.family, Weight: weights[i], Required: i < d.required && !skill.spoken,
			Demand: skill.demand,
		})
	}

	return q
}

// page ranks the candidates and returns the requested page.
func (r *retrieval) page(offset, limit int) []ranking.Ranked {
	return cut(r.rank(), offset, limit)
}

// cut returns a page of ranked candidates.
func cut(ranked []ranking.Ranked, offset, limit int) []ranking.Ranked {
	from := min(offset, len(ranked))
	return ranked[from:min(from+limit, len(ranked))]
}

// matches fetches the freelancers of a page and explains their scores. It leaves out those whose records are damaged,
// and returns their ids, unless all are.
func (s *Service) matches(
	ctx context.Context, snapshot engine.Snapshot, explain bool, d *demand, found *retrieval, page []ranking.Ranked,
) (matches []matching.Match, damaged []string, err error) {
	ids := make([]string, len(page))
	for i, ranked := range page {
		ids[i] = found.candidates[ranked.Index].ID
	}

	if err := found.fetch(ctx, snapshot, ids); err != nil {
		return nil, nil, err
	}

	for _, id := range ids {
		if found.records[id] == nil {
			damaged = append(damaged, id)
		}
	}

	switch {
	case len(damaged) == len(ids):
		return nil, nil, fmt.Errorf("fetch the freelancers: %w", found.damage)
	case len(damaged) > 0:
		s.log.ErrorContext(ctx, "damaged records skipped", "error", found.damage, "hint", engine.Remedy(found.damage))
	}

	// Damaged freelancers are left out; the response says how many there are.
	matches = make([]matching.Match, 0, len(page))
	seen := map[string]bool{}
	for i, ranked := range page {
		if found.records[ids[i]] == nil {
			continue
		}

		freelancer := *found.records[ids[i]]
		freelancer.Skills = canonical(s.taxonomy, freelancer.Skills, seen)
		candidate := &found.candidates[ranked.Index]
		assess := found.scorer.Assess
		if explain {
			candidate.Facts = d.facts(s.reader, &freelancer, candidate.Evidence)
			assess = found.scorer.Explain
		}

		explained := assess(candidate)
		match := matching.Match{
			Freelancer:    freelancer,
			Score:         ranked.Score,
			Fit:           explained.Fit,
			Level:         explained.Level,
			Price:         explained.Price,
			Estimate:      explained.Estimate,
			Explanation:   explained.Features,
			Adjustments:   explained.Adjustments,
			MatchedSkills: []string{},
			MissingSkills: []string{},
		}
		for j, skill := range d.skills[:d.required] {
			if candidate.Evidence[j].Matches() {
				match.MatchedSkills = append(match.MatchedSkills, skill.name)
			} else if !d.meets(j, candidate.Evidence) {
				match.MissingSkills = append(match.MissingSkills, skill.name)
			}
		}

		matches = append(matches, match)
	}

	return matches, damaged, nil
}

// damagedRecords returns the note about freelancers who were left out of an answer.
func damagedRecords(n int) matching.Skipped {
	who := "1 freelancer was"
	if n != 1 {
		who = fmt.Sprintf("%d freelancers were", n)
	}
	return matching.Skipped{
		Feature: matching.SkippedRecords,
		Reason:  who + " left out because of damaged records; the operator must restore them",
	}
}
