package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/buildinfo"
)

const (
	// basePath begins the path of every operation.
	basePath = "/api/v1"
	// responseTime is how long the server may take: longer than its longest operation, an interview with a model.
	responseTime = 2 * time.Minute
	// maxResponse is the size of the largest response that is read, in bytes.
	maxResponse = 64 << 20
)

// An api sends requests to a server with a key.
type api struct {
	origin, key string
	client      http.Client
}

// An apiError is an error that the API responded with.
type apiError struct {
	status  int
	body    []byte
	Code    string `json:"code"`
	Message string `json:"message"`
	Details []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
	} `json:"details"`
	requestID, retryAfter string
}

// Error returns the message with its code, and the request ID if the operator needs it.
func (e *apiError) Error() string {
	text := fmt.Sprintf("%s (%s)", printable(e.Message, 2000), e.Code)
	if e.status >= http.StatusInternalServerError {
		text += " request_id " + e.requestID
	}
	return text
}

// nextStep returns a sentence that says what to do, or "" if the message says it.
func (e *apiError) nextStep() string {
	switch {
	case e.status == http.StatusUnauthorized:
		return "Set MATCHING_API_KEY, or store a key with \"matching profiles set NAME -url URL\"."
	case e.retryAfter != "":
		return "Try again in " + e.retryAfter + " seconds. \"matching me\" shows what is left of the limits."
	case e.Code == "webhook_not_found" || e.Code == "too_many_webhooks":
		return "The dashboard lists and deletes webhook endpoints, under Webhooks."
	case e.Code == "freelancer_not_found":
		return "\"matching freelancers find\" lists freelancers."
	default:
		return ""
	}
}

// An unreachableError says that the server doesn't respond.
type unreachableError struct {
	origin string
	cause  error
}

// Error returns what to check.
func (e *unreachableError) Error() string {
	return fmt.Sprintf("%s doesn't respond: %v\nCheck that the server runs, and the address in -url or MATCHING_URL.",
		e.origin, e.cause)
}

// A foreignError says that something else than the API responded, such as a proxy or another website.
type foreignError struct {
	host   string
	status int
	text   string // of the status
}

// Error returns what to check.
func (e *foreignError) Error() string {
	return fmt.Sprintf("%s responded with %s, and not as this API does; check the address", e.host, e.text)
}

// newAPI returns an API of a server. It follows no redirect, which could take the key to another host.
func newAPI(s server) *api {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &api{origin: s.URL, key: s.Key, client: http.Client{CheckRedirect: stay}}
}

// A request is what a command asks of the API.
type request struct {
	method, path string // the path is below basePath
	query        url.Values
	contentType  string // "" for application/json
	body         []byte
	ifMatch      string // a version
}

// send sends a request and returns the body of a successful response. Its errors are *apiError, *unreachableError and
// *foreignError, or say that the request is invalid.
func (a *api) send(ctx context.Context, q request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, responseTime)
	defer cancel()
	response, err := a.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return nil, &unreachableError{a.origin, err}
	}
	return body, nil
}

// open sends a request and returns a successful response, whose body the caller reads and closes. It returns the
// same errors as send.
func (a *api) open(ctx context.Context, q request) (*http.Response, error) {
	address := a.origin + basePath + q.path
	if len(q.query) > 0 {
		address += "?" + q.query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, q.method, address, bytes.NewReader(q.body))
	if err != nil {
		return nil, err
	}

	r.Header.Set("X-API-Key", a.key)
	r.Header.Set("User-Agent", "matching/"+buildinfo.Read().Version)
	if q.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if q.contentType != "" {
		r.Header.Set("Content-Type", q.contentType)
	}
	if q.ifMatch != "" {
		r.Header.Set("If-Match", `"`+q.ifMatch+`"`)
	}

	// Whatever fails before a response has a status is a matter of the address, the network or the server.
	response, err := a.client.Do(r)
	if err != nil {
		return nil, &unreachableError{a.origin, err}
	}
	if response.StatusCode/100 == 2 {
		return response, nil
	}

	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	if err != nil {
		return nil, &unreachableError{a.origin, err}
	}
	return nil, newAPIError(response, body)
}

// sendJSON sends a value as JSON.
func (a *api) sendJSON(ctx context.Context, q request, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	q.body = body
	return a.send(ctx, q)
}

func newAPIError(response *http.Response, body []byte) error {
	var answer struct {
		Error     apiError `json:"error"`
		RequestID string   `json:"request_id"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Error.Code == "" {
		return &foreignError{response.Request.URL.Host, response.StatusCode, response.Status}
	}
	e := &answer.Error
	e.status = response.StatusCode
	e.body = body
	e.requestID = answer.RequestID
	e.retryAfter = response.Header.Get("Retry-After")
	return e
}

// recordPath returns the path of a freelancer.
func recordPath(id string) string { return "/freelancers/" + url.PathEscape(id) }

// serverOrigin returns the scheme and the host of a server's URL.
func serverOrigin(address string) (string, bool) {
	u, err := url.Parse(address)
	isServer := err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil
	if !isServer || strings.Trim(u.Path, "/") != "" {
		return "", false
	}
	return u.Scheme + "://" + u.Host, true
}
