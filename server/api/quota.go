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
// neither. Check and Peek count nothing; Check reports a refusal to operators, as Take does.
type Quota interface {
	Take(ctx context.Context, a quota.Allowance) (quota.Decision, error)
	Check(ctx context.Context, a quota.Allowance) (quota.Decision, error)
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
func (s *Server) checkLimits(c *gin.Context) { s.decide(c, s.deps.Quota.Check) }

// charge counts the request against the key's limits, and rejects it if they are used up.
func (s *Server) charge(c *gin.Context) { s.decide(c, s.deps.Quota.Take) }

func (s *Server) decide(c *gin.Context, by func(context.Context, quota.Allowance) (quota.Decision, error)) {
	a, limited := allowance(keyOf(c))
	if !limited {
		c.Next()
		return
	}
	decision, err := by(c.Request.Context(), a)
	if err != nil {
		fail(c, err)
		return
	}
	writeLimitHeaders(c, decision)
	if !decision.Allowed {
		fail(c, decision.Err())
		return
	}
	c.Next()
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
