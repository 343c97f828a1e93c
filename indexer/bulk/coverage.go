package bulk

import (
	"math/bits"
	"slices"

	"freelancer-matching/internal/matching"
)

// coveredFields are the fields whose coverage is counted, by their names in exports. Bit i of a fieldSet stands for the
// ith of them. The details come last.
var coveredFields = [...]string{
	"name", "job_title", "skills", "experience", "rating", "hourly_rate", "profile_url", "availability", "total_sales",
	"description",
	"country", "location", "time_zone", "languages", "currency", "available_from", "hours_per_week", "verified",
}

// mainFields is the number of covered fields that are no details.
const mainFields = len(coveredFields) - len(matching.DetailFields)

// A fieldSet is a set of covered fields.
type fieldSet uint32

// CoveredFields returns the fields whose coverage is counted, by their names in exports and in their order.
func CoveredFields() []string { return slices.Clone(coveredFields[:]) }

// ShownFields returns the fields whose coverage is worth showing: all that are no details, and the details that
// somebody has.
func ShownFields(coverages ...map[string]int) (fields, details []string) {
	details = slices.DeleteFunc(slices.Clone(coveredFields[mainFields:]), func(field string) bool {
		return !slices.ContainsFunc(coverages, func(coverage map[string]int) bool { return coverage[field] > 0 })
	})
	return slices.Clone(coveredFields[:mainFields]), details
}

// knownFields returns the fields with a known value.
func knownFields(f *matching.Freelancer) (known fieldSet) {
	for i, is := range [mainFields]bool{
		f.Name != "", f.JobTitle != "", len(f.Skills) > 0, f.Experience.Known, f.Rating.Known, f.HourlyRate.Known,
		f.ProfileURL != "", f.Availability.Known, f.TotalSales.Known, f.Description != "",
	} {
		if is {
			known |= 1 << i
		}
	}
	for i, is := range f.Known() {
		if is {
			known |= 1 << (mainFields + i)
		}
	}
	return known
}

// A coverage counts freelancers, and those with a known value by field.
type coverage struct {
	freelancers int
	known       [len(coveredFields)]int
}

func (c *coverage) add(known fieldSet) {
	c.freelancers++
	for known != 0 {
		i := bits.TrailingZeros32(uint32(known))
		c.known[i]++
		known &^= 1 << i
	}
}

func (c *coverage) addAll(other *coverage) {
	c.freelancers += other.freelancers
	for i, n := range other.known {
		c.known[i] += n
	}
}

// addMap adds the counts of a map made by byField.
func (c *coverage) addMap(freelancers int, known map[string]int) {
	c.freelancers += freelancers
	for i, name := range coveredFields {
		c.known[i] += known[name]
	}
}

// without returns the counts less those of other.
func (c *coverage) without(other *coverage) *coverage {
	rest := *c
	rest.freelancers -= other.freelancers
	for i := range rest.known {
		rest.known[i] -= other.known[i]
	}
	return &rest
}

// less returns estimated counts without some freelancers, whose values are known as often as everyone's.
func (c *coverage) less(freelancers int) *coverage {
	if freelancers == 0 {
		return c
	}
	return c.scaled(c.freelancers - freelancers)
}

// scaled returns estimated counts for some of the freelancers, whose values are known as often as everyone's.
func (c *coverage) scaled(freelancers int) *coverage {
	part := coverage{freelancers: freelancers}
	for i := range part.known {
		part.known[i] = int(float64(c.known[i]) * float64(freelancers) / float64(max(c.freelancers, 1)))
	}
	return &part
}

// byField returns the number of freelancers with a known value by field, without details that nobody has.
func (c *coverage) byField() map[string]int {
	known := make(map[string]int, len(coveredFields))
	for i, name := range coveredFields {
		if i < mainFields || c.known[i] > 0 {
			known[name] = c.known[i]
		}
	}
	return known
}
