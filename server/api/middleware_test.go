package api

import (
	"bufio"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestRequestID(t *testing.T) {
	for sent, kept := range map[string]bool{
		"abc-DEF_1.2":            true,
		strings.Repeat("a", 128): true,
		strings.Repeat("a", 129): false,
		"":                       false,
		"two words":              false,
		"a\"b":                   false,
		"é":                      false,
	} {
		c := call{method: http.MethodGet, path: healthPath, status: 200, header: http.Header{"X-Request-Id": {sent}}}
		w, f := c.send(t)
		got := w.Header().Get("X-Request-Id")
		if (got == sent) != kept || !wellFormedID(got) {
			t.Errorf("request ID %q for the sent one %q", got, sent)
		}

		if !strings.Contains(f.log.String(), `"request_id":"`+got+`"`) {
			t.Errorf("the log lacks %q", got)
		}
	}
}

// A key is accepted as a bearer token, too. X-API-Key comes first, so that a proxy's own Authorization does no harm.
func TestAuthenticate_BearerToken(t *testing.T) {
	const unknown = "svc_pr_private"
	for name, test := range map[string]struct {
		headers [2]string // X-API-Key and Authorization
		status  int
	}{
		"bearer":                {[2]string{"", "Bearer " + testKey}, 200},
		"in lower case":         {[2]string{"", "bearer  " + testKey}, 200},
		"unknown key":           {[2]string{"", "Bearer " + unknown}, 401},
		"another scheme":        {[2]string{"", "Basic " + testKey}, 401},
		"without a scheme":      {[2]string{"", testKey}, 401},
		"beside a valid key":    {[2]string{testKey, "Bearer " + unknown}, 200},
		"beside an unknown key": {[2]string{unknown, "Bearer " + testKey}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			c := call{method: http.MethodGet, path: healthPath, status: test.status, header: http.Header{
				headerKey: {test.headers[0]}, "Authorization": {test.headers[1]},
			}}
			c.send(t)
		})
	}
}

// The access log has one line per request, with the client's address but without body, query and key.
func TestAccessLog(t *testing.T) {
	tests := []struct {
		call
		want map[string]any
	}{
		{
			call{path: matchPath + "?private=1", body: `{"description":"private"}`, status: 200},
			map[string]any{"method": "POST", "route": matchPath, "status": 200.0, "key": "key_1"},
		},
		{
			call{method: http.MethodGet, path: healthPath, status: 401, header: http.Header{"X-Api-Key": {"svc_pr_private"}}},
			map[string]any{"method": "GET", "route": healthPath, "status": 401.0, "key": ""},
		},
		{
			call{method: http.MethodGet, path: "/private", status: 404},
			map[string]any{"method": "GET", "route": "", "status": 404.0, "key": ""},
		},
	}
	for _, tt := range tests {
		w, f := tt.send(t)
		text := f.log.String()
		if strings.Contains(text, "private") || strings.Contains(text, testKey) || strings.Count(text, "\n") != 1 {
			t.Errorf("log: %s", text)
		}

		var got map[string]any
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		tt.want["bytes"] = float64(w.Body.Len())
		tt.want["client"] = "192.0.2.1"
		tt.want["request_id"] = w.Header().Get("X-Request-Id")

		for _, free := range []string{"time", "level", "msg", "duration"} {
			delete(got, free)
		}

		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// Accounts that run fewer requests are served first, and a rejected account learns whether it is to blame. synctest
// advances the clock only while every goroutine waits, so the test takes no real time.
func TestAdmission_IsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		withAccounts(f)
		f.MaxMatches = 4
		f.AdmissionWait = 300 * time.Millisecond
		release := make(chan struct{})
		f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) {
			<-release
			return fullAnswer(), nil
		})

		h := New(f.Dependencies).Handler()
		by := func(account string) call { return call{status: 200, header: http.Header{headerKey: {account}}} }
		var answers []*httptest.ResponseRecorder
		begin := func(account string) {
			w := httptest.NewRecorder()
			c := by(account)
			answers = append(answers, w)
			go h.ServeHTTP(w, c.request(t))
			synctest.Wait()
		}

		begin("greedy")
		begin("greedy")
		begin("greedy") // the most that one account can run
		greedy := by("greedy")
		greedy.status = 429
		greedy.code = admission.CodeTooManyConcurrent
		greedy.want = []string{"this account"}
		if w := greedy.sendTo(t, h); w.Header().Get("Retry-After") != "1" {
			t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
		}

		begin("modest") // at once
		late := by("late")
		late.status = 503
		late.code = matching.CodeOverloaded
		late.want = []string{"Retry"}
		if w := late.sendTo(t, h); w.Header().Get("Retry-After") != "1" {
			t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
		}

		other := call{method: http.MethodGet, path: healthPath, status: 200, header: greedy.header}
		other.sendTo(t, h) // other operations are not limited
		close(release)
		synctest.Wait()

		for _, w := range answers {
			if w.Code != http.StatusOK {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		}
	})
}

