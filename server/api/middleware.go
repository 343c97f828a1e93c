package api

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/usage"
	"freelancer-matching/internal/admission"
	"freelancer-matching/internal/matching"
)

// The headers of requests and responses.
const (
	headerRequestID = "X-Request-Id"
	headerSeed      = "X-Seed"
)

// The keys under which middleware stores values in the request's context.
const (
	contextRequestID = "request_id"
	contextStart     = "start"
	contextKey       = "key"  // the apikey.Key, if authentication found one
	contextCode      = "code" // error.code of the response
	contextBody      = "body" // what receive has read
	contextGone      = "gone" // whether the client left
	// contextBriefs stores whether the handler records the usage of each brief, in place of one request.
	contextBriefs = "briefs"
	// contextConnection stores the request's context before limitTime changes it.
	contextConnection = "connection"
)

// identify assigns the request ID: the client's if it is well formed, or else a new one.
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

// wellFormedID reports whether id consists of 1 to 128 ASCII letters, digits, dots, underscores and hyphens, so that it
// is safe in logs and headers.
func wellFormedID(id string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return id != "" && len(id) <= 128 && strings.Trim(id, allowed) == ""
}

func requestID(c *gin.Context) string { return c.GetString(contextRequestID) }

// operationOf returns the name of the route's operation, such as match, or "unknown" if no route matches.
func (s *Server) operationOf(c *gin.Context) string {
	route := c.FullPath()
	if name := s.operations[c.Request.Method+" "+route]; name != "" {
		return name
	}
	if strings.HasPrefix(route, dashboardPath) {
		return "dashboard"
	}
	if strings.HasPrefix(route, candidatePath) {
		return "candidate"
	}
	return "unknown"
}

// tookMS returns the time since the request started, in milliseconds with two decimals.
func tookMS(c *gin.Context) float64 { return milliseconds(time.Since(c.GetTime(contextStart))) }

// milliseconds returns a duration in milliseconds with two decimals.
func milliseconds(d time.Duration) float64 { return math.Round(float64(d.Microseconds())/10) / 100 }

// recoverPanics responds to a panic as to any internal error. If the response has begun, it cuts the connection.
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

// observe logs every request, with the client's address but without its body, query and key, and counts it in the
// metrics and in the usage of the key.
func (s *Server) observe(c *gin.Context) {
	// If the handler panics, recoverPanics writes the response later.
	status := http.StatusInternalServerError
	code := string(matching.CodeInternal)
	defer func() {
		key := keyOf(c)
		start := c.GetTime(contextStart)
		s.deps.Metrics.Answered(s.operationOf(c), key.Plan, status, code, time.Since(start))

		if key.ID != "" && !c.GetBool(contextBriefs) {
			s.recordUsage(c, exchangeOf(c), status, code)
		}

		s.deps.Log.LogAttrs(c.Request.Context(), slog.LevelInfo, "request",
			slog.String("request_id", requestID(c)),
			slog.String("method", c.Request.Method),
			slog.String("route", c.FullPath()),
			slog.Int("status", status),
			slog.Duration("duration", time.Since(start)),
			slog.Int("bytes", max(0, c.Writer.Size())),
			slog.String("key", key.ID),
			slog.String("client", clientText(c)))
	}()

	c.Next()
	status = c.Writer.Status()
	code = c.GetString(contextCode)

	if c.GetBool(contextGone) {
		status = statusClientGone
	}
}

// recordUsage records a request, or one brief of a batch, for the owner of the key.
func (s *Server) recordUsage(c *gin.Context, x exchange, status int, code string) {
	s.deps.Usage.Record(usage.Request{
		Key: keyOf(c).ID, At: x.start, Address: requester(c), RequestID: x.id, Operation: s.operationOf(c), Status: status,
		Code: code, Took: time.Since(x.start), Refused: status == http.StatusUnauthorized,
	})
}

// limitTime sets the deadline of everything that handles the request from here on, in place of an earlier deadline.
//
// A disconnect cancels nothing. net/http reports a disconnect both when a client leaves and when it closes only its
// sending side after a complete request, and then waits for the response. Deadlines, gates and limits bound the work
// instead; see streamInterview for the exception.
func limitTime(limit time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		outer := c.Request
		if _, found := c.Get(contextConnection); !found {
			c.Set(contextConnection, outer.Context())
		}
		connection := connectionOf(c)
		end := time.Now().Add(limit)
		if d, bounded := connection.Deadline(); bounded && d.Before(end) { // of the page that calls ServeAs
			end = d
		}
		ctx, cancel := context.WithDeadline(context.WithoutCancel(connection), end)
		defer func() {
			cancel()
			c.Request = outer
		}()
		c.Request = outer.WithContext(ctx)
		c.Next()
	}
}

// connectionOf returns the context that ends when the client closes its side of the connection.
func connectionOf(c *gin.Context) context.Context {
	return c.MustGet(contextConnection).(context.Context) //nolint:forcetypeassert // set by limitTime
}

func limitBody(c *gin.Context) {
	if c.Request.ContentLength > maxBody {
		fail(c, errTooLarge(maxBody)) // without reading the body
		return
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxBody)
	c.Next()
}

// admit runs the request once it has entered g. The body, which is complete, returns its slot for receiving then. A
// request with an invalid body only gets an error response, for which it needs no slot.
func (s *Server) admit(g *admission.Gate) gin.HandlerFunc {
	return func(c *gin.Context) {
		body := bodyOf(c)
		if body.err == nil {
			leave, err := g.Enter(c.Request.Context(), ownerOf(keyOf(c)))
			if err != nil {
				s.refuse(c, err)
				return
			}
			defer leave()
		}
		if body.release != nil {
			body.release()
		}
		c.Next()
	}
}
