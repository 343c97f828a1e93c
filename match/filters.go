package match

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/match/labels"
	"freelancer-matching/ranking"

	"github.com/dustin/go-humanize"
)

// A condition is one of the filters that a brief sets.
type condition struct {
	name    string                // in the request
	wants   string                // what it accepts, in words
	unknown string                // says that the value is unknown: "rating is unknown"; "" if it never is
	apply   func(*engine.Filters) // adds this filter to others
}

// combine returns the filters for all conditions together.
func combine(conditions ...condition) engine.Filters {
	var f engine.Filters
	for _, c := range conditions {
		c.apply(&f)
	}
	return f
}

// conditions returns the filters that a brief sets, in the order in which explainEmpty applies them. The amounts of
// inData are the limits of the brief in the currency of the data set. The error is a *matching.Error.
func (r *briefReader) conditions(
	brief, inData *matching.Brief, money ranking.Money, size matching.Effort, profile *ranking.Profile,
	skills filterSkills,
) ([]condition, error) {
	var set []condition
	add := func(known bool, name, unknown string, apply func(*engine.Filters), wants string, args ...any) {
		if known {
			set = append(set, condition{name: name, wants: fmt.Sprintf(wants, args...), unknown: unknown, apply: apply})
		}
	}

	label := func(sets ...[]string) func(*engine.Filters) {
		return func(to *engine.Filters) { to.Labels = append(to.Labels, sets...) }
	}
	filters := &brief.Filters
	data := &inData.Filters
	unit := ""

	// Amounts without a currency have the unit of the data set.
	if money.Currency != "" {
		unit = " " + money.Currency
	}

	add(filters.IDs != nil, "ids", "", func(to *engine.Filters) { to.IDs = filters.IDs },
		"one of %d ids", len(filters.IDs))
	add(len(filters.ExcludeIDs) > 0, "exclude_ids", "", func(to *engine.Filters) { to.ExcludeIDs = filters.ExcludeIDs },
		"none of %d ids", len(filters.ExcludeIDs))
	add(len(skills.mustHave) > 0, "must_have_skills", "",
		func(to *engine.Filters) { to.MustHave = skills.mustHave },
		"the skills %s", strings.Join(filters.MustHaveSkills, ", "))
	add(len(skills.exclude) > 0, "exclude_skills", "",
		func(to *engine.Filters) { to.ExcludeSkills = skills.exclude },
		"none of the skills %s", strings.Join(filters.ExcludeSkills, ", "))
	add(len(filters.Countries) > 0, "countries", "country is unknown", label(labels.Country(filters.Countries)),
		"the country %s", strings.Join(filters.Countries, " or "))
	var languages [][]string
	var tags []string
	missing := "languages are unknown"
	for _, l := range filters.Languages {
		languages = append(languages, labels.Language(l.Tag, l.MinLevel))
		if l.MinLevel != "" {
			missing = "languages or levels are unknown"
		}
		tags = append(tags, strings.TrimSpace(l.Tag+" "+string(l.MinLevel)))
	}

	add(len(languages) > 0, "languages", missing, label(languages...), "the %s %s",
		plural(len(tags), "language"), strings.Join(tags, " and "))
	if filters.TimeZone.Known {
		zone := filters.TimeZone.Value
		near, err := r.zones.Near(zone.Zone, zone.WithinHours, r.now())
		if err != nil {
			return nil, matching.Invalid([]matching.FieldError{{
				Field: "filters.time_zone.zone", Code: "unknown_time_zone", Message: err.Error(),
			}})
		}

		add(true, "time_zone", "time zone is unknown", label(labels.Zone(near)), "a time zone within %v %s of %s",
			zone.WithinHours, plural(zone.WithinHours, "hour"), zone.Zone)
	}

	add(filters.Verified.Known, "verified", "verification is unknown", label(labels.Verified(filters.Verified.Value)),
		"%s", map[bool]string{true: "verified freelancers", false: "freelancers who aren't verified"}[filters.Verified.Value])

	// Somebody who is available now and somebody who is in time may differ, so a timeline takes the place of the flag.
	inTime := inData.TimelineDays.Known && filters.Available.Or(false)
	add(filters.Available.Known && !inTime, "available", "availability is unknown",
		func(to *engine.Filters) { to.Available = filters.Available },
		"availability %v", filters.Available)
	if inTime {
		by, reason := lastStart(inData, profile.Days(size.Typical))
		add(true, "available", unknownDay, availableBy(by), "availability by %s, %s", matching.Date(by), reason)
	}

	add(filters.AvailableBy.Known, "available_by", unknownDay, availableBy(filters.AvailableBy.Value),
		"availability by %s", matching.Date(filters.AvailableBy.Value))
	add(filters.MinRating.Known, "min_rating", "rating is unknown",
		func(to *engine.Filters) { to.MinRating = filters.MinRating },
		"a rating of at least %v", filters.MinRating)
	add(filters.MinExperience.Known, "min_experience", "experience is unknown",
		func(to *engine.Filters) { to.MinExperience = filters.MinExperience },
		"at least %v years of experience", filters.MinExperience)
	add(filters.MaxHourlyRate.Known, "max_hourly_rate", "rate is unknown",
		func(to *engine.Filters) { to.MaxHourlyRate = data.MaxHourlyRate },
		"a rate of at most %v%s", filters.MaxHourlyRate, unit)

	// A limit on the cost is a limit on the rate, because the size of the work is known.
	if filters.MaxCost.Known {
		limit := profile.RateLimit(data.MaxCost.Value, size.Typical)
		add(true, "max_cost", "rate is unknown", func(to *engine.Filters) { to.RateLimit = matching.Some(limit) },
			"an estimated cost of at most %v%s", filters.MaxCost, unit)
	}

	return set, nil
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
