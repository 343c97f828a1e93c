package match

import (
	"context"
	"fmt"
	"strings"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// A condition is one of the filters that a brief sets.
type condition struct {
	name    string                // in the request
	wants   string                // what it accepts, in words
	unknown string                // the value that may be unknown; "" if none
	apply   func(*engine.Filters) // adds this filter to others
}

// conditions returns the filters that a brief sets, in the order in which explainEmpty applies them.
func conditions(b *matching.Brief, f engine.Filters) []condition {
	var set []condition
	add := func(known bool, c condition) {
		if known {
			set = append(set, c)
		}
	}
	add(f.IDs != nil, condition{
		name:  "ids",
		wants: fmt.Sprintf("one of %d ids", len(f.IDs)),
		apply: func(to *engine.Filters) { to.IDs = f.IDs },
	})
	add(len(f.ExcludeIDs) > 0, condition{
		name:  "exclude_ids",
		wants: fmt.Sprintf("none of %d ids", len(f.ExcludeIDs)),
		apply: func(to *engine.Filters) { to.ExcludeIDs = f.ExcludeIDs },
	})
	add(len(f.MustHave) > 0, condition{
		name:  "must_have_skills",
		wants: "the skills " + strings.Join(b.Filters.MustHaveSkills, ", "),
		apply: func(to *engine.Filters) { to.MustHave = f.MustHave },
	})
	add(f.Available.Known, condition{
		name:    "available",
		wants:   fmt.Sprintf("availability %v", f.Available),
		unknown: "availability",
		apply:   func(to *engine.Filters) { to.Available = f.Available },
	})
	add(f.MinRating.Known, condition{
		name:    "min_rating",
		wants:   fmt.Sprintf("a rating of at least %v", f.MinRating),
		unknown: "rating",
		apply:   func(to *engine.Filters) { to.MinRating = f.MinRating },
	})
	add(f.MinExperience.Known, condition{
		name:    "min_experience",
		wants:   fmt.Sprintf("at least %v years of experience", f.MinExperience),
		unknown: "experience",
		apply:   func(to *engine.Filters) { to.MinExperience = f.MinExperience },
	})
	add(f.MaxHourlyRate.Known, condition{
		name:    "max_hourly_rate",
		wants:   fmt.Sprintf("a rate of at most %v", f.MaxHourlyRate),
		unknown: "rate",
		apply:   func(to *engine.Filters) { to.MaxHourlyRate = f.MaxHourlyRate },
	})
	return set
}

// explainEmpty records in the answer why no freelancer matches. It applies the filters one after the other; the first
// one after which nobody is left is the reason. If somebody is left after all of them, nobody left has a skill or a
// word in common with the brief.
func explainEmpty(
	ctx context.Context, snapshot engine.Snapshot, b *matching.Brief, f engine.Filters, answer *matching.Answer,
) error {
	before := snapshot.Info().Documents
	if before == 0 {
		answer.Reason = matching.ReasonNoData
		return nil
	}
	answer.Reason = matching.ReasonNoOverlap
	var applied engine.Filters
	for _, c := range conditions(b, f) {
		c.apply(&applied)
		left, err := snapshot.Count(ctx, applied)
		if err != nil {
			return fmt.Errorf("count the freelancers that pass the filters: %w", err)
		}
		step := matching.FilterStep{
			Filter:   c.name,
			Before:   before,
			Excluded: before - left,
			Message:  fmt.Sprintf("%s: %d of %d freelancers left", c.wants, left, before),
		}
		if c.unknown != "" {
			var alone engine.Filters
			c.apply(&alone)
			if step.Unknown, err = snapshot.CountUnknown(ctx, alone); err != nil {
				return fmt.Errorf("count the unknown values: %w", err)
			}
			if step.Unknown > 0 {
				step.Message += fmt.Sprintf("; filters exclude freelancers whose %s is unknown (%d)", c.unknown, step.Unknown)
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
