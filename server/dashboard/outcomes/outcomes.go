// Package outcomes serves the page on which a product manager sees what became of an account's matches: who was
// contacted and hired by rank, which briefs found nobody good, which skills are short, and what profiles lack.
package outcomes

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A Handler serves the page. All fields are required.
type Handler struct {
	Events  Events
	Results *results.Service
	Usage   Usage
	Matcher Matcher
	Log     *slog.Logger
	Now     func() time.Time
}

// Events reads events and matches; see store.MatchEvents.
type Events interface {
	Tally(ctx context.Context, account string, since time.Time) ([]events.Tally, error)
	Newest(ctx context.Context, account string, since time.Time, limit, maxBrief int) ([]events.Match, error)
}

// Usage counts requests; see traffic.Usage.
type Usage interface {
	Flush(ctx context.Context) error
	Usage(ctx context.Context, account string, since time.Time) ([]usage.Count, error)
}

// Matcher finds freelancers for briefs; see match.Service. The page only takes the counts of skills from it.
type Matcher interface {
	Match(ctx context.Context, b *matching.Brief) (*matching.Answer, error)
}

// What the page reads and shows. An account can have a million events and 200 results of 2 MB.
const (
	weeks       = 12
	maxMatches  = 3000
	maxBrief    = 4 << 10 // bytes
	maxResults  = 50
	maxResult   = 500 << 10 // bytes
	maxSkills   = 30
	maxRows     = 15
	fewPeople   = 5 // with a skill: it is short
	thinFields  = 3 // unknown ones: the profile is thin
	maxTime     = 5 * time.Second
	retryAfter  = 30 * time.Second
	operation   = "match" // whose requests are counted
	profileName = "default"
)

// Routes returns the route of the page.
func (h *Handler) Routes() []page.Route {
	return []page.Route{page.Get("/outcomes", account.Member, page.Showing(h.outcomesPage))}
}

// view is the data of the page.
type view struct {
	Funnel   []funnelRow
	Decided  bool // somebody was contacted, hired or rejected
	Weeks    []weekRow
	Matches  int // that were read
	Cut      bool
	Briefs   []poorBrief
	Skills   []skillRow
	Asked    int // distinct skills
	Lacks    []lackRow
	Thin     []thinProfile
	Profiles int // distinct people in recent results
	Results  int // recent results
}

// Since returns the number of weeks that the page covers.
func (view) Since() int { return weeks }

// FewPeople returns the number of people up to whom a skill is short.
func (view) FewPeople() int { return fewPeople }

// sources is what the page is computed from.
type sources struct {
	since   time.Time
	tallies []events.Tally
	matches []events.Match // newest first
	results []answered     // newest first
	usage   []usage.Count
	profile *ranking.Profile
}

// answered is a result of the dashboard with the parts of its response that the page needs.
type answered struct {
	results.Result
	request struct {
		RequiredSkills []string `json:"required_skills"`
	}
	response struct {
		RequestID string `json:"request_id"`
		Matches   []struct {
			Freelancer struct {
				ID       string `json:"id"`
				Name     string `json:"name"`
				JobTitle string `json:"job_title"`
			} `json:"freelancer"`
			UnknownFields []string `json:"unknown_fields"`
		} `json:"matches"`
	}
}

func (h *Handler) outcomesPage(v *page.Visit) (page.Page, error) {
	ctx, cancel := context.WithTimeout(v.Context(), maxTime)
	defer cancel()

	s, err := h.read(ctx, v.Account.ID)
	if errors.Is(err, context.DeadlineExceeded) && v.Context().Err() == nil {
		return page.Page{}, &matching.Error{
			Code: matching.CodeOverloaded, Cause: err, RetryAfter: retryAfter,
			Message: "Counting the events of this account took too long. Try again in a moment.",
		}
	}
	if err != nil {
		return page.Page{}, err
	}

	data := view{Matches: len(s.matches), Cut: len(s.matches) == maxMatches, Results: len(s.results)}
	data.Funnel, data.Decided = funnel(s.tallies)
	data.Weeks = weekRows(s, h.Now())
	data.Briefs = poorBriefs(s)
	data.Skills, data.Asked = h.skills(ctx, s)
	data.Lacks, data.Thin, data.Profiles = thinProfiles(s.results)

	return page.Page{Template: "outcomes", Title: "Outcomes", Section: "outcomes", Data: data, Compressible: true}, nil
}

// read reads what the page of an account is computed from.
func (h *Handler) read(ctx context.Context, id string) (*sources, error) {
	s := &sources{since: events.WeekOf(h.Now()).AddDate(0, 0, -7*(weeks-1))}
	var err error
	if s.profile, err = ranking.Load(profileName); err != nil {
		return nil, err
	}
	if s.tallies, err = h.Events.Tally(ctx, id, s.since); err != nil {
		return nil, err
	}
	if s.matches, err = h.Events.Newest(ctx, id, s.since, maxMatches, maxBrief); err != nil {
		return nil, err
	}

	if err := h.Usage.Flush(ctx); err != nil {
		h.Log.WarnContext(ctx, "usage not written before it is shown", "error", err)
	}
	if s.usage, err = h.Usage.Usage(ctx, id, s.since); err != nil {
		return nil, err
	}

	stored, err := h.Results.Newest(ctx, id, results.Match, maxResults, maxResult)
	if err != nil {
		return nil, err
	}
	for _, r := range stored {
		if r.Status != 200 {
			continue
		}
		a := answered{Result: r}
		if json.Unmarshal(r.Response, &a.response) != nil || json.Unmarshal(r.Request, &a.request) != nil {
			continue // of an earlier release
		}
		s.results = append(s.results, a)
	}
	return s, nil
}
