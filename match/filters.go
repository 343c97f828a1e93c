package match

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/labels"
	"github.com/freelancer-matching/service/ranking"

	"github.com/dustin/go-humanize"
)

// A condition is one of the filters that a brief sets.
type condition struct {
	name    string                // in the request
	wants   string                // what it accepts, in words
	unknown string                // says that the value is unknown: "rating is unknown"; "" if it never is
	apply   func(*engine.Filters) // adds this filter to others
}

// combine returns the filters for all conditions together. There may be several of one name.
func combine(conditions ...condition) engine.Filters {
	var f engine.Filters
	for _, c := range conditions {
		c.apply(&f)
	}
	return f
}

// A conditionList collects conditions.
type conditionList []condition

// add adds a condition. wants is a format of package fmt with its arguments.
func (l *conditionList) add(name, unknown string, apply func(*engine.Filters), wants string, args ...any) {
	*l = append(*l, condition{name: name, wants: fmt.Sprintf(wants, args...), unknown: unknown, apply: apply})
}

// withLabels returns a filter that adds sets of labels; freelancers must have one of each set.
func withLabels(sets ...[]string) func(*engine.Filters) {
	return func(to *engine.Filters) { to.Labels = append(to.Labels, sets...) }
}

// boundConditions returns the filters that a brief is bound to. Nothing else in the brief has an effect on them. The
// error is a *matching.Error if there is no exchange rate.
func (r *briefReader) boundConditions(
	ctx context.Context, snapshot engine.Snapshot, inData *matching.Brief, money ranking.Money, profile *ranking.Profile,
) ([]condition, error) {
	// A timeline would take the place of a filter by availability, and the language of the brief would decide what the
	// name of a skill means.
	bound := &matching.Brief{Filters: inData.Bound}
	corrections, err := r.corrections(ctx, snapshot, bound)
	if err != nil {
		return nil, err
	}
	d := demand{corrected: corrections}
	skills := d.resolveFilters(r, &bound.Filters)

	boundInData := *bound
	from, data := inData.BoundCurrency, money.DataCurrency
	if needsRate := bound.Filters.MaxHourlyRate.Known && from != "" && from != data; needsRate {
		toData, ok := r.exchangeTable().Rate(from, data)
		if !ok {
			return nil, noExchangeRate(from, data, r.exchangeTable())
		}
		boundInData.Filters.MaxHourlyRate.Value *= toData
	}

	money.Currency = inData.BoundCurrency
	return r.conditions(bound, &boundInData, money, matching.Effort{}, profile, skills)
}

// conditions returns the filters that a brief sets, in the order in which explainEmpty applies them. The amounts of
// inData are the limits of the brief in the currency of the data set. The error is a *matching.Error.
func (r *briefReader) conditions(
	brief, inData *matching.Brief, money ranking.Money, size matching.Effort, profile *ranking.Profile,
	skills filterSkills,
) ([]condition, error) {
	var list conditionList
	filters := &brief.Filters
	list.addIDs(filters)
	list.addSkills(filters, skills)
	list.addCountries(filters.Countries)
	list.addLanguages(filters.Languages)
	if filters.TimeZone.Known {
		if err := r.addTimeZone(&list, filters.TimeZone.Value); err != nil {
			return nil, err
		}
	}

	list.addVerified(filters.Verified)
	list.addAvailability(inData, profile.Days(size.Typical))
	list.addRecord(filters)
	list.addAmounts(filters, &inData.Filters, money.Currency, func(cost float64) matching.RateLimit {
		return profile.RateLimit(cost, size.Typical)
	})

	return list, nil
}

func (l *conditionList) addIDs(f *matching.Filters) {
	if f.IDs != nil { // an empty list accepts nobody
		l.add("ids", "", func(to *engine.Filters) { to.IDs = common(to.IDs, f.IDs) }, "one of %d ids", len(f.IDs))
	}
	if len(f.ExcludeIDs) > 0 {
		l.add("exclude_ids", "", func(to *engine.Filters) { to.ExcludeIDs = slices.Concat(to.ExcludeIDs, f.ExcludeIDs) },
			"none of %d ids", len(f.ExcludeIDs))
	}
}

