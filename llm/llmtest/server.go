// Package llmtest provides a model server for tests. It speaks OpenAI's protocol, computes simple but meaningful
// vectors, lets a test play the model, fails on command, and records its requests.
package llmtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// A Server is a model server. It is closed at the end of its test.
type Server struct {
	URL       string            // the base URL, which ends in /v1
	Transport http.RoundTripper // reaches the server; required if it was started in memory
	// Dimensions is the size of the model's vectors.
	Dimensions int
	// Vector computes the vectors. A test that needs a better model than the function Vector sets it before the first
	// request.
	Vector func(text string, dimensions int) []float32

	mu       sync.Mutex
	script   []Fault
	always   Fault
	requests []Request
	models   map[string]Model // by name of the task
}

// A Request is a recorded request.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte
}

// An EmbeddingsRequest is the body of a request to /v1/embeddings.
type EmbeddingsRequest struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

// Embeddings is the response of /v1/embeddings.
type Embeddings struct {
	Object string      `json:"object"`
	Model  string      `json:"model"`
	Data   []Embedding `json:"data"`
}

// An Embedding is one vector with the index of its text in the request.
type Embedding struct {
	Object    string    `json:"object"`
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

// Start starts a server on a local port. Its vectors have the given number of dimensions.
func Start(t testing.TB, dimensions int) *Server {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return start(t, dimensions, listener, &http.Transport{})
}

// StartInMemory starts a server that only its Transport reaches. Because there is no network, it works in a bubble of
// testing/synctest, where waiting takes no time.
func StartInMemory(t testing.TB, dimensions int) *Server {
	t.Helper()
	listener := newPipeListener()
	return start(t, dimensions, listener, &http.Transport{DialContext: listener.dial})
}

func start(t testing.TB, dimensions int, listener net.Listener, transport *http.Transport) *Server {
	s := &Server{Transport: transport, Dimensions: dimensions, Vector: Vector, models: make(map[string]Model)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/embeddings", s.embeddings)
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	config := &http.Server{Handler: s.scripted(mux)} //nolint:gosec // a test needs no timeouts
	server := &httptest.Server{Listener: listener, Config: config}
	server.Start()
	s.URL = server.URL + "/v1"
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return s
}

// Script sets one fault for each of the next requests; nil is no fault. After these requests, Always applies again.
func (s *Server) Script(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, faults...)
}

// Always sets the fault of every request without a scripted one; nil is no fault, the default.
func (s *Server) Always(fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = fault
}

// Requests returns the requests so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// scripted records a request and applies its fault.
func (s *Server) scripted(healthy http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // the client went away
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler := healthy
		if fault := s.next(Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body}); fault != nil {
			handler = fault(healthy)
		}
		handler.ServeHTTP(w, r)
	})
}

func (s *Server) next(r Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if len(s.script) == 0 {
		return s.always
	}
	fault := s.script[0]
	s.script = s.script[1:]
	return fault
}

func (s *Server) embeddings(w http.ResponseWriter, r *http.Request) {
	var request EmbeddingsRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := Embeddings{Object: "list", Model: request.Model, Data: make([]Embedding, len(request.Input))}
	for i, text := range request.Input {
		answer.Data[i] = Embedding{Object: "embedding", Index: i, Embedding: s.Vector(text, s.Dimensions)}
	}
	writeJSON(w, http.StatusOK, answer)
}
