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

// Quota counts the requests of limited plans, in both windows or in neither.
type Quota interface {
	Take(ctx context.Context, a quota.Allowance) (quota.Decision, error)
	Peek(ctx context.Context, a quota.Allowance) (quota.Decision, error)
}

// Guard counts failed attempts by quota.AddressKey.
type Guard interface {
	Blocked(key string) (retryAfter time.Duration, blocked bool)
	Failed(key string)
}

// The headers that tell what is left, of the window with the fewest requests left.
const (
	headerLimit     = "X-RateLimit-Limit"     // requests in the window
	headerRemaining = "X-RateLimit-Remaining" // of these, how many are left
	headerReset     = "X-RateLimit-Reset"     // whole seconds until the window ends, rounded up
	headerWindow    = "X-RateLimit-Window"    // minute or month
)

// allowance is what a key may use; false for an unlimited plan.
func allowance(k apikey.Key) (quota.Allowance, bool) {
	plan, _ := apikey.PlanNamed(k.Plan)
	return quota.Allowance{
		Subject: k.Counter, Since: k.PlanSince, PerMinute: plan.PerMinute, PerMonth: plan.Per30Days,
	}, plan.PerMinute > 0
}

// charge takes one request from what the key may use.
func (s *Server) charge(c *gin.Context) {
	a, limited := allowance(keyOf(c))
	if !limited {
		c.Next()
		return
	}
	decision, err := s.deps.Quota.Take(c.Request.Context(), a)
	if err != nil {
		fail(c, err)
		return
	}
	showLimits(c, decision)
	if !decision.Allowed {
		fail(c, decision.Err())
		return
	}
	c.Next()
}

// peek tells what the key has left, for operations that take nothing.
func (s *Server) peek(c *gin.Context) {
	s.tellLimits(c)
	c.Next()
}

// refuse fails a request of a known key that takes nothing.
func (s *Server) refuse(c *gin.Context, err error) {
	s.tellLimits(c)
	fail(c, err)
}

func (s *Server) tellLimits(c *gin.Context) {
	a, limited := allowance(keyOf(c))
	if !limited {
		return
	}
	decision, err := s.deps.Quota.Peek(c.Request.Context(), a)
	if err != nil { // the answer is right without them; that requests cannot be counted is logged where it is found
		s.deps.Log.Debug("limits not told", "request_id", requestID(c), "error", err)
		return
	}
	showLimits(c, decision)
}

func showLimits(c *gin.Context, d quota.Decision) {
	window := d.Tightest()
	c.Header(headerLimit, strconv.Itoa(window.Limit))
	c.Header(headerRemaining, strconv.Itoa(window.Left()))
	c.Header(headerReset, strconv.Itoa(int(math.Ceil(window.Reset.Seconds()))))
	c.Header(headerWindow, window.Name)
}
