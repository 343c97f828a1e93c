package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
)

const (
	matchPath  = "/api/v1/match"
	healthPath = "/api/v1/health"
	dataPath   = "/api/v1/generate-test-data"
	goodBrief  = `{"description":"A dashboard in React"}`
)

func codeOf(t *testing.T, w *httptest.ResponseRecorder) matching.Code {
	t.Helper()
	var body struct {
		Status any
		Error  struct {
			Code    matching.Code
			Message string
		}
		Code      matching.Code
		Detail    string
		RequestID string `json:"request_id"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatalf("%v: %s", err, head(w.Body.String()))
	}

	if body.RequestID == "" || body.RequestID != w.Header().Get("X-Request-Id") {
		t.Errorf("request id %q in the body, %q in the header", body.RequestID, w.Header().Get("X-Request-Id"))
	}

	if body.Code != "" {
		return body.Code // problem+json
	}

	if body.Status != "error" || body.Error.Message == "" || body.Detail != body.Error.Message {
		t.Errorf("not a Failure: %s", head(w.Body.String()))
	}

	return body.Error.Code
}

func matcherFails(err error) func(*fixture) {
	return func(f *fixture) {
		f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) { return nil, err })
	}
}

// Errors of the services and of key lookups reach the client with the status of their code.
func TestErrors_EveryCodeHasItsStatus(t *testing.T) {
	for code, status := range endpoint.Statuses() {
		if code == matching.CodeNotFound || code == endpoint.CodeMethodNotAllowed {
			continue // only for paths without an operation; tested below
		}
		message := "message of " + string(code)

		if code == matching.CodeInternal {
			message = "An internal error occurred."
		}

		t.Run(string(code), func(t *testing.T) {
			err := &matching.Error{Code: code, Message: "message of " + string(code), Cause: errors.New("secret cause")}
			c := call{
				status: status, code: code, want: []string{message},
				change: matcherFails(fmt.Errorf("match: %w", err)),
			}

			if status == http.StatusNotFound || status == http.StatusConflict {
				c.path, c.body, c.change = interviewPath, goodInterview, interviewerFails(fmt.Errorf("interview: %w", err))
			}

			switch status {
			case http.StatusGone:
				c.method = http.MethodGet
				c.path = basePath + "/changes"
				c.body = ""
				c.change = func(f *fixture) { f.Feed = feedFunc(func() (feed.Page, error) { return feed.Page{}, err }) }
			case http.StatusPreconditionFailed, http.StatusNotImplemented, http.StatusBadGateway:
				c.method = http.MethodPut
				c.path = onePath
				c.body = goodRecord
				c.header = http.Header{"Content-Type": {"application/json"}}
				c.change = func(f *fixture) { f.world.Engine.Err = fmt.Errorf("apply: %w", err) }
			}

			w, _ := c.send(t)
			if got := w.Header().Get("WWW-Authenticate"); (got == "ApiKey") != (status == http.StatusUnauthorized) {
				t.Errorf("WWW-Authenticate is %q with %d", got, status)
			}
			wait := status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
			if got := w.Header().Get("Retry-After"); (got != "") != wait {
				t.Errorf("Retry-After is %q with %d", got, status)
			}
		})
	}
}

func TestErrors_OfDependencies(t *testing.T) {
	brief := func(name string, status int, code matching.Code, err error, want ...string) call {
		return call{
			name: name, status: status, code: code,
			change: matcherFails(err), want: want,
		}
	}

	refused := func(code matching.Code) call {
		return call{
			name: string(code), method: http.MethodGet, path: healthPath, status: http.StatusUnauthorized, code: code,
			change: func(f *fixture) {
				f.Keys = keysFunc(func(context.Context, string) (apikey.Key, error) {
					return apikey.Key{}, &matching.Error{Code: code, Message: "refused"}
				})
			},
		}
	}

	databaseFault := func(code matching.Code) call {
		return call{
			name: "key lookup fails with " + string(code), method: http.MethodGet, path: healthPath, status: 503, code: code,
			want: []string{"The database is away."},
			change: func(f *fixture) {
				f.Keys = keysFunc(func(context.Context, string) (apikey.Key, error) {
					return apikey.Key{}, fmt.Errorf("look up: %w", &matching.Error{
						Code: code, Message: "The database is away.", RetryAfter: time.Second,
						Cause: fmt.Errorf("secret cause: %w", context.DeadlineExceeded),
					})
				})
			},
		}
	}

	run(t, []call{
		databaseFault(matching.CodeDatabaseUnavailable), databaseFault(matching.CodeDatabaseLocked),
		databaseFault(matching.CodeDatabaseCorrupt), databaseFault(matching.CodeStorageFull),
		databaseFault(matching.CodeStorageReadOnly), databaseFault(matching.CodeStorageFailed),
		brief("error without a code", 500, matching.CodeInternal, errors.New("secret cause")),
		brief("code without a status", 500, matching.CodeInternal, &matching.Error{Code: "odd", Message: "secret cause"}),
		brief("internal error with a message", 500, matching.CodeInternal,
			&matching.Error{Code: matching.CodeInternal, Message: "secret cause"}),
		brief("deadline exceeded", 504, matching.CodeEngineTimeout, fmt.Errorf("secret cause: %w", context.DeadlineExceeded)),
		brief("engine unavailable", 503, matching.CodeEngineUnavailable,
			&matching.Error{Code: matching.CodeEngineUnavailable, Message: "The engine is away.", RetryAfter: 3 * time.Second}),
		brief("validation by the service", 422, matching.CodeInvalid, &matching.Error{
			Code: matching.CodeInvalid, Message: "weights.sklls is not a feature",
			Details: []matching.FieldError{{Field: "weights.sklls", Code: "unknown_feature", Message: "no such feature"}},
		}, `"field":"weights.sklls"`),
		refused(apikey.CodeMissing), refused(apikey.CodeInvalid), refused(apikey.CodeDisabled),
		refused(apikey.CodeRevoked), refused(apikey.CodeExpired),
		{
			name: "key lookup fails", method: http.MethodGet, path: healthPath, status: 500, code: matching.CodeInternal,
			change: func(f *fixture) {
				f.Keys = keysFunc(func(context.Context, string) (apikey.Key, error) {
					return apikey.Key{}, errors.New("secret cause")
				})
			},
		},
		{
			name:   "score that JSON cannot represent",
			status: 500, code: matching.CodeInternal,
			change: func(f *fixture) {
				f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) {
					zero := 0.0
					return &matching.Answer{Matches: []matching.Match{{Score: zero / zero}}}, nil
				})
			},
		},
		{name: "unknown path", method: http.MethodGet, path: "/api/v1/nothing", status: 404, code: matching.CodeNotFound},
		{name: "trailing slash", method: http.MethodGet, path: healthPath + "/", status: 404, code: matching.CodeNotFound},
		{name: "the root", method: http.MethodGet, path: "/", status: 404, code: matching.CodeNotFound},
	})
}

func TestErrors_MethodNotAllowedNamesTheAllowedOne(t *testing.T) {
	c := call{
		method: http.MethodDelete, path: matchPath, status: 405, code: endpoint.CodeMethodNotAllowed,
		want: []string{"use POST"},
	}
	if w, _ := c.send(t); w.Header().Get("Allow") != "POST, OPTIONS" {
		t.Errorf("Allow is %q", w.Header().Get("Allow"))
	}
}

func TestErrors_RetryAfterIsRoundedUp(t *testing.T) {
	err := &matching.Error{Code: matching.CodeOverloaded, Message: "full", RetryAfter: 1200 * time.Millisecond}
	c := call{status: 503, code: matching.CodeOverloaded, change: matcherFails(err)}
	if w, _ := c.send(t); w.Header().Get("Retry-After") != "2" {
		t.Errorf("Retry-After is %q, want 2", w.Header().Get("Retry-After"))
	}
}

func TestErrors_PanicBecomesInternalError(t *testing.T) {
	c := call{
		status: 500, code: matching.CodeInternal,
		change: func(f *fixture) {
			f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) { panic("secret cause") })
		},
	}
	w, f := c.send(t)
	log := f.log.String()
	for _, want := range []string{"secret cause", w.Header().Get("X-Request-Id"), `"status":500`} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
}

func TestErrors_ProblemJSONIfAccepted(t *testing.T) {
	for accept, want := range map[string]string{
		"":                             endpoint.JSONType,
		"application/json":             endpoint.JSONType,
		"*/*":                          endpoint.JSONType,
		"application/problem+json;q=0": endpoint.JSONType,
		"application/problem+json":     endpoint.ProblemType,
		"application/json, application/problem+json": endpoint.ProblemType,
		"APPLICATION/PROBLEM+JSON; charset=utf-8":    endpoint.ProblemType,
	} {
		t.Run(accept, func(t *testing.T) {
			c := call{
				path: matchPath, body: `{"timeline":"soon"}`, status: 422, code: validate.CodeWrongType,
				header: http.Header{"Accept": {accept}},
			}
			if w, _ := c.send(t); w.Header().Get("Content-Type") != want {
				t.Errorf("Content-Type is %q, want %q", w.Header().Get("Content-Type"), want)
			}
		})
	}
}
