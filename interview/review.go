package interview

import (
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview/faults"
)

// The limits of reviews. Lengths are in characters.
const (
	MaxReason   = 2_000
	MaxReviewer = 200
	MaxReviews  = 100 // of a session
)

// A ReviewRequest replaces the level of one mark in an evaluated session.
type ReviewRequest struct {
	Account   string
	Limits    Limits // of the account
	By        Requester
	SessionID string

	Question  string // ID
	Criterion string // see CriterionNamed
	Level     matching.Optional[int]
	Reason    string
	Reviewer  string // name of the person; "" for the user or key that sends the request
}

// Check returns all faults of a request that are visible without its session as a matching.Error, or nil if there are
// none.
func (r *ReviewRequest) Check() error {
	var f faults.List
	if _, ok := CriterionNamed(r.Criterion); !ok {
		f.Add("criterion", "unknown_value", "criterion must be technical, experience or communication, got %s",
			faults.Shown(r.Criterion))
	}
	if !r.Level.Known {
		f.Add("level", "required", "level is required")
	} else if r.Level.Value < NoAnswer || r.Level.Value > BestLevel {
		f.Add("level", "out_of_range", "level must be between %d and %d, got %d", NoAnswer, BestLevel, r.Level.Value)
	}
	f.NonBlank("question", r.Question, maxSessionID)
	f.NonBlank("reason", r.Reason, MaxReason)
	f.Text("reviewer", r.Reviewer, MaxReviewer)
	return f.Err()
}
