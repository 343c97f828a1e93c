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
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/access/apikey"
	"freelancer-matching/access/usage"
	"freelancer-matching/internal/admission"
	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/tracing"
	"freelancer-matching/resume/anonymous"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

const (
	basePath      = "/api/v1"
	dashboardPath = "/dashboard"
	candidatePath = "/interview"
	livePath      = "/livez"
	readyPath     = "/readyz"
	maxBody       = 1 << 20 // bytes of a JSON body
	jsonType      = "application/json; charset=utf-8"
)

// Dependencies holds everything that the server uses. All fields are required, except those for operations that are
// never requested.
type Dependencies struct {
	Matcher     Matcher
	Explainer   Explainer
	Verifier    Verifier
	Interviewer Interviewer
	Interviews  InterviewRecords
	Health      Health
	Keys        Keys
	Generator   Generator
	Parser      Parser
	Documents   Documents
	Events      Events
	Freelancers Freelancers
	Quota       Quota
	Views       Views
	Changes     Changes
	Guard       Guard
	Usage       Usage
	Metrics     Metrics
	Log         *slog.Logger
	Tracer      *tracing.Tracer // nil: requests are not traced
	PublicURL   *url.URL        // scheme and host of links for candidates

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
	// BriefAnswered counts a brief of a batch. The code is "" without an error.
	BriefAnswered(code string)
	// Viewed counts freelancers in responses to keys of a plan, by outcome: new, repeated, unlimited or refused.
	Viewed(plan, outcome string, freelancers int)
	// Changed counts a change of a freelancer: created, replaced, patched, unchanged, deleted or failed.
	Changed(outcome string)
	admission.Observer
}

// A Server handles the HTTP requests of the REST API.
type Server struct {
	deps     Dependencies
	gates    gates
	statuses map[matching.Code]int
	// operations has the name of each operation by the method and path of its route.
	operations map[string]string
	draining   atomic.Bool

	anonymizer                  *anonymous.Redactor
	unknownHost, untrustedProxy rareWarning
	engine                      *gin.Engine
}

// The gates share the server among accounts, so that no account can keep the others from being served.
type gates struct {
	smallBodies, largeBodies, batchBodies, uploads *admission.Gate // for receiving
	// For running. A batch also takes a slot for matches while it runs one of its briefs.
	matches, batches, parses, interviews, generations, exports, changes, bulks, other *admission.Gate
}

const (
	// maxGenerations limits concurrent streams of test data, which last as long as their clients take to read them.
	maxGenerations        = 32
	maxAccountGenerations = 8
	// maxOther limits the other concurrent requests, which need little but may wait for a language model.
	maxOther             = 256
	maxAccountOther      = 32
	maxAccountInterviews = 32
	// maxChanges limits concurrent changes of single freelancers, which take turns at the log of the index.
	maxChanges        = 64
	maxAccountChanges = 16
)

// parseWait returns how long a file waits for a slot: half of the time that the request has. The rest is for reading
// it, which takes up to five seconds. Sending the file again would take longer than waiting, and the slots for
// receiving limit how many wait.
func (d *Dependencies) parseWait() time.Duration { return max(d.AdmissionWait, d.RequestTimeout/2) }

func newGates(d *Dependencies) gates {
	waiting := func(wait time.Duration, name string, slots, perKey int) *admission.Gate {
		return admission.NewGate(name, admission.Limits{
			Slots: slots, PerKey: perKey, Waiting: maxWaiting, Wait: wait,
		}, d.Metrics)
	}

	gate := func(name string, slots, perKey int) *admission.Gate {
		return waiting(d.AdmissionWait, name, slots, perKey)
	}

	return gates{
		smallBodies: gate("receive-json", maxSmallBodies, maxAccountSmallBodies),
		largeBodies: gate("receive-large-json", maxLargeBodies, maxAccountLargeBodies),
		batchBodies: gate("receive-batch", maxBatches, maxAccountBatches),
		uploads:     gate("receive-file", maxUploads, maxAccountUploads),
		matches:     gate("match", d.MaxMatches, 0),
		batches:     gate("match-batch", maxBatches, maxAccountBatches),
		parses:      waiting(d.parseWait(), "parse", d.MaxParses, 0),
		interviews:  gate("interview", d.MaxInterviews, min(maxAccountInterviews, admission.Share(d.MaxInterviews))),
		generations: gate("generate-test-data", maxGenerations, maxAccountGenerations),
		exports:     gate("interview-export", maxExports, maxAccountExports),
		changes:     gate("freelancer-change", maxChanges, maxAccountChanges),
		bulks:       gate("freelancer-bulk", maxBulks, maxAccountBulks),
		other:       gate("other", maxOther, maxAccountOther),
	}
}

