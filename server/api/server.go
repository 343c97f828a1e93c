package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/usage"
	"freelancer-matching/internal/matching"
)

const (
	basePath      = "/api/v1"
	dashboardPath = "/dashboard"
	maxBody       = 1 << 20 // bytes of a JSON body
	jsonType      = "application/json; charset=utf-8"
)

// Dependencies is everything that the server works with. All of it is required.
type Dependencies struct {
	Matcher     Matcher
	Verifier    Verifier
	Interviewer Interviewer
	Health      Health
	Keys        Keys
	Generator   Generator
	Parser      Parser
	Quota       Quota
	Guard       Guard
	Usage       Usage
	Metrics     Metrics
	Log         *slog.Logger

	RequestTimeout time.Duration  // for one request but an interview, from its beginning to its answer; for test data, for each part of it
	MaxMatches     int            // briefs answered at once
	MaxParses      int            // resumes read at once
	MaxInterviews  int            // interviews conducted at once, open streams included
	AdmissionWait  time.Duration  // how long one more of any of these waits for its turn before it is refused with 503
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed
}

// Usage notes requests for the owners of their keys.
type Usage interface {
	Record(r usage.Request)
}

// Metrics counts requests for operators.
type Metrics interface {
	Answered(operation string, status int, took time.Duration)
	FailedAuthentication()
}

// Server is the HTTP interface.
type Server struct {
	deps       Dependencies
	matches    *gate
	parses     *gate
	uploads    *gate
	interviews *gate
	statuses   map[matching.Code]int
	draining   atomic.Bool
	engine     *gin.Engine
}

// New makes the server. It does not listen: main and tests each serve its Handler their own way.
func New(d Dependencies) *Server {
	s := &Server{
		deps: d, statuses: statuses(), matches: newGate(d.MaxMatches, d.AdmissionWait),
		parses: newGate(d.MaxParses, d.AdmissionWait), uploads: newGate(maxUploads, d.AdmissionWait),
		interviews: newGate(d.MaxInterviews, d.AdmissionWait),
	}
	s.engine = s.routes()
	return s
}

// Handler serves every route.
func (s *Server) Handler() http.Handler { return s.engine }

// Mount serves the dashboard with h, which is given whole paths, and Address for its requests. It must be called before the
// first request.
func (s *Server) Mount(h http.Handler) {
	page := func(c *gin.Context) {
		ctx := context.WithValue(c.Request.Context(), addressOf{}, clientAddress(c))
		h.ServeHTTP(c.Writer, c.Request.WithContext(ctx))
	}
	s.engine.Any(dashboardPath, s.limitPage, page)
	s.engine.Any(dashboardPath+"/*page", s.limitPage, page)
}

// limitPage gives a form with a file as long to arrive as the same file has at /parse.
func (s *Server) limitPage(c *gin.Context) {
	limit := s.deps.RequestTimeout
	if c.ContentType() == "multipart/form-data" {
		limit += uploadTime
	}
	limitTime(limit)(c)
}

// Drain makes /readyz fail, so that no new requests are sent here while those under way end. Everything else goes on.
func (s *Server) Drain() { s.draining.Store(true) }

// handler does the work of one route. An error that it returns is written by writeErrors.
type handler func(c *gin.Context) error

// route is one operation. The path is as in openapi.yaml.
type route struct {
	method, path string
	handle       handler
	admission    *gate         // bounds how many run at once; nil: no bound
	free         bool          // takes nothing from what the key may use
	upload       bool          // brings a file
	time         time.Duration // that a request may take; 0: RequestTimeout
}

// publicRoutes need no key.
func (s *Server) publicRoutes() []route {
	return []route{
		{method: http.MethodGet, path: "/livez", handle: s.live, free: true},
		{method: http.MethodGet, path: "/readyz", handle: s.ready, free: true},
		{method: http.MethodGet, path: "/openapi.yaml", handle: s.specification, free: true},
	}
}

// keyRoutes need a key.
func (s *Server) keyRoutes() []route {
	return []route{
		{method: http.MethodGet, path: basePath + "/health", handle: s.health, free: true},
		{method: http.MethodPost, path: basePath + "/match", handle: s.match, admission: s.matches},
		{method: http.MethodPost, path: basePath + "/verify-skill", handle: s.verifySkill},
		{method: http.MethodGet, path: basePath + "/generate-test-data", handle: s.generateTestData},
		{method: http.MethodPost, path: basePath + "/parse", handle: s.parse, admission: s.parses, upload: true},
		{method: http.MethodPost, path: basePath + "/interview", handle: s.interview, admission: s.interviews, time: InterviewTime},
		{method: http.MethodDelete, path: basePath + "/interview", handle: s.deleteInterview},
	}
}

// routes puts routes and middleware together. What refuses a request stands before what charges for it; a body is looked at
// after.
func (s *Server) routes() *gin.Engine {
	gin.SetMode(gin.ReleaseMode) // otherwise gin writes its routes to standard output
	e := gin.New()
	var proxies []string
	for _, p := range s.deps.TrustedProxies {
		proxies = append(proxies, p.String())
	}
	_ = e.SetTrustedProxies(proxies) // fails only for a proxy that cannot be parsed
	// Not X-Real-IP too: a proxy that knows nothing of it lets a client's own through.
	e.RemoteIPHeaders = []string{"X-Forwarded-For"}
	e.RedirectTrailingSlash = false
	e.HandleMethodNotAllowed = true
	e.Use(s.identify, s.recoverPanics, s.observe, s.writeErrors)
	e.NoRoute(failing(notFound))
	e.NoMethod(failing(methodNotAllowed))
	for _, r := range s.publicRoutes() {
		e.Handle(r.method, r.path, limitTime(s.deps.RequestTimeout), limitBody, failing(r.handle))
	}
	for _, r := range s.keyRoutes() {
		charge := s.charge
		if r.free {
			charge = s.peek
		}
		if r.upload {
			e.Handle(r.method, r.path, limitTime(s.deps.RequestTimeout+uploadTime), s.authenticate, s.permit,
				s.admit(s.uploads), receive, s.admit(r.admission), charge, failing(r.handle))
			continue
		}
		e.Handle(r.method, r.path, limitTime(cmp.Or(r.time, s.deps.RequestTimeout)), s.authenticate, s.permit,
			s.admit(r.admission), charge, limitBody, failing(r.handle))
	}
	return e
}

// failing makes a gin handler of h.
func failing(h handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(c); err != nil {
			fail(c, err)
		}
	}
}

// fail ends a request with an error.
func fail(c *gin.Context, err error) {
	_ = c.Error(err) // returns what it was given
	c.Abort()
}

func notFound(c *gin.Context) error {
	return &matching.Error{
		Code: matching.CodeNotFound, Message: "there is nothing at " + shown(c.Request.URL.Path) + ", see /openapi.yaml for what there is",
	}
}

func methodNotAllowed(c *gin.Context) error {
	return &matching.Error{
		Code:    CodeMethodNotAllowed,
		Message: "this address does not answer " + shown(c.Request.Method) + ", use " + c.Writer.Header().Get("Allow"),
	}
}

// writeJSON answers with v. It is encoded before anything is sent, so that a failure can still be answered as one.
func writeJSON(c *gin.Context, status int, contentType string, v any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	c.Header("Content-Type", contentType)
	c.Header("Content-Length", strconv.Itoa(body.Len()))
	c.Status(status)
	_, _ = c.Writer.Write(body.Bytes()) // the client has gone; the access log tells the bytes sent
	return nil
}
