package match

import (
	"math"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/plaintext"
	"freelancer-matching/match/suggest"
)

// suggestedFilters returns the filters that the text of a brief asks for, without those that the client set. A rate is
// in the currency of the brief; without an exchange rate, it is left out.
func (s *Service) suggestedFilters(b *matching.Brief, currency string) []matching.SuggestedFilter {
	asked := s.suggester.Read(plaintext.Of(b.JobTitle + "\n" + b.Description))
	var list []matching.SuggestedFilter
	add := func(filter string, isSet bool, value any) {
		if words := asked.Because[filter]; len(words) > 0 && !isSet {
			list = append(list, matching.SuggestedFilter{Filter: filter, Value: value, Because: words})
		}
	}
	f := &b.Filters
	add(suggest.Countries, f.Countries != nil, asked.Countries)
	add(suggest.Languages, f.Languages != nil, asked.Languages)
	add(suggest.TimeZone, f.TimeZone.Known, asked.TimeZone)
	if rate, ok := s.exchangeTable().Rate(asked.RateCurrency, currency); ok {
		add(suggest.MaxHourlyRate, f.MaxHourlyRate.Known, math.Round(asked.MaxRate*rate*100)/100)
	}
	return list
}
