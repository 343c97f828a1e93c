package match

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/dictionary"
	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/tracing"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/taxonomy"
)

// Alias is the index alias that the service searches and the indexer moves.
const Alias = "freelancers"

// DefaultWindow is the number of matches that are counted. Clients can't page beyond it.
const DefaultWindow = 500

// Config holds the dependencies of a Service. Dictionary, Embedder, Model, Encoder, Preparer, Rates and Now may be
// empty; every other field is required.
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
	// Preparer returns a preparer of documents like those in the index, for Alternatives.
	Preparer func(ctx context.Context) (*documents.Preparer, error)
	// Rates returns the current exchange rates. If it is nil, briefs must be in the currency of the data set.
	Rates func() *exchange.Table
	Now   func() time.Time // time.Now if nil
	// Window is the number of matches that are counted. Pages beyond it are cut from a window of DefaultWindow matches.
	Window int
	Log    *slog.Logger
}

// A Service answers briefs. It is safe for concurrent use.
type Service struct {
	engine    engine.Searcher
	taxonomy  *taxonomy.Taxonomy
	analyzer  *analysis.Analyzer
	reader    *briefReader
	embedders embedders
	preparer  func(ctx context.Context) (*documents.Preparer, error)
	window    int
	profiles  map[string]*ranking.Profile // by name; "" is the default profile
	log       *slog.Logger
}

