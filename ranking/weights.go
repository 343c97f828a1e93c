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

// Derive returns a copy of the profile with the weights of an account's ranking, as a profile of its own: the weights
// are not a request's, so leaving out a feature isn't reported. Besides the faults of [Profile.WithWeights], there is
// one with the code too_small if the result breaks a rule of shipped profiles.
func (p *Profile) Derive(r *matching.Ranking) (*Profile, []matching.FieldError) {
	derived, faults := p.WithWeights(r.Weights)
	if len(faults) > 0 {
		return nil, faults
	}
	derived.overridden = p.overridden
	derived.ranking = r

	// A ranking has weights alone, so this is the only rule that it can break.
	if err := derived.validate(); err != nil {
		return nil, []matching.FieldError{{Field: "weights.skills", Code: "too_small", Message: err.Error()}}
	}
	return derived, nil
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
