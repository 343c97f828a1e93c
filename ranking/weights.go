package ranking

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/spelling"
)

// maxWeight is far above any sensible weight and keeps sums of weights finite.
const maxWeight = 1000

// WithWeights returns a copy of the profile with some weights replaced, or all faults in the order of their fields,
// with the codes unknown_field, not_a_number, negative, too_large and all_zero.
func (p *Profile) WithWeights(weights map[string]float64) (*Profile, []matching.FieldError) {
	merged := maps.Clone(p.Weights)
	maps.Copy(merged, weights)
	if faults := weightFaults(merged); len(faults) > 0 {
		return nil, faults
	}
	changed := *p
	changed.Weights = merged
	for name := range weights {
		f, _ := featureNamed(name)
		changed.overridden[f] = true
	}
	return &changed, nil
}

// weightFaults returns the faults of a complete set of weights.
func weightFaults(weights map[string]float64) []matching.FieldError {
	var faults []matching.FieldError
	add := func(name, code, message string) {
		faults = append(faults, matching.FieldError{Field: "weights." + name, Code: code, Message: message})
	}
	sum := 0.
	for name, w := range weights {
		_, known := featureNamed(name)
		switch {
		case !known:
			names := featureNames()
			message := "unknown feature; use " + strings.Join(names[:], ", ")
			if nearest := spelling.Nearest(name, names[:]); nearest != "" {
				message = fmt.Sprintf("unknown feature; did you mean %s?", nearest)
			}
			add(name, "unknown_field", message)

		case math.IsNaN(w) || math.IsInf(w, 0):
			add(name, "not_a_number", "must be a finite number")
		case w < 0:
			add(name, "negative", fmt.Sprintf("must not be negative, got %g", w))
		case w > maxWeight:
			add(name, "too_large", fmt.Sprintf("must be at most %d, got %g", maxWeight, w))
		default:
			sum += w
		}
	}

	// Weights of 0 for all features leave nothing to rank by.
	if len(faults) == 0 && sum == 0 {
		return []matching.FieldError{{
			Field: "weights", Code: "all_zero", Message: "at least one weight must be above 0",
		}}
	}

	slices.SortFunc(faults, func(a, b matching.FieldError) int { return cmp.Compare(a.Field, b.Field) })
	return faults
}
