package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/freelancer-matching/service/server/api/wire"
)

// basePath begins the path of every operation.
const basePath = "/api/v1"

// maxResponse is the size of the largest response that a tool reads, in bytes: several times what 100 matches with
// explanations take.
const maxResponse = 16 << 20

// An API responds to requests as *http.Client does. It adds the caller's key to them.
type API interface {
	Do(r *http.Request) (*http.Response, error)
}

// A client sends the requests of tools.
type client struct {
	api    API
	origin string // such as https://match.example.com; "" in the server's own process
}

// A failure is an error of the API as an agent sees it. Its JSON is the text of a failed call.
type failure struct {
	wire.FailureError
	RequestID  string `json:"request_id,omitempty"`  // "" if no request was sent
	RetryAfter int    `json:"retry_after,omitempty"` // seconds
}

// Error implements error.
func (f *failure) Error() string { return fmt.Sprintf("%s: %s", f.Code, f.Message) }

// A request is what a tool asks of the API.
type request struct {
	method, path string            // the path is below basePath and has its query
	headers      map[string]string // besides the caller's key
	body         []byte            // JSON, unless headers say otherwise; nil for a request without a body
}

// send sends a request and decodes the response into answer. It returns a *failure if the API responds with an error.
func (c client) send(ctx context.Context, q request, answer any) error {
	r, err := http.NewRequestWithContext(ctx, q.method, c.origin+basePath+q.path, bytes.NewReader(q.body))
	if err != nil {
		return fmt.Errorf("create a request to the API: %w", err)
	}
	if q.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range q.headers {
		r.Header.Set(name, value)
	}

	// In the server's own process this is a function call; see the callers of Tools.Serve and Tools.Run.
	response, err := c.api.Do(r)
	if err != nil {
		return fmt.Errorf("send a request to the API: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return fmt.Errorf("read the response of the API: %w", err)
	}

	if response.StatusCode/100 != 2 {
		return newFailure(response, text)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("decode the response of the API: %w", err)
	}
	return nil
}

// newFailure returns the error in a response. A proxy in front of the server may respond with something else than JSON.
func newFailure(response *http.Response, text []byte) error {
	var decoded wire.Failure
	if err := json.Unmarshal(text, &decoded); err != nil || decoded.Error.Code == "" {
		return fmt.Errorf("the API responded with %s and without an error code", response.Status)
	}
	f := &failure{FailureError: decoded.Error, RequestID: decoded.RequestID}
	f.RetryAfter, _ = strconv.Atoi(response.Header.Get("Retry-After")) // 0 without the header
	return f
}
