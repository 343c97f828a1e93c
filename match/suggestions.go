package match

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/labels"
	"github.com/freelancer-matching/service/match/suggest"
)

// suggestedFilters returns the filters that the text of a brief asks for, without those that the client set. A rate is
// in the currency of the brief; without an exchange rate, it is left out.
func (r *briefReader) suggestedFilters(set *matching.Filters, u *understanding) []matching.SuggestedFilter {
	asked := &u.asked
	var list []matching.SuggestedFilter
	add := func(filter string, isSet bool, value any) {
		if words := asked.Because[filter]; len(words) > 0 && !isSet {
			list = append(list, matching.SuggestedFilter{Filter: filter, Value: value, Because: words})
		}
	}

	add(suggest.Countries, set.Countries != nil, asked.Countries)
	add(suggest.Languages, set.Languages != nil, asked.Languages)
	add(suggest.TimeZone, set.TimeZone.Known, asked.TimeZone)
	if rate, ok := r.exchangeTable().Rate(asked.RateCurrency, u.money.Currency); ok {
		add(suggest.MaxHourlyRate, set.MaxHourlyRate.Known, math.Round(asked.MaxRate*rate*100)/100)
	}

	if excluded := u.demand.excluded; len(excluded) > 0 && set.ExcludeSkills == nil {
		list = append(list, matching.SuggestedFilter{
			Filter: "exclude_skills", Value: skillNames(r.taxonomy, excluded), Because: u.demand.excludedBecause,
		})
	}

	return list
}

// dropUseless returns the suggestions without the filter for languages if the data has no languages: that filter would
// exclude everybody. Only briefs with this suggestion take the time to count.
func dropUseless(
	ctx context.Context, snapshot engine.Snapshot, list []matching.SuggestedFilter,
) ([]matching.SuggestedFilter, error) {
	isLanguages := func(s matching.SuggestedFilter) bool { return s.Filter == suggest.Languages }
	if !slices.ContainsFunc(list, isLanguages) {
		return list, nil
	}

	unknown := engine.Filters{Labels: [][]string{engine.UnknownLabels(labels.Language("en", ""))}}
	n, err := snapshot.Count(ctx, unknown)
	if err != nil {
		return nil, fmt.Errorf("count the freelancers without languages: %w", err)
	}
	if n == snapshot.Info().Documents {
		list = slices.DeleteFunc(list, isLanguages)
	}
	return list, nil
}
