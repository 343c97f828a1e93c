package match

import (
	"context"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/dictionary"
	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/plaintext"
	"github.com/freelancer-matching/service/internal/tracing"
	"github.com/freelancer-matching/service/internal/zones"
	"github.com/freelancer-matching/service/match/background"
	"github.com/freelancer-matching/service/match/courtesy"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/match/effort"
	"github.com/freelancer-matching/service/match/schedule"
	"github.com/freelancer-matching/service/match/suggest"
	"github.com/freelancer-matching/service/match/wishes"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/taxonomy"
)

// A briefReader understands briefs: it removes what isn't about the work, resolves skills, converts amounts, estimates
// the size of the work, and prepares filters. It is safe for concurrent use.
type briefReader struct {
	taxonomy   *taxonomy.Taxonomy
	analyzer   *analysis.Analyzer
	dictionary *dictionary.Dictionary // may be nil
	vectors    documents.Embedder     // of the names of skills; may be nil
	rates      func() *exchange.Table // may be nil
	now        func() time.Time
	zones      *zones.Zones
	suggester  *suggest.Suggester
	courtesies *courtesy.Filter
	wishes     *wishes.Reader
	background *background.Reader
	schedules  *schedule.Reader
	efforts    *effort.Model
}

// newBriefReader returns the reader of a service.
func newBriefReader(c *Config) (r *briefReader, err error) {
	r = &briefReader{
		taxonomy:   c.Taxonomy,
		analyzer:   c.Analyzer,
		dictionary: c.Dictionary,
		vectors:    c.Embedder,
		rates:      c.Rates,
		now:        c.Now,
		zones:      zones.New(),
	}
	if r.now == nil {
		r.now = time.Now
	}

	if r.suggester, err = suggest.New(); err != nil {
		return nil, err
	}
	if r.courtesies, err = courtesy.New(); err != nil {
		return nil, err
	}
	if r.wishes, err = wishes.New(r.taxonomy); err != nil {
		return nil, err
	}
	if r.background, err = background.New(); err != nil {
		return nil, err
	}
	if r.schedules, err = schedule.New(); err != nil {
		return nil, err
	}
	if r.efforts, err = effort.Load(); err != nil {
		return nil, err
	}

	return r, nil
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
func (r *briefReader) understand(
	ctx context.Context, snapshot engine.Snapshot, profile *ranking.Profile, brief *matching.Brief,
) (u understanding, err error) {
	u.plain, u.written = r.readable(brief)
	language := r.languageOf(u.written)
	asked, wished := r.wishes.Read(u.written, language)
	english, reading := r.inEnglish(asked, language)
	u.inData, u.money, u.conversion, err = r.inDataCurrency(english, snapshot.Info().Currency)
	if err != nil {
		return u, err
	}

	_, span := tracing.Start(ctx, "resolve skills")
	corrections, err := r.corrections(ctx, snapshot, english)
	span.End(err)
	if err != nil {
		return u, err
	}

	u.asked = r.suggester.Read(u.plain)
	u.demand, err = r.resolve(ctx, english, reading, wished, &u.asked, corrections)
	if err != nil {
		return u, err
	}
	if err := r.groupDuplicates(ctx, &u.demand); err != nil {
		return u, err
	}
	u.demand.money = u.money
	if u.demand.stats, err = snapshot.Statistics(ctx, u.demand.ids()); err != nil {
		return u, fmt.Errorf("read the statistics: %w", err)
	}

	// Filters on the cost need the size of the work.
	u.demand.effort, u.inData = r.size(u.inData, &u.demand, profile)
	if !u.inData.StartDay.Known {
		u.inData.StartDay = matching.Some(matching.DayOf(r.now()))
	}

	u.conditions, err = r.conditions(english, u.inData, u.money, u.demand.effort, profile, u.demand.filterSkills)
	if err != nil {
		return u, err
	}
	bound, err := r.boundConditions(ctx, snapshot, u.inData, u.money, profile)
	if err != nil {
		return u, err
	}
	u.conditions = append(u.conditions, bound...)

	u.demand.filters = combine(u.conditions...)

	return u, nil
}

// readable returns the title and description of a brief without markup, and a copy of the brief in which they hold only
// what is about the work: no greetings and no other polite phrases either. Only suggested filters read what a polite
// phrase says; the answer repeats the brief as it was sent.
func (r *briefReader) readable(brief *matching.Brief) (plain string, readable *matching.Brief) {
	title := plaintext.Of(brief.JobTitle)
	description := plaintext.Of(brief.Description)

	work := *brief
	work.JobTitle = r.courtesies.Without(title)
	work.Description = r.courtesies.Without(description)

	return title + "\n" + description, &work
}
