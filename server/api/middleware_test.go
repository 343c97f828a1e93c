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

	"freelancer-matching/internal/matching"
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

// synctest advances the clock only while every goroutine waits, so the test takes no real time.
func TestAdmission_RejectsAfterWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.MaxMatches, f.AdmissionWait = 2, 300*time.Millisecond
		release := make(chan struct{})
		f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) {
			<-release
			return fullAnswer(), nil
		})
		h := New(f.Dependencies).Handler()
		good := call{status: 200}
		var answers []*httptest.ResponseRecorder
		begin := func() {
			w := httptest.NewRecorder()
			answers = append(answers, w)
			go h.ServeHTTP(w, good.request(t))
		}
		begin()
		begin()
		synctest.Wait() // both slots are taken
		full := call{
			status: 503, code: matching.CodeOverloaded,
			want: []string{"Retry"},
		}
		if w := full.sendTo(t, h); w.Header().Get("Retry-After") != "1" {
			t.Errorf("Retry-After is %q", w.Header().Get("Retry-After"))
		}
		other := call{method: http.MethodGet, path: healthPath, status: 200}
		other.sendTo(t, h) // other operations are not limited
		begin()            // gets the first free slot
		synctest.Wait()
		close(release)
		synctest.Wait()
		for _, w := range answers {
			if w.Code != http.StatusOK {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		}
		good.sendTo(t, h)
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

// A client that leaves gets no response, causes no error, and is logged with status 499.
func TestClientLeaves(t *testing.T) {
	for name, places := range map[string]int{"during the work": 1, "while waiting": 0} {
		t.Run(name, func(t *testing.T) {
			f := newFixture()
			f.MaxMatches = places
			ctx, leave := context.WithCancel(t.Context())
			f.Matcher = matcherFunc(func(ctx context.Context, _ *matching.Brief) (*matching.Answer, error) {
				leave()
				<-ctx.Done()
				return nil, ctx.Err()
			})
			c := call{}
			w := httptest.NewRecorder()
			if places == 0 {
				leave()
			}
			New(f.Dependencies).Handler().ServeHTTP(w, c.request(t).WithContext(ctx))
			if w.Body.Len() > 0 {
				t.Errorf("response %s, want none", w.Body)
			}
			if log := f.log.String(); !strings.Contains(log, `"status":499`) || strings.Contains(log, "ERROR") {
				t.Errorf("log: %s", log)
			}
			leave()
		})
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
