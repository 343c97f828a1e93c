package match

import (
	"math"

	"freelancer-matching/internal/matching"
	"freelancer-matching/match/suggest"
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
