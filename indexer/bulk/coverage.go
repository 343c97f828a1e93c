package bulk

import (
	"math/bits"
	"slices"

	"freelancer-matching/internal/matching"
)

// A fieldSet is a set of fields. Bit i stands for the ith of matching.Fields.
type fieldSet uint32

// ShownFields returns the fields whose coverage is worth showing: all that are no details, and the details that
// somebody has.
func ShownFields(coverages ...map[string]int) (fields, details []string) {
	details = slices.DeleteFunc(matching.FieldNames(matching.ScopeDetails), func(field string) bool {
		return !slices.ContainsFunc(coverages, func(coverage map[string]int) bool { return coverage[field] > 0 })
	})
	return matching.FieldNames(matching.ScopeMatch, matching.ScopeRecord), details
}

// knownFields returns the fields with a known value.
func knownFields(f *matching.Freelancer) (known fieldSet) {
	for i := range matching.Fields {
		if matching.Fields[i].Known(f) {
			known |= 1 << i
		}
	}
	return known
}

// A coverage counts freelancers, and those with a known value by field.
type coverage struct {
	freelancers int
	known       [len(matching.Fields)]int
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
	for i := range matching.Fields {
		c.known[i] += known[matching.Fields[i].Name]
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
	known := make(map[string]int, len(matching.Fields))
	for i := range matching.Fields {
		if d := &matching.Fields[i]; d.Scope != matching.ScopeDetails || c.known[i] > 0 {
			known[d.Name] = c.known[i]
		}
	}
	return known
}
