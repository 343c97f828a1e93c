package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/tracing"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/feeds"
	"github.com/freelancer-matching/service/server/api/interviews"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/loads"
	"github.com/freelancer-matching/service/server/api/matches"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/records"
	"github.com/freelancer-matching/service/server/api/saved"
	"github.com/freelancer-matching/service/server/mcp"
)

const (
	basePath      = "/api/v1"
	dashboardPath = "/dashboard"
	livePath      = "/livez"
	readyPath     = "/readyz"
	uploadsPage   = "/data/uploads" // below dashboardPath, with the form of a file to load
)

// Dependencies holds everything that the server uses. All fields are required, except those for operations that are
// never requested.
type Dependencies struct {
	Matcher     matches.Matcher
	Explainer   matches.Explainer
	Teams       matches.TeamFinder
	Verifier    Verifier
	Interviewer interviews.Interviewer
	Interviews  interviews.Records
	Health      Health
	Keys        Keys
	Generator   Generator
	Parser      Parser
	Documents   matches.TextReader
	Events      matches.Events
	Freelancers records.Freelancers
	Mappings    records.Mappings
	Loads       loads.Loads
	Feed        feeds.Feed
	Webhooks    feeds.Endpoints
	Briefs      saved.Briefs
	BriefRanker *briefs.Ranker
	Quota       limits.Quota
	// QuotaUsed is called after requests of limited plans with what is used of the quota of 30 days; nil for nothing.
	QuotaUsed func(caller *endpoint.Caller, month quota.Span)
	// BrowserTokens seals the tokens of web pages, and Visitors counts the requests of their visitors.
	BrowserTokens *browsertoken.Sealer
	Visitors      limits.Quota
	// Sandbox returns what the operations of test keys use instead. It waits until that is ready, and returns the same
	// each time. nil: test keys are refused.
	Sandbox   func(ctx context.Context) (*Dependencies, error)
	Views     limits.ViewCounter
	Changes   limits.ChangeCounter
	Guard     Guard
	Usage     Usage
	Recorder  Recorder // of the request logs of accounts; nil for none
	Metrics   Metrics
	Log       *slog.Logger
	Tracer    *tracing.Tracer  // nil: requests are not traced
	Now       func() time.Time // the clock of keys, records and durations; default: time.Now
	PublicURL *url.URL         // scheme and host of links for candidates
	Version   string           // of the program, for agents

	RequestTimeout time.Duration  // for a whole request; for each chunk of test data; not for interviews
	MaxMatches     int            // concurrent matches
	MaxParses      int            // concurrent resume parses
	ScanTime       time.Duration  // additional time for a document whose text must be recognized in pictures
	MaxInterviews  int            // concurrent interviews, including open streams
	AdmissionWait  time.Duration  // how long a request over these limits waits before it gets 503
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For header is trusted

	ServesHost func(host string) bool // accepts the Host header of a request; nil accepts every host
	HTTPSOnly  func(host string) bool // whether browsers should use https for a host; nil for none
}

// Usage records requests for the owners of their keys.
type Usage interface {
	Record(r usage.Request)
}

// Metrics counts requests for operators.
type Metrics interface {
	// Answered counts a request. The plan is "" without a valid key, and the code is "" without an error.
	Answered(operation, plan string, status int, code string, took time.Duration)
	FailedAuthentication()
	matches.BatchMetrics
	limits.ViewMetrics
	records.Metrics
	admission.Observer
}

// A Server handles the HTTP requests of the REST API.
type Server struct {
	deps     Dependencies
	gates    gates
	errors   *endpoint.Errors
	requests *limits.Requests
	agents   *mcp.Tools
	// operations has the name of each operation by the method and path of its route.
	operations map[string]string
	draining   atomic.Bool
	sandbox    atomic.Pointer[sandbox] // nil before the first request of a test key

	unknownHost, untrustedProxy rareWarning
	engine                      *gin.Engine
}

// New returns a server that does not listen yet: the caller serves its Handler.
func New(d Dependencies) *Server {
	if d.Now == nil {
		d.Now = time.Now
	}
	s := &Server{
		deps: d, operations: map[string]string{}, gates: newGates(&d), errors: endpoint.NewErrors(d.Log),
		requests: &limits.Requests{Quota: d.Quota, Log: d.Log, Used: d.QuotaUsed}, agents: mcp.New(d.Version, d.Log),
	}
	limits.CountViewsFromZero(d.Metrics)
	s.engine = s.routes()
	return s
}

// Handler returns the handler of all routes.
func (s *Server) Handler() http.Handler { return compress(s.engine) }

// Mount serves the dashboard with h, which receives whole paths and may call Address. Browsers that open / are
// redirected to the dashboard. Mount must be called before the first request.
func (s *Server) Mount(h http.Handler) {
	s.mount(dashboardPath, h)
	s.engine.NoRoute(func(c *gin.Context) {
		if opensRoot(c.Request) {
			c.Header("Vary", "Accept")
			c.Redirect(http.StatusSeeOther, dashboardPath)
			return
		}
		serve(notFound)(c)
	})
}

// opensRoot reports whether a browser opens the server's address without a path. API clients don't ask for HTML.
func opensRoot(r *http.Request) bool {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return reads && r.URL.Path == "/" && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// MountCandidate serves the pages for candidates with h, like Mount.
func (s *Server) MountCandidate(h http.Handler) { s.mount(interviews.CandidatePath, h) }

// sharedPath is the path of the pages that need no more than a link; see package sharing.
const sharedPath = "/shared"

// MountShared serves the pages of projects for clients with h, like Mount.
func (s *Server) MountShared(h http.Handler) { s.mount(sharedPath, h) }

func (s *Server) mount(path string, h http.Handler) {
	page := func(c *gin.Context) {
		ctx := context.WithValue(c.Request.Context(), addressKey{}, callOf(c).Client)
		h.ServeHTTP(c.Writer, c.Request.WithContext(ctx))
	}
	s.engine.Any(path, s.limitPageTime, page)
	s.engine.Any(path+"/*page", s.limitPageTime, page)
}

// limitPageTime gives a form with a file as much time to arrive as /parse does, and an interview in the playground as
// much time as /interview, as well as a candidate's answer.
func (s *Server) limitPageTime(c *gin.Context) {
	limit := s.deps.RequestTimeout
	answers := c.Request.Method == http.MethodPost && strings.HasPrefix(c.FullPath(), interviews.CandidatePath+"/")
	switch {
	case c.Param("page") == uploadsPage:
		limit = loads.UploadTime
	case c.ContentType() == "multipart/form-data":
		limit += receive.UploadPace().Total + s.deps.ScanTime
	case c.Param("page") == "/playground/interview", answers:
		limit = max(limit, interviews.InterviewTime)
	}
	limitTime(limit)(c)
}

// Drain makes /readyz fail, so that load balancers send no new requests during a shutdown. Other routes still respond,
// and every response asks the client to close its connection.
func (s *Server) Drain() { s.draining.Store(true) }
