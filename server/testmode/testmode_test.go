package testmode_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/testmode"
)

// A server in test mode, on a port of its own.
type server struct {
	*httptest.Server
	mode *testmode.Server
	t    *testing.T
}

func start(t *testing.T) server {
	t.Helper()
	c := config.Default()
	c.Test = true
	c.Data = t.TempDir()
	s, err := testmode.Open(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return server{web, s, t}
}

// A response is what came back.
type response struct {
	status int
	header http.Header
	text   string
}

// send sends a request with the key of the plan enterprise and headers in pairs.
func (s server) send(method, path, body string, headers ...string) response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("X-API-Key", testmode.EnterpriseKey)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}

	answer, err := s.Client().Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if answer.Header.Get("X-Test-Mode") != "true" {
		s.t.Errorf("%s %s: no X-Test-Mode", method, path)
	}
	return response{answer.StatusCode, answer.Header, string(text)}
}

// want sends a request, fails unless the response has a status, and returns its data.
func (s server) want(status int, method, path, body string, headers ...string) map[string]any {
	s.t.Helper()
	got := s.send(method, path, body, headers...)
	if got.status != status {
		s.t.Fatalf("%s %s: %d, want %d: %s", method, path, got.status, status, got.text)
	}
	var answer map[string]any
	if err := json.Unmarshal([]byte(got.text), &answer); err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

const (
	match     = "/api/v1/match"
	shopBrief = `{"description": "Online shop with React and Node.js", "complexity": "medium", "limit": 3}`
)

func TestKeys_AreValid(t *testing.T) {
	for _, k := range testmode.Keys() {
		plan, err := apikey.Parse(k.Token)
		if err != nil || plan.Name != k.Plan {
			t.Errorf("%s: plan %s (%v)", k.Plan, plan.Name, err)
		}
	}

	s := start(t)
	for _, k := range testmode.Keys() {
		answer := s.want(http.StatusOK, http.MethodGet, "/api/v1/me", "", "X-API-Key", k.Token)
		if !strings.Contains(fmt.Sprint(answer), k.Plan) {
			t.Errorf("%s: %v", k.Plan, answer)
		}
	}
}

// transcript sends requests of all kinds and returns everything that came back.
func (s server) transcript() string {
	var all bytes.Buffer
	for _, r := range []struct{ method, path, body string }{
		{http.MethodPost, match, shopBrief},
		{http.MethodGet, "/api/v1/me", ""},
		{http.MethodGet, "/api/v1/health", ""},
		{http.MethodGet, "/api/v1/freelancers?limit=2", ""},
		{http.MethodPut, "/api/v1/freelancers/f7", `{"name": "Ada Byron", "job_title": "Go developer", "skills": ["Go"]}`},
		{http.MethodPost, "/api/v1/interview", `{"mode": "ai_questions", "freelancer_id": "f1", "project_description": "Shop",
			"required_skills": ["Go"], "num_questions": 3}`},
		{http.MethodPost, "/api/v1/verify-skill", `{"keyword": "zorblax"}`},
		{http.MethodPost, match, `{"limit": "three"}`},
		{http.MethodGet, "/nowhere", ""},
		{http.MethodGet, "/dashboard/login", ""},
		{http.MethodPost, "/test/clock", `{"advance": "36h"}`},
		{http.MethodPost, match, shopBrief},
	} {
		got := s.send(r.method, r.path, r.body)
		fmt.Fprintf(&all, "%s %s\n%d\n", r.method, r.path, got.status)
		if err := got.header.Write(&all); err != nil {
			s.t.Fatal(err)
		}
		all.WriteString(got.text + "\n")
	}
	return all.String()
}

// Two servers, and one before and after a reset, give the same bytes.
func TestResponses_Repeat(t *testing.T) {
	first := start(t)
	want := first.transcript()
	if !strings.Contains(want, `"took_ms":0,`) && !strings.Contains(want, `"took_ms":0}`) {
		t.Error("took_ms is not fixed")
	}
	first.want(http.StatusOK, http.MethodPost, "/test/reset", "")
	second := start(t)
	for name, got := range map[string]string{"after a reset": first.transcript(), "other server": second.transcript()} {
		wantLines, gotLines := strings.Split(want, "\n"), strings.Split(got, "\n")
		for i := range wantLines {
			if i >= len(gotLines) || wantLines[i] != gotLines[i] {
				t.Errorf("%s, line %d:\n%s\nwant:\n%s", name, i+1, gotLines[min(i, len(gotLines)-1)], wantLines[i])
				break
			}
		}
	}
}

func TestOpen_RefusesAccounts(t *testing.T) {
	c := config.Default()
	c.Test = true
	c.Data = t.TempDir()
	if err := os.WriteFile(filepath.Join(c.Data, "matching.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := testmode.Open(t.Context(), c, slog.New(slog.DiscardHandler)); err == nil ||
		!strings.Contains(err.Error(), "test mode keeps everything in memory") {
		t.Errorf("error %v", err)
	}
}

func TestData(t *testing.T) {
	s := start(t)
	got := s.want(http.StatusOK, http.MethodPut, "/test/data?seed=7&n=12", "")
	if fmt.Sprint(got["data"]) != "map[freelancers:12]" {
		t.Errorf("generated: %v", got)
	}

	lines := `{"id": "ada", "name": "Ada Byron", "job_title": "Go developer", "skills": ["Go"], "hourly_rate": 80}
{"id": "max", "name": "Max Muster", "job_title": "Designer", "skills": ["Figma"]}`
	if got := s.want(http.StatusOK, http.MethodPut, "/test/data", lines); fmt.Sprint(got["data"]) != "map[freelancers:2]" {
		t.Errorf("lines: %v", got)
	}
	if found := s.want(http.StatusOK, http.MethodGet, "/api/v1/freelancers", ""); len(found["data"].([]any)) != 2 {
		t.Errorf("freelancers after the load: %v", found)
	}

	// A line with a fault changes nothing.
	refused := s.send(http.MethodPut, "/test/data", lines+"\n{\"id\": \"eve\", \"rating\": \"best\"}")
	if !strings.Contains(refused.text, "Line 3") {
		t.Errorf("a fault: %s", refused.text)
	}
	if found := s.want(http.StatusOK, http.MethodGet, "/api/v1/freelancers", ""); len(found["data"].([]any)) != 2 {
		t.Errorf("freelancers after a fault: %v", found)
	}
}

func TestClock_ExpiresInvitations(t *testing.T) {
	s := start(t)
	asked := s.want(http.StatusOK, http.MethodPost, "/api/v1/interview", `{"mode": "ai_questions", "freelancer_id": "f1",
		"project_description": "A shop", "required_skills": ["Go"], "num_questions": 2}`)
	data := asked["data"].(map[string]any)
	if data["generated_by"] == nil || !strings.Contains(fmt.Sprint(data["generated_by"]), "scripted") {
		t.Errorf("questions were not asked by the scripted model: %v", asked)
	}

	one := "/api/v1/interviews/" + fmt.Sprint(data["session_id"])
	s.want(http.StatusOK, http.MethodPost, one+"/invitation", `{"expires_in": 24}`)
	s.want(http.StatusOK, http.MethodPost, "/test/clock", `{"advance": "25h"}`)
	stored := s.want(http.StatusOK, http.MethodGet, one, "")
	invitation, _ := stored["data"].(map[string]any)["invitation"].(map[string]any)
	if invitation["state"] != "expired" {
		t.Errorf("invitation %v, want it expired", invitation)
	}
}

// Sessions of the dashboard expire by the server's clock, although scs computes their expiry by the real one.
func TestClock_ExpiresSessions(t *testing.T) {
	s := start(t)
	sessions := s.mode.App().DB.Sessions
	if err := sessions.CommitCtx(t.Context(), "token", []byte("data"), time.Now().Add(10*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		_, found, err := sessions.FindCtx(t.Context(), "token")
		if err != nil || found != want {
			t.Errorf("found: %v (%v), want %v", found, err, want)
		}
		moved := s.want(http.StatusOK, http.MethodPost, "/test/clock", `{"advance": "11h"}`)
		if moved["took_ms"] != 0.0 {
			t.Errorf("took_ms is %v", moved["took_ms"])
		}
	}
}

func TestQuota_OnRequest(t *testing.T) {
	s := start(t)
	s.want(http.StatusOK, http.MethodPut, "/test/quota", `{"enforced": true}`)
	for range 100 {
		s.want(http.StatusOK, http.MethodPost, match, shopBrief, "X-API-Key", testmode.FreelancerKey)
	}
	s.want(http.StatusTooManyRequests, http.MethodPost, match, shopBrief, "X-API-Key", testmode.FreelancerKey)
	s.want(http.StatusOK, http.MethodPost, "/test/clock", `{"advance": "1m"}`)
	s.want(http.StatusOK, http.MethodPost, match, shopBrief, "X-API-Key", testmode.FreelancerKey)
}
