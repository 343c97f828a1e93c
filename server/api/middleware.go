package api

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/interviews"
	"github.com/freelancer-matching/service/server/api/receive"
)

// The headers of requests and responses.
const (
	headerRequestID = "X-Request-Id"
	headerSeed      = "X-Seed"
	headerTestMode  = "X-Test-Mode" // true in responses to test keys
)

// The keys under which middleware stores values in gin's context.
const (
	contextCall = "call" // the *endpoint.Call
	// contextConnection stores the request's context before limitTime changes it.
	contextConnection = "connection"
)

// identify creates the call of a request. Its ID is the client's if it is well formed, or else a new one.
func (s *Server) identify(c *gin.Context) {
	id := c.GetHeader(headerRequestID)
	if !wellFormedID(id) {
		id = strings.ToLower(rand.Text())
	}

	c.Set(contextCall, &endpoint.Call{
		ID: id, Start: s.deps.Now(), Now: s.deps.Now, Operation: s.operationOf(c), Client: clientAddress(c),
		Request: c.Request, Response: c.Writer, Params: c.Params, Errors: s.errors,
	})
	c.Header(headerRequestID, id)
	c.Next()
}

// callOf returns the call of a request.
func callOf(c *gin.Context) *endpoint.Call {
	return c.MustGet(contextCall).(*endpoint.Call) //nolint:forcetypeassert // set by identify
}

// wellFormedID reports whether id consists of 1 to 128 ASCII letters, digits, dots, underscores and hyphens, so that it
// is safe in logs and headers.
func wellFormedID(id string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	return id != "" && len(id) <= 128 && strings.Trim(id, allowed) == ""
}

// operationOf returns the name of the route's operation, such as match, or "unknown" if no route matches.
func (s *Server) operationOf(c *gin.Context) string {
	route := c.FullPath()
	if name := s.operations[c.Request.Method+" "+route]; name != "" {
		return name
	}
	if strings.HasPrefix(route, dashboardPath) {
		return "dashboard"
	}
	if strings.HasPrefix(route, interviews.CandidatePath) {
		return "candidate"
	}
	if strings.HasPrefix(route, sharedPath) {
		return "shared"
	}
	return "unknown"
}

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

		call := callOf(c)
		s.deps.Log.LogAttrs(c.Request.Context(), slog.LevelError, "panic", slog.String("request_id", call.ID),
			slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
		call.WriteError(c.Request.Context(), errors.New("panic"))
	}()
	c.Next()
}

// observe logs every request, with the client's address but without its body, query and key, and counts it in the
// metrics, in the usage of the key, and in the request log of its account.
func (s *Server) observe(c *gin.Context) {
	call := callOf(c)
	copied := s.capture(c, call)

	// If the handler panics, recoverPanics writes the response later.
	status := http.StatusInternalServerError
	code := matching.CodeInternal
	defer func() {
		key := &call.Caller.Key
		took := call.Took()
		s.deps.Metrics.Answered(call.Operation, key.Plan, status, string(code), took)

		if key.ID != "" && !call.PerPart {
			s.deps.Usage.Record(call.Usage(status, code))
		}
		s.record(c, call, copied, status)

		s.deps.Log.LogAttrs(c.Request.Context(), slog.LevelInfo, "request",
			slog.String("request_id", call.ID),
			slog.String("method", c.Request.Method),
			slog.String("route", c.FullPath()),
			slog.Int("status", status),
			slog.Duration("duration", took),
			slog.Int("bytes", max(0, c.Writer.Size())),
			slog.String("key", key.ID),
			slog.String("client", endpoint.AddressText(call.Client)))
	}()

	c.Next()
	status = c.Writer.Status()
	code = call.Code

	if call.ClientGone {
		status = statusClientGone
	}
}

// statusClientGone is the status in the access log when the client left before the end of a stream, or read it too
// slowly. It is never sent.
const statusClientGone = 499

// writeErrors responds to every request whose handler or middleware failed.
func (s *Server) writeErrors(c *gin.Context) {
	c.Next()
	if last := c.Errors.Last(); last != nil {
		callOf(c).WriteError(c.Request.Context(), last.Err)
	}
}

// limitTime sets the deadline of everything that handles the request from here on, in place of an earlier deadline.
//
// A disconnect cancels nothing. net/http reports a disconnect both when a client leaves and when it closes only its
// sending side after a complete request, and then waits for the response. Deadlines, gates and limits bound the work
// instead; package interviews has the exception.
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
	if c.Request.ContentLength > receive.MaxJSON {
		fail(c, receive.TooLarge(receive.MaxJSON)) // without reading the body
		return
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, receive.MaxJSON)
	c.Next()
}

// admit runs the request once it has entered g. The body, which is complete, returns its slot for receiving then. A
// request with an invalid body only gets an error response, for which it needs no slot.
func (s *Server) admit(g *admission.Gate) gin.HandlerFunc {
	return func(c *gin.Context) {
		call := callOf(c)
		if call.Body.Err == nil {
			leave, err := g.Enter(c.Request.Context(), call.Caller.Account)
			if err != nil {
				s.refuse(c, err)
				return
			}
			defer leave()
		}

		if call.Body.Release != nil {
			call.Body.Release()
		}
		c.Next()
	}
}

// checkLimits rejects a request if the key's limits are used up, without counting it.
func (s *Server) checkLimits(c *gin.Context) {
	continueUnless(c, s.requests.Check(c.Request.Context(), callOf(c), 1))
}

// charge counts the request against the key's limits, and rejects it if they are used up.
func (s *Server) charge(c *gin.Context) {
	continueUnless(c, s.requests.Take(c.Request.Context(), callOf(c)))
}

func continueUnless(c *gin.Context, err error) {
	if err != nil {
		fail(c, err)
		return
	}
	c.Next()
}

// reportLimits sets the limit headers for an operation that does not count.
func (s *Server) reportLimits(c *gin.Context) {
	s.requests.Describe(c.Request.Context(), callOf(c))
	c.Next()
}

// refuse rejects a request without counting it, and sets the limit headers.
func (s *Server) refuse(c *gin.Context, err error) {
	s.requests.Describe(c.Request.Context(), callOf(c))
	fail(c, err)
}

// serve runs a handler.
func serve(h endpoint.Handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		call := callOf(c)
		call.Request = c.Request // middleware has given it other contexts and bodies
		if connection, found := c.Get(contextConnection); found {
			call.Closed = connection.(context.Context).Done() //nolint:forcetypeassert // set by limitTime
		}
		if err := h(c.Request.Context(), call); err != nil {
			fail(c, err)
		}
	}
}

// fail stops handling the request and leaves the error to writeErrors.
func fail(c *gin.Context, err error) {
	_ = c.Error(err) // returns what it was given
	c.Abort()
}
