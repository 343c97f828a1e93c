//go:build integration

package integration

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/server/app"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

// An encodingServer is a server with the sentence encoder, and with the judged freelancers.
type encodingServer struct {
	t   *testing.T
	app *app.Server
	key string
}

func newEncodingServer(t *testing.T, c config.Config) *encodingServer {
	t.Helper()
	c.Data = t.TempDir()
	c.Encoder = config.EncoderOn
	s, key, id := newServiceWith(t, c)
	_, err := s.Keys.SetPermissions(t.Context(), audit.By{Actor: audit.System}, "", id, apikey.Permissions())
	if err != nil {
		t.Fatal(err)
	}
	return &encodingServer{t, s, key}
}

// encode encodes all profiles.
func (s *encodingServer) encode() {
	s.t.Helper()
	if err := s.app.Encode(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// send sends a request and returns the response.
func (s *encodingServer) send(method, path, body string) []byte {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), method, "/api/v1/"+path, strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", s.key)
	w := httptest.NewRecorder()
	s.app.Handler().ServeHTTP(w, r)
	if w.Code >= http.StatusMultipleChoices {
		s.t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// An encodedAnswer is the part of a response to a brief that the sentence encoder affects.
type encodedAnswer struct {
	Matches []struct {
		Freelancer struct{ ID string }
		Score      float64
	}
	Encoder struct{ Compared, Of int }
}

// match sends a brief. All candidates must have been compared.
func (s *encodingServer) match(body []byte) (answer encodedAnswer) {
	s.t.Helper()
	if err := json.Unmarshal(s.send(http.MethodPost, "match", string(body)), &answer); err != nil {
		s.t.Fatal(err)
	}
	if e := answer.Encoder; e.Of == 0 || e.Compared != e.Of {
		s.t.Errorf("compared %d of %d candidates, want all", e.Compared, e.Of)
	}
	return answer
}

// With the sentence encoder, both engines give the same answers.
func TestParity_SentenceEncoder(t *testing.T) {
	embedded := newEncodingServer(t, deploy(t, embeddedEngine()).config(t))
	settings := deploy(t, elasticsearchEngine()).config(t)
	elasticsearch := newEncodingServer(t, settings)
	for _, s := range []*encodingServer{embedded, elasticsearch} {
		fillFromFile(t, s.app, filepath.Join(judgedSet, "freelancers.csv"))
		s.encode()
	}

	largest := 0.
	briefs := read(t, filepath.Join(judgedSet, "briefs.jsonl"), eval.ReadBriefs)
	for _, brief := range briefs {
		want := embedded.match(brief.Body)
		got := elasticsearch.match(brief.Body)
		if len(got.Matches) != len(want.Matches) {
			t.Errorf("%s: %d matches, want %d", brief.ID, len(got.Matches), len(want.Matches))
			continue
		}
		for i := range want.Matches {
			w, g := want.Matches[i], got.Matches[i]
			difference := math.Abs(w.Score - g.Score)
			largest = max(largest, difference)
			if w.Freelancer.ID != g.Freelancer.ID || difference > tolerance {
				t.Errorf("%s: match %d is %+v, want %+v", brief.ID, i, g, w)
			}
		}
	}
	t.Logf("the scores differ by at most %g", largest)

	t.Run("two servers", func(t *testing.T) { wantSharedVectors(t, elasticsearch, settings, briefs[0].Body) })
}

// wantSharedVectors starts a second server on the same cluster. It uses what the first one has stored, and stores what
// its own changes need.
func wantSharedVectors(t *testing.T, first *encodingServer, settings config.Config, brief []byte) {
	node := testNode(t)
	index := "/" + settings.Elasticsearch.Prefix + "encoded-profiles"
	count := func() (n int) {
		t.Helper()
		node.call(t, http.MethodPost, index+"/_refresh")
		var answer struct{ Count int }
		if err := json.Unmarshal(node.call(t, http.MethodGet, index+"/_count"), &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Count
	}
	before := count()

	second := newEncodingServer(t, settings)
	best := "freelancers/" + second.match(brief).Matches[0].Freelancer.ID
	second.send(http.MethodPatch, best, `{"availability":false,"description":"I also keep bees."}`)
	second.encode()
	second.match(brief)
	first.match(brief)
	if got := count(); got != before {
		t.Errorf("%d freelancers have vectors after a change, want %d", got, before)
	}

	first.send(http.MethodDelete, best, "")
	if got := count(); got != before-1 {
		t.Errorf("%d freelancers have vectors after an erasure, want %d", got, before-1)
	}
	second.match(brief)
}
