package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

const (
	dimensions = 8
	key        = "sk-test-0123456789"
)

// newEmbedder returns an Embedder with s, and mostly default settings.
func newEmbedder(t testing.TB, s *llmtest.Server, change ...func(*llm.EmbedderConfig)) *llm.Embedder {
	t.Helper()
	c := llm.EmbedderConfig{
		BaseURL: s.URL, Key: always(key), Model: "words", Dimensions: dimensions, Transport: s.Transport,
	}
	for _, f := range change {
		f(&c)
	}
	e, err := llm.NewEmbedder(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// embeddingsRequests returns the bodies of the requests to s.
func embeddingsRequests(t testing.TB, s *llmtest.Server) []llmtest.EmbeddingsRequest {
	t.Helper()
	var bodies []llmtest.EmbeddingsRequest
	for _, r := range s.Requests() {
		var body llmtest.EmbeddingsRequest
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

func TestEmbed_SendsTextsInBatchesWithoutBlankOnes(t *testing.T) {
	s := llmtest.Start(t, dimensions)
	e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Batch, c.Concurrency = 2, 1 })
	long := strings.Repeat("é", llm.MaxCharacters+1)
	vectors, err := e.Embed(t.Context(), []string{"go developer", "", "logo design", " \t\n", long, "go developer"})
	if err != nil {
		t.Fatal(err)
	}

	cut := long[:len(long)-len("é")]
	want := [][]float32{
		llmtest.Vector("go developer", dimensions), nil, llmtest.Vector("logo design", dimensions), nil,
		llmtest.Vector(cut, dimensions), llmtest.Vector("go developer", dimensions),
	}
	if diff := cmp.Diff(want, vectors); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}

	wantRequests := []llmtest.EmbeddingsRequest{
		{Model: "words", Input: []string{"go developer", "logo design"}},
		{Model: "words", Input: []string{cut, "go developer"}},
	}
	if diff := cmp.Diff(wantRequests, embeddingsRequests(t, s)); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}

	for _, r := range s.Requests() {
		if got := r.Header.Get("Authorization"); got != "Bearer "+key {
			t.Errorf("got Authorization %q", got)
		}
		if strings.Contains(string(r.Body), "dimensions") {
			t.Errorf("got %s with dimensions, which many servers reject", r.Body)
		}
	}

	if model, n := e.Space(); model != "words" || n != dimensions {
		t.Errorf("got space %q, %d", model, n)
	}
}

// llama.cpp and models with a small context reject a whole request for one long text. Only this text is shortened.
func TestEmbed_ShortensTextsThatExceedTheContext(t *testing.T) {
	const context = 300 // characters
	s := llmtest.Start(t, dimensions)
	tooLong := llmtest.Body(http.StatusInternalServerError, "application/json", `{"error":{"code":500,"message":`+
		`"input (1201 tokens) is too large to process. increase the physical batch size (current batch size: 512)",`+
		`"type":"server_error"}}`)
	s.Always(func(healthy http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			var request llmtest.EmbeddingsRequest
			if err != nil || json.Unmarshal(body, &request) != nil {
				t.Errorf("got request %s, %v", body, err)
			}

			r.Body = io.NopCloser(bytes.NewReader(body))
			if slices.ContainsFunc(request.Input, func(text string) bool { return len(text) > context }) {
				healthy = tooLong(healthy)
			}
			healthy.ServeHTTP(w, r)
		})
	})

	const short = "go developer"
	long := strings.Repeat("logo design ", 75) // 900 characters
	vectors, err := newEmbedder(t, s).Embed(t.Context(), []string{short, long, short, short})
	if err != nil {
		t.Fatal(err)
	}

	vector := llmtest.Vector(short, dimensions)
	if diff := cmp.Diff([][]float32{vector, llmtest.Vector(long[:225], dimensions), vector, vector}, vectors); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
}

// A server that finds every text too long is misconfigured. It is asked a few times, without waiting.
func TestEmbed_ServerThatFindsEveryTextTooLong(t *testing.T) {
	s := llmtest.Start(t, dimensions)
	s.Always(llmtest.Status(http.StatusBadRequest, "the input length exceeds the context length", ""))
	e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Tries = 8 })
	_, err := e.Embed(t.Context(), slices.Repeat([]string{strings.Repeat("w", 500)}, 64))
	if !errors.Is(err, llm.ErrConfiguration) || !strings.Contains(err.Error(), "serve the model with a larger context") {
		t.Errorf("got %v, want ErrConfiguration with advice", err)
	}
	if n := len(s.Requests()); n > 10 {
		t.Errorf("got %d requests, want at most 10", n)
	}
}

