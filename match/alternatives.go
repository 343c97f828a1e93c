package match

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/phrase"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/ranking"
)

const (
	// maxAlternatives is how many alternatives are returned. Each one that is tried takes as long as an explanation.
	maxAlternatives = 2
	// maxSkillsTried is how many missing skills are tried one by one.
	maxSkillsTried = 3
)

// Alternatives returns up to two changes with which a freelancer would have a better rank for a brief, the best first:
// a missing skill, a rate within the budget, availability. It matches the brief again with each change, so ranks are
// exact. For a freelancer whom filters exclude, each alternative also passes these filters, and those that no such
// change can pass are lifted; the first alternative does only that.
//
// Without an engine.Supposer, isSupported is false. It returns the errors of Explain.
func (s *Service) Alternatives(
	ctx context.Context, brief *matching.Brief, id string,
) (list []matching.Alternative, isSupported bool, err error) {
	profile, err := s.profile(brief)
	if err != nil {
		return nil, false, err
	}
	if s.preparer == nil {
		return nil, false, nil
	}
	preparer, err := s.preparer(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("prepare documents: %w", err)
	}

	err = engine.ReadLive(ctx, s.engine, Alias, func(live engine.Snapshot) (err error) {
		if live == nil {
			return errNoFreelancer(id)
		}
		supposer, ok := live.(engine.Supposer)
		if isSupported = ok; !ok {
			return nil
		}

		t := trial{service: s, snapshot: live, supposer: supposer, profile: profile, brief: brief, preparer: preparer}
		list, err = t.alternatives(ctx, id)
		return err
	})
	return list, isSupported, err
}

// A trial matches a brief again with changes of one freelancer.
type trial struct {
	service  *Service
	snapshot engine.Snapshot
	supposer engine.Supposer
	profile  *ranking.Profile
	brief    *matching.Brief
	preparer *documents.Preparer
	record   matching.Freelancer // as stored
}

// A variation is a change of a record, of the filters of a brief, or of both.
type variation struct {
	words  []string // each follows "would be 4th"
	record []func(*matching.Freelancer)
	lifted []string // names of filters
}

// and returns both variations together.
func (v variation) and(other variation) variation {
	return variation{
		slices.Concat(v.words, other.words), slices.Concat(v.record, other.record), slices.Concat(v.lifted, other.lifted),
	}
}

func (v variation) isEmpty() bool { return len(v.record)+len(v.lifted) == 0 }

// alternatives returns the best alternatives of a freelancer.
func (t *trial) alternatives(ctx context.Context, id string) ([]matching.Alternative, error) {
	now, err := t.service.standing(ctx, t.snapshot, t.profile, t.brief, id)
	if err != nil {
		return nil, err
	}
	stored, err := t.snapshot.Fetch(ctx, []string{id})
	if err != nil {
		return nil, fmt.Errorf("fetch the freelancer: %w", err)
	}
	t.record = stored[0]

	pass := t.passing(now)
	var list []matching.Alternative
	rank := math.MaxInt // of somebody who is excluded
	if now.Rank.Known {
		rank = now.Rank.Value
	}

	for _, change := range t.improvements(now) {
		one, ok, err := t.try(ctx, id, pass.and(change))
		if err != nil {
			return nil, err
		}
		if ok && one.Rank < rank {
			list = append(list, one)
		}
	}
	// Of the same ranks, the smaller change comes first.
	slices.SortStableFunc(list, func(a, b matching.Alternative) int { return cmp.Compare(a.Rank, b.Rank) })
	list = distinctRanks(list)

	if !pass.isEmpty() {
		one, ok, err := t.try(ctx, id, pass)
		if err != nil {
			return nil, err
		}
		if ok {
			list = slices.DeleteFunc(list, func(a matching.Alternative) bool { return a.Rank >= one.Rank })
			list = slices.Insert(list, 0, one)
		}
	}

	return list[:min(len(list), maxAlternatives)], nil
}

// distinctRanks returns the first alternative of each rank.
func distinctRanks(list []matching.Alternative) []matching.Alternative {
	return slices.CompactFunc(list, func(a, b matching.Alternative) bool { return a.Rank == b.Rank })
}

// try matches the brief again with a variation. There is no result if the freelancer would still be excluded, or if the
// rank isn't known.
func (t *trial) try(ctx context.Context, id string, v variation) (one matching.Alternative, ok bool, err error) {
	brief := *t.brief
	for _, name := range v.lifted {
		lift(&brief.Filters, name)
	}

	snapshot := t.snapshot
	if len(v.record) > 0 {
		record := t.record
		record.Skills = slices.Clone(record.Skills)
		for _, change := range v.record {
			change(&record)
		}
		prepared, err := t.preparer.Prepare(ctx, []matching.Freelancer{record})
		if err != nil {
			return one, false, err
		}
		if snapshot, err = t.supposer.Suppose(prepared[0]); err != nil {
			return one, false, err
		}
	}

	then, err := t.service.standing(ctx, snapshot, t.profile, &brief, id)
	if err != nil || !then.Rank.Known {
		return one, false, err
	}
	return matching.Alternative{
		With: phrase.Join(v.words, "and"), Rank: then.Rank.Value, Total: then.Total, Score: then.Match.Score,
	}, true, nil
}