func (l *conditionList) addSkills(f *matching.Filters, skills filterSkills) {
	if len(skills.mustHave) > 0 {
		l.add("must_have_skills", "",
			func(to *engine.Filters) { to.MustHave = slices.Concat(to.MustHave, skills.mustHave) },
			"the skills %s", strings.Join(f.MustHaveSkills, ", "))
	}
	if len(skills.exclude) > 0 {
		l.add("exclude_skills", "",
			func(to *engine.Filters) { to.ExcludeSkills = slices.Concat(to.ExcludeSkills, skills.exclude) },
			"none of the skills %s", strings.Join(f.ExcludeSkills, ", "))
	}
}

func (l *conditionList) addCountries(countries []string) {
	if len(countries) > 0 {
		l.add("countries", "country is unknown", withLabels(labels.Country(countries)),
			"the country %s", strings.Join(countries, " or "))
	}
}

func (l *conditionList) addLanguages(languages []matching.LanguageFilter) {
	if len(languages) == 0 {
		return
	}

	var sets [][]string
	var wanted []string
	unknown := "languages are unknown"
	for _, language := range languages {
		sets = append(sets, labels.Language(language.Tag, language.MinLevel))
		wanted = append(wanted, strings.TrimSpace(language.Tag+" "+string(language.MinLevel)))
		if language.MinLevel != "" {
			unknown = "languages or levels are unknown"
		}
	}

	l.add("languages", unknown, withLabels(sets...),
		"the %s %s", plural(len(wanted), "language"), strings.Join(wanted, " and "))
}

// addTimeZone adds the zones near another one at this time of the year.
func (r *briefReader) addTimeZone(list *conditionList, zone matching.TimeZoneFilter) error {
	near, err := r.zones.Near(zone.Zone, zone.WithinHours, r.now())
	if err != nil {
		return matching.Invalid([]matching.FieldError{{
			Field: "filters.time_zone.zone", Code: "unknown_time_zone", Message: err.Error(),
		}})
	}

	list.add("time_zone", "time zone is unknown", withLabels(labels.Zone(near)),
		"a time zone within %v %s of %s", zone.WithinHours, plural(zone.WithinHours, "hour"), zone.Zone)
	return nil
}

func (l *conditionList) addVerified(verified matching.Optional[bool]) {
	if !verified.Known {
		return
	}
	wants := "freelancers who aren't verified"
	if verified.Value {
		wants = "verified freelancers"
	}
	l.add("verified", "verification is unknown", withLabels(labels.Verified(verified.Value)), "%s", wants)
}

// addAvailability adds the filters by availability of a brief whose work takes a number of days.
func (l *conditionList) addAvailability(brief *matching.Brief, days float64) {
	filters := &brief.Filters

	// Somebody who is available now and somebody who is in time may differ, so a timeline takes the place of the flag.
	isByTimeline := brief.TimelineDays.Known && filters.Available.Or(false)
	switch {
	case isByTimeline:
		by, reason := lastStart(brief, days)
		l.add("available", unknownDay, availableBy(by), "availability by %s, %s", matching.Date(by), reason)
	case filters.Available.Known:
		l.add("available", "availability is unknown", available(filters.Available), "availability %v", filters.Available)
	}

	if by := filters.AvailableBy; by.Known {
		l.add("available_by", unknownDay, availableBy(by.Value), "availability by %s", matching.Date(by.Value))
	}
}

// addRecord adds the filters by what is known about a freelancer's earlier work.
func (l *conditionList) addRecord(f *matching.Filters) {
	if f.MinRating.Known {
		l.add("min_rating", "rating is unknown",
			func(to *engine.Filters) { to.MinRating = matching.Some(max(f.MinRating.Value, to.MinRating.Value)) },
			"a rating of at least %v", f.MinRating)
	}
	if f.MinExperience.Known {
		l.add("min_experience", "experience is unknown",
			func(to *engine.Filters) {
				to.MinExperience = matching.Some(max(f.MinExperience.Value, to.MinExperience.Value))
			},
			"at least %v years of experience", f.MinExperience)
	}
}

