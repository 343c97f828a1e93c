package directory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/internal/phrase"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

const (
	maxRanked = 40              // open briefs that are ranked for a profile, those that were changed last
	maxSuited = 5               // briefs on a profile
	rankTime  = 2 * time.Second // for ranking them
)

// Briefs lists the saved briefs of an account; see briefs.Service.
type Briefs interface {
	Open(ctx context.Context, account string, limit int) ([]briefs.Brief, error)
}

// suitedView says which saved briefs suit a freelancer.
type suitedView struct {
	Briefs   []suitedBrief
	Ranked   int  // open briefs that were considered
	Excluded int  // of these, those whose filters the freelancer doesn't pass
	Others   bool // the account has more open briefs than are considered
	Late     bool // ranking them took too long
}

// suitedBrief is a saved brief on a profile.
type suitedBrief struct {
	briefs.PersonBrief
	URL      string
	Standing string // in a sentence or two
}

// suited returns the open briefs of the account that suit a freelancer best, or nil without open briefs. The rest of
// the page stands without them.
func (h *Handler) suited(v *page.Visit, id string) (*suitedView, error) {
	open, err := h.Briefs.Open(v.Context(), v.Account.ID, maxRanked+1)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	view := &suitedView{Others: len(open) > maxRanked}
	open = open[:min(len(open), maxRanked)]

	ctx, cancel := context.WithTimeout(v.Context(), rankTime)
	defer cancel()
	ranked, err := h.Ranker.Place(ctx, open, id, briefs.Wishes{Limit: maxSuited})
	if err != nil {
		isLate := errors.Is(ctx.Err(), context.DeadlineExceeded)
		if !isLate {
			h.Log.WarnContext(ctx, "saved briefs not ranked for a profile", "error", err)
		}
		view.Late = true
		return view, v.Context().Err()
	}

	view.Ranked = ranked.Ranked
	view.Excluded = ranked.Excluded
	for i := range ranked.Briefs {
		b := &ranked.Briefs[i]
		view.Briefs = append(view.Briefs, suitedBrief{*b, page.BriefURL(b.ID), standing(b)})
	}
	return view, nil
}

// standing says which required skills of a brief a freelancer has.
func standing(b *briefs.PersonBrief) string {
	has, lacks := len(b.MatchedSkills), b.MissingSkills
	switch {
	case has+len(lacks) == 0:
		return "The brief requires no skills."
	case len(lacks) == 0:
		return "Has all required skills."
	case has == 0:
		return "Lacks " + phrase.Join(lacks, "and") + "."
	default:
		return fmt.Sprintf("Has %d of %d required skills; lacks %s.", has, has+len(lacks), phrase.Join(lacks, "and"))
	}
}

// Place returns the rank with the number of people in the ranking.
func (b *suitedBrief) Place() string {
	if !b.Rank.Known {
		return "beyond the ranks that are counted"
	}
	return "Rank " + page.Decimal(0, float64(b.Rank.Value)) + " of " + page.Decimal(0, float64(b.Total))
}
