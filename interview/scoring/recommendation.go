package scoring

import (
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// recommend sets the recommendation and its reason.
func (e *evaluation) recommend() {
	recommendation, reason := e.decide()
	if !recommendation.Known {
		reason = e.about.Messages.Say("none", reason)
	}
	e.Recommendation = recommendation
	e.Reason = reason
}

// decide returns the recommendation and its reason.
func (e *evaluation) decide() (hire matching.Optional[bool], reason string) {
	measured := 0
	for i := range e.Scores {
		if e.Scores[i].Answered && e.Scores[i].Value.Known {
			measured++
		}
	}

	flagged := e.unreviewed(interview.RemarkInstructions)
	aboutMarks := e.unreviewed(interview.RemarkAboutMarks)
	apart := e.unreviewed(interview.RemarkJudgesApart)
	disputed := e.disputed()
	mustHave, missing := e.mustHaveSkills()

	hasFewMeasured := measured < minMeasured || 2*measured <= len(e.Scores)
	total := e.Overall.Value
	mayPass := total >= RejectBelow

	// The order of the cases matters: doubts about the marks come before what the marks add up to. The
	// doubts that need mayPass are that marks may be too high, which doesn't matter for marks that are too low anyway.
	switch {
	case !e.Verdict:
		return hire, e.about.Messages.Say("offline", e.Method)
	case measured == 0:
		return hire, e.about.Messages.Say("nothing_measured")
	case hasFewMeasured:
		return hire, e.about.Messages.Say("few_measured", measured, minMeasured)
	case len(disputed) > 0:
		return hire, e.about.Messages.Say("disputed", len(disputed), strings.Join(disputed, ", "))
	case mayPass && len(flagged) > 0:
		return hire, e.about.Messages.Say("flagged", flagged[0])
	case mayPass && len(aboutMarks) > 0:
		return hire, e.about.Messages.Say("marks_quoted", len(aboutMarks), strings.Join(aboutMarks, ", "))
	case mayPass && len(apart) > 0:
		return hire, e.about.Messages.Say("apart", len(apart), strings.Join(apart, ", "), MaxGap)
	case mayPass && total < HireFrom:
		return hire, e.about.Messages.Say("undecided", total, RejectBelow, HireFrom-1)
	case e.Confidence.Value < MinConfidence:
		return hire, e.about.Messages.Say("uncertain", total, e.StandardError.Value)
	case !mayPass:
		return matching.Some(false), e.about.Messages.Say("reject", total, RejectBelow)
	case len(missing) > 0:
		return hire, e.about.Messages.Say("missing_skills", len(missing), strings.Join(missing, ", "))
	case mustHave > 0:
		return matching.Some(true), e.about.Messages.Say("hire_skills", mustHave, total, HireFrom)
	default:
		return matching.Some(true), e.about.Messages.Say("hire", total, HireFrom)
	}
}

// unreviewed returns the IDs of the questions whose answers have a remark, and that no person has reviewed.
func (e *evaluation) unreviewed(r interview.Remark) []string {
	var ids []string
	for i := range e.Scores {
		if sc := (*score)(&e.Scores[i]); sc.has(r) && !sc.isReviewed() {
			ids = append(ids, sc.Question)
		}
	}
	return ids
}

// disputed returns the IDs of the questions for whose answers two judgments differ by bigGap, and that no person has
// reviewed.
func (e *evaluation) disputed() []string {
	if e.Agreement == nil {
		return nil
	}
	var ids []string
	for i := range e.Scores {
		if sc := (*score)(&e.Scores[i]); slices.Contains(e.Agreement.Disputed, sc.Question) && !sc.isReviewed() {
			ids = append(ids, sc.Question)
		}
	}
	return ids
}

// mustHaveSkills returns the number of must-have skills and the names of those that aren't shown.
func (e *evaluation) mustHaveSkills() (n int, missing []string) {
	for i := range e.Skills {
		if r := &e.Skills[i]; r.MustHave {
			n++
			if r.State != interview.Shown {
				missing = append(missing, r.Skill)
			}
		}
	}
	return n, missing
}
