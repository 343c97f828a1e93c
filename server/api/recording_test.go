package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/requestlog"
)

// requestRecorder collects recorded requests.
type requestRecorder struct {
	mu       sync.Mutex
	requests []requestlog.Request
}

func (r *requestRecorder) Record(q requestlog.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, q)
}

// recording returns a fixture whose account records requests until a time.
func recording(until time.Time) (*fixture, *requestRecorder) {
	f := newFixture()
	withKey(func(k *apikey.Key) { k.RecordingUntil = until })(f)
	recorded := &requestRecorder{}
	f.Recorder = recorded
	return f, recorded
}

func sendTo(f *fixture, method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("X-API-Key", testKey)
	r.Header.Set("X-Request-Id", "r-1")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	New(f.Dependencies).Handler().ServeHTTP(w, r)
	return w
}

func TestRecording_KeepsWhatWasSentAndReceived(t *testing.T) {
	f, recorded := recording(time.Now().Add(time.Hour))
	const brief = `{"description":"A shop"}`
	w := sendTo(f, http.MethodPost, "/api/v1/match", brief)
	if w.Code != http.StatusOK || len(recorded.requests) != 1 {
		t.Fatalf("status %d, %d requests", w.Code, len(recorded.requests))
	}

	q := recorded.requests[0]
	if q.Operation != "match" || q.Account != "acc_1" || q.Key != "key_1" || q.RequestID != "r-1" || q.Status != 200 ||
		q.Method != http.MethodPost || q.Route != "/api/v1/match" {
		t.Errorf("recorded %+v", q)
	}
	if string(q.RequestBody) != brief || string(q.ResponseBody) != w.Body.String() {
		t.Errorf("recorded the bodies %s and %.100s", q.RequestBody, q.ResponseBody)
	}
}

// An error is recorded with its response, although middleware writes it.
func TestRecording_KeepsErrors(t *testing.T) {
	f, recorded := recording(time.Now().Add(time.Hour))
	w := sendTo(f, http.MethodPost, "/api/v1/match", `{"description":7}`)
	if len(recorded.requests) != 1 {
		t.Fatalf("%d requests", len(recorded.requests))
	}
	q := recorded.requests[0]
	if q.Status != w.Code || q.Code == "" || string(q.ResponseBody) != w.Body.String() {
		t.Errorf("status %d, code %q, response %s", q.Status, q.Code, q.ResponseBody)
	}
}

// Records, resumes and other personal bodies are never recorded, nor is anything without the account's consent.
func TestRecording_LeavesOut(t *testing.T) {
	f, recorded := recording(time.Now().Add(time.Hour))
	sendTo(f, http.MethodGet, "/api/v1/freelancers/"+ada().ID, "")
	if len(recorded.requests) != 1 {
		t.Fatalf("%d requests", len(recorded.requests))
	}
	q := recorded.requests[0]
	if q.RequestBody != nil || q.ResponseBody != nil || q.Response.Note == "" || q.Params["id"] != ada().ID {
		t.Errorf("recorded %+v", q)
	}

	for _, until := range []time.Time{{}, time.Now().Add(-time.Second)} {
		f, recorded := recording(until)
		sendTo(f, http.MethodPost, "/api/v1/match", `{"description":"A shop"}`)
		if len(recorded.requests) > 0 {
			t.Errorf("recording until %v: recorded %+v", until, recorded.requests)
		}
	}

	f, recorded = recording(time.Now().Add(time.Hour))
	server := New(f.Dependencies)
	k := goodKey()
	k.RecordingUntil = time.Now().Add(time.Hour)
	r := httptest.NewRequest(http.MethodPost, "/api/v1/match", strings.NewReader(`{"description":"A shop"}`))
	r.Header.Set("Content-Type", "application/json")
	server.ServeAs(k, "usr_1", httptest.NewRecorder(), r)
	if len(recorded.requests) > 0 {
		t.Error("a request of the playground is recorded")
	}
}

// Operations whose bodies are recorded exist, so that a renamed one doesn't silently lose its log.
func TestRecordedOperations_Exist(t *testing.T) {
	s := New(newFixture().Dependencies)
	known := map[string]bool{}
	for _, r := range s.keyRoutes() {
		known[r.operation()] = true
	}
	for _, name := range recordedOperations() {
		if !known[name] {
			t.Errorf("there is no operation %q", name)
		}
	}
}

// A body above the limit is left out whole, and a copy never grows beyond it.
func TestRecording_LimitsBodies(t *testing.T) {
	f, recorded := recording(time.Now().Add(time.Hour))
	sendTo(f, http.MethodPost, "/api/v1/match", `{"description":"`+strings.Repeat("x", requestlog.MaxCaptured)+`"}`)
	q := recorded.requests[0]
	if q.RequestBody != nil || q.Request.Note != noteLarge {
		t.Errorf("%d bytes, note %q", len(q.RequestBody), q.Request.Note)
	}
}
