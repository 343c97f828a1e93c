package browsertoken

import (
	"maps"
	"slices"
)

// An effect is what else has to be hidden with a field, because a page could compute the field from it.
type effect struct {
	features []string // of the score, which don't take part in it
	filters  []string // that a page can't use, because trying values one after the other would find the field
}

// hideable has the fields that a token can hide. Job title, skills and languages are not among them, because a match
// says which skills of a brief a freelancer has; nor is the ID.
var hideable = map[string]effect{
	"name":        {},
	"profile_url": {},
	"location":    {},
	"currency":    {},
	"country":     {filters: []string{"countries"}},
	"time_zone":   {filters: []string{"time_zone"}},
	"verified":    {filters: []string{"verified"}},

	"hourly_rate": {features: []string{"budget"}, filters: []string{"max_hourly_rate", "max_cost"}},
	"rating":      {features: []string{"quality"}, filters: []string{"min_rating"}},
	"total_sales": {features: []string{"quality"}},

	// Experienced people need less time, which is part of the cost and the days of the work.
	"experience": {
		features: []string{"experience", "budget", "timeline"}, filters: []string{"min_experience", "max_cost"},
	},
	"hours_per_week": {features: []string{"timeline"}},

	// Who is available now can begin at once, so each of the two says something about the other.
	"availability":   {features: []string{"timeline"}, filters: []string{"available", "available_by"}},
	"available_from": {features: []string{"timeline"}, filters: []string{"available", "available_by"}},
}

// Hideable returns the names of the fields that a token can hide, in order.
func Hideable() []string { return slices.Sorted(maps.Keys(hideable)) }

// Features returns the features of the score that would reveal hidden fields, by name with one of these fields.
func (c *Claims) Features() map[string]string {
	return c.collect(func(e effect) []string { return e.features })
}

// RefusedFilters returns the filters that would reveal hidden fields, by name with one of these fields.
func (c *Claims) RefusedFilters() map[string]string {
	return c.collect(func(e effect) []string { return e.filters })
}

func (c *Claims) collect(names func(effect) []string) map[string]string {
	all := map[string]string{}
	for _, field := range c.Hide {
		for _, name := range names(hideable[field]) {
			all[name] = field
		}
	}
	return all
}
