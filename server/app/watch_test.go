package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/lastload"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/setup"
)

// The metrics show the live index and the state of the components at the time of the scrape.
func TestMetrics_OfTheService(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	s := start(t, c)
	defer s.stop(t)

	s.wantMetrics(t, `matching_component_up{component="data_source"} 1`, `matching_component_up{component="database"} 1`)
	s.lacksMetrics(t, "matching_index_freelancers")

	if err := s.FillDemo(t.Context()); err != nil {
		t.Fatal(err)
	}

	s.wantMetrics(t, "matching_index_freelancers 2000\n", "matching_index_created_timestamp_seconds 1",
		"matching_index_dead_letters 0\n")

	index, _, err := s.Index.Engine.Alias(t.Context(), match.Alias)
	if err != nil {
		t.Fatal(err)
	}
	s.lacksMetrics(t, "matching_last_load_")

	for want, result := range map[string]lastload.Result{
		"matching_last_load_success 1\n": {Command: "load", Rows: 9},
		"matching_last_load_success 0\n": {Command: "load", Rows: 9, Error: "interrupted"},
	} {
		if err := result.Write(c.Data); err != nil {
			t.Fatal(err)
		}
		s.wantMetrics(t, want, "matching_last_load_rows 9\n")
	}

	path := setup.DeadLetterFile(c.Data, index)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}

	for content, want := range map[string]string{
		"{}\n{}\n{}\n":     "matching_index_dead_letters 3\n",
		"{}\n{}\n{}\n{}\n": "matching_index_dead_letters 4\n",
		"":                 "matching_index_dead_letters 0\n",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s.wantMetrics(t, want)
	}

	s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", `{"job_title":"Developer"}`)
	s.send(t, http.StatusUnprocessableEntity, http.MethodPost, "/api/v1/match", `{"limit":0}`)
	s.token = "svc_fr_invalid"
	s.send(t, http.StatusUnauthorized, http.MethodPost, "/api/v1/match", `{}`)
	s.wantMetrics(t,
		`matching_requests_total{code="",operation="match",plan="enterprise",status="200"} 1`,
		`matching_requests_total{code="validation_failed",operation="match",plan="enterprise",status="422"} 1`,
		`matching_requests_total{code="invalid_api_key",operation="match",plan="none",status="401"} 1`,
		`matching_freelancer_views_total{outcome="unlimited",plan="enterprise"} 10`)
}

// A Redis that doesn't answer is counted as a failing database.
func TestMetrics_OfRedis(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	c.Quota.RedisURL = "redis://127.0.0.1:1"
	s := start(t, c).withNewKeyOn(t, "freelancer")
	defer s.stop(t)
	s.send(t, http.StatusServiceUnavailable, http.MethodPost, "/api/v1/match", `{"job_title":"Developer"}`)
	s.wantMetrics(t, `matching_database_errors_total{code="quota_unavailable",database="redis"} 1`,
		`matching_requests_total{code="quota_unavailable",operation="match",plan="freelancer",status="503"} 1`)
}
