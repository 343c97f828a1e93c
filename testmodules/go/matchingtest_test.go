package matchingtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	matchingtest "github.com/freelancer-matching/service/testmodules/go"
)

// match sends a brief, and returns the status and the body of the response.
func match(t *testing.T, s *matchingtest.Service, key string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/match",
		strings.NewReader(`{"description": "Online shop with React and Node.js", "limit": 3}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestService(t *testing.T) {
	s := matchingtest.Run(t)
	status, first := match(t, s, s.Key)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, first)
	}

	s.Fail(t, "429=7s", 1)
	if status, body := match(t, s, s.Key); status != http.StatusTooManyRequests {
		t.Errorf("status %d: %s", status, body)
	}

	s.EnforceQuota(t, true)
	for range 100 {
		match(t, s, matchingtest.FreelancerKey)
	}
	if status, _ := match(t, s, matchingtest.FreelancerKey); status != http.StatusTooManyRequests {
		t.Errorf("request 101 of a minute: status %d", status)
	}
	s.Advance(t, time.Minute)
	if status, _ := match(t, s, matchingtest.FreelancerKey); status != http.StatusOK {
		t.Errorf("a minute later: status %d", status)
	}

	s.Script(t, matchingtest.Reply{When: "tests", Level: 5})
	s.Seed(t, 5, 7)
	s.Load(t, `{"id": "ada", "name": "Ada Byron", "job_title": "React developer", "skills": ["React", "Node.js"]}`)
	if _, body := match(t, s, s.Key); !strings.Contains(body, `"ada"`) {
		t.Errorf("Ada isn't found: %s", body)
	}

	s.Reset(t)
	if _, again := match(t, s, s.Key); again != first {
		t.Errorf("after the reset:\n%s\nwant:\n%s", again, first)
	}
}
