package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
)

const (
	basePath = "/api/v1"
	maxBody  = 1 << 20 // bytes of a JSON body
	jsonType = "application/json; charset=utf-8"
)

// Dependencies is everything that the server works with. All of it is required.
type Dependencies struct {
	Matcher   Matcher
	Health    Health
	Keys      Keys
	Generator Generator
	Log       *slog.Logger

	RequestTimeout time.Duration // for one request, from its beginning to its answer; for a stream, for each part of it
	MaxMatches     int           // briefs answered at once
	AdmissionWait  time.Duration // how long one more waits for its turn before it is refused with 503
}

// Server is the HTTP interface.
type Server struct {
	deps     Dependencies
	matches  *gate
	statuses map[matching.Code]int
	draining atomic.Bool
	handler  http.Handler
}

// New makes the server. It does not listen: main and tests each serve its Handler their own way.
func New(d Dependencies) *Server {
	s := &Server{deps: d, matches: newGate(d.MaxMatches, d.AdmissionWait), statuses: statuses()}
	s.handler = s.engine()
	return s
}

// Handler serves every route.
func (s *Server) Handler() http.Handler { return s.handler }

// Drain makes /readyz fail, so that no new requests are sent here while those under way end. Everything else goes on.
func (s *Server) Drain() { s.draining.Store(true) }

// handler does the work of one route. An error that it returns is written by writeErrors.
type handler func(c *gin.Context) error

// route is one operation. The path is as in openapi.yaml.
type route struct {
	method, path string
	handle       handler
	admission    *gate // bounds how many run at once; nil: no bound
}

// publicRoutes need no key.
func (s *Server) publicRoutes() []route {
	return []route{
		{http.MethodGet, "/livez", s.live, nil},
		{http.MethodGet, "/readyz", s.ready, nil},
		{http.MethodGet, "/openapi.yaml", s.specification, nil},
	}
}

// keyRoutes need a key.
func (s *Server) keyRoutes() []route {
	return []route{
		{http.MethodGet, basePath + "/health", s.health, nil},
		{http.MethodPost, basePath + "/match", s.match, s.matches},
		{http.MethodGet, basePath + "/generate-test-data", s.generateTestData, nil},
	}
}

// engine puts routes and middleware together. What a limited plan may use will be checked between admission, whose
// refusals cost nothing, and the handler.
func (s *Server) engine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode) // otherwise gin writes its routes to standard output
	e := gin.New()
	_ = e.SetTrustedProxies(nil) // fails only for a proxy that cannot be parsed
	e.RedirectTrailingSlash = false
	e.HandleMethodNotAllowed = true
	e.Use(s.identify, s.recoverPanics, s.logAccess, s.writeErrors)
	e.NoRoute(failing(notFound))
	e.NoMethod(failing(methodNotAllowed))
	for _, r := range s.publicRoutes() {
		e.Handle(r.method, r.path, s.limitTime, limitBody, failing(r.handle))
	}
	for _, r := range s.keyRoutes() {
		e.Handle(r.method, r.path, s.limitTime, limitBody, s.authenticate, admit(r.admission), failing(r.handle))
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
