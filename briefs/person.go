package briefs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/phrase"
)

const (
	// MaxRanked is how many briefs are ranked for a freelancer, those that were changed last.
	MaxRanked = 200
	// maxImproved is for how many of them it is computed what would improve the rank, and improveTime how long that may
	// take. Each takes up to seven matches.
	maxImproved = 3
	improveTime = 3 * time.Second
)

// An Explainer places freelancers in the rankings of briefs; see match.Service.
type Explainer interface {
	Explain(ctx context.Context, b *matching.Brief, id string) (*matching.Standing, error)
	Alternatives(
		ctx context.Context, b *matching.Brief, id string,
	) (list []matching.Alternative, isSupported bool, err error)
}

// Wishes are what a freelancer wants from a brief.
type Wishes struct {
	Limit int
	// MinHourlyRate is what the upper end of the budget must pay for an hour of the estimated work, in the currency of the
	// brief. A brief without a budget doesn't pass.
	MinHourlyRate matching.Optional[float64]
}

// ForPerson is the answer to which briefs suit a freelancer.
type ForPerson struct {
	Ranked   int           `json:"ranked"`   // briefs that were considered
	Excluded int           `json:"excluded"` // of these, whose filters the freelancer doesn't pass
	Unwanted int           `json:"unwanted"` // of these, that the wishes left out
	Left     bool          `json:"left_out"` // the account has more open briefs than are considered
	Briefs   []PersonBrief `json:"briefs"`   // the best first
}

// A PersonBrief is a brief as a freelancer sees it.
type PersonBrief struct {
	ID            string                 `json:"id"`
	Name          string                 `json:"name"`
	Rank          matching.Optional[int] `json:"rank"`  // of the freelancer, from 1; null beyond what engines count
	Total         int                    `json:"total"` // freelancers in the ranking
	Score         float64                `json:"score"`
	Level         matching.Level         `json:"level"`
	MatchedSkills []string               `json:"matched_skills"`
	MissingSkills []string               `json:"missing_skills"`
	Message       string                 `json:"message"` // in the second person
	// Improvements is null if they weren't computed: for a brief after the first ones, for lack of time, or because the
	// engine can't suppose changes.
	Improvements []Improvement `json:"improvements"`

	brief *matching.Brief
}

// An Improvement is a change with which a freelancer would have a better rank.
type Improvement struct {
	Message string  `json:"message"` // in the second person
	Rank    int     `json:"rank"`
	Score   float64 `json:"score"`
}

// A Ranker ranks briefs for freelancers. All fields are required.
type Ranker struct {
	Explainer Explainer
	Read      func(request json.RawMessage, places int) (*matching.Brief, error) // reads the match of a brief
}

// Rank ranks open briefs for a freelancer: the one with the highest score comes first, then the one with the better
// rank. It returns the errors of Explainer.Explain. A brief that can no longer be read, such as one with a removed
// ranking profile, is left out as excluded.
func (r *Ranker) Rank(ctx context.Context, open []Brief, id string, w Wishes) (*ForPerson, error) {
	answer, err := r.Place(ctx, open, id, w)
	if err != nil {
		return nil, err
	}
	return answer, r.improve(ctx, answer.Briefs, id)
}

// Place does the same without computing what would improve the ranks, which takes several matches for each brief.
func (r *Ranker) Place(ctx context.Context, open []Brief, id string, w Wishes) (*ForPerson, error) {
	answer := &ForPerson{Briefs: []PersonBrief{}, Left: len(open) > MaxRanked}
	open = open[:min(len(open), MaxRanked)]
	answer.Ranked = len(open)

	for i := range open {
		n := &open[i].Settings
		brief, err := r.Read(n.Request, n.Top)
		if err != nil {
			answer.Excluded++
			continue
		}
		standing, err := r.Explainer.Explain(ctx, brief, id)
		if e, isCoded := errors.AsType[*matching.Error](err); isCoded && e.Code == matching.CodeInvalid {
			answer.Excluded++
			continue
		}
		if err != nil {
			return nil, err
		}

		switch {
		case len(standing.ExcludedBy) > 0:
			answer.Excluded++
		case !w.accept(brief, standing):
			answer.Unwanted++
		default:
			answer.Briefs = append(answer.Briefs, newPersonBrief(&open[i], brief, standing))
		}
	}

	slices.SortStableFunc(answer.Briefs, func(a, b PersonBrief) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Rank.Or(1<<30), b.Rank.Or(1<<30)),
			strings.Compare(a.ID, b.ID))
	})
	answer.Briefs = answer.Briefs[:min(len(answer.Briefs), w.Limit)]

	return answer, nil
}

// accept reports whether a brief meets the wishes.
func (w *Wishes) accept(b *matching.Brief, s *matching.Standing) bool {
	if !w.MinHourlyRate.Known {
		return true
	}
	if !b.Budget.Known || s.Answer.Budget == nil {
		return false
	}
	pays := b.Budget.Value.High
	if s.Answer.Budget.Type != matching.BudgetHourly {
		hours := s.Match.Estimate.Hours
		if !hours.Known || hours.Value <= 0 {
			return false
		}
		pays /= hours.Value
	}
	return pays >= w.MinHourlyRate.Value
}

func newPersonBrief(b *Brief, read *matching.Brief, s *matching.Standing) PersonBrief {
	return PersonBrief{
		ID: b.ID, Name: b.Settings.Name, Rank: s.Rank, Total: s.Total, Score: s.Match.Score, Level: s.Match.Level,
		MatchedSkills: s.Match.MatchedSkills, MissingSkills: s.Match.MissingSkills, Message: message(s), brief: read,
	}
}

// message says where a freelancer stands, in the second person.
func message(s *matching.Standing) string {
	var sentences []string
	if s.Rank.Known {
		sentences = append(sentences, fmt.Sprintf("You are at rank %d of %d.", s.Rank.Value, s.Total))
	}

	has, lacks := len(s.Match.MatchedSkills), s.Match.MissingSkills
	switch all := has + len(lacks); {
	case all == 0:
	case len(lacks) == 0:
		sentences = append(sentences, "You have all required skills.")
	case all == 1:
		sentences = append(sentences, "You lack the required skill "+lacks[0]+".")
	default:
		sentences = append(sentences, fmt.Sprintf("You have %d of %d required skills; you lack %s.", has, all,
			phrase.Join(lacks, "and")))
	}
	return strings.Join(sentences, " ")
}

// improve adds what would improve the rank to the first briefs, as far as there is time.
func (r *Ranker) improve(ctx context.Context, list []PersonBrief, id string) error {
	limited, cancel := context.WithTimeout(ctx, improveTime)
	defer cancel()
	for i := range list[:min(len(list), maxImproved)] {
		alternatives, isSupported, err := r.Explainer.Alternatives(limited, list[i].brief, id)
		if limited.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !isSupported {
			return err
		}
		list[i].Improvements = []Improvement{}
		for _, a := range alternatives {
			list[i].Improvements = append(list[i].Improvements, Improvement{
				Message: fmt.Sprintf("You would be at rank %d %s.", a.Rank, a.With), Rank: a.Rank, Score: a.Score,
			})
		}
	}
	return nil
}
