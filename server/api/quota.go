package api

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/quota"
)

// Quota counts the requests of limited plans. Take counts a request in both windows or, if it is not allowed, in
// neither. Check and Peek count nothing. Check decides about n requests together and, like Take, reports a refusal to
// operators.
type Quota interface {
	Take(ctx context.Context, a quota.Allowance) (quota.Decision, error)
	Check(ctx context.Context, a quota.Allowance, n int) (quota.Decision, error)
	Peek(ctx context.Context, a quota.Allowance) (quota.Decision, error)
}

// Guard counts failed attempts by quota.AddressKey.
type Guard interface {
	Blocked(key string) (retryAfter time.Duration, blocked bool)
	Failed(key string)
}

// The headers that describe whichever window has fewer requests remaining.
const (
	headerLimit     = "X-RateLimit-Limit"     // requests in the window
	headerRemaining = "X-RateLimit-Remaining" // requests remaining in the window
	headerReset     = "X-RateLimit-Reset"     // whole seconds until the window ends, rounded up
	headerWindow    = "X-RateLimit-Window"    // minute or month
)

// allowance returns the limits of a key, and whether its plan has any.
func allowance(k apikey.Key) (quota.Allowance, bool) {
	plan, _ := apikey.PlanNamed(k.Plan)
	return quota.Allowance{
		Subject: k.Counter, Since: k.PlanSince, PerMinute: plan.PerMinute, PerMonth: plan.Per30Days,
	}, plan.PerMinute > 0
}

// checkLimits rejects a request if the key's limits are used up, without counting it.
func (s *Server) checkLimits(c *gin.Context) { continueUnless(c, s.checkQuota(c, 1)) }

// charge counts the request against the key's limits, and rejects it if they are used up.
func (s *Server) charge(c *gin.Context) { continueUnless(c, s.takeQuota(c, c.Request.Context())) }

func continueUnless(c *gin.Context, err error) {
	if err != nil {
		fail(c, err)
		return
	}
	c.Next()
}

// checkQuota returns an error if the key has fewer than n requests left. It counts nothing.
func (s *Server) checkQuota(c *gin.Context, n int) error {
	return decide(c, func(a quota.Allowance) (quota.Decision, error) {
		return s.deps.Quota.Check(c.Request.Context(), a, n)
	})
}

// takeQuota counts a request, or one brief of a batch, against the key's limits, or returns an error.
func (s *Server) takeQuota(c *gin.Context, ctx context.Context) error { //nolint:revive // a brief has its own ctx
	return decide(c, func(a quota.Allowance) (quota.Decision, error) { return s.deps.Quota.Take(ctx, a) })
}

// decide returns the error of a decision, and sets the limit headers.
func decide(c *gin.Context, by func(quota.Allowance) (quota.Decision, error)) error {
	a, limited := allowance(keyOf(c))
	if !limited {
		return nil
	}
	decision, err := by(a)
	if err != nil {
		return err
	}
	writeLimitHeaders(c, decision)
	return decision.Err()
}

// reportLimits sets the limit headers for an operation that does not count.
func (s *Server) reportLimits(c *gin.Context) {
	s.setLimitHeaders(c)
	c.Next()
}

// refuse rejects a request without counting it, and sets the limit headers.
func (s *Server) refuse(c *gin.Context, err error) {
	s.setLimitHeaders(c)
	fail(c, err)
}

func (s *Server) setLimitHeaders(c *gin.Context) {
	a, limited := allowance(keyOf(c))
	if !limited {
		return
	}
	decision, err := s.deps.Quota.Peek(c.Request.Context(), a)
	if err != nil { // the response is valid without the headers; package quota logs why it cannot count
		s.deps.Log.Debug("limit headers not set", "request_id", requestID(c), "error", err)
		return
	}
	writeLimitHeaders(c, decision)
}

func writeLimitHeaders(c *gin.Context, d quota.Decision) {
	window := d.Tightest()
	c.Header(headerLimit, strconv.Itoa(window.Limit))
	c.Header(headerRemaining, strconv.Itoa(window.Left()))
	c.Header(headerReset, strconv.Itoa(int(math.Ceil(window.Reset.Seconds()))))
	c.Header(headerWindow, window.Name)
}
