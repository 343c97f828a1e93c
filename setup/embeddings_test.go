package setup

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/encoder"
)

// embeddingsAPI returns the address of an embeddings server with the built-in encoder, and a function that returns the
// texts that it has got since the last call.
func embeddingsAPI(t *testing.T) (url string, received func() []string) {
	t.Helper()
	model, err := encoder.New()
	if err != nil {
		t.Fatal(err)
	}

	var mu sync.Mutex
	var texts []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		mu.Lock()
		texts = append(texts, request.Input...)
		mu.Unlock()

		type embedding struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var response struct {
			Data []embedding `json:"data"`
		}
		for i, text := range request.Input {
			v, err := model.Encode(r.Context(), text)
			if err != nil {
				t.Error(err)
			}
			response.Data = append(response.Data, embedding{i, v.Values[:]})
		}
		if err := json.NewEncoder(w).Encode(response); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)

	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		got := texts
		texts = nil
		return got
	}
}

// Briefs and profiles reach the model with their prefixes, and an index says with which its vectors were made.
func TestEmbedders_Prefixes(t *testing.T) {
	url, received := embeddingsAPI(t)
	c := config.Default()
	c.Embeddings = config.Embeddings{
		URL: url, Model: "e5", Dimensions: 384, QueryPrefix: "query: ", PassagePrefix: "passage: ", Timeout: time.Minute,
	}
	log := slog.New(slog.DiscardHandler)

	briefs, err := queryEmbedder(c, log)
	if err != nil {
		t.Fatal(err)
	}
	loads, err := loadEmbedder(t.Context(), c, log)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := changeEmbedder(t.Context(), c, log)
	if err != nil {
		t.Fatal(err)
	}
	probes := received()
	isPassage := func(text string) bool { return strings.HasPrefix(text, "passage: ") }
	if len(probes) == 0 || slices.ContainsFunc(probes, func(text string) bool { return !isPassage(text) }) {
		t.Errorf("probes without the prefix of passages: %q", probes)
	}

	for _, e := range []*remote{briefs, loads, changes} {
		if _, err := e.Embed(t.Context(), []string{"Baker"}); err != nil {
			t.Fatal(err)
		}
		if got := e.Space().Model; got != `e5 with prefix "passage: "` {
			t.Errorf("the vectors are of the model %q", got)
		}
	}
	want := []string{"query: Baker", "passage: Baker", "passage: Baker"}
	if diff := cmp.Diff(want, received()); diff != "" {
		t.Errorf("received texts (-want +got):\n%s", diff)
	}

	c.Embeddings.PassagePrefix = ""
	plain, err := queryEmbedder(c, log)
	if err != nil {
		t.Fatal(err)
	}
	if got := plain.Space().Model; got != "e5" {
		t.Errorf("without a prefix, the vectors are of the model %q", got)
	}
}
