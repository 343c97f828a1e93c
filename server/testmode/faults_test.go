package testmode_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/server/testmode"
)

func TestFault_OfOneCall(t *testing.T) {
	s := start(t)
	for fault, want := range map[string]struct {
		status     int
		code       string
		retryAfter string
	}{
		"429":     {http.StatusTooManyRequests, "rate_limit_exceeded", "60"},
		"429=7s":  {http.StatusTooManyRequests, "rate_limit_exceeded", "7"},
		"503":     {http.StatusServiceUnavailable, "overloaded", "1"},
		"500":     {http.StatusInternalServerError, "internal", ""},
		"slow=1s": {http.StatusOK, "", ""},
		"oops":    {http.StatusUnprocessableEntity, "validation_failed", ""},
		"slow=9h": {http.StatusUnprocessableEntity, "validation_failed", ""},
	} {
		got := s.send(http.MethodPost, match, shopBrief, "X-Test-Fault", fault)
		wait := got.header.Get("Retry-After")
		if got.status != want.status || wait != want.retryAfter || !strings.Contains(got.text, want.code) {
			t.Errorf("%s: %d, Retry-After %q: %s", fault, got.status, wait, got.text)
		}
		isLimit := want.status == http.StatusTooManyRequests
		if isLimit && (got.header.Get("X-RateLimit-Remaining") != "0" ||
			got.header.Get("X-RateLimit-Reset") != want.retryAfter) {
			t.Errorf("%s: headers %v", fault, got.header)
		}
	}
	s.want(http.StatusOK, http.MethodPost, match, shopBrief)
}

func TestFault_Drop(t *testing.T) {
	s := start(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+match, strings.NewReader(shopBrief))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Test-Fault", "drop")
	response, err := s.Client().Do(r)
	if err == nil {
		response.Body.Close()
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("error %v, want a closed connection", err)
	}
}

func TestFaults_OfCallsToCome(t *testing.T) {
	s := start(t)
	s.want(http.StatusOK, http.MethodPost, "/test/faults", `{"fault": "503", "times": 2, "path": "/api/v1/match"}`)
	s.want(http.StatusOK, http.MethodGet, "/api/v1/me", "") // has another path
	s.want(http.StatusServiceUnavailable, http.MethodPost, match, shopBrief)
	s.want(http.StatusServiceUnavailable, http.MethodPost, match, shopBrief)
	s.want(http.StatusOK, http.MethodPost, match, shopBrief)

	s.want(http.StatusOK, http.MethodPost, "/test/faults", `{"fault": "500"}`)
	for range 3 {
		s.want(http.StatusInternalServerError, http.MethodGet, "/api/v1/me", "")
	}
	s.want(http.StatusOK, http.MethodGet, "/readyz", "") // which a container's engine asks for
	s.want(http.StatusOK, http.MethodDelete, "/test/faults", "")
	s.want(http.StatusOK, http.MethodGet, "/api/v1/me", "")

	s.want(http.StatusUnprocessableEntity, http.MethodPost, "/test/faults", `{"fault": "404"}`)
	s.want(http.StatusNotFound, http.MethodGet, "/test/nothing", "")
	s.want(http.StatusMethodNotAllowed, http.MethodDelete, "/test/clock", "")
	s.want(http.StatusUnprocessableEntity, http.MethodPost, "/test/clock", `{"advance": "-1h"}`)
	s.want(http.StatusUnprocessableEntity, http.MethodPost, "/test/clock", `{}`)
}

