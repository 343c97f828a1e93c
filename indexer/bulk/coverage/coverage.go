// Package coverage counts how many freelancers have a known value of each field.
package coverage

import (
	"math/bits"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// A FieldSet is a set of fields. Bit i stands for the ith of matching.Fields.
type FieldSet uint32

// Shown returns the fields whose coverage is worth showing: all that are no details, and the details that
// somebody has.
func Shown(coverages ...map[string]int) (fields, details []string) {
	details = slices.DeleteFunc(matching.FieldNames(matching.ScopeDetails), func(field string) bool {
		return !slices.ContainsFunc(coverages, func(coverage map[string]int) bool { return coverage[field] > 0 })
	})
	return matching.FieldNames(matching.ScopeMatch, matching.ScopeRecord), details
}

// Known returns the fields of a freelancer that have a known value.
func Known(f *matching.Freelancer) (known FieldSet) {
	for i := range matching.Fields {
		if matching.Fields[i].Known(f) {
			known |= 1 << i
		}
	}
	return known
}

// Counts are the numbers of freelancers, and of those with a known value by field. The zero value counts nobody.
type Counts struct {
	Freelancers int
	known       [len(matching.Fields)]int
}

// Of returns the counts in a map made by ByField.
func Of(freelancers int, known map[string]int) *Counts {
	c := &Counts{Freelancers: freelancers}
	for i := range matching.Fields {
		c.known[i] = known[matching.Fields[i].Name]
	}
	return c
}

// Add adds a freelancer with a set of known fields.
func (c *Counts) Add(known FieldSet) {
	c.Freelancers++
	for known != 0 {
		i := bits.TrailingZeros32(uint32(known))
		c.known[i]++
		known &^= 1 << i
	}
}

// AddAll adds the freelancers of other counts.
func (c *Counts) AddAll(other *Counts) {
	c.Freelancers += other.Freelancers
	for i, n := range other.known {
		c.known[i] += n
	}
}

// Without returns the counts less those of other.
func (c *Counts) Without(other *Counts) *Counts {
	rest := *c
	rest.Freelancers -= other.Freelancers
	for i := range rest.known {
		rest.known[i] -= other.known[i]
	}
	return &rest
}

// Less returns estimated counts without some freelancers, whose values are known as often as everyone's.
func (c *Counts) Less(freelancers int) *Counts {
	if freelancers == 0 {
		return c
	}
	return c.Scaled(c.Freelancers - freelancers)
}

// Scaled returns estimated counts for some of the freelancers, whose values are known as often as everyone's.
func (c *Counts) Scaled(freelancers int) *Counts {
	part := Counts{Freelancers: freelancers}
	for i := range part.known {
		part.known[i] = int(float64(c.known[i]) * float64(freelancers) / float64(max(c.Freelancers, 1)))
	}
	return &part
}

// ByField returns the number of freelancers with a known value by field, without details that nobody has.
func (c *Counts) ByField() map[string]int {
	known := make(map[string]int, len(matching.Fields))
	for i := range matching.Fields {
		if d := &matching.Fields[i]; d.Scope != matching.ScopeDetails || c.known[i] > 0 {
			known[d.Name] = c.known[i]
		}
	}
	return known
}