// addAmounts adds the filters by rate and cost. They are shown as the client sent them and apply to inData, which has
// the same amounts in the currency of the data set. rateLimit returns the limit on the rate for a limit on the cost.
func (l *conditionList) addAmounts(
	f, inData *matching.Filters, currency string, rateLimit func(cost float64) matching.RateLimit,
) {
	// Amounts without a currency have the unit of the data set.
	unit := ""
	if currency != "" {
		unit = " " + currency
	}

	if f.MaxHourlyRate.Known {
		limit := inData.MaxHourlyRate.Value
		l.add("max_hourly_rate", "rate is unknown",
			func(to *engine.Filters) { to.MaxHourlyRate = matching.Some(min(limit, to.MaxHourlyRate.Or(limit))) },
			"a rate of at most %v%s", f.MaxHourlyRate, unit)
	}

	// A limit on the cost is a limit on the rate, because the size of the work is known.
	if f.MaxCost.Known {
		limit := rateLimit(inData.MaxCost.Value)
		l.add("max_cost", "rate is unknown", func(to *engine.Filters) { to.RateLimit = matching.Some(limit) },
			"an estimated cost of at most %v%s", f.MaxCost, unit)
	}
}

// available returns a filter by availability. Of two opposite filters, nobody passes both.
func available(wanted matching.Optional[bool]) func(*engine.Filters) {
	return func(to *engine.Filters) {
		if to.Available.Known && to.Available.Value != wanted.Value {
			to.IDs = []string{}
		}
		to.Available = wanted
	}
}

// common returns the IDs that are in both lists, of which the first is nil for everyone. It is never nil.
func common(set, ids []string) []string {
	if set == nil {
		return ids
	}
	both := []string{}
	for _, id := range ids {
		if slices.Contains(set, id) {
			both = append(both, id)
		}
	}
	return both
}

// unknownDay says why filters by the first available day exclude somebody.
const unknownDay = "first available day is unknown"

// availableBy returns a filter by the first available day. Of two such filters, the earlier day counts.
func availableBy(day int) func(*engine.Filters) {
	return func(to *engine.Filters) { to.AvailableBy = matching.Some(min(day, to.AvailableBy.Or(day))) }
}

// lastStart returns the last day on which work can begin that takes a number of days and must end within the timeline
// of a brief, and the reason in words. Work that takes longer than the timeline must begin at once.
func lastStart(brief *matching.Brief, days float64) (day int, reason string) {
	limit := brief.TimelineDays.Value
	work := fmt.Sprintf("%v %s of work", math.Round(10*days)/10, plural(days, "day"))
	spare := float64(limit) - days
	if spare < 0 {
		return brief.StartDay.Value, fmt.Sprintf("because %s take longer than the timeline of %d", work, limit)
	}
	return brief.StartDay.Value + int(spare), fmt.Sprintf("so that %s end within the timeline of %d", work, limit)
}