// New returns a server that does not listen yet: the caller serves its Handler.
func New(d Dependencies) *Server {
	s := &Server{
		deps: d, statuses: statuses(), operations: map[string]string{}, gates: newGates(&d),
		anonymizer: anonymous.New(),
	}
	countViewsFromZero(d.Metrics)
	s.engine = s.routes()
	return s
}

// Handler returns the handler of all routes.
func (s *Server) Handler() http.Handler { return s.engine }

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
		handlerFunc(notFound)(c)
	})
}

// opensRoot reports whether a browser opens the server's address without a path. API clients don't ask for HTML.
func opensRoot(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.URL.Path == "/" &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

// MountCandidate serves the pages for candidates with h, like Mount.
func (s *Server) MountCandidate(h http.Handler) { s.mount(candidatePath, h) }

func (s *Server) mount(path string, h http.Handler) {
	page := func(c *gin.Context) {
		ctx := context.WithValue(c.Request.Context(), addressKey{}, clientAddress(c))
		h.ServeHTTP(c.Writer, c.Request.WithContext(ctx))
	}
	s.engine.Any(path, s.limitPageTime, page)
	s.engine.Any(path+"/*page", s.limitPageTime, page)
}

// limitPageTime gives a form with a file as much time to arrive as /parse does, and an interview in the playground as
// much time as /interview, as well as a candidate's answer.
func (s *Server) limitPageTime(c *gin.Context) {
	limit := s.deps.RequestTimeout
	switch {
	case c.ContentType() == "multipart/form-data":
		limit += uploadPace().total + s.deps.ScanTime
	case c.Param("page") == "/playground/interview",
		c.Request.Method == http.MethodPost && strings.HasPrefix(c.FullPath(), candidatePath+"/"):
		limit = max(limit, InterviewTime)
	}
	limitTime(limit)(c)
}

// Drain makes /readyz fail, so that load balancers send no new requests during a shutdown. Other routes still respond,
// and every response asks the client to close its connection.
func (s *Server) Drain() { s.draining.Store(true) }

// A handler handles the requests of one route. writeErrors writes the error that it returns.
type handler func(c *gin.Context) error

// A route is one operation, with the path of openapi.yaml.
type route struct {
	method, path string
	name         string // of the operation in metrics and usage; "" is the last segment of the path
	permission   string // that a key needs; "" is the name
	grant        string // what administrators must have granted the key, such as apikey.WriteData; "" for nothing
	handle       handler
	receive      *reception      // how the body arrives; nil for a request without a body
	streams      bool            // the handler receives the body, of any size
	gate         *admission.Gate // limits concurrent requests; nil only for free routes
	free         bool            // does not count against the key's limits
	ownCharge    bool            // the handler counts against the key's limits
	time         time.Duration   // limit from the complete body to the response; 0 means RequestTimeout
}

// operation returns the name of the route's operation.
func (r *route) operation() string { return cmp.Or(r.name, path.Base(r.path)) }

// needs returns the permission that a key needs for the route.
func (r *route) needs() string { return cmp.Or(r.permission, r.operation()) }

// publicRoutes returns the routes that need no key.
func (s *Server) publicRoutes() []route {
	return []route{
		{method: http.MethodGet, path: livePath, handle: s.live, free: true},
		{method: http.MethodGet, path: readyPath, handle: s.ready, free: true},
		{method: http.MethodGet, path: "/openapi.yaml", handle: s.specification, free: true},
	}
}

// keyRoutes returns the routes that need a key.
func (s *Server) keyRoutes() []route {
	g := &s.gates
	json := g.receiveJSON()
	file := g.receiveForm(readFile)

	return append([]route{
		{method: http.MethodGet, path: basePath + "/health", handle: s.health, free: true},
		{method: http.MethodPost, path: basePath + "/match", handle: s.match, receive: json, gate: g.matches},
		{
			method: http.MethodPost, path: basePath + "/match/batch", name: "match-batch", permission: "match",
			handle: s.matchBatch, receive: g.receiveBatch(), gate: g.batches, ownCharge: true, time: BatchTime,
		},
		{
			method: http.MethodPost, path: basePath + "/match/document", name: "match-document", permission: "match",
			handle: s.matchDocument, receive: g.receiveForm(readDocument), gate: g.parses,
			time: s.deps.RequestTimeout + s.deps.ScanTime,
		},
		{
			method: http.MethodPost, path: basePath + "/match/explain", name: "match-explain", permission: "match",
			handle: s.explain, receive: json, gate: g.matches,
		},
		{method: http.MethodPost, path: basePath + "/verify-skill", handle: s.verifySkill, receive: json, gate: g.other},
		{
			method: http.MethodGet, path: basePath + "/generate-test-data", handle: s.generateTestData,
			gate: g.generations,
		},
		{
			method: http.MethodPost, path: basePath + "/parse", handle: s.parse, receive: file, gate: g.parses,
			time: s.deps.RequestTimeout + s.deps.ScanTime,
		},
		{
			method: http.MethodPost, path: basePath + "/interview", handle: s.interview, receive: json,
			gate: g.interviews, time: InterviewTime,
		},
		{method: http.MethodPost, path: basePath + "/events", handle: s.recordEvents, receive: json, gate: g.other},
		{method: http.MethodDelete, path: basePath + "/interview", handle: s.deleteInterview, gate: g.other},
		{
			method: http.MethodPost, path: basePath + "/interviews/{id}/invitation", name: "interview-invite",
			permission: "interview", handle: s.invite, receive: json, gate: g.other,
		},
		{
			method: http.MethodDelete, path: basePath + "/interviews/{id}/invitation", name: "interview-revoke",
			permission: "interview", handle: s.revokeInvitation, gate: g.other,
		},
	}, append(s.interviewRoutes(), s.freelancerRoutes()...)...)
}

// freelancerRoutes returns the routes for single freelancers.
func (s *Server) freelancerRoutes() []route {
	const (
		all, read, write = "freelancers", apikey.ReadData, apikey.WriteData
		list             = basePath + "/freelancers"
		one              = list + "/{id}"
	)

	g := &s.gates
	patch := g.receiveJSON()
	patch.read = func(r *http.Request) (receivedBody, error) {
		text, err := readBody(r, maxBody, mergePatchType, "application/json")
		return receivedBody{data: text}, err
	}

	return []route{
		{
			method: http.MethodGet, path: list, name: "freelancer-list", permission: all, grant: read,
			handle: s.listFreelancers, gate: g.other,
		},
		{
			method: http.MethodGet, path: one, name: "freelancer-get", permission: all, grant: read,
			handle: s.getFreelancer, gate: g.other,
		},
		{
			method: http.MethodPut, path: one, name: "freelancer-put", permission: all, grant: write,
			handle: s.putFreelancer, receive: g.receiveJSON(), gate: g.changes,
		},
		{
			method: http.MethodPatch, path: one, name: "freelancer-patch", permission: all, grant: write,
			handle: s.patchFreelancer, receive: patch, gate: g.changes,
		},
		{
			method: http.MethodDelete, path: one, name: "freelancer-delete", permission: all, grant: write,
			handle: s.deleteFreelancer, gate: g.changes, time: eraseTime,
		},
		s.bulkRoute(),
		{
			method: http.MethodGet, path: one + "/similar", name: "freelancer-similar", permission: "match",
			handle: s.similar, gate: g.matches,
		},
	}
}

// bulkRoute returns the route for streams of changes.
func (s *Server) bulkRoute() route {
	return route{
		method: http.MethodPost, path: basePath + "/freelancers/bulk", name: "freelancer-bulk", permission: "freelancers",
		grant: apikey.WriteData, handle: s.changeFreelancers, streams: true, gate: s.gates.bulks, time: bulkTime,
	}
}

// routes combines the routes with their middleware. A body is received after every check that needs no body. The
// request is charged once it may run, and before its body is decoded.
func (s *Server) routes() *gin.Engine {
	gin.SetMode(gin.ReleaseMode) // keeps gin from printing its routes
	e := gin.New()
	var proxies []string
	for _, p := range s.deps.TrustedProxies {
		proxies = append(proxies, p.String())
	}

	_ = e.SetTrustedProxies(proxies) // fails only for a proxy that cannot be parsed
	// Without X-Real-IP: a proxy that doesn't set it passes on the client's own.
	e.RemoteIPHeaders = []string{"X-Forwarded-For"}
	e.RedirectTrailingSlash = false
	// An ID in a path may have encoded slashes. idOf decodes it, because gin would turn + into a space.
	e.UseRawPath = true
	e.UnescapePathValues = false
	e.HandleMethodNotAllowed = true
	e.Use(s.identify, s.trace, s.secure, s.recoverPanics, s.observe, s.writeErrors, s.checkProxy, s.checkHost)
	e.NoRoute(handlerFunc(notFound))
	e.NoMethod(handlerFunc(methodNotAllowed))

	for _, r := range s.publicRoutes() {
		s.operations[r.method+" "+r.path] = r.operation()
		e.Handle(r.method, r.path, limitTime(s.deps.RequestTimeout), limitBody, handlerFunc(r.handle))
	}

	for _, r := range s.keyRoutes() {
		path := pattern(r.path)
		s.operations[r.method+" "+path] = r.operation()
		chain := []gin.HandlerFunc{limitTime(s.deps.RequestTimeout), s.authenticate, s.permit(&r)}
		switch {
		case r.receive != nil:
			chain = append(chain, s.checkLimits, s.receive(r.receive))
		case !r.streams:
			chain = append(chain, limitBody)
		}

		chain = append(chain, limitTime(cmp.Or(r.time, s.deps.RequestTimeout)))
		switch {
		case r.free:
			chain = append(chain, s.reportLimits)
		case r.ownCharge:
			chain = append(chain, s.admit(r.gate))
		default:
			chain = append(chain, s.admit(r.gate), s.charge)
		}

		e.Handle(r.method, path, append(chain, handlerFunc(r.handle))...)
	}

	return e
}

// pattern returns the pattern of gin for a path of openapi.yaml.
func pattern(path string) string { return strings.NewReplacer("{", ":", "}", "").Replace(path) }

// handlerFunc converts h to a gin handler.
func handlerFunc(h handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(c); err != nil {
			fail(c, err)
		}
	}
}

