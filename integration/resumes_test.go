//go:build integration

package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
	attacks "github.com/freelancer-matching/service/tools/resumes/hostile"
)

// Files that attack the parser get a documented response, four at a time, while other clients keep getting matches.
func TestResumes_HostileFiles(t *testing.T) {
	s, key := newService(t, deploy(t, embeddedEngine()))
	if err := s.FillDemo(t.Context()); err != nil {
		t.Fatal(err)
	}

	others, stopOthers := context.WithCancel(t.Context())
	var served sync.WaitGroup
	served.Go(func() {
		matches := 0
		for others.Err() == nil {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/match",
				strings.NewReader(`{"required_skills":["React"]}`))
			r.Header.Set("Content-Type", "application/json")

			if w := send(s.Handler(), key, r); w.Code != http.StatusOK {
				t.Errorf("another client got %d: %s", w.Code, w.Body)
				return
			}

			matches++
		}

		t.Logf("%d matches were served during the attacks", matches)
	})

	files := make(chan attacks.File)
	var attackers sync.WaitGroup
	for range 4 {
		attackers.Go(func() {
			for file := range files {
				attack(t, s.Handler(), key, file)
			}
		})
	}

	for _, file := range attacks.Files() {
		if len(file.Content()) > 0 { // an empty file is rejected before it reaches the parser
			files <- file
		}
	}

	close(files)
	attackers.Wait()
	stopOthers()
	served.Wait()
}

// attack uploads a file, retries while the service is overloaded, and checks the error code of the response.
func attack(t *testing.T, h http.Handler, key string, file attacks.File) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", file.Name)
	if err == nil {
		_, err = part.Write(file.Content())
	}

	if err != nil || form.Close() != nil {
		t.Error(file.Name, err)
		return
	}

	for {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/parse", bytes.NewReader(body.Bytes()))
		r.Header.Set("Content-Type", form.FormDataContentType())
		w := send(h, key, r)
		var answer struct {
			Error struct{ Code matching.Code }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Errorf("%s: %v: %s", file.Name, err, w.Body)
			return
		}

		if code := answer.Error.Code; code == matching.CodeOverloaded || code == admission.CodeTooManyConcurrent {
			continue
		}

		if !slices.Contains(file.Answers, answer.Error.Code) {
			t.Errorf("%s: %d %q, want one of %q", file.Name, w.Code, answer.Error.Code, file.Answers)
		}

		return
	}
}

func send(h http.Handler, key string, r *http.Request) *httptest.ResponseRecorder {
	r.Header.Set("X-API-Key", key)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
