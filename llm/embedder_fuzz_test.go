package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/llm"
	"github.com/freelancer-matching/service/llm/llmtest"
)

// roundTrip is a transport without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Every response leads to a vector of the configured size, or to an error of one kind.
func FuzzEmbed_Response(f *testing.F) {
	f.Add(200, `{"data":[{"index":0,"embedding":[1,2]}]}`, "")
	f.Add(200, `{"data":[{"index":0,"embedding":[null,0]}]}`, "")
	f.Add(200, `{"data":[{"index":-1,"embedding":[1e99]}]}`, "")
	f.Add(429, `{"error":{"message":["a","b"],"code":7}}`, "9")
	f.Add(500, `{"error":"x"}`, "Sat, 01 Jan 2000 00:00:40 GMT")
	f.Add(302, ``, "-1")
	f.Fuzz(func(t *testing.T, status int, body, after string) {
		if status < 100 || status > 999 {
			t.Skip("not a status")
		}

		e, err := llm.NewEmbedder(llm.EmbedderConfig{
			BaseURL: "http://server.test/v1", Model: "words", Dimensions: 2,
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				header := http.Header{"Retry-After": {after}, "Location": {after}}
				answer := io.NopCloser(strings.NewReader(body))
				return &http.Response{StatusCode: status, Header: header, Body: answer, Request: r}, nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}

		vectors, err := e.Embed(t.Context(), []string{"go"})
		switch {
		case err == nil:
			if len(vectors) != 1 || len(vectors[0]) != 2 || vectors[0][0] == 0 && vectors[0][1] == 0 {
				t.Errorf("got vectors %v", vectors)
			}
		case errors.Is(err, llm.ErrUnavailable) == errors.Is(err, llm.ErrConfiguration):
			t.Errorf("got %v, want an error of exactly one kind", err)
		}
	})
}

// BenchmarkEmbed measures a query and a batch without the server and the network.
func BenchmarkEmbed(b *testing.B) {
	const dimensions = 384
	for _, texts := range []int{1, 128} {
		b.Run(fmt.Sprintf("texts=%d", texts), func(b *testing.B) {
			var answer llmtest.Embeddings
			for i := range texts {
				answer.Data = append(answer.Data, llmtest.Embedding{Index: i, Embedding: llmtest.Vector(fmt.Sprint(i), dimensions)})
			}
			body, err := json.Marshal(answer)
			if err != nil {
				b.Fatal(err)
			}

			e, err := llm.NewEmbedder(llm.EmbedderConfig{
				BaseURL: "http://server.test/v1", Model: "words", Dimensions: dimensions, Batch: texts,
				Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(string(body))), Request: r}, nil
				}),
			})
			if err != nil {
				b.Fatal(err)
			}

			for b.Loop() {
				if _, err := e.Embed(b.Context(), strings.Fields(strings.Repeat("text ", texts))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
