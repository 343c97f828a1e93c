package percolate

import (
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// passes reports whether a document passes filters, as an engine does.
func (d *document) passes(f *engine.Filters) bool {
	id := d.Freelancer.ID
	if f.IDs != nil && !slices.Contains(f.IDs, id) || slices.Contains(f.ExcludeIDs, id) {
		return false
	}
	if !signalsPass(&d.Freelancer.Signals, f) {
		return false
	}
	if by := f.AvailableBy; by.Known {
		if from := d.Schedule.From; !from.Known || from.Value > by.Value {
			return false
		}
	}

	has := func(skill string) bool { return d.skills[skill] > matching.Sibling }
	lacks := func(skill string) bool { return !has(skill) }
	hasNone := func(set []string) bool { return !slices.ContainsFunc(set, has) }
	if slices.ContainsFunc(f.ExcludeSkills, has) || slices.ContainsFunc(f.MustHave, lacks) {
		return false
	}
	if slices.ContainsFunc(f.MustHaveOne, hasNone) {
		return false
	}
	hasLabel := func(label string) bool { return slices.Contains(d.Labels, label) }
	hasNoLabel := func(set []string) bool { return !slices.ContainsFunc(set, hasLabel) }
	return !slices.ContainsFunc(f.Labels, hasNoLabel)
}

// signalsPass reports whether signals pass filters. An unknown value passes none.
func signalsPass(s *matching.Signals, f *engine.Filters) bool {
	if f.Available.Known && (!s.Availability.Known || s.Availability.Value != f.Available.Value) {
		return false
	}
	if f.MinRating.Known && (!s.Rating.Known || s.Rating.Value < f.MinRating.Value) {
		return false
	}
	if f.MinExperience.Known && (!s.Experience.Known || s.Experience.Value < f.MinExperience.Value) {
		return false
	}
	rate := s.HourlyRate
	if f.MaxHourlyRate.Known && (!rate.Known || rate.Value > f.MaxHourlyRate.Value) {
		return false
	}
	return !f.RateLimit.Known || rate.Known && rate.Value <= f.RateLimit.Value.Max(s.Experience)
}
