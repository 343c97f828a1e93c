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
	"freelancer-matching/match/effort"
	"freelancer-matching/match/negation"
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
	negations  *negation.Reader
	efforts    *effort.Model
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
	if s.efforts, err = effort.Load(); err != nil {
		return nil, err
	}

	if s.negations, err = negation.New(); err != nil {
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
func (s *Service) Match(ctx context.Context, brief *matching.Brief) (*matching.Answer, error) {
	profile, err := s.profile(brief)
	if err != nil {
		return nil, err
	}
	var answer *matching.Answer
	err = engine.ReadLive(ctx, s.engine, Alias, func(live engine.Snapshot) (err error) {
		if live == nil {
			answer = &matching.Answer{Matches: []matching.Match{}, Reason: matching.ReasonNoData}
			return nil
		}
		answer, err = s.answer(ctx, live, profile, brief)
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
	ctx context.Context, snapshot engine.Snapshot, profile *ranking.Profile, brief *matching.Brief,
) (*matching.Answer, error) {
	understood, err := s.understand(ctx, snapshot, profile, brief)
	if err != nil {
		return nil, err
	}

	demand := understood.demand

	found, err := s.retrieve(ctx, snapshot, profile, understood.inData, &demand)
	if err != nil {
		return nil, err
	}

	withSkill := demand.requiredFilters(understood.conditions)
	counts, passing, err := countFilters(ctx, snapshot, understood.conditions, withSkill)
	if err != nil {
		return nil, err
	}

	if s.log.Enabled(ctx, slog.LevelDebug) {
		s.log.DebugContext(ctx, "searched",
			"index", snapshot.Info().Name, "query", found.query.String(), "hits", len(found.candidates))
	}

	answer := &matching.Answer{
		Matches:       []matching.Match{},
		Considered:    found.matching,
		UnknownSkills: demand.unknown,
		DerivedSkills: demand.derivedSkills(),

		NiceToHaveSkills: demand.niceToHave,
		ExcludedSkills:   s.skillNames(demand.excluded),

		Skipped:      slices.Concat(found.scorer.Skipped(), found.skipped, demand.skippedWords(), demand.reading.note()),
		Currency:     understood.money.Currency,
		DataCurrency: understood.money.DataCurrency,
		Conversion:   understood.conversion,
		Effort:       shownEffort(demand.effort),
		Budget:       demand.budgetReading(understood.written, understood.inData, demand.stats.RateMedian),
		Filters:      counts,

		RequiredSkills:    s.requiredSkills(&demand, demand.stats, passing),
		AllRequiredSkills: demand.allRequiredSkills(demand.stats),
		SuggestedFilters:  s.suggestedFilters(&brief.Filters, &understood),
	}

	if len(found.candidates) == 0 {
		return answer, explainEmpty(ctx, snapshot, understood.conditions, answer)
	}

	// Copies are compared with the brief as written: a profile that repeats it has no translation in it.
	copies, dropped, err := s.dropCopies(ctx, snapshot, understood.written, &demand, found)
	if err != nil {
		return nil, err
	}

	if len(copies) > 0 {
		answer.Skipped = append(answer.Skipped, copiesNote(copies, dropped))
		answer.Considered = found.matching
	}

	_, span := tracing.Start(ctx, "rank", tracing.Int("candidates", len(found.candidates)))
	page := found.page(brief.Offset, brief.Limit)
	span.End(nil)

	if len(page) == 0 {
		answer.Reason = matching.ReasonOffset
		return answer, nil
	}

	fetchCtx, span := tracing.Start(ctx, "fetch", tracing.Int("freelancers", len(page)))
	matches, damaged, err := s.matches(fetchCtx, snapshot, brief.Explain, &demand, found, page)
	span.End(err)
	if err != nil {
		return nil, err
	}

	answer.Matches = matches
	if len(damaged) > 0 {
		answer.Skipped = append(answer.Skipped, damagedRecords(len(damaged)))
	}

	return answer, nil
}

// An understanding of a brief has its texts read, skills resolved, amounts converted and filters prepared.
type understanding struct {
	plain      string          // title and description without markup, but with every sentence
	written    *matching.Brief // the text about the work, in the language of the brief
	inData     *matching.Brief // the same in English, where it can be read so, with amounts in the currency of the data
	demand     demand
	conditions []condition
	money      ranking.Money
	conversion *matching.Conversion
}

// understand reads a brief.
func (s *Service) understand(
	ctx context.Context, snapshot engine.Snapshot, profile *ranking.Profile, brief *matching.Brief,
) (u understanding, err error) {
	u.plain, u.written = s.readable(brief)
	language := s.languageOf(u.written)
	asked, wished := s.wishes(u.written, language)
	english, reading := s.inEnglish(asked, language)
	u.inData, u.money, u.conversion, err = s.inDataCurrency(english, snapshot.Info().Currency)
	if err != nil {
		return u, err
	}

	_, span := tracing.Start(ctx, "resolve skills")
	corrections, err := s.corrections(ctx, snapshot, english)
	span.End(err)
	if err != nil {
		return u, err
	}

	u.demand = s.resolve(english, reading, wished, corrections)
	u.demand.money = u.money
	if u.demand.stats, err = snapshot.Statistics(ctx, u.demand.ids()); err != nil {
		return u, fmt.Errorf("read the statistics: %w", err)
	}

	// Filters on the cost need the size of the work.
	u.demand.effort, u.inData = s.size(u.inData, &u.demand, u.demand.stats.RateMedian, profile)
	u.conditions, err = s.conditions(english, u.inData, u.money, u.demand.effort, profile, u.demand.filterSkills)
	if err != nil {
		return u, err
	}

	u.demand.filters = combine(u.conditions...)

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
func (s *Service) profile(brief *matching.Brief) (*ranking.Profile, error) {
	var faults []matching.FieldError
	profile, known := s.profiles[brief.Profile]
	if !known {
		faults = append(faults, matching.FieldError{
			Field: "profile",
			Code:  "unknown_profile",
			Message: fmt.Sprintf("unknown ranking profile %q; use one of: %s",
				brief.Profile, strings.Join(ranking.Names(), ", ")),
		})

		profile = s.profiles[""]
	}

	if len(brief.Weights) > 0 {
		var weightFaults []matching.FieldError
		profile, weightFaults = profile.WithWeights(brief.Weights)
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
	matching   int                 // engine.Page.Matching
	skipped    []matching.Skipped
	records    map[string]*matching.Freelancer // fetched so far, by id; nil for a damaged record
	damage     error                           // the reason of the last damaged record
}

// retrieve searches for the brief and turns the hits into candidates. The amounts of the brief must be in the currency
// of the data set.
func (s *Service) retrieve(
	ctx context.Context, snapshot engine.Snapshot, profile *ranking.Profile, brief *matching.Brief, d *demand,
) (*retrieval, error) {
	request := d.request(brief)
	if err := d.countAll(ctx, snapshot, d.stats); err != nil {
		return nil, err
	}
	request.NobodyHasAll = d.haveAll.Known && d.haveAll.Value == 0

	var meaning meanings
	if profile.WeighsMeaning() {
		meaning = s.meanings(ctx, snapshot.Info().Vectors, brief, d)
	}

	// The engine finds hits by the built-in vectors alone, so its query takes the weights of a score without the model.
	request.HasSemantic = meaning.semantic != nil
	scorer := profile.Scorer(request)
	query := d.query(scorer)
	if meaning.semantic != nil {
		meaning.semantic.Weight = scorer.SemanticWeight()
		query.Semantic = meaning.semantic
	}

	if meaning.compare != nil {
		request.HasModel = true
		scorer = profile.Scorer(request)
		d.size = max(d.size, profile.Semantic.Compared) // so that pages of any size are cut from the same order
		query.Compare = meaning.compare
		query.Size = d.size
	}

	skipped := meaning.skipped

	searchCtx, span := tracing.Start(ctx, "search", tracing.String("index", snapshot.Info().Name))
	page, err := snapshot.Search(searchCtx, query)
	lacksReference := err == nil && page.Reference == 0 && len(query.Terms) > 0
	if lacksReference {
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

	found := &retrieval{
		query: query, scorer: scorer, comparison: newComparison(profile, meaning.modelFloor), skipped: skipped,
		records: make(map[string]*matching.Freelancer),
	}

	found.setHits(page)
	return found, nil
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
func (d *demand) request(brief *matching.Brief) ranking.Request {
	r := ranking.Request{
		Derived:      d.derived,
		HasText:      len(d.terms) > 0 || brief.JobTitle != "" || brief.Description != "",
		Budget:       brief.Budget,
		Complexity:   brief.Complexity,
		TimelineDays: brief.TimelineDays,
		Effort:       matching.Some(d.effort),
		Money:        d.money,
		Corpus: ranking.Corpus{
			Documents: d.stats.Documents, MeanRating: d.stats.MeanRating, RateMedian: d.stats.RateMedian,
		},
	}
	for i, skill := range d.skills {
		r.Skills = append(r.Skills, ranking.Requirement{
			Name:  skill.canonical,
			Nice:  i >= d.required,
			Count: d.stats.SkillCount[skill.id],
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
		freelancer.Skills = s.canonical(freelancer.Skills, seen)
		candidate := &found.candidates[ranked.Index]
		assess := found.scorer.Assess
		if explain {
			candidate.Facts = d.facts(s, &freelancer, candidate.Evidence)
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
			} else {
				match.MissingSkills = append(match.MissingSkills, skill.name)
			}
		}

		matches = append(matches, match)
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