// An interview goes through the scripted model: its questions, and marks by the script or by default.
func TestModel(t *testing.T) {
	s := start(t)
	interview := `{"mode": "custom_full", "freelancer_id": "f1", "project_description": "An online shop",
		"required_skills": ["Go"], "custom_questions": [{"text": "How do you test Go?"},
		{"text": "When is Go the wrong choice?"}],
		"provided_answers": ["I write table tests first, and run them with the race detector on every change.",
		"I would not use it for small scripts, because a shell is quicker to change there."]}`
	levels := func() string {
		answer := s.want(http.StatusOK, http.MethodPost, "/api/v1/interview", interview)
		text, err := json.Marshal(answer["data"].(map[string]any)["evaluation"])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "llm:scripted") {
			t.Fatalf("not marked by the scripted model: %s", text)
		}
		return string(text)
	}

	standard := levels()
	s.want(http.StatusOK, http.MethodPut, "/test/llm", `{"replies": [
		{"when": "table tests", "level": 5}, {"when": "small scripts", "level": 1}]}`)
	if scripted := levels(); scripted == standard || !strings.Contains(scripted, `"level":5`) {
		t.Errorf("scripted levels: %s", scripted)
	}

	// Words that nobody knows are judged by the model, too.
	s.want(http.StatusOK, http.MethodPut, "/test/llm", `{"replies": [{"task": "skill-verdict", "json":
		{"kind": "skill", "sure": "certain", "name": "Zorblax", "category": "other", "near": []}}]}`)
	verdict := s.want(http.StatusOK, http.MethodPost, "/api/v1/verify-skill", `{"keyword": "zorblax"}`)
	if !strings.Contains(fmt.Sprint(verdict), "Zorblax") {
		t.Errorf("verdict: %v", verdict)
	}

	left := s.want(http.StatusOK, http.MethodGet, "/test/llm", "")["data"].(map[string]any)["replies"].([]any)
	if len(left) != 0 {
		t.Errorf("replies left: %v", left)
	}
	for _, invalid := range []string{`{"level": 6}`, `{}`, `{"status": 200}`, `{"task": "poem", "level": 1}`} {
		s.want(http.StatusUnprocessableEntity, http.MethodPut, "/test/llm", `{"replies": [`+invalid+`]}`)
	}
}

func TestTrigger(t *testing.T) {
	type message struct{ kind, signature string }
	received := make(chan message, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Type string `json:"type"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body) // an empty type fails the test
		received <- message{body.Type, r.Header.Get("Webhook-Signature")}
	}))
	defer receiver.Close()

	s := start(t)
	secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte("a secret of 24 bytes or more"))
	body := func(kind, url string) string {
		return fmt.Sprintf(`{"type": %q, "url": %q, "secret": %q}`, kind, url, secret)
	}
	answer := s.want(http.StatusOK, http.MethodPost, "/test/trigger", body("interview.evaluated", receiver.URL))
	if got := <-received; got.kind != "interview.evaluated" || !strings.HasPrefix(got.signature, "v1,") {
		t.Errorf("received %+v: %v", got, answer)
	}

	refused := s.want(http.StatusOK, http.MethodPost, "/test/trigger", body("interview.evaluated", "http://127.0.0.1:1/"))
	if data := refused["data"].(map[string]any); data["delivered"] != false || data["error"] == nil {
		t.Errorf("a closed port: %v", refused)
	}
	s.want(http.StatusUnprocessableEntity, http.MethodPost, "/test/trigger", body("load.published", receiver.URL))
	s.want(http.StatusUnprocessableEntity, http.MethodPost, "/test/trigger", body("Evaluated!", receiver.URL))
}

// Each operation is described, and everything described exists.
func TestDescription(t *testing.T) {
	s := start(t)
	text := s.send(http.MethodGet, "/test/openapi.yaml", "").text
	for _, path := range []string{
		"/test:", "/test/reset:", "/test/data:", "/test/clock:", "/test/quota:", "/test/faults:",
		"/test/trigger:", "/test/llm:",
	} {
		if !strings.Contains(text, "\n  "+path+"\n") {
			t.Errorf("%s is not described", path)
		}
	}
	for _, k := range testmode.Keys() {
		if !strings.Contains(text, k.Token) {
			t.Errorf("the key of the plan %s is not in the description", k.Plan)
		}
	}
}