func TestEmbed_SendsNoBlankTexts(t *testing.T) {
	s := llmtest.Start(t, dimensions)
	vectors, err := newEmbedder(t, s).Embed(t.Context(), []string{"", " "})
	if err != nil || len(vectors) != 2 || vectors[0] != nil || vectors[1] != nil {
		t.Errorf("got %v, %v, want two nil vectors", vectors, err)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
}

func TestEmbed_SendsNoAuthorizationWithoutKey(t *testing.T) {
	s := llmtest.Start(t, dimensions)
	e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Key = nil })
	if _, err := e.Embed(t.Context(), []string{"go"}); err != nil {
		t.Fatal(err)
	}
	if got, ok := s.Requests()[0].Header["Authorization"]; ok {
		t.Errorf("got Authorization %q", got)
	}
}

// Servers may return vectors in any order, with the index of their texts. Batches make no difference.
func TestEmbed_KeepsTheOrderOfTexts(t *testing.T) {
	s := llmtest.Start(t, dimensions)
	s.Always(llmtest.Edit(func(e *llmtest.Embeddings) {
		random := rand.New(rand.NewPCG(uint64(len(e.Data)), 2))
		random.Shuffle(len(e.Data), func(i, j int) { e.Data[i], e.Data[j] = e.Data[j], e.Data[i] })
	}))

	random := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		texts := make([]string, random.IntN(40))
		want := make([][]float32, len(texts))
		for i := range texts {
			if random.IntN(5) > 0 {
				texts[i] = fmt.Sprintf("text %d", random.IntN(30))
				want[i] = llmtest.Vector(texts[i], dimensions)
			}
		}

		e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Batch, c.Concurrency = 1+random.IntN(12), 1+random.IntN(4) })
		got, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

