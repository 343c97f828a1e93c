package match

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/dictionary"
	"freelancer-matching/internal/exchange"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/tracing"
	"freelancer-matching/internal/zones"
	"freelancer-matching/match/courtesy"
	"freelancer-matching/match/suggest"
	"freelancer-matching/ranking"
	"freelancer-matching/taxonomy"
)

// Alias is the index alias that the service searches and the indexer moves.
const Alias = "freelancers"

// DefaultWindow is the number of matches that are counted. Clients can't page beyond it.
const DefaultWindow = 500

// Config holds the dependencies of a Service. Dictionary, Embedder, Model, Rates and Now may be empty; every other
// field is required.
type Config struct {
	Engine engine.Searcher
	// Taxonomy and Analyzer must be those that the documents were prepared with.
	Taxonomy *taxonomy.Taxonomy
	Analyzer *analysis.Analyzer
	// Dictionary reads briefs in other languages in English. Without it, they are read as they are.
	Dictionary *dictionary.Dictionary
	// Embedder computes the vectors by which briefs find freelancers.
	Embedder Embedder
	// Model computes the vectors by which the best freelancers are compared with the brief once more, for a better order.
	// If it fails, the order stays, and the answer says why.
	Model Embedder
	// Rates returns the current exchange rates. If it is nil, briefs must be in the currency of the data set.
	Rates func() *exchange.Table
	Now   func() time.Time // time.Now if nil
	// Window is the number of matches that are counted. Pages beyond it are cut from a window of DefaultWindow matches.
	Window int
	Log    *slog.Logger
}

// A Service answers briefs. It is safe for concurrent use.
type Service struct {
	engine     engine.Searcher
	taxonomy   *taxonomy.Taxonomy
	analyzer   *analysis.Analyzer
	dictionary *dictionary.Dictionary
	embedder   Embedder
	model      Embedder
	rates      func() *exchange.Table
	zones      *zones.Zones
	suggester  *suggest.Suggester
	courtesies *courtesy.Filter
	now        func() time.Time
	window     int
	profiles   map[string]*ranking.Profile // by name; "" is the default profile
	log        *slog.Logger
}

// New returns a service. It loads every ranking profile and fails if one of them is invalid.
func New(c Config) (*Service, error) {
	s := &Service{
		engine:     c.Engine,
		taxonomy:   c.Taxonomy,
		analyzer:   c.Analyzer,
		dictionary: c.Dictionary,
		embedder:   c.Embedder,
		model:      c.Model,
		rates:      c.Rates,
		zones:      zones.New(),
		now:        c.Now,
		window:     c.Window,
		profiles:   make(map[string]*ranking.Profile),
		log:        c.Log,
	}
	if s.now == nil {
		s.now = time.Now
	}

	var err error
	if s.suggester, err = suggest.New(); err != nil {
		return nil, err
	}
	if s.courtesies, err = courtesy.New(); err != nil {
		return nil, err
	}

	for _, name := range append(ranking.Names(), "") {
		profile, err := ranking.Load(name)
		if err != nil {
			return nil, err
		}
		s.profiles[name] = profile
	}

	return s, nil
}