// withAccounts makes every token a key of its own account, on the plan professional.
func withAccounts(f *fixture) {
	f.Keys = keysFunc(func(_ context.Context, token string) (apikey.Key, error) {
		k := goodKey()
		k.ID = "key_" + token
		k.Account = "acc_" + token
		k.Counter = "key_" + token
		return k, nil
	})
}

func TestRequestTimeout_ReachesTheService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := call{
			status: 504, code: matching.CodeEngineTimeout,
			change: func(f *fixture) {
				f.Matcher = matcherFunc(func(ctx context.Context, _ *matching.Brief) (*matching.Answer, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				})
			},
		}
		c.send(t)
	})
}

// net/http cancels a request's context when the client closes its sending side, even if it still reads. Work on a
// complete request goes on, and its result is sent.
func TestHalfClosedConnection_GetsItsResponse(t *testing.T) {
	for name, status := range map[string]int{"a result": 200, "an error": 503} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			ctx, closeSendingSide := context.WithCancel(t.Context())
			f.Matcher = matcherFunc(func(ctx context.Context, _ *matching.Brief) (*matching.Answer, error) {
				closeSendingSide()
				if status != 200 {
					return nil, &matching.Error{Code: matching.CodeEngineUnavailable, Message: "away"}
				}
				return fullAnswer(), ctx.Err()
			})

			c := call{}
			w := httptest.NewRecorder()
			New(f.Dependencies).Handler().ServeHTTP(w, c.request(t).WithContext(ctx))

			if w.Code != status || w.Body.Len() == 0 {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		})
	}
}

// A client that leaves in the middle of a stream causes no error, and is logged with status 499.
func TestClientLeavesStream(t *testing.T) {
	f := newFixture()
	w := &fragileRecorder{ResponseRecorder: httptest.NewRecorder()}
	w.broken.Store(true)
	c := call{method: http.MethodGet, path: dataPath + "?num_freelancers=1000"}
	New(f.Dependencies).Handler().ServeHTTP(w, c.request(t))
	if log := f.log.String(); !strings.Contains(log, `"status":499`) || strings.Contains(log, "ERROR") {
		t.Errorf("log: %s", log)
	}
}

// A panic during a stream cuts the connection, so that the client notices the missing rest.
func TestStream_PanicCutsTheConnection(t *testing.T) {
	f := newFixture()
	var generated atomic.Int32
	f.Generator = generatorFunc(func(n int, seed uint64) iter.Seq[matching.Freelancer] {
		return func(yield func(matching.Freelancer) bool) {
			for record := range generate(n, seed) {
				if generated.Add(1) == 5_000 {
					panic("secret cause")
				}
				if !yield(record) {
					return
				}
			}
		}
	})

	server := httptest.NewServer(New(f.Dependencies).Handler())
	defer server.Close()

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+dataPath+"?num_freelancers=10000", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", testKey)
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	if _, err := bufio.NewReader(response.Body).WriteTo(new(strings.Builder)); err == nil {
		t.Error("the truncated response looks complete")
	}

	if !strings.Contains(f.log.String(), `"msg":"panic"`) {
		t.Error("the panic was not logged")
	}
}
