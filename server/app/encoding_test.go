package app_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/setup"
)

// Profiles are encoded after a load, a change and a restart, and nothing is left of an erased one. Responses, /health
// and metrics say how far that is.
func TestEncoder(t *testing.T) {
	c := newData(t)
	c.Encoder = config.EncoderOn
	s := startWriting(t, c)
	s.fill(t, "people",
		matching.Freelancer{ID: "a", JobTitle: "Catalog designer", Skills: []string{"Layout"}},
		matching.Freelancer{ID: "b", JobTitle: "Chemist", Skills: []string{"Supplements"}},
	)
	encode := func() {
		t.Helper()
		if err := s.Encode(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const brief = `{"job_title":"Catalog designer","description":"Layout for supplements","explain":true}`
	match := func(want string) {
		t.Helper()
		if got := s.send(t, http.StatusOK, http.MethodPost, "/api/v1/match", brief); !strings.Contains(got, want) {
			t.Errorf("a match lacks %s: %s", want, got)
		}
	}

	encode()
	match(`"encoder":{"compared":2,"of":2}`)
	match("by the sentence encoder")
	s.wantHealth(t, `"encoder":{"status":"complete","encoded":2,"freelancers":2}`)
	s.wantMetrics(t, "matching_index_encoded_freelancers 2\n")

	s.send(t, http.StatusCreated, http.MethodPut, "/api/v1/freelancers/c", `{"job_title":"Layout designer"}`)
	encode()
	match(`"encoder":{"compared":3,"of":3}`)

	s.send(t, http.StatusOK, http.MethodDelete, "/api/v1/freelancers/c", "")
	s.stop(t)
	content, err := os.ReadFile(setup.VectorFile(c.Data))
	if err != nil {
		t.Fatal(err)
	}
	if left := strings.TrimRight(string(content), "\x00"); len(left) > 64+2*800 {
		t.Errorf("%d bytes after an erasure, want 2 slots", len(left))
	}

	s = start(t, c)
	defer s.stop(t)
	encode()
	match(`"encoder":{"compared":2,"of":2}`)
}

func TestEncoder_Off(t *testing.T) {
	s := start(t, newData(t))
	defer s.stop(t)
	s.fill(t, "people", matching.Freelancer{ID: "a", JobTitle: "Baker"})
	if err := s.Encode(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string]string{"match": `{"job_title":"Baker"}`, "health": ""} {
		method := http.MethodPost
		if body == "" {
			method = http.MethodGet
		}
		if got := s.send(t, http.StatusOK, method, "/api/v1/"+path, body); strings.Contains(got, "encoder") {
			t.Errorf("%s has an encoder: %s", path, got)
		}
	}
	s.lacksMetrics(t, "matching_index_encoded_freelancers")
}