// Match returns the ranked and explained matches of a brief. Errors are *matching.Error: CodeInvalid if the profile or
// a weight doesn't exist, otherwise those of engine.ReadLive.
func (s *Service) Match(ctx context.Context, b *matching.Brief) (*matching.Answer, error) {
	profile, err := s.profile(b)
	if err != nil {
		return nil, err
	}
	var answer *matching.Answer
	err = engine.ReadLive(ctx, s.engine, Alias, func(live engine.Snapshot) (err error) {
		if live == nil {
			answer = &matching.Answer{Matches: []matching.Match{}, Reason: matching.ReasonNoData}
			return nil
		}
		answer, err = s.answer(ctx, live, profile, b)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// answer makes one attempt. It returns an error wrapping engine.ErrNotFound if the index was replaced during the
// attempt.
func (s *Service) answer(
	ctx context.Context, snapshot engine.Snapshot, profile *ranking.Profile, b *matching.Brief,
) (*matching.Answer, error) {
	u, err := s.understand(ctx, snapshot, profile, b)
	if err != nil {
		return nil, err
	}
	info := snapshot.Info()
	sent := b
	d := u.demand
	conditions := u.conditions
	money := u.money
	b = u.english
	r, err := s.retrieve(ctx, snapshot, profile, u.inData, &d)
	if err != nil {
		return nil, err
	}

	counts, passing, err := countFilters(ctx, snapshot, conditions, d.requiredFilters(conditions))
	if err != nil {
		return nil, err
	}

	if s.log.Enabled(ctx, slog.LevelDebug) {
		s.log.DebugContext(ctx, "searched",
			"index", info.Name, "query", r.query.String(), "hits", len(r.candidates))
	}

	answer := &matching.Answer{
		Matches:       []matching.Match{},
		Considered:    r.matching,
		UnknownSkills: d.unknown,
		DerivedSkills: d.derivedSkills(),
		Skipped:       slices.Concat(r.scorer.Skipped(), r.skipped, d.skippedWords(), d.reading.note()),
		Currency:      money.Currency,
		DataCurrency:  money.DataCurrency,
		Conversion:    u.conversion,
		Filters:       counts,

		RequiredSkills:   s.requiredSkills(&d, r.stats, passing),
		SuggestedFilters: s.suggestedFilters(sent, money.Currency),
	}

	if len(r.candidates) == 0 {
		return answer, explainEmpty(ctx, snapshot, conditions, answer)
	}
	copies, dropped, err := s.dropCopies(ctx, snapshot, u.written, &d, r)
	if err != nil {
		return nil, err
	}

	if len(copies) > 0 {
		answer.Skipped = append(answer.Skipped, copiesNote(copies, dropped))
		answer.Considered = r.matching
	}

	_, span := tracing.Start(ctx, "rank", tracing.Int("candidates", len(r.candidates)))
	page := r.page(b.Offset, b.Limit)
	span.End(nil)

	if len(page) == 0 {
		answer.Reason = matching.ReasonOffset
		return answer, nil
	}

	var damaged []string
	fetchCtx, span := tracing.Start(ctx, "fetch", tracing.Int("freelancers", len(page)))
	answer.Matches, damaged, err = s.matches(fetchCtx, snapshot, b, &d, r, page)
	span.End(err)

	if len(damaged) > 0 {
		answer.Skipped = append(answer.Skipped, damagedRecords(len(damaged)))
	}

	return answer, err
}

// An understood brief is a brief whose texts are read, skills resolved, amounts converted and filters prepared.
type understood struct {
	written    *matching.Brief // without markup
	english    *matching.Brief // in English, or as written
	inData     *matching.Brief // with amounts in the currency of the data set
	demand     demand
	conditions []condition
	money      ranking.Money
	conversion *matching.Conversion
}

// understand reads a brief.
func (s *Service) understand(
	ctx context.Context, snapshot engine.Snapshot, profile *ranking.Profile, b *matching.Brief,
) (u understood, err error) {
	u.written = s.readable(b)
	b, english := s.inEnglish(u.written)
	u.english = b
	if u.inData, u.money, u.conversion, err = s.inDataCurrency(b, snapshot.Info().Currency); err != nil {
		return u, err
	}

	_, span := tracing.Start(ctx, "resolve skills")
	corrections, err := s.corrections(ctx, snapshot, b)
	span.End(err)

	if err != nil {
		return u, err
	}
	d := s.resolve(b, english, corrections)
	if u.conditions, err = s.conditions(b, u.inData, u.money, profile, d.mustHave); err != nil {
		return u, err
	}

	d.filters = combine(u.conditions...)
	d.money = u.money
	u.demand = d

	return u, nil
}

// derivedSkills returns the names of the skills that were derived from the text.
func (d *demand) derivedSkills() (names []string) {
	if d.derived {
		for _, skill := range d.skills[:d.required] {
			names = append(names, skill.name)
		}
	}
	return names
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

// profile returns the brief's ranking profile with its weight overrides applied. It checks the weights even if the
// profile is unknown, so that the error lists every fault.
func (s *Service) profile(b *matching.Brief) (*ranking.Profile, error) {
	var faults []matching.FieldError
	profile, known := s.profiles[b.Profile]
	if !known {
		faults = append(faults, matching.FieldError{
			Field: "profile",
			Code:  "unknown_profile",
			Message: fmt.Sprintf("unknown ranking profile %q; use one of: %s",
				b.Profile, strings.Join(ranking.Names(), ", ")),
		})

		profile = s.profiles[""]
	}

	if len(b.Weights) > 0 {
		var weightFaults []matching.FieldError
		profile, weightFaults = profile.WithWeights(b.Weights)
		faults = append(faults, weightFaults...)
	}

	if len(faults) == 0 {
		return profile, nil
	}
	messages := make([]string, len(faults))
	for i, f := range faults {
		messages[i] = f.Message
	}

	return nil, &matching.Error{Code: matching.CodeInvalid, Message: strings.Join(messages, "; "), Details: faults}
}

// A retrieval holds the engine's hits as candidates for ranking, and the query and scorer that go with them.
type retrieval struct {
	query      *engine.Query
	scorer     *ranking.Scorer
	candidates []ranking.Candidate // in the engine's order
	comparison comparison          // of the first candidates, if the query asks for it
	stats      engine.Statistics
	matching   int // engine.Page.Matching
	skipped    []matching.Skipped
	records    map[string]*matching.Freelancer // fetched so far, by id; nil for a damaged record
	damage     error                           // the reason of the last damaged record
}

// retrieve searches for the brief and turns the hits into candidates. The amounts of the brief must be in the currency
// of the data set.
func (s *Service) retrieve(
	ctx context.Context, snapshot engine.Snapshot, profile *ranking.Profile, b *matching.Brief, d *demand,
) (*retrieval, error) {
	ids := make([]string, len(d.skills))
	for i, skill := range d.skills {
		ids[i] = skill.id
	}
	stats, err := snapshot.Statistics(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the statistics: %w", err)
	}

	request := d.request(b, stats)
	if request.NobodyHasAll, err = d.nobodyHasAll(ctx, snapshot, stats); err != nil {
		return nil, err
	}
	request.HasSemantic = true
	scorer := profile.Scorer(request)
	var m meanings

	if scorer.SemanticWeight() > 0 {
		m = s.meanings(ctx, snapshot.Info().Vectors, b, d)
		if request.HasSemantic = m.semantic != nil; !request.HasSemantic {
			scorer = profile.Scorer(request)
		}
	}

	query := d.query(scorer)
	if m.semantic != nil {
		m.semantic.Weight = scorer.SemanticWeight()
		query.Semantic = m.semantic
	}

	if m.compare != nil {
		request.HasModel = true
		scorer = profile.Scorer(request)
		d.size = max(d.size, profile.Semantic.Compared) // so that pages of any size are cut from the same order
		query.Compare = m.compare
		query.Size = d.size
	}

	skipped := m.skipped
	searchCtx, span := tracing.Start(ctx, "search", tracing.String("index", snapshot.Info().Name))
	page, err := snapshot.Search(searchCtx, query)
	if err == nil && page.Reference == 0 && len(query.Terms) > 0 {
		// The index contains no word of the title, the headline and the skills. The headline may be in another language
		// than the rest of the description: measure the hits by all words instead.
		query.Terms = slices.Clone(query.Terms)
		for i := range query.Terms {
			query.Terms[i].Reference = true
		}
		page, err = snapshot.Search(searchCtx, query)
	}

	span.End(err)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}

	if page.Damaged > 0 {
		skipped = append(skipped, damagedRecords(page.Damaged))
	}

	r := &retrieval{
		query: query, scorer: scorer, stats: stats, comparison: newComparison(profile, m.modelFloor), skipped: skipped,
		records: make(map[string]*matching.Freelancer),
	}

	r.setHits(page)
	return r, nil
}

// setHits replaces the candidates with the hits of a search for the query.
func (r *retrieval) setHits(page *engine.Page) {
	r.matching = page.Matching
	r.candidates = make([]ranking.Candidate, len(page.Hits))
	for i := range page.Hits {
		hit := &page.Hits[i]
		c := ranking.Candidate{ID: hit.ID, Evidence: hit.Evidence, Signals: hit.Signals}
		if page.Reference > 0 {
			c.Text = hit.Text / page.Reference
		}
		if r.query.Semantic != nil {
			c.Semantic = r.query.Semantic.Closeness(hit.Cosine)
		}
		if r.query.Compare != nil {
			r.comparison.add(hit)
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

// request returns the brief in the form that ranking needs.
func (d *demand) request(b *matching.Brief, stats engine.Statistics) ranking.Request {
	r := ranking.Request{
		Derived:      d.derived,
		HasText:      len(d.terms) > 0 || b.JobTitle != "" || b.Description != "",
		Budget:       b.Budget,
		Complexity:   b.Complexity,
		TimelineDays: b.TimelineDays,
		EffortHours:  b.EffortHours,
		Money:        d.money,
		Corpus: ranking.Corpus{
			Documents: stats.Documents, MeanRating: stats.MeanRating, RateQuartile: stats.RateQuartile,
		},
	}
	for i, skill := range d.skills {
		r.Skills = append(r.Skills, ranking.Requirement{
			Name:  skill.canonical,
			Nice:  i >= d.required,
			Count: stats.SkillCount[skill.id],
		})
	}

	return r
}

// query returns an engine query with the scorer's weights, so that the engine's best hits are the best matches.
func (d *demand) query(scorer *ranking.Scorer) *engine.Query {
	q := &engine.Query{
		Terms:      d.terms,
		TextWeight: scorer.TextWeight(),
		Credit:     scorer.Credits(),
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
			ID: skill.id, Family: skill.family, Weight: weights[i], Required: i < d.required,
		})
	}

	return q
}

// page ranks the candidates and returns the requested page.
func (r *retrieval) page(offset, limit int) []ranking.Ranked {
	ranked := r.rank()
	from := min(offset, len(ranked))
	return ranked[from:min(from+limit, len(ranked))]
}

// matches fetches the freelancers of a page and explains their scores. It leaves out those whose records are damaged,
// and returns their ids, unless all are.
func (s *Service) matches(
	ctx context.Context, snapshot engine.Snapshot, b *matching.Brief, d *demand, r *retrieval, page []ranking.Ranked,
) (matches []matching.Match, damaged []string, err error) {
	ids := make([]string, len(page))
	for i, ranked := range page {
		ids[i] = r.candidates[ranked.Index].ID
	}

	if err := r.fetch(ctx, snapshot, ids); err != nil {
		return nil, nil, err
	}

	for _, id := range ids {
		if r.records[id] == nil {
			damaged = append(damaged, id)
		}
	}

	switch {
	case len(damaged) == len(ids):
		return nil, nil, fmt.Errorf("fetch the freelancers: %w", r.damage)
	case len(damaged) > 0:
		s.log.ErrorContext(ctx, "damaged records skipped", "error", r.damage, "hint", engine.Remedy(r.damage))
	}

	matches = make([]matching.Match, 0, len(page))
	seen := map[string]bool{}
	for i, ranked := range page {
		if r.records[ids[i]] == nil {
			continue
		}
		f := *r.records[ids[i]]
		f.Skills = s.canonical(f.Skills, seen)
		candidate := &r.candidates[ranked.Index]
		assess := r.scorer.Assess

		if b.Explain {
			candidate.Facts = d.facts(s, &f, candidate.Evidence)
			assess = r.scorer.Explain
		}

		explained := assess(candidate)
		m := matching.Match{
			Freelancer:    f,
			Score:         ranked.Score,
			Level:         explained.Level,
			Estimate:      explained.Estimate,
			Explanation:   explained.Features,
			Adjustments:   explained.Adjustments,
			MatchedSkills: []string{},
			MissingSkills: []string{},
		}
		for j, skill := range d.skills[:d.required] {
			if candidate.Evidence[j].Matches() {
				m.MatchedSkills = append(m.MatchedSkills, skill.name)
			} else {
				m.MissingSkills = append(m.MissingSkills, skill.name)
			}
		}

		matches = append(matches, m)
	}

	return matches, damaged, nil
}

// canonical returns the distinct skills, with canonical names for those that the taxonomy knows. It clears and uses
// seen, which callers with many lists share among them.
func (s *Service) canonical(listed []string, seen map[string]bool) []string {
	names := make([]string, 0, len(listed))
	clear(seen)
	for _, skill := range listed {
		r := s.taxonomy.Resolve(skill)
		if !seen[r.ID] {
			seen[r.ID] = true
			names = append(names, r.Name)
		}
	}
	return names
}