// New returns a service. It loads every ranking profile and fails if one of them is invalid.
func New(c Config) (*Service, error) {
	reader, err := newBriefReader(&c)
	if err != nil {
		return nil, err
	}

	s := &Service{
		engine:    c.Engine,
		taxonomy:  c.Taxonomy,
		analyzer:  c.Analyzer,
		reader:    reader,
		embedders: embedders{vectors: c.Embedder, model: c.Model, encoder: c.Encoder, log: c.Log},
		preparer:  c.Preparer,
		window:    c.Window,
		profiles:  make(map[string]*ranking.Profile),
		log:       c.Log,
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

	suggested, err := dropUseless(ctx, snapshot, s.reader.suggestedFilters(&brief.Filters, &understood))
	if err != nil {
		return nil, err
	}

	answer := &matching.Answer{
		Matches:       []matching.Match{},
		Considered:    found.matching,
		UnknownSkills: demand.unknown,
		DerivedSkills: demand.derivedSkills(),

		NiceToHaveSkills: demand.niceToHave,
		ExcludedSkills:   skillNames(s.taxonomy, demand.excluded),

		Skipped: slices.Concat(found.scorer.Skipped(), found.skipped, demand.skippedWords(), demand.reading.note(),
			rankingNote(brief, profile)),
		Currency:     understood.money.Currency,
		DataCurrency: understood.money.DataCurrency,
		Conversion:   understood.conversion,
		Effort:       shownEffort(demand.effort),
		Budget:       demand.budgetReading(understood.written, understood.inData),
		Filters:      counts,
		Understood:   found.understood,
		Ranking:      rankingUse(profile),

		RequiredSkills:    demand.requiredSkills(s.taxonomy, passing),
		AllRequiredSkills: demand.allRequiredSkills(),
		SuggestedFilters:  suggested,
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
	answer.Versions = s.versions(snapshot, profile, answer.Encoder)
	if len(copies) > 0 {
		answer.Skipped = append(answer.Skipped, copiesNote(copies, dropped))
		answer.Considered = found.matching
	}

	_, span := tracing.Start(ctx, "rank", tracing.Int("candidates", len(found.candidates)))
	ranked := found.rank()
	explored := found.explore(ranked, brief.Explore)
	page := cut(ranked, brief.Offset, brief.Limit)
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
	answer.Explored = exploredOn(explored, brief.Offset, len(page))
	if brief.Explore != 0 && len(damaged) == 0 {
		for i, ranked := range page {
			matches[i].Parts = found.scorer.Parts(&found.candidates[ranked.Index])
		}
	}
	if len(damaged) > 0 {
		answer.Skipped = append(answer.Skipped, damagedRecords(len(damaged)))
	}

	return answer, nil
}

// versions returns what computed an answer. The version of the program is added where the answer is recorded.
func (s *Service) versions(
	snapshot engine.Snapshot, profile *ranking.Profile, use *matching.EncoderUse,
) matching.Versions {
	v := matching.Versions{
		Index: snapshot.Info().Name, Taxonomy: s.taxonomy.Version(), Profile: profile.Name, Numbers: profile.Version(),
		Overridden: profile.IsOverridden(),
	}
	if r := profile.Ranking(); r != nil {
		v.Ranking = r.Version
	}
	if use != nil && use.Compared > 0 {
		v.Encoder = s.embedders.encoder.Name()
	}
	return v
}

// understand reads a brief, and sets how many hits its page needs.
func (s *Service) understand(
	ctx context.Context, snapshot engine.Snapshot, profile *ranking.Profile, brief *matching.Brief,
) (understanding, error) {
	understood, err := s.reader.understand(ctx, snapshot, profile, brief)
	if err != nil {
		return understanding{}, err
	}

	understood.demand.window = s.windowFor(brief)
	size := brief.Offset + brief.Limit
	if brief.Explore != 0 { // which neighbors a coin may exchange must not depend on the page
		size = max(size, FirstPage)
	}
	understood.demand.size = min(size, understood.demand.window)

	return understood, nil
}

// windowFor returns the number of hits that clients can page through, or the engine can find, for a brief.
func (s *Service) windowFor(b *matching.Brief) int {
	if b.Offset+b.Limit > s.window {
		return max(s.window, DefaultWindow)
	}
	return s.window
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
	if brief.Ranking != nil {
		profile = s.accountProfile(brief.Ranking)
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

// accountProfile returns the profile of an account's ranking. A ranking that an earlier release has accepted and this
// one doesn't must not fail requests, so the default profile takes its place; see rankingNote.
func (s *Service) accountProfile(r *matching.Ranking) *ranking.Profile {
	shipped, known := s.profiles[r.Profile]
	if !known {
		return s.profiles[""]
	}
	derived, faults := shipped.Derive(r)
	if len(faults) > 0 {
		return s.profiles[""]
	}
	return derived
}

// rankingUse returns what an answer says about the account's ranking; nil if the profile has none.
func rankingUse(profile *ranking.Profile) *matching.RankingUse {
	r := profile.Ranking()
	if r == nil {
		return nil
	}
	return &matching.RankingUse{Name: r.Name, Version: r.Version, Message: fmt.Sprintf("The request names no profile "+
		"and no weights, so the account's published ranking %q (version %d) was used.", r.Name, r.Version)}
}

// rankingNote returns the note that the account's ranking can't be used, if it can't.
func rankingNote(brief *matching.Brief, profile *ranking.Profile) []matching.Skipped {
	r := brief.Ranking
	if r == nil || profile.Ranking() != nil {
		return nil
	}
	return []matching.Skipped{{Feature: matching.SkippedRanking, Reason: fmt.Sprintf("the account's published ranking "+
		"%q (version %d) is not valid in this release; the default profile was used", r.Name, r.Version)}}
}

// Filters returns filters for engines, for lists of freelancers. The amounts of f are in the currency of the data set,
// and f has no MaxCost. The error is a *matching.Error.
func (s *Service) Filters(f *matching.Filters) (engine.Filters, error) {
	b := &matching.Brief{Filters: *f}
	skills := new(demand).resolveFilters(s.reader, f)
	conditions, err := s.reader.conditions(b, b, ranking.Money{}, matching.Effort{}, s.profiles[""], skills)
	return combine(conditions...), err
}

// Order returns the IDs of the matches of a brief, the best first, from its offset up to its limit. It does what Match
// does without fetching and explaining anybody, and returns the same errors.
func (s *Service) Order(ctx context.Context, brief *matching.Brief) (ids []string, err error) {
	profile, err := s.profile(brief)
	if err != nil {
		return nil, err
	}

	err = engine.ReadLive(ctx, s.engine, Alias, func(live engine.Snapshot) error {
		if live == nil {
			return nil
		}
		understood, err := s.understand(ctx, live, profile, brief)
		if err != nil {
			return err
		}
		found, err := s.retrieve(ctx, live, profile, understood.inData, &understood.demand)
		if err != nil {
			return err
		}
		if _, _, err := s.dropCopies(ctx, live, understood.written, &understood.demand, found); err != nil {
			return err
		}

		ids = ids[:0]
		for _, ranked := range found.page(brief.Offset, brief.Limit) {
			ids = append(ids, found.candidates[ranked.Index].ID)
		}
		return nil
	})
	return ids, err
}