// fail stops handling the request and leaves the error to writeErrors.
func fail(c *gin.Context, err error) {
	_ = c.Error(err) // returns what it was given
	c.Abort()
}

func notFound(c *gin.Context) error {
	return &matching.Error{
		Code: matching.CodeNotFound,
		Message: fmt.Sprintf("The path %s does not exist. See /openapi.yaml for all paths.",
			validate.Quote(c.Request.URL.Path)),
	}
}

func methodNotAllowed(c *gin.Context) error {
	return &matching.Error{
		Code: CodeMethodNotAllowed,
		Message: fmt.Sprintf("The method %s is not allowed here; use %s.", validate.Quote(c.Request.Method),
			c.Writer.Header().Get("Allow")),
	}
}

// writeJSON sends v as the response. It encodes v first, so that a failure can still change the status.
func writeJSON(c *gin.Context, status int, contentType string, v any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("encode the response: %w", err)
	}
	c.Header("Content-Type", contentType)
	c.Header("Content-Length", strconv.Itoa(body.Len()))
	c.Status(status)
	_, _ = c.Writer.Write(body.Bytes()) // fails if the client left; the access log has the bytes sent
	return nil
}

func newAnswer[T any](c *gin.Context, data T) wire.Answer[T] {
	return wire.Answer[T]{Status: "success", Data: data, RequestID: requestID(c), TookMS: tookMS(c)}
}

func writeAnswer[T any](c *gin.Context, data T) error {
	return writeJSON(c, http.StatusOK, jsonType, newAnswer(c, data))
}
