package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
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
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// judgedSet is the directory of the committed judged set.
var judgedSet = filepath.Join("..", "tools", "relevance", "eval", "testdata", "judged")

// The ranking metrics of the committed judged set, measured through the whole product, are in a golden file. A change
// that affects them shows in review, brief by brief.
func TestJudged(t *testing.T) {
	got := judge(t, deploy(t, embeddedEngine()), judgedSet).String()
	t.Log("\n" + got)
	golden := filepath.Join("testdata", "judged.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the metrics differ from %s; run with -update and review:\n%s", golden, got)
	}
}

// judge loads the freelancers of a judged set, sends its briefs, and reports how well the rankings agree with its
// judgments.
func judge(t *testing.T, d *deployment, dir string) *eval.Report {
	t.Helper()
	handler, key := serveFile(t, d, filepath.Join(dir, "freelancers.csv"))
	briefs := read(t, filepath.Join(dir, "briefs.jsonl"), eval.ReadBriefs)
	judgments := read(t, filepath.Join(dir, "judgments.tsv"), eval.ReadJudgments)
	run, err := eval.Play(t.Context(), briefs, func(ctx context.Context, b eval.Brief) ([]string, error) {
		return ask(ctx, handler, key, b.Body)
	})
	if err != nil {
		t.Fatal(err)
	}
	return eval.Evaluate(run, judgments, briefs)
}

func read[T any](t *testing.T, path string, parse func(io.Reader) (T, error)) T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := parse(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// serveFile returns the handler of a service with the freelancers of a file, and a key for it.
func serveFile(t *testing.T, d *deployment, path string) (http.Handler, string) {
	t.Helper()
	s, token := newService(t, d)
	fillFromFile(t, s, path)
	return s.Handler(), token
}

// fillFromFile makes an index of the freelancers of a file live.
func fillFromFile(t *testing.T, s *app.Server, path string) {
	t.Helper()
	f, err := source.Open(input.FromPath(path), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	freelancers := func(yield func(matching.Freelancer) bool) {
		for row, err := range f.Rows(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if len(row.Faults) == 0 && !yield(row.Freelancer) {
				return
			}
		}
	}
	if err := s.Index.Fill(t.Context(), freelancers, f.Format(), "USD"); err != nil {
		t.Fatal(err)
	}
}

// newService opens a service on a deployment, without freelancers, and creates a key for it.
func newService(t *testing.T, d *deployment) (*app.Server, string) {
	t.Helper()
	s, token, _ := newServiceWith(t, d.config(t))
	return s, token
}

// newServiceWith does what newService does, with other settings. It also returns the ID of the key.
func newServiceWith(t *testing.T, c config.Config) (s *app.Server, token, id string) {
	t.Helper()
	s, err := app.Open(t.Context(), c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	request := apikey.Request{Name: "test", Plan: "enterprise"}
	token, key, err := s.Keys.Create(t.Context(), audit.By{Actor: audit.System}, request)
	if err != nil {
		t.Fatal(err)
	}
	return s, token, key.ID
}

// ask sends the body of a brief and returns the ids of the top hundred matches, best first.
func ask(ctx context.Context, handler http.Handler, key string, body []byte) ([]string, error) {
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, err
	}

	members["limit"] = 100
	body, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}

	req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/match", bytes.NewReader(body))
	req.Host = "localhost"
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-API-Key", key)
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, req)

	if rec.Code != http.StatusOK {
		return nil, fmt.Errorf("%d %s", rec.Code, strings.TrimSpace(rec.Body.String()))
	}

	var answer struct {
		Matches []struct{ Freelancer struct{ ID string } }
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil {
		return nil, err
	}

	var ids []string
	for _, m := range answer.Matches {
		ids = append(ids, m.Freelancer.ID)
	}

	return ids, nil
}
