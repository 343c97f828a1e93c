package bulk

import (
	"math/bits"
	"slices"

	"freelancer-matching/internal/matching"
)

// coveredFields are the fields whose coverage is counted, by their names in exports. Bit i of a fieldSet stands for the
// ith of them.
var coveredFields = [...]string{
	"name", "job_title", "skills", "experience", "rating", "hourly_rate", "profile_url", "availability", "total_sales",
	"description",
}

// A fieldSet is a set of covered fields.
type fieldSet uint16

// CoveredFields returns the fields whose coverage is counted, by their names in exports and in their order.
func CoveredFields() []string { return slices.Clone(coveredFields[:]) }

// knownFields returns the fields with a known value.
func knownFields(f *matching.Freelancer) (known fieldSet) {
	for i, is := range [len(coveredFields)]bool{
		f.Name != "", f.JobTitle != "", len(f.Skills) > 0, f.Experience.Known, f.Rating.Known, f.HourlyRate.Known,
		f.ProfileURL != "", f.Availability.Known, f.TotalSales.Known, f.Description != "",
	} {
		if is {
			known |= 1 << i
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
		i := bits.TrailingZeros16(uint16(known))
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

// byField returns the number of freelancers with a known value by field.
func (c *coverage) byField() map[string]int {
	known := make(map[string]int, len(coveredFields))
	for i, name := range coveredFields {
		known[name] = c.known[i]
	}
	return known
}
