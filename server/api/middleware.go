package api

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/usage"
	"freelancer-matching/internal/matching"
)

// The headers of the interface.
const (
	headerRequestID = "X-Request-Id"
	headerSeed      = "X-Seed"
)

// What middleware leaves in the context for those after it.
const (
	contextRequestID = "request_id"
	contextStart     = "start"
	contextKey       = "key"    // an apikey.Key, once it is known
	contextCode      = "code"   // error.code of the answer
	contextUpload    = "upload" // an upload, where the route brings one
)

// identify gives every request an id: the client's, where it is well formed, or a new one.
func (s *Server) identify(c *gin.Context) {
	id := c.GetHeader(headerRequestID)
	if !wellFormedID(id) {
		id = strings.ToLower(rand.Text())
	}
	c.Set(contextRequestID, id)
	c.Set(contextStart, time.Now())
	c.Header(headerRequestID, id)
	c.Next()
}

// wellFormedID reports whether an id has 1 to 128 letters, digits, dots, underscores and hyphens, so that it can stand
// in a log and in a header as it is.
func wellFormedID(id string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return id != "" && len(id) <= 128 && strings.Trim(id, allowed) == ""
}

func requestID(c *gin.Context) string { return c.GetString(contextRequestID) }

// operationOf is the last part of the route, such as match; "unknown" for an address that has none.
func operationOf(c *gin.Context) string {
	switch route := c.FullPath(); {
	case route == "":
		return "unknown"
	case strings.HasPrefix(route, dashboardPath):
		return "dashboard"
	default:
		return path.Base(route)
	}
}

// tookMS is the time since the request began, in milliseconds to the hundredth.
func tookMS(c *gin.Context) float64 {
	return math.Round(float64(time.Since(c.GetTime(contextStart)).Microseconds())/10) / 100
}

// recoverPanics answers a panic like any other internal error. Where the answer has begun, the connection is cut.
func (s *Server) recoverPanics(c *gin.Context) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(cause)
		}
		s.deps.Log.LogAttrs(c.Request.Context(), slog.LevelError, "panic", slog.String("request_id", requestID(c)),
			slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
		s.writeError(c, errors.New("panic"))
	}()
	c.Next()
}

// observe writes a line to the log for each request, without bodies, queries or keys, and counts it, for operators and for
// the owner of the key.
func (s *Server) observe(c *gin.Context) {
	status := http.StatusInternalServerError // of a handler that panics: recoverPanics, around this, answers it
	defer func() {
		key, start := keyOf(c), c.GetTime(contextStart)
		s.deps.Metrics.Answered(operationOf(c), status, time.Since(start))
		if key.ID != "" {
			s.deps.Usage.Record(usage.Request{
				Key: key.ID, At: start, RequestID: requestID(c), Operation: operationOf(c), Status: status,
				Code: c.GetString(contextCode), Refused: status == http.StatusUnauthorized,
			})
		}
		s.deps.Log.LogAttrs(c.Request.Context(), slog.LevelInfo, "request",
			slog.String("request_id", requestID(c)),
			slog.String("method", c.Request.Method),
			slog.String("route", c.FullPath()),
			slog.Int("status", status),
			slog.Duration("duration", time.Since(start)),
			slog.Int("bytes", max(0, c.Writer.Size())),
			slog.String("key", key.ID))
	}()
	c.Next()
	status = c.Writer.Status()
}

// limitTime gives everything that a request asks for outside a common deadline.
func limitTime(limit time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		ctx, cancel := context.WithTimeout(c.Request.Context(), limit)
		outer := c.Request
		defer func() {
			cancel()
			c.Request = outer // so that writeErrors tells a client that left from a deadline that passed
		}()
		c.Request = outer.WithContext(ctx)
		c.Next()
	}
}

func limitBody(c *gin.Context) {
	if c.Request.ContentLength > maxBody {
		fail(c, errTooLarge(maxBody)) // before a byte of it is read
		return
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxBody)
	c.Next()
}

// gate lets a number of requests through at once. One more waits, up to a bound.
type gate struct {
	slots chan struct{}
	wait  time.Duration
}

func newGate(n int, wait time.Duration) *gate {
	return &gate{slots: make(chan struct{}, n), wait: wait}
}

// enter waits for a free place, which must be left again.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(g.wait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return &matching.Error{
			Code: matching.CodeOverloaded, Message: "too many requests are under way, try again shortly",
			RetryAfter: max(g.wait, time.Second),
		}
	}
}

func (g *gate) leave() { <-g.slots }

// admit lets requests through g; nil: all of them.
func (s *Server) admit(g *gate) gin.HandlerFunc {
	return func(c *gin.Context) {
		if g == nil {
			c.Next()
			return
		}
		if err := g.enter(c.Request.Context()); err != nil {
			s.refuse(c, err)
			return
		}
		defer g.leave()
		c.Next()
	}
}