func TestEmbed_ServesConcurrentCallers(t *testing.T) {
	s := llmtest.Start(t, dimensions)
	e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Batch = 3 })
	var callers sync.WaitGroup
	for caller := range 8 {
		callers.Go(func() {
			for i := range 10 {
				text := fmt.Sprintf("caller %d text %d", caller, i)
				got, err := e.Embed(t.Context(), slices.Repeat([]string{text}, 5))
				if err != nil {
					t.Error(err)
					return
				}

				if diff := cmp.Diff(slices.Repeat([][]float32{llmtest.Vector(text, dimensions)}, 5), got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}

	callers.Wait()
}

// Each error has one kind and some advice, and only temporary errors are retried.
func TestEmbed_ReportsEveryFault(t *testing.T) {
	status := llmtest.Status
	body := llmtest.Body
	edit := llmtest.Edit
	page := "text/html"
	const asJSON = "application/json"
	tests := []struct {
		name  string
		fault llmtest.Fault
		kind  error
		text  string
	}{
		{
			"rate limit", status(429, "slow down", "7"),
			llm.ErrUnavailable, "429 Too Many Requests, retry after 7s: slow down",
		},
		{"request timeout", status(408, "too late", ""), llm.ErrUnavailable, "408 Request Timeout: too late"},
		{"server error", status(500, "boom", ""), llm.ErrUnavailable, "500 Internal Server Error: boom"},
		{
			"bad gateway with a page", body(502, page, "<html>nginx</html>"),
			llm.ErrUnavailable, "502 Bad Gateway: <html>nginx</html>",
		},
		{"loading", status(503, "loading model", ""), llm.ErrUnavailable, "loading model"},
		{"gateway timeout", body(504, "text/plain", ""), llm.ErrUnavailable, "504 Gateway Timeout: no message"},
		{"hung up", llmtest.HangUp(), llm.ErrUnavailable, "the response broke off"},
		{"truncated", llmtest.Truncate(), llm.ErrUnavailable, "the response broke off"},
		{"empty", body(200, asJSON, ""), llm.ErrUnavailable, "the response broke off"},
		{"too slow", llmtest.Hang(), llm.ErrUnavailable, "no response in time"},

		{
			"unknown model", status(404, `model "words" not found, try pulling it first`, ""),
			llm.ErrConfiguration, "check the model, and the base URL, which usually ends in /v1: model",
		},
		{
			"other form of error", body(404, asJSON, `{"detail":"Not Found"}`),
			llm.ErrConfiguration, `{"detail":"Not Found"}`,
		},
		{
			"wrong key", status(401, "no such key", ""),
			llm.ErrConfiguration, "401 Unauthorized; check the key: no such key",
		},
		{
			"dimensions rejected", status(400, "dimensions is not supported", ""),
			llm.ErrConfiguration, "check the model, the dimensions and the batch",
		},
		{
			"batch rejected", status(413, "batch size 64 > 32", ""),
			llm.ErrConfiguration, "set a smaller batch: batch size 64 > 32",
		},
		{
			"redirect", llmtest.Redirect("https://elsewhere.test/v1/embeddings"),
			llm.ErrConfiguration, "the server redirects to https://elsewhere.test/v1/embeddings; set the base URL",
		},
		{
			"a web page", body(200, page, "<!doctype html>"),
			llm.ErrConfiguration, "not one of /embeddings (base URLs usually end in /v1)",
		},
		{
			"an error with status 200", body(200, asJSON, `{"error":"unexpected endpoint"}`),
			llm.ErrConfiguration, "0 vectors for 2 texts",
		},
		{"huge", llmtest.Oversize(2 << 20), llm.ErrConfiguration, "far longer than the requested vectors"},
		{
			"NaN", body(200, asJSON, `{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}`),
			llm.ErrConfiguration, "invalid character 'N'",
		},
		{
			"too large", body(200, asJSON, `{"data":[{"index":0,"embedding":[1e39]},{"index":1,"embedding":[1]}]}`),
			llm.ErrConfiguration, "cannot unmarshal number 1e39",
		},
		{
			"NaN as null", edit(func(e *llmtest.Embeddings) { clear(e.Data[1].Embedding) }),
			llm.ErrConfiguration, "a vector of zeros",
		},
		{
			"no numbers", edit(func(e *llmtest.Embeddings) { e.Data[1].Embedding = nil }),
			llm.ErrConfiguration, `is "words" an embeddings model?`,
		},
		{
			"wrong size", edit(func(e *llmtest.Embeddings) { e.Data[1].Embedding = []float32{1, 2} }),
			llm.ErrConfiguration, "returned 2 dimensions, 8 are configured; set the dimensions to 2 or choose another model",
		},
		{
			"one missing", edit(func(e *llmtest.Embeddings) { e.Data = e.Data[:1] }),
			llm.ErrConfiguration, "1 vectors for 2 texts",
		},
		{
			"an index twice", edit(func(e *llmtest.Embeddings) { e.Data[1].Index = 0 }),
			llm.ErrConfiguration, "index 0 twice",
		},
		{
			"an index too high", edit(func(e *llmtest.Embeddings) { e.Data[1].Index = 2 }),
			llm.ErrConfiguration, "index 2 for 2 texts",
		},
		{
			"an index below 0", edit(func(e *llmtest.Embeddings) { e.Data[1].Index = -1 }),
			llm.ErrConfiguration, "index -1 for 2 texts",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Tries = 2 })
				s.Always(test.fault)
				vectors, err := e.Embed(t.Context(), []string{"go", "design"})
				if vectors != nil || !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) {
					t.Fatalf("got %v, %v, want %v with %q", vectors, err, test.kind, test.text)
				}

				tries := 1
				if errors.Is(err, llm.ErrUnavailable) {
					tries = 2
				}

				if n := len(s.Requests()); n != tries {
					t.Errorf("got %d attempts, want %d", n, tries)
				}

				if errors.Is(err, llm.ErrUnavailable) == errors.Is(err, llm.ErrConfiguration) {
					t.Errorf("got %v, an error of two kinds", err)
				}
				s.Always(nil) // faults have no lasting effect

				if _, err := e.Embed(t.Context(), []string{"go"}); err != nil {
					t.Errorf("after the fault: got %v, want no error", err)
				}
			})
		})
	}
}

func TestEmbed_ServerIsDown(t *testing.T) {
	s := llmtest.Start(t, dimensions)
	e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.BaseURL, c.Transport = "http://127.0.0.1:1/v1", nil })
	if _, err := e.Embed(t.Context(), []string{"go"}); !errors.Is(err, llm.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

func TestEmbed_CanceledByItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Always(llmtest.Hang())
		e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Tries = 3 })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := e.Embed(ctx, []string{"go"})
		if !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrUnavailable) || errors.Is(err, llm.ErrConfiguration) {
			t.Errorf("got %v, want context.Canceled and nothing else", err)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("got %d attempts, want 1", n)
		}
	})
}