// plural returns the noun for a number of things.
func plural[T int | float64](n T, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// countFilters returns the effect of each filter on its own, and the number of freelancers that pass each of more.
func countFilters(
	ctx context.Context, snapshot engine.Snapshot, conditions []condition, more []engine.Filters,
) ([]matching.FilterCount, []int, error) {
	if len(conditions) == 0 {
		return nil, nil, nil
	}

	var filters []engine.Filters // for each condition, itself and the parts of its valueCount
	values := make([]valueCount, len(conditions))
	for i, c := range conditions {
		alone := combine(c)
		values[i] = valuesOf(&alone)
		filters = append(append(filters, alone), values[i].parts...)
	}

	// One call counts everything, because each call of Elasticsearch is a request.
	passing, err := snapshot.CountEach(ctx, append(filters, more...))
	if err != nil {
		return nil, nil, fmt.Errorf("count the freelancers that pass the filters: %w", err)
	}

	all := snapshot.Info().Documents

	// The numbers follow each other: of a filter, of its parts, of the next filter, and at last those of more.
	counts := make([]matching.FilterCount, len(conditions))
	for i, c := range conditions {
		n := len(values[i].parts)
		counts[i] = matching.FilterCount{
			Filter: c.name, Excluded: all - passing[0], Unknown: values[i].unknown(passing[1:1+n], all),
		}
		counts[i].Message = c.effect(&counts[i], all)
		passing = passing[1+n:]
	}

	return counts, passing, nil
}

// A valueCount counts the freelancers who have a value for a filter, or those who lack it. Each of them passes one of
// the parts. Counting with filters takes one call for all conditions; CountUnknown would take one for each.
type valueCount struct {
	parts []engine.Filters
	lack  bool // the parts pass those who lack the value
}

// valuesOf returns how to count the values for a filter. There are no parts if the value is never unknown.
func valuesOf(f *engine.Filters) valueCount {
	var v valueCount
	count := func(filtered bool, parts ...engine.Filters) {
		if filtered {
			v.parts = parts
		}
	}
	count(f.Available.Known,
		engine.Filters{Available: matching.Some(true)}, engine.Filters{Available: matching.Some(false)})
	count(f.AvailableBy.Known, engine.Filters{AvailableBy: matching.Some(math.MaxInt32)})
	count(f.MinRating.Known, engine.Filters{MinRating: matching.Some(-math.MaxFloat64)})
	count(f.MinExperience.Known, engine.Filters{MinExperience: matching.Some(-math.MaxFloat64)})
	count(f.MaxHourlyRate.Known || f.RateLimit.Known, engine.Filters{MaxHourlyRate: matching.Some(math.MaxFloat64)})
	if v.lack = len(f.Labels) > 0; v.lack {
		v.parts = []engine.Filters{{Labels: [][]string{engine.UnknownLabels(slices.Concat(f.Labels...))}}}
	}
	return v
}

// unknown returns the number of freelancers without a value, given how many pass each part and how many there are.
func (v *valueCount) unknown(passing []int, all int) int {
	sum := 0
	for _, n := range passing {
		sum += n
	}
	if v.lack || len(v.parts) == 0 {
		return sum
	}
	return all - sum
}

// count returns a number with separators of thousands, for messages.
func count(n int) string { return humanize.Comma(int64(n)) }

// effect returns a sentence about the effect of a filter on all freelancers.
func (c *condition) effect(n *matching.FilterCount, all int) string {
	text := fmt.Sprintf("%s: %s of %s freelancers excluded", c.wants, count(n.Excluded), count(all))
	if n.Unknown > 0 {
		text += fmt.Sprintf(", %s of them because their %s", count(n.Unknown), c.unknown)
	}
	return text
}

// explainEmpty records in the answer why no freelancer matches. It applies the filters one after the other; the first
// one after which nobody is left is the reason. If somebody is left after all of them, nobody left has a skill or a
// word in common with the brief.
func explainEmpty(
	ctx context.Context, snapshot engine.Snapshot, conditions []condition, answer *matching.Answer,
) error {
	before := snapshot.Info().Documents
	if before == 0 {
		answer.Reason = matching.ReasonNoData
		return nil
	}

	// The filters are applied one after the other, as a client would who searches for the one to lift.
	together := make([]engine.Filters, len(conditions))
	for i := range conditions {
		together[i] = combine(conditions[:i+1]...)
	}

	remaining, err := snapshot.CountEach(ctx, together)
	if err != nil {
		return fmt.Errorf("count the freelancers that pass the filters together: %w", err)
	}

	answer.Reason = matching.ReasonNoOverlap
	for i, c := range conditions {
		left := remaining[i]
		step := matching.FilterStep{
			Filter:   c.name,
			Before:   before,
			Excluded: before - left,
			Unknown:  answer.Filters[i].Unknown,
			Message:  fmt.Sprintf("%s: %s of %s freelancers left", c.wants, count(left), count(before)),
		}
		if step.Unknown > 0 {
			step.Message += fmt.Sprintf("; filters exclude freelancers whose %s (%s)", c.unknown, count(step.Unknown))
		}

		answer.ReasonDetail = append(answer.ReasonDetail, step)
		if left == 0 {
			answer.Reason = matching.ReasonFilter + c.name
			return nil
		}

		before = left
	}

	return nil
}

// filterSkills holds the ids of the skills in the filters of a brief.
type filterSkills struct{ mustHave, exclude []string }

// resolveFilters resolves the skills in filters.
func (d *demand) resolveFilters(reader *briefReader, f *matching.Filters) (skills filterSkills) {
	for _, r := range d.resolveAll(reader, f.MustHaveSkills) {
		skills.mustHave = append(skills.mustHave, r.id)
	}
	for _, r := range d.resolveAll(reader, f.ExcludeSkills) {
		skills.exclude = append(skills.exclude, r.id)
	}
	return skills
}
