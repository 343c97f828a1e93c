package match

import (
	"context"
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
	"freelancer-matching/match/background"
	"freelancer-matching/match/courtesy"
	"freelancer-matching/match/documents"
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

// Config holds the dependencies of a Service. Dictionary, Embedder, Model, Encoder, Rates and Now may be empty;
// every other field is required.
type Config struct {
	Engine engine.Searcher
	// Taxonomy and Analyzer must be those that the documents were prepared with.
	Taxonomy *taxonomy.Taxonomy
	Analyzer *analysis.Analyzer
	// Dictionary reads briefs in other languages in English. Without it, they are read as they are.
	Dictionary *dictionary.Dictionary
	// Embedder computes the vectors by which briefs find freelancers.
	Embedder documents.Embedder
	// Model computes the vectors by which the best freelancers are compared with the brief once more, for a better order.
	// If it fails, the order stays, and the answer says why.
	Model documents.Embedder
	// Encoder takes the place of Model: it compares the best freelancers with the brief, too, but by vectors that are not
	// part of the index. At most one of them may be set.
	Encoder Encoder
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
	embedder   documents.Embedder
	model      documents.Embedder
	encoder    Encoder
	rates      func() *exchange.Table
	zones      *zones.Zones
	suggester  *suggest.Suggester
	courtesies *courtesy.Filter
	negations  *negation.Reader
	background *background.Reader
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
		encoder:    c.Encoder,
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

	if s.background, err = background.New(); err != nil {
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
		Budget:       demand.budgetReading(understood.written, understood.inData),
		Filters:      counts,
		Understood:   found.understood,

		RequiredSkills:    s.requiredSkills(&demand, passing),
		AllRequiredSkills: demand.allRequiredSkills(),
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

	answer.Encoder = found.encoderUse()
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
	asked      suggest.Asked   // the filters that the text asks for
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

	u.asked = s.suggester.Read(u.plain)
	u.demand = s.resolve(english, reading, wished, &u.asked, corrections)
	u.demand.money = u.money
	if u.demand.stats, err = snapshot.Statistics(ctx, u.demand.ids()); err != nil {
		return u, fmt.Errorf("read the statistics: %w", err)
	}

	// Filters on the cost need the size of the work.
	u.demand.effort, u.inData = s.size(u.inData, &u.demand, profile)
	if !u.inData.StartDay.Known {
		u.inData.StartDay = matching.Some(matching.DayOf(s.now()))
	}

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
			if !skill.spoken {
				names = append(names, skill.name)
			}
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
