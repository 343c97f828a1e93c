package match

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

// Explain returns the place of a freelancer in the ranking of a brief: score, rank, the filters that exclude them, and
// the points that they lack. It returns the errors of Match, and CodeFreelancerUnknown for an unknown ID.
func (s *Service) Explain(ctx context.Context, brief *matching.Brief, id string) (*matching.Standing, error) {
	profile, err := s.profile(brief)
	if err != nil {
		return nil, err
	}
	explained := *brief
	explained.Explain = true
	var standing *matching.Standing
	err = engine.ReadLive(ctx, s.engine, Alias, func(live engine.Snapshot) (err error) {
		if live == nil {
			return errNoFreelancer(id)
		}
		standing, err = s.standing(ctx, live, profile, &explained, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return standing, nil
}

func errNoFreelancer(id string) error {
	return &matching.Error{
		Code: matching.CodeFreelancerUnknown, Message: fmt.Sprintf("No freelancer has the ID %q.", shortID(id)),
	}
}

// shortID returns the beginning of an ID, for messages.
func shortID(id string) string {
	const most = 100
	if len(id) <= most {
		return id
	}
	return strings.ToValidUTF8(id[:most], "") + "…"
}

// A placing holds what is known about one freelancer and the ranking of a brief.
type placing struct {
	id string
	understanding
	retrieval *retrieval
	ranked    []ranking.Ranked // of the candidates without the freelancer, if they aren't among them
	standing  matching.Standing
}

// standing makes one attempt. It returns an error wrapping engine.ErrNotFound if the index was replaced during the
// attempt.
func (s *Service) standing(
	ctx context.Context, snapshot engine.Snapshot, profile *ranking.Profile, brief *matching.Brief, id string,
) (*matching.Standing, error) {
	n, err := snapshot.Count(ctx, engine.Filters{IDs: []string{id}})
	if err != nil {
		return nil, fmt.Errorf("look up the freelancer: %w", err)
	}
	if n == 0 {
		return nil, errNoFreelancer(id)
	}

	understood, err := s.understand(ctx, snapshot, profile, brief)
	if err != nil {
		return nil, err
	}

	understood.demand.size = understood.demand.window
	p := placing{id: id, understanding: understood}
	if p.retrieval, err = s.retrieve(ctx, snapshot, profile, understood.inData, &p.demand); err != nil {
		return nil, err
	}
	if err := s.place(ctx, snapshot, brief, &p); err != nil {
		return nil, err
	}
	p.standing.Answer.Ranking = rankingUse(profile)
	p.standing.Answer.Skipped = append(p.standing.Answer.Skipped, rankingNote(brief, profile)...)

	return &p.standing, nil
}

// place fills in the standing.
func (s *Service) place(ctx context.Context, snapshot engine.Snapshot, brief *matching.Brief, p *placing) error {
	found := p.retrieval
	whole := *p.written
	// the records of the page aren't needed
	whole.Offset = 0
	whole.Limit = 0
	copies, dropped, err := s.dropCopies(ctx, snapshot, &whole, &p.demand, found)
	if err != nil {
		return err
	}

	// Copies that stay among the matches have ranks like everybody else.
	if !dropped {
		copies = nil
	}

	p.ranked = found.rank()
	place := slices.IndexFunc(p.ranked, func(c ranking.Ranked) bool { return found.candidates[c.Index].ID == p.id })
	own := ranking.Ranked{}
	p.standing.Total = found.matching

	if place >= 0 {
		own = p.ranked[place]
		p.standing.Rank = matching.Some(place + 1)
		if found.matching+len(copies) >= p.demand.window { // not counted any further
			err = s.rankAll(ctx, snapshot, p, 0, copies)
		}
	} else {
		own, err = s.placeOutside(ctx, snapshot, p, copies)
	}

	if err != nil {
		return err
	}

	p.setLastShown(brief)
	matches, _, err := s.matches(ctx, snapshot, brief.Explain, &p.demand, found, []ranking.Ranked{own})
	if err != nil {
		return err
	}

	p.standing.Match = matches[0]
	p.standing.Shortfalls = found.scorer.Shortfalls(&found.candidates[own.Index])
	p.standing.Answer = matching.Answer{
		DerivedSkills: p.demand.derivedSkills(), NiceToHaveSkills: p.demand.niceToHave,
		ExcludedSkills: skillNames(s.taxonomy, p.demand.excluded), UnknownSkills: p.demand.unknown,
		Skipped:  slices.Concat(found.scorer.Skipped(), found.skipped, p.demand.skippedWords(), p.demand.reading.note()),
		Currency: p.money.Currency, DataCurrency: p.money.DataCurrency, Conversion: p.conversion,
		Effort:  shownEffort(p.demand.effort),
		Budget:  p.demand.budgetReading(p.written, p.inData),
		Encoder: found.encoderUse(), Understood: found.understood,
	}

	return s.exclude(ctx, snapshot, p, copies)
}

// setLastShown sets the last match on the page that the brief asks for.
func (p *placing) setLastShown(brief *matching.Brief) {
	if last := min(brief.Offset+brief.Limit, len(p.ranked)); last > brief.Offset {
		p.standing.LastShown = matching.Some(matching.ShownMatch{Rank: last, Score: p.ranked[last-1].Score})
	}
}

// placeOutside adds a freelancer who is not among the candidates to them, and sets the rank if the engine knows it.
func (s *Service) placeOutside(
	ctx context.Context, snapshot engine.Snapshot, p *placing, copies []string,
) (own ranking.Ranked, err error) {
	found := p.retrieval
	alone := *found.query
	alone.Filters = engine.Filters{IDs: []string{p.id}}
	alone.MatchAll = true
	alone.Size = 1
	alone.Window = 1
	page, err := snapshot.Search(ctx, &alone)
	if err != nil {
		return own, fmt.Errorf("score the freelancer: %w", err)
	}
	if len(page.Hits) == 0 {
		return own, fmt.Errorf("score the freelancer %q: %w", p.id, engine.ErrNotFound)
	}

	// The only hit of the search takes the place behind the candidates, whose number of hits stays the brief's.
	others := found.candidates
	hits := found.matching
	found.setHits(page)
	found.matching = hits
	found.candidates = append(slices.Clone(others), found.candidates[0])
	own.Index = len(others)
	own.Score = found.scorer.Score(&found.candidates[own.Index])

	return own, s.rankAll(ctx, snapshot, p, page.Hits[0].Retrieval, copies)
}

// rankAll sets the number of all hits if the engine knows it, and the rank of a freelancer who is not among the
// candidates. The copies of the brief that match leaves out don't count.
func (s *Service) rankAll(
	ctx context.Context, snapshot engine.Snapshot, p *placing, retrieval float64, copies []string,
) error {
	ranker, ok := snapshot.(engine.Ranker)
	if !ok {
		return nil
	}

	placed := engine.Placed{ID: p.id, Retrieval: retrieval}
	if !p.retrieval.compares() {
		placed.Score = p.retrieval.scorer.Final
	}

	standing, err := ranker.Rank(ctx, p.retrieval.query, placed)
	if err != nil {
		return fmt.Errorf("rank the freelancer: %w", err)
	}

	p.standing.Total = standing.Hits - len(copies)
	if !p.standing.Rank.Known {
		p.standing.Rank = matching.Some(max(len(p.ranked), standing.Before-len(copies)) + 1)
	}

	return nil
}

// exclude adds the reasons why no page of matches can show the freelancer. If there are any, the rank is unknown.
func (s *Service) exclude(ctx context.Context, snapshot engine.Snapshot, p *placing, copies []string) error {
	excluded, err := s.failedFilters(ctx, snapshot, p)
	if err != nil {
		return err
	}

	switch {
	case len(excluded) > 0:
	case slices.Contains(copies, p.id):
		excluded = []matching.Exclusion{{
			Filter: matching.SkippedCopies, Wanted: "a profile that doesn't repeat the brief",
			Actual: matching.Some("a profile that repeats the brief"),
		}}

	default:
		alone := *p.retrieval.query
		alone.Filters = engine.Filters{IDs: []string{p.id}}
		alone.Size = 1
		alone.Window = 1
		page, err := snapshot.Search(ctx, &alone)
		if err != nil {
			return fmt.Errorf("look for what the freelancer and the brief share: %w", err)
		}

		if len(page.Hits) == 0 {
			excluded = []matching.Exclusion{{
				Filter: matching.ExcludedNoOverlap, Wanted: "a skill or a word of the brief", Actual: matching.Some("none"),
			}}
		}
	}

	if p.standing.ExcludedBy = excluded; len(excluded) > 0 {
		p.standing.Rank = matching.Optional[int]{}
	}

	return nil
}

// failedFilters returns the filters of the brief that the freelancer fails.
func (s *Service) failedFilters(
	ctx context.Context, snapshot engine.Snapshot, p *placing,
) (failed []matching.Exclusion, err error) {
	skills := slices.Concat(p.demand.filterSkills.mustHave, p.demand.filterSkills.exclude)
	if len(p.conditions)+len(skills) == 0 {
		return nil, nil
	}

	// A filter that also selects the freelancer's ID counts 1 if they pass it, and 0 if they fail it.
	filters := make([]engine.Filters, 0, len(p.conditions)+len(skills))
	addForFreelancer := func(f engine.Filters) {
		if f.IDs == nil || slices.Contains(f.IDs, p.id) {
			f.IDs = []string{p.id}
		} else {
			f.IDs = []string{}
		}
		filters = append(filters, f)
	}

	for _, c := range p.conditions {
		addForFreelancer(combine(c))
	}
	for _, skill := range skills {
		addForFreelancer(engine.Filters{MustHave: []string{skill}})
	}

	counts, err := snapshot.CountEach(ctx, filters)
	if err != nil {
		return nil, fmt.Errorf("check the freelancer against the filters: %w", err)
	}
	passes := counts[:len(p.conditions)]
	has := counts[len(p.conditions):]

	// The skills say which ones of a filter are to blame.
	var lacking, unwanted []string
	for i, skill := range skills {
		isExcluded := i >= len(p.demand.filterSkills.mustHave)
		switch {
		case isExcluded && has[i] > 0:
			unwanted = append(unwanted, skillName(s.taxonomy, skill))
		case !isExcluded && has[i] == 0:
			lacking = append(lacking, skillName(s.taxonomy, skill))
		}
	}

	for i, c := range p.conditions {
		if passes[i] == 0 {
			e := matching.Exclusion{Filter: c.name, Wanted: c.wants, Actual: p.actual(c.name, lacking, unwanted)}
			if c.name == "must_have_skills" {
				e.Skills = lacking
			}
			failed = append(failed, e)
		}
	}

	return failed, nil
}

// actual returns what the freelancer has where a filter asks for something else. lacking holds the must-have skills
// that they lack, and unwanted the excluded ones that they have.
func (p *placing) actual(filter string, lacking, unwanted []string) matching.Optional[string] {
	freelancer := &p.standing.Match.Freelancer
	switch filter {
	case "ids", "exclude_ids":
		return matching.Some("the ID " + p.id)
	case "must_have_skills":
		return matching.Some("lacks " + strings.Join(lacking, ", "))
	case "exclude_skills":
		return matching.Some("has " + strings.Join(unwanted, ", "))
	case "countries":
		return knownText(freelancer.Country)
	case "languages":
		var spoken []string
		for _, l := range freelancer.Languages {
			spoken = append(spoken, strings.TrimSpace(l.Tag+" "+string(l.Level)))
		}
		return knownText(strings.Join(spoken, ", "))

	case "time_zone":
		return knownText(freelancer.TimeZone)
	case "verified":
		return yesNo(freelancer.Verified, "verified", "not verified")
	case "available", "available_by":
		byDay := filter == "available_by" || p.inData.TimelineDays.Known
		if byDay && freelancer.AvailableFrom != "" {
			return matching.Some("available from " + freelancer.AvailableFrom)
		}
		return yesNo(freelancer.Availability, "available", "not available")

	case "min_rating":
		return number(freelancer.Rating, "", 1)
	case "min_experience":
		if freelancer.Experience.Value == 1 {
			return number(freelancer.Experience, " year", 1)
		}
		return number(freelancer.Experience, " years", 1)

	case "max_hourly_rate":
		rate := freelancer.HourlyRate
		if p.money.Rate != 0 {
			rate.Value *= p.money.Rate
		}
		return number(rate, " "+p.money.Currency, 2)

	case "max_cost":
		return number(p.standing.Match.Estimate.Cost, " "+p.money.Currency, 2)
	}

	return matching.Optional[string]{}
}

// knownText returns a text that is unknown if it is empty.
func knownText(s string) matching.Optional[string] {
	return matching.Optional[string]{Value: s, Known: s != ""}
}

// yesNo returns the text for a flag.
func yesNo(value matching.Optional[bool], yes, no string) matching.Optional[string] {
	words := map[bool]string{true: yes, false: no}
	return matching.Optional[string]{Value: words[value.Value], Known: value.Known}
}

// number returns a number with a unit, and at most a number of decimals.
func number(value matching.Optional[float64], unit string, decimals int) matching.Optional[string] {
	scale := math.Pow10(decimals)
	written := strconv.FormatFloat(math.Round(value.Value*scale)/scale, 'f', -1, 64)
	return matching.Optional[string]{Value: strings.TrimSpace(written + unit), Known: value.Known}
}
