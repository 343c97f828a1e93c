package api

import (
	"context"
	"slices"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/server/api/endpoint"
)

// testOperations returns the operations that test keys may call. Their handlers use Dependencies.Sandbox, which has no
// way to the service's own data. All other operations are refused, a new one until it is listed here.
func testOperations() []string {
	return []string{
		"health", "me", "verify-skill", "generate-test-data", "parse", "parse-json-resume", "browser-token", "mcp",
		"match", "match-batch", "match-document", "match-explain", "freelancer-similar", "teams", "events",
		"freelancer-get", "freelancer-list",
		"interview", "interview-stream", "interview-list", "interview-export", "interview-delete-all", "interview-get",
		"interview-delete", "interview-review",
	}
}

// allowsTest returns an error unless test keys may call the operation of the route.
func (r *route) allowsTest() error {
	if slices.Contains(testOperations(), r.operation()) {
		return nil
	}
	return apikey.ErrTestKey(r.operation())
}

// A sandbox has the handlers of test keys by the method and path of their routes.
type sandbox struct{ handlers map[string]endpoint.Handler }

// serveCaller runs the handler of a route: that of the sandbox for a test key, and the route's own for all others.
func (s *Server) serveCaller(r route) gin.HandlerFunc {
	own := serve(r.handle)
	return func(c *gin.Context) {
		if !callOf(c).Caller.Key.Test() {
			own(c)
			return
		}

		box, err := s.openSandbox(c.Request.Context())
		if err != nil {
			fail(c, err)
			return
		}
		handle := box.handlers[r.method+" "+r.path]
		if handle == nil {
			fail(c, apikey.ErrTestKey(r.operation()))
			return
		}
		serve(handle)(c)
	}
}

// openSandbox returns the sandbox, which it opens for the first test key.
func (s *Server) openSandbox(ctx context.Context) (*sandbox, error) {
	if box := s.sandbox.Load(); box != nil {
		return box, nil
	}
	if s.deps.Sandbox == nil {
		return &sandbox{}, nil
	}
	d, err := s.deps.Sandbox(ctx)
	if err != nil {
		return nil, err
	}

	// The middleware of all routes is the live server's: authentication, gates, limits, usage and metrics know a test key
	// by its own counter and plan. The handlers get the parts of the sandbox and nothing else.
	inner := &Server{
		deps: *d, gates: s.gates, errors: s.errors, requests: s.requests, agents: s.agents, engine: s.engine,
	}
	box := &sandbox{handlers: map[string]endpoint.Handler{}}
	for _, r := range slices.Concat(inner.keyRoutes(), inner.agentRoutes()) {
		if r.allowsTest() == nil {
			box.handlers[r.method+" "+r.path] = r.handle
		}
	}
	s.sandbox.Store(box)
	return box, nil
}
