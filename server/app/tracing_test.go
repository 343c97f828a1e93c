package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/freelancer-matching/service/internal/config"
)

// A span is a span as the collector received it.
type span struct {
	trace, id, parent, name string
	attributes              map[string]string
	failure                 string
}

// An otlpCollector is an OpenTelemetry collector that keeps what it receives.
type otlpCollector struct {
	*httptest.Server
	mu    sync.Mutex
	spans []span
	raw   strings.Builder
}

func newCollector(t *testing.T) *otlpCollector {
	t.Helper()
	c := &otlpCollector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request collector.ExportTraceServiceRequest
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = proto.Unmarshal(body, &request)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		c.add(&request)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *otlpCollector) add(request *collector.ExportTraceServiceRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.raw.WriteString(request.String())
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				received := span{
					trace: fmt.Sprintf("%x", s.GetTraceId()), id: fmt.Sprintf("%x", s.GetSpanId()),
					parent: fmt.Sprintf("%x", s.GetParentSpanId()), name: s.GetName(), attributes: map[string]string{},
					failure: s.GetStatus().GetMessage(),
				}
				for _, a := range s.GetAttributes() {
					received.attributes[a.GetKey()] = a.GetValue().GetStringValue()
					if n := a.GetValue().GetIntValue(); n != 0 {
						received.attributes[a.GetKey()] = fmt.Sprint(n)
					}
				}

				c.spans = append(c.spans, received)
			}
		}
	}
}

// named returns the spans with a name.
func (c *otlpCollector) named(name string) (found []span) {
	for _, s := range c.spans {
		if s.name == name {
			found = append(found, s)
		}
	}
	return found
}

// The collector receives a span for each request and each part of its work. They carry the request id and continue the
// caller's trace, and contain nothing that a client or a freelancer wrote.
func TestTraces(t *testing.T) {
	c, model := withModel(t)
	model.Play("interview-questions", writer)
	received := newCollector(t)
	c.Data = t.TempDir()
	c.OTLPEndpoint = received.URL
	s := start(t, c)
	if err := s.FillDemo(t.Context()); err != nil {
		t.Fatal(err)
	}

	const (
		traceID, callerID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
		secret            = "ceramics"
	)

	match := s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match?"+secret+"=1",
		`{"description":"A `+secret+` shop in React","limit":3}`,
		"Traceparent", "00-"+traceID+"-"+callerID+"-01", "X-Request-Id", "request-1")
	s.send(t, http.StatusUnprocessableEntity, http.MethodPost, "/api/v1/match", `{"limit":0}`, "X-Request-Id", "request-2")
	s.send(t, http.StatusNotFound, http.MethodGet, "/"+secret, "", "X-Request-Id", "request-3")
	s.send(t, http.StatusOK, http.MethodGet, "/livez", "")
	s.interview(t, http.StatusOK, twoQuestions)
	s.stop(t) // sends the rest

	requests := map[string]span{}
	for _, s := range received.spans {
		if id := s.attributes["request_id"]; id != "" {
			requests[id] = s
		}
	}

	first := requests["request-1"]
	if first.trace != traceID || first.parent != callerID || first.name != "POST /api/v1/match" ||
		first.attributes["http.response.status_code"] != "200" || first.attributes["plan"] != "enterprise" {
		t.Errorf("the span of the match is %+v", first)
	}

	if second := requests["request-2"]; second.trace == traceID || second.attributes["error.type"] != "validation_failed" {
		t.Errorf("the span of an invalid match is %+v", second)
	}

	if third := requests["request-3"]; third.name != "unknown" {
		t.Errorf("the span of an unknown path is %+v", third)
	}

	for _, name := range []string{"resolve skills", "search", "rank", "fetch"} {
		found := received.named(name)
		if len(found) != 1 || found[0].trace != traceID || found[0].parent != first.id {
			t.Errorf("spans %q: %+v, want one in the match %s", name, found, first.id)
		}
	}

	for _, search := range received.named("search") {
		if !strings.HasPrefix(search.attributes["index"], "freelancers") {
			t.Errorf("the search has the attributes %v", search.attributes)
		}
	}

	if found := received.named("model task"); len(found) != 1 || found[0].attributes["model"] != "words" ||
		found[0].attributes["calls"] != "1" {
		t.Errorf("model tasks: %+v", found)
	}

	if len(received.named("database")) == 0 {
		t.Error("no span of the database")
	}

	if len(received.named("GET /livez")) != 0 {
		t.Error("a probe was traced")
	}
	name := strings.Split(strings.SplitAfter(match, `"name":"`)[1], `"`)[0]
	for _, never := range []string{secret, s.token, name, "Go goroutines", "A shop in Go"} {
		if strings.Contains(received.raw.String(), never) {
			t.Errorf("the traces contain %q", never)
		}
	}
}

// A caller that decided against tracing a request is respected, and without an endpoint nothing is sent.
func TestTraces_NotSampled(t *testing.T) {
	received := newCollector(t)
	c := config.Default()
	c.Data = t.TempDir()
	c.OTLPEndpoint = received.URL
	s := start(t, c)
	s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", `{"job_title":"x"}`,
		"Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")
	s.stop(t)
	if len(received.named("POST /api/v1/match")) != 0 {
		t.Error("a request was traced although its caller decided against it")
	}
}

// A collector that doesn't respond changes no response, and the log says that traces are lost.
func TestTraces_WithoutACollector(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	c.OTLPEndpoint = "http://127.0.0.1:1"
	s := start(t, c)
	s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", `{"job_title":"x"}`)
	_ = s.Close()
	if !strings.Contains(s.log.String(), "traces not sent") {
		t.Errorf("the log lacks a warning: %s", s.log)
	}
}
