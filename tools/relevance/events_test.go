package relevance

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/app"
)

// What clients report to a running server becomes a judged set that this program reads.
func TestJudge_Events(t *testing.T) {
	set, err := openJudgedSet(committed)
	if err != nil {
		t.Fatal(err)
	}

	c := config.Default()
	c.Data = t.TempDir()
	c.Encoder = config.EncoderOff
	log := slog.New(slog.DiscardHandler)
	by := audit.By{Actor: audit.CommandLine}
	access, err := app.OpenAccess(t.Context(), c, log)
	if err != nil {
		t.Fatal(err)
	}

	token, key, err := access.Keys.Create(t.Context(), by, apikey.Request{Name: "x", Plan: "enterprise"})
	if err != nil {
		t.Fatal(err)
	}

	if _, err := access.KeepBriefs(t.Context(), by, key.ID, true); err != nil {
		t.Fatal(err)
	}

	if err := access.Close(); err != nil {
		t.Fatal(err)
	}

	server, err := app.Open(t.Context(), c, log)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()

	if err := load(t.Context(), server.Index, set.freelancers, log); err != nil {
		t.Fatal(err)
	}

	front := httptest.NewServer(server.Handler())
	defer front.Close()

	s := &service{url: front.URL, key: token}

	briefs := set.briefs[:5]
	for _, b := range briefs {
		var answer struct {
			RequestID string `json:"request_id"`
			Matches   []struct {
				Freelancer struct {
					ID string `json:"id"`
				} `json:"freelancer"`
			} `json:"matches"`
		}

		s.call(t, "/api/v1/match", b.Body, &answer)
		var events []map[string]string
		for i, kind := range []string{"shown", "hired"} {
			events = append(events, map[string]string{
				"type": kind, "request_id": answer.RequestID, "freelancer_id": answer.Matches[i].Freelancer.ID,
			})
		}

		body, err := json.Marshal(map[string]any{"events": events})
		if err != nil {
			t.Fatal(err)
		}

		var recorded struct {
			Data struct{ Recorded int }
		}
		if s.call(t, "/api/v1/events", body, &recorded); recorded.Data.Recorded != 2 {
			t.Errorf("%d events recorded, want 2", recorded.Data.Recorded)
		}
	}

	judged, err := server.JudgedSet(t.Context(), by, nil)
	if err != nil {
		t.Fatal(err)
	}

	folder := t.TempDir()
	var briefsFile, judgmentsFile bytes.Buffer
	if _, err := judged.Write(&briefsFile, &judgmentsFile); err != nil {
		t.Fatal(err)
	}

	for name, content := range map[string][]byte{
		"briefs.jsonl": briefsFile.Bytes(), "judgments.tsv": judgmentsFile.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	// The second match of every brief was hired, and the first skipped, so the first good one has rank 2.
	report := must(t, "judge", "-judged", folder, "-url", front.URL, "-key", token)
	for _, want := range []string{"MRR                5       0.500  [0.500, 0.500]"} {
		if !strings.Contains(report, want) {
			t.Errorf("%q is not in:\n%s", want, report)
		}
	}
}

// call sends a request and decodes the response, which must be a success.
func (s *service) call(t *testing.T, path string, body []byte, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", s.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s (%v)", path, response.StatusCode, content, err)
	}

	if err := json.Unmarshal(content, into); err != nil {
		t.Fatal(err)
	}
}
