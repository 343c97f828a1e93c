package testmode

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/server/api/endpoint"
)

const (
	headerMode      = "X-Test-Mode"
	headerRequestID = "X-Request-Id"
	controlPath     = "/test"
)

// Handler returns the handler of the server and of the operations under /test.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(headerMode, "true")
	w.Header().Set("Date", s.clock.now().Format(http.TimeFormat))

	isControl := r.URL.Path == controlPath || strings.HasPrefix(r.URL.Path, controlPath+"/")
	if isControl {
		s.control.ServeHTTP(w, r)
		return
	}

	s.mu.RLock()
	defer s.mu.RUnlock()

	// A reset that failed leaves no server.
	if s.app == nil {
		http.Error(w, "Test mode has no server; see its log.", http.StatusServiceUnavailable)
		return
	}

	if s.number(r) && s.fail(w, r) {
		return
	}
	s.app.Handler().ServeHTTP(w, withQuota(r))
}

// number gives a request its ID and its random numbers, which follow from its place among all requests. Health checks
// come as often as the machine is slow, so they don't count, and number returns false.
func (s *Server) number(r *http.Request) bool {
	id := "test-health"
	isHealthCheck := r.URL.Path == "/livez" || r.URL.Path == "/readyz" || r.URL.Path == "/api/v1/health"
	if !isHealthCheck {
		n := atomic.AddUint64(&s.calls, 1)
		s.random.restart(n)
		id = fmt.Sprintf("test-%06d", n)
	}

	if r.Header.Get(headerRequestID) == "" {
		r.Header.Set(headerRequestID, id)
	}
	return !isHealthCheck
}

// newEngine returns an engine whose handlers get a call.
func (s *Server) newEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode) // keeps gin from printing its routes
	e := gin.New()
	e.HandleMethodNotAllowed = true
	return e
}

// handle adapts a handler of the operations under /test.
func (s *Server) handle(h endpoint.Handler) gin.HandlerFunc {
	errors := endpoint.NewErrors(s.log)
	return func(c *gin.Context) {
		start := s.clock.now() // moving the clock takes no time
		call := &endpoint.Call{
			ID: c.GetHeader(headerRequestID), Start: start, Now: func() time.Time { return start }, Request: c.Request,
			Response: c.Writer, Params: c.Params, Errors: errors,
		}
		if call.ID == "" {
			call.ID = "test-control"
		}
		c.Header(headerRequestID, call.ID)

		if err := h(c.Request.Context(), call); err != nil {
			call.WriteError(c.Request.Context(), err)
		}
	}
}

// newFailing returns a handler that responds with the error in the context of a request.
func (s *Server) newFailing() http.Handler {
	e := s.newEngine()
	e.HandleMethodNotAllowed = false
	e.NoRoute(s.handle(func(ctx context.Context, _ *endpoint.Call) error {
		err, _ := ctx.Value(failureKey{}).(error)
		return err
	}))
	return e
}
