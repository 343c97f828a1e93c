package api

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/views"
	"freelancer-matching/internal/matching"
)

// Views counts the freelancers that accounts see. Show counts all given freelancers or, if they exceed the limit, none.
type Views interface {
	Show(ctx context.Context, a views.Allowance, ids []string) (views.Decision, error)
}

// The headers that describe the daily limit of freelancers.
const (
	headerViewLimit     = "X-Freelancers-Limit"     // distinct freelancers per day
	headerViewRemaining = "X-Freelancers-Remaining" // new freelancers that the account may still see today
)

// The outcomes that Metrics.Viewed receives.
const (
	viewNew       = "new"       // the account sees the freelancer for the first time today
	viewRepeated  = "repeated"  // it has seen the freelancer today
	viewUnlimited = "unlimited" // its plan has no limit, so nobody knows whether it has
	viewRefused   = "refused"   // new, but over the limit and not shown
)

// viewAllowance returns the limit of the account of a key, and whether its plan has any.
func viewAllowance(k apikey.Key) (views.Allowance, bool) {
	plan, _ := apikey.PlanNamed(k.Plan)
	return views.Allowance{Subject: ownerOf(k), PerDay: plan.FreelancersPerDay}, plan.FreelancersPerDay > 0
}

// show counts the freelancers that a response is about to show, and sets the headers of the limit. If the response must
// not be sent, it returns an error with views.CodeLimit.
func (s *Server) show(c *gin.Context, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	key := keyOf(c)
	a, limited := viewAllowance(key)
	if !limited {
		s.deps.Metrics.Viewed(key.Plan, viewUnlimited, len(ids))
		return nil
	}

	d, err := s.deps.Views.Show(c.Request.Context(), a, ids)
	if err != nil {
		return err
	}
	c.Header(headerViewLimit, strconv.Itoa(d.Limit))
	c.Header(headerViewRemaining, strconv.Itoa(d.Left()))

	if d.Allowed {
		s.deps.Metrics.Viewed(key.Plan, viewNew, d.New)
		s.deps.Metrics.Viewed(key.Plan, viewRepeated, d.Shown-d.New)
		return nil
	}

	s.deps.Metrics.Viewed(key.Plan, viewRefused, d.New)
	s.deps.Log.LogAttrs(c.Request.Context(), slog.LevelWarn, "daily limit of freelancers reached",
		slog.String("request_id", requestID(c)), slog.String("account", a.Subject), slog.String("plan", key.Plan),
		slog.Int("seen", d.Seen))

	return d.Err()
}

// countViewsFromZero creates the series of all plans, so that an alert sees the first refusal.
func countViewsFromZero(m Metrics) {
	for _, plan := range apikey.Plans() {
		outcomes := []string{viewNew, viewRepeated, viewRefused}
		if plan.FreelancersPerDay == 0 {
			outcomes = []string{viewUnlimited}
		}
		for _, outcome := range outcomes {
			m.Viewed(plan.Name, outcome, 0)
		}
	}
}

func idsOf(matches []matching.Match) []string {
	ids := make([]string, len(matches))
	for i := range matches {
		ids[i] = matches[i].Freelancer.ID
	}
	return ids
}