func TestEmbed_CanceledDuringBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := llmtest.StartInMemory(t, dimensions)
		s.Always(llmtest.Status(429, "slow down", "30"))
		e := newEmbedder(t, s, func(c *llm.EmbedderConfig) { c.Tries = 3 })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := e.Embed(ctx, []string{"go"})
		if !errors.Is(err, context.Canceled) || time.Since(start) != time.Second || len(s.Requests()) != 1 {
			t.Errorf("got %v after %v and %d requests, want context.Canceled after 1s and 1",
				err, time.Since(start), len(s.Requests()))
		}
	})
}

func TestNewEmbedder_RejectsInvalidSettings(t *testing.T) {
	tests := []struct {
		name   string
		change func(*llm.EmbedderConfig)
		want   string
	}{
		{"no URL", func(c *llm.EmbedderConfig) { c.BaseURL = "" }, "must begin with http:// or https://"},
		{"no scheme", func(c *llm.EmbedderConfig) { c.BaseURL = "localhost:1/v1" }, "must begin with http:// or https://"},
		{"no host", func(c *llm.EmbedderConfig) { c.BaseURL = "http:///v1" }, "and a host"},
		{"a file", func(c *llm.EmbedderConfig) { c.BaseURL = "file:///models" }, "must begin with http:// or https://"},
		{"not a URL", func(c *llm.EmbedderConfig) { c.BaseURL = "http://user:" + key + "@[::1/v1" }, "not a URL"},
		{"credentials", func(c *llm.EmbedderConfig) { c.BaseURL = "https://u:" + key + "@host/v1" }, "contains credentials"},
		{"query", func(c *llm.EmbedderConfig) { c.BaseURL = "https://host/v1?api-key=" + key }, "has a query"},
		{"full URL", func(c *llm.EmbedderConfig) { c.BaseURL = "https://host/v1/embeddings/" }, "remove it"},
		{"line break in the key", func(c *llm.EmbedderConfig) { c.Key = always(key + "\n") }, "line break"},
		{"no model", func(c *llm.EmbedderConfig) { c.Model = "" }, "the model is empty"},
		{"no dimensions", func(c *llm.EmbedderConfig) { c.Dimensions = 0 }, "dimensions are 0"},
		{"too many dimensions", func(c *llm.EmbedderConfig) { c.Dimensions = llm.MaxDimensions + 1 }, "dimensions are 4097"},
		{"batch", func(c *llm.EmbedderConfig) { c.Batch = 2049 }, "batch is 2049"},
		{"negative", func(c *llm.EmbedderConfig) { c.Tries = -1 }, "must not be negative"},
		{"two faults", func(c *llm.EmbedderConfig) { c.Model, c.Dimensions = "", 0 }, "knows it by\nthe dimensions"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := llm.EmbedderConfig{
				BaseURL: "http://127.0.0.1:11434/v1", Key: always(key), Model: "words", Dimensions: dimensions,
			}
			if _, err := llm.NewEmbedder(c); err != nil {
				t.Fatalf("without the fault: got %v", err)
			}

			test.change(&c)
			_, err := llm.NewEmbedder(c)
			if !errors.Is(err, llm.ErrConfiguration) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}

			if strings.Contains(err.Error(), key) {
				t.Errorf("the error contains the key: %v", err)
			}
		})
	}
}

// Errors are logged, and texts of briefs and profiles must not be.
func TestEmbed_ErrorsNeverRepeatTexts(t *testing.T) {
	const text = "Logo for \"Brine & Salt\",\nour secret launch"
	for name, message := range map[string]string{
		"as it is":  "cannot embed: " + text,
		"as JSON":   `{"input":["Logo for \"Brine & Salt\",\nour secret launch"]}`,
		"and a key": key + " may not embed " + text,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := llmtest.StartInMemory(t, dimensions)
				s.Always(llmtest.Status(400, message, ""))
				_, err := newEmbedder(t, s).Embed(t.Context(), []string{"design", text})
				if err == nil || strings.Contains(err.Error(), "launch") || strings.Contains(err.Error(), key) {
					t.Errorf("got %v", err)
				}

				if !strings.Contains(err.Error(), "[text]") {
					t.Errorf("got %v, want a placeholder for the text", err)
				}
			})
		})
	}
}
