package search

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
	"github.com/freelancer-matching/service/engine/elastic/rest"
)

// answering returns a follower whose node answers every request with a handler.
func answering(t *testing.T, answer http.HandlerFunc, log *slog.Logger) *Follower {
	t.Helper()
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Elastic-Product", "Elasticsearch")
		answer(w, r)
	}))
	t.Cleanup(node.Close)

	client, err := rest.New(&rest.Config{URLs: []string{node.URL}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)

	return NewFollower(client, catalog.New(client, ""), DefaultWindow, log)
}

// A search that fails, or that only some of the shards answer, returns an error and no hits.
func TestSearch_Fails(t *testing.T) {
	for name, c := range map[string]struct {
		status   int
		answer   string
		want     string
		notFound bool
	}{
		"dropped": {
			404, `{"error":{"type":"index_not_found_exception","reason":"no such index"},"status":404}`, "dropped", true,
		},
		"rejected": {
			429, `{"error":{"type":"es_rejected_execution_exception","reason":"queue"},"status":429}`, "es_rejected", false,
		},
		"partial": {200, `{"timed_out":false,"_shards":{"failed":1},"hits":{"hits":[{}]}}`, "1 shards failed", false},
		"late":    {200, `{"timed_out":true,"_shards":{"failed":0},"hits":{"hits":[{}]}}`, "timed out", false},
	} {
		indexes := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			io.WriteString(w, c.answer)
		}, slog.New(slog.DiscardHandler))
		s := indexes.Snapshot(&catalog.Description{Name: "x", Meta: &catalog.Meta{}, Shards: 1})
		hits, err := s.hits(t.Context(), object{})
		err = s.wrap("search", err)
		if hits != nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, engine.ErrNotFound) != c.notFound {
			t.Errorf("%s: got %d hits and error %v, want none and %q", name, len(hits), err, c.want)
		}
	}
}