// passing returns the variation with which a freelancer passes the filters that exclude them now. It is empty for
// somebody who isn't excluded.
func (t *trial) passing(now *matching.Standing) variation {
	var v variation
	var lifted []string
	for _, e := range now.ExcludedBy {
		switch e.Filter {
		case matching.ExcludedNoOverlap, matching.SkippedCopies: // no filters
		case "available", "available_by":
			v = v.and(availableChange())
		case "must_have_skills":
			v = v.and(skillsChange(e.Skills...))
		case "max_hourly_rate", "max_cost":
			if rate, ok := t.affordable(now); ok {
				v = v.and(t.rateChange(now, rate))
				continue
			}
			lifted = append(lifted, e.Filter)

		default:
			lifted = append(lifted, e.Filter)
		}
	}

	if len(lifted) > 0 {
		names := strings.ReplaceAll(phrase.Join(lifted, "and"), "_", " ")
		words := "without the " + plural(len(lifted), "filter") + " " + names
		v = v.and(variation{words: []string{words}, lifted: lifted})
	}

	return v
}

// improvements returns the changes to try, small ones first.
func (t *trial) improvements(now *matching.Standing) (list []variation) {
	lacks := map[string]bool{}
	for _, short := range now.Shortfalls {
		lacks[short.Feature] = short.Points > 0
	}
	isExcludedBy := func(filters ...string) bool {
		return slices.ContainsFunc(now.ExcludedBy, func(e matching.Exclusion) bool {
			return slices.Contains(filters, e.Filter)
		})
	}

	missing := now.Match.MissingSkills
	for _, skill := range missing[:min(len(missing), maxSkillsTried)] {
		list = append(list, skillsChange(skill))
	}

	if rate, ok := t.affordable(now); ok && lacks["budget"] && !isExcludedBy("max_hourly_rate", "max_cost") {
		list = append(list, t.rateChange(now, rate))
	}

	free := t.record.AvailableFrom == "" && t.record.Availability.Or(false)
	if lacks["timeline"] && !free && !isExcludedBy("available", "available_by") {
		list = append(list, availableChange())
	}
	if len(missing) > 1 {
		list = append(list, skillsChange(missing...))
	}

	return list
}

func skillsChange(names ...string) variation {
	return variation{
		words:  []string{"with " + phrase.Join(names, "and")},
		record: []func(*matching.Freelancer){func(f *matching.Freelancer) { f.Skills = append(f.Skills, names...) }},
	}
}

func availableChange() variation {
	return variation{
		words: []string{"if available from the start"},
		record: []func(*matching.Freelancer){func(f *matching.Freelancer) {
			f.Availability = matching.Some(true)
			f.AvailableFrom = ""
		}},
	}
}

// rateChange returns the change to an hourly rate in the currency of the brief.
func (t *trial) rateChange(now *matching.Standing, rate float64) variation {
	stored := rate
	if c := now.Answer.Conversion; c != nil {
		stored = rate / c.Rate
	}
	amount := strings.TrimSpace(strconv.FormatFloat(rate, 'f', -1, 64) + " " + now.Answer.Currency)
	return variation{
		words:  []string{"at " + amount + " an hour"},
		record: []func(*matching.Freelancer){func(f *matching.Freelancer) { f.HourlyRate = matching.Some(stored) }},
	}
}

// affordable returns the highest hourly rate, in whole units of the brief's currency, that budget and filters allow.
// There is none if nothing limits the rate, or if the freelancer's rate is within all limits already.
func (t *trial) affordable(now *matching.Standing) (rate float64, ok bool) {
	limit := math.Inf(1)
	if f := &t.brief.Filters; f.MaxHourlyRate.Known {
		limit = f.MaxHourlyRate.Value
	}
	hours := now.Match.Estimate.Hours
	if f := &t.brief.Filters; f.MaxCost.Known && hours.Value > 0 {
		limit = min(limit, f.MaxCost.Value/hours.Value)
	}

	if budget := t.brief.Budget; budget.Known && now.Answer.Budget != nil {
		switch {
		case now.Answer.Budget.Type == matching.BudgetHourly:
			limit = min(limit, budget.Value.High)
		case hours.Value > 0:
			limit = min(limit, budget.Value.High/hours.Value)
		}
	}

	if math.IsInf(limit, 1) {
		return 0, false
	}
	rate = math.Floor(limit)
	if rate < 1 {
		rate = math.Floor(limit*100) / 100
	}

	has := t.record.HourlyRate
	if c := now.Answer.Conversion; c != nil {
		has.Value *= c.Rate
	}
	isWithin := has.Known && has.Value > 0 && has.Value <= limit
	return rate, rate > 0 && !isWithin
}

// lift removes a filter.
func lift(f *matching.Filters, name string) {
	switch name {
	case "ids":
		f.IDs = nil
	case "exclude_ids":
		f.ExcludeIDs = nil
	case "exclude_skills":
		f.ExcludeSkills = nil
	case "countries":
		f.Countries = nil
	case "languages":
		f.Languages = nil
	case "time_zone":
		f.TimeZone.Known = false
	case "verified":
		f.Verified.Known = false
	case "min_rating":
		f.MinRating.Known = false
	case "min_experience":
		f.MinExperience.Known = false
	case "max_hourly_rate":
		f.MaxHourlyRate.Known = false
	case "max_cost":
		f.MaxCost.Known = false
	}
}
