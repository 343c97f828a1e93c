package api

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/changes"
)

// Changes limits how many freelancers accounts change.
type Changes interface {
	// Take counts up to n changes and decides how many may be made.
	Take(ctx context.Context, a changes.Allowance, n int) (changes.Decision, error)
}

// The headers that describe the limit of changes with fewer changes remaining, per minute or per day.
const (
	headerChangeLimit     = "X-Changes-Limit"
	headerChangeRemaining = "X-Changes-Remaining"
)

// takeChanges counts up to n changes of the key's account, and returns how many may be made: at least 1 without an
// error. It sets the headers of the limit unless the response has begun.
func (s *Server) takeChanges(c *gin.Context, n int) (int, error) {
	key := keyOf(c)
	plan, _ := apikey.PlanNamed(key.Plan)
	if plan.ChangesPerDay == 0 {
		return n, nil
	}

	d, err := s.deps.Changes.Take(c.Request.Context(), changes.Allowance{
		Subject: ownerOf(key), PerMinute: plan.ChangesPerMinute, PerDay: plan.ChangesPerDay,
	}, n)
	if err != nil {
		return 0, err
	}

	if !c.Writer.Written() {
		c.Header(headerChangeLimit, strconv.Itoa(d.Limit))
		c.Header(headerChangeRemaining, strconv.Itoa(d.Left))
	}

	if err := d.Err(); err != nil {
		s.deps.Log.LogAttrs(c.Request.Context(), slog.LevelWarn, "limit of changes reached",
			slog.String("request_id", requestID(c)), slog.String("account", ownerOf(key)), slog.String("plan", key.Plan))
		return 0, err
	}

	return d.Taken, nil
}
