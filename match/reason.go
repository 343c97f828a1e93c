package match

import (
	"context"
	"fmt"
	"strings"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// condition is one filter on its own, by its name in the request.
type condition struct {
	name    string
	wants   string // what it asks for, in words
	unknown string // what is unknown of those it leaves out for that; "" where that cannot be
	apply   func(*engine.Filters)
}

// conditions are the filters that a brief sets, in the order in which an empty answer tells of them.
func conditions(b *matching.Brief, f engine.Filters) []condition {
	var set []condition
	add := func(known bool, c condition) {
		if known {
			set = append(set, c)
		}
	}
	in := b.Filters
	add(f.IDs != nil, condition{"ids", fmt.Sprintf("one of %d ids", len(f.IDs)), "", func(t *engine.Filters) { t.IDs = f.IDs }})
	add(len(f.ExcludeIDs) > 0, condition{"exclude_ids", fmt.Sprintf("none of %d ids", len(f.ExcludeIDs)), "", func(t *engine.Filters) { t.ExcludeIDs = f.ExcludeIDs }})
	add(len(f.MustHave) > 0, condition{"must_have_skills", "the skills " + strings.Join(in.MustHaveSkills, ", "), "", func(t *engine.Filters) { t.MustHave = f.MustHave }})
	add(f.Available.Known, condition{"available", fmt.Sprintf("availability %v", f.Available), "availability", func(t *engine.Filters) { t.Available = f.Available }})
	add(f.MinRating.Known, condition{"min_rating", fmt.Sprintf("a rating of at least %v", f.MinRating), "rating", func(t *engine.Filters) { t.MinRating = f.MinRating }})
	add(f.MinExperience.Known, condition{"min_experience", fmt.Sprintf("at least %v years of experience", f.MinExperience), "experience", func(t *engine.Filters) { t.MinExperience = f.MinExperience }})
	add(f.MaxHourlyRate.Known, condition{"max_hourly_rate", fmt.Sprintf("a rate of at most %v", f.MaxHourlyRate), "rate", func(t *engine.Filters) { t.MaxHourlyRate = f.MaxHourlyRate }})
	return set
}

// explainNone says why a brief found nobody: the filters are applied one after the other, and the first that leaves
// nobody is the reason. When they leave somebody, nobody of those shares a skill or a word with the brief.
func (s *Service) explainNone(ctx context.Context, snapshot engine.Snapshot, b *matching.Brief, d *demand, answer *matching.Answer) error {
	before := snapshot.Info().Documents
	if before == 0 {
		answer.Reason = matching.ReasonNoData
		return nil
	}
	answer.Reason = matching.ReasonNoOverlap
	var so, alone engine.Filters // the filters so far, and the present one alone
	for _, c := range conditions(b, d.filters) {
		c.apply(&so)
		left, err := snapshot.Count(ctx, so)
		if err != nil {
			return fmt.Errorf("count what the filters leave: %w", err)
		}
		step := matching.FilterStep{Filter: c.name, Before: before, Excluded: before - left}
		step.Message = fmt.Sprintf("%s: leaves %d of %d", c.wants, left, before)
		if c.unknown != "" {
			alone = engine.Filters{}
			c.apply(&alone)
			if step.Unknown, err = snapshot.CountUnknown(ctx, alone); err != nil {
				return fmt.Errorf("count the unknown values: %w", err)
			}
			if step.Unknown > 0 {
				step.Message += fmt.Sprintf("; the %s of %d freelancers is unknown, which no filter accepts", c.unknown, step.Unknown)
			}
		}
		answer.ReasonDetail = append(answer.ReasonDetail, step)
		if left == 0 {
			answer.Reason = matching.ReasonFilter + c.name
			return nil
		}
		before = left
	}
	return nil
}
