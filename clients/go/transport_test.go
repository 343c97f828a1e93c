package matching

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	meBody     = `{"status":"success","data":{"plan":"professional"}}`
	changeBody = `{"status":"success","data":{"id":"f1","outcome":"replaced"}}`
)

var ctx = context.Background()

func TestVersion_IsTheOneOfTheAPI(t *testing.T) {
	description, err := os.ReadFile("../../server/openapi/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^  version: (.*)$`).FindStringSubmatch(string(description))
	if len(found) != 2 || found[1] != Version {
		t.Errorf("the API has version %q, and the client %q", found, Version)
	}
}

func TestRequest_HasKeyVersionAndNulls(t *testing.T) {
	server := serve(t, respond(200, `{"status":"success","matches":[],"next_offset":null}`))
	c, _ := connect(t, Options{URLs: []string{server.url + "/"}})
	if _, err := c.Match(ctx, MatchRequest{RequiredSkills: []string{"React"}}); err != nil {
		t.Fatal(err)
	}

	r := server.requests()[0]
	if r.URL.String() != "/api/v1/match?unknown=null" || r.text != `{"required_skills":["React"]}` {
		t.Errorf("got %s with %s", r.URL, r.text)
	}
	agent := "freelancer-matching-go/" + Version
	if r.Header.Get("X-API-Key") != "svc_test" || r.UserAgent() != agent {
		t.Errorf("got the headers %v", r.Header)
	}
}

func TestClient_ReadsTheEnvironment(t *testing.T) {
	t.Setenv("MATCHING_API_KEY", "")
	if _, err := NewClient(Options{}).Me(ctx); !errors.Is(err, errNoKey) {
		t.Errorf("without a key, the error is %v", err)
	}

	server := serve(t, respond(200, meBody))
	t.Setenv("MATCHING_API_KEY", "svc_environment")
	t.Setenv("MATCHING_URL", server.url)
	me, err := NewClient(Options{}).Me(ctx)
	if err != nil || me.Plan != "professional" {
		t.Errorf("got %v, %v", me, err)
	}
	if key := server.requests()[0].Header.Get("X-API-Key"); key != "svc_environment" {
		t.Errorf("got the key %s", key)
	}
}

func TestError_HasWhatTheResponseSays(t *testing.T) {
	kinds := []error{
		ErrAuthentication, ErrPermission, ErrNotFound, ErrConflict, ErrExpired, ErrValidation, ErrRateLimit, ErrServer,
	}
	for status, want := range map[int]error{
		400: ErrValidation, 401: ErrAuthentication, 403: ErrPermission, 404: ErrNotFound, 409: ErrConflict,
		410: ErrExpired, 412: ErrConflict, 413: ErrValidation, 415: ErrValidation, 422: ErrValidation, 429: ErrRateLimit,
		500: ErrServer, 503: ErrServer, 418: nil,
	} {
		server := serve(t, fail(status, "some_code", "Retry-After", "7"))
		c, _ := connect(t, Options{URLs: []string{server.url}, Retries: -1})
		_, err := c.Me(ctx)

		for _, kind := range kinds {
			if errors.Is(err, kind) != errors.Is(want, kind) {
				t.Errorf("%d: is it %q? %t", status, kind, errors.Is(err, kind))
			}
		}
		got := asError(err)
		if got == nil || got.Code != "some_code" || got.Message != "It failed." || got.Status != status ||
			got.RequestID != "r1" || got.RetryAfter != 7*time.Second || got.Details[0].Field != "limit" {
			t.Errorf("%d: got %+v", status, got)
		}
	}
}

func TestError_OfAProxy(t *testing.T) {
	server := serve(t, respond(403, "<h1>Forbidden</h1>"))
	c, _ := connect(t, Options{URLs: []string{server.url}})
	_, err := c.Me(ctx)
	if got := asError(err); got == nil || got.Code != "unexpected_response" || got.Status != 403 {
		t.Errorf("got %v", err)
	}
}

func TestRetry_WaitsAsLongAsTheServerDemands(t *testing.T) {
	for _, status := range []int{429, 502, 503, 504} {
		server := serve(t, fail(status, "busy", "Retry-After", "9"), fail(status, "busy"), respond(200, meBody))
		c, waits := connect(t, Options{URLs: []string{server.url}})
		if me, err := c.Me(ctx); err != nil || me.Plan != "professional" {
			t.Fatalf("%d: got %v, %v", status, me, err)
		}

		isBackoff := len(*waits) == 2 && (*waits)[1] >= firstWait && (*waits)[1] <= 2*firstWait
		if !isBackoff || (*waits)[0] != 9*time.Second {
			t.Errorf("%d: waited %v", status, *waits)
		}
	}
}

func TestRetry_IsLimited(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 409, 422, 500} {
		server := serve(t, fail(status, "no"))
		c, _ := connect(t, Options{URLs: []string{server.url}})
		if _, err := c.Me(ctx); err == nil || len(server.requests()) != 1 {
			t.Errorf("%d: %d attempts, %v", status, len(server.requests()), err)
		}
	}

	server := serve(t, fail(503, "overloaded"))
	c, _ := connect(t, Options{URLs: []string{server.url}, Retries: 3})
	if _, err := c.Me(ctx); !errors.Is(err, ErrServer) || len(server.requests()) != 4 {
		t.Errorf("%d attempts, %v", len(server.requests()), err)
	}

	// A second wait would exceed a minute.
	limited := serve(t, fail(429, "rate_limit_exceeded", "Retry-After", "40"))
	c, waits := connect(t, Options{URLs: []string{limited.url}})
	if _, err := c.Me(ctx); !errors.Is(err, ErrRateLimit) || !slices.Equal(*waits, []time.Duration{40 * time.Second}) {
		t.Errorf("waited %v, %v", *waits, err)
	}
}

func TestRetry_OnlyOfWhatDoesNoHarm(t *testing.T) {
	bulk := func(c *Client) error {
		for _, err := range c.Freelancers.Bulk(ctx, Changes(EraseID("f1"))) {
			return err
		}
		return nil
	}
	calls := []struct {
		name     string
		call     func(*Client) error
		harmless bool
	}{
		{"put", func(c *Client) error { return second(c.Freelancers.Put(ctx, "f1", FreelancerRecord{})) }, true},
		{"patch", func(c *Client) error {
			return second(c.Freelancers.Patch(ctx, "f1", map[string]any{"rating": nil}))
		}, true},
		{"erase", func(c *Client) error { return second(c.Freelancers.Erase(ctx, "f1")) }, true},
		{"verify", func(c *Client) error { return second(c.VerifySkill(ctx, "k8s")) }, true},
		{"browser token", func(c *Client) error {
			return second(c.CreateBrowserToken(ctx, BrowserTokenRequest{}))
		}, true},
		{"events", func(c *Client) error { return second(c.RecordEvents(ctx)) }, true},
		{"interview", func(c *Client) error { return second(c.Interviews.Conduct(ctx, InterviewRequest{})) }, true},
		{"parse", func(c *Client) error { return second(c.Resumes.Parse(ctx, strings.NewReader("cv"))) }, true},

		{"put version", func(c *Client) error {
			return second(c.Freelancers.Put(ctx, "f1", FreelancerRecord{}, IfMatch("v1")))
		}, false},
		{"put new", func(c *Client) error {
			return second(c.Freelancers.Put(ctx, "f1", FreelancerRecord{}, IfNew()))
		}, false},
		{"invite", func(c *Client) error { return second(c.Interviews.Invite(ctx, "s1", InvitationRequest{})) }, false},
		{"review", func(c *Client) error { return second(c.Interviews.Review(ctx, "s1", ReviewRequest{})) }, false},
		{"load", func(c *Client) error { return second(c.Loads.Create(ctx, strings.NewReader("id\n"))) }, false},
		{"publish", func(c *Client) error { return second(c.Loads.Publish(ctx, "l1")) }, false},
		{"bulk", bulk, false},
	}

	for _, test := range calls {
		for _, failure := range []http.HandlerFunc{breakOff(`{"status":`), fail(503, "overloaded")} {
			server := serve(t, failure, respond(200, changeBody))
			c, _ := connect(t, Options{URLs: []string{server.url}})
			err := test.call(c)

			got := server.requests()
			isRepeated := len(got) == 2 && err == nil && got[0].text == got[1].text &&
				got[0].Header.Get("Idempotency-Key") == got[1].Header.Get("Idempotency-Key")
			isRefused := len(got) == 1 && err != nil
			if test.harmless && !isRepeated || !test.harmless && !isRefused {
				t.Errorf("%s: %d requests, %v", test.name, len(got), err)
			}
		}
	}
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }

func TestRetry_OfWhatWasNotCarriedOut(t *testing.T) {
	server := serve(t, fail(429, "rate_limit_exceeded"), respond(200, changeBody))
	c, _ := connect(t, Options{URLs: []string{deadAddress(t), server.url}})
	if _, err := c.Interviews.Invite(ctx, "s1", InvitationRequest{}); err != nil || len(server.requests()) != 2 {
		t.Errorf("%d requests, %v", len(server.requests()), err)
	}
}

func TestRetry_AwaitsARunningInterview(t *testing.T) {
	running := fail(409, "idempotency_conflict", "Retry-After", "5")
	server := serve(t, running, running, running, running, respond(200, changeBody))
	c, waits := connect(t, Options{URLs: []string{server.url}})
	if _, err := c.Interviews.Conduct(ctx, InterviewRequest{}); err != nil || slices.Min(*waits) != 5*time.Second {
		t.Errorf("waited %v, %v", *waits, err)
	}

	other := serve(t, fail(409, "idempotency_conflict"))
	c, _ = connect(t, Options{URLs: []string{other.url}})
	_, err := c.Interviews.Conduct(ctx, InterviewRequest{}, IdempotencyKey("mine"))
	if key := other.requests()[0].Header.Get("Idempotency-Key"); !errors.Is(err, ErrConflict) || key != "mine" {
		t.Errorf("got %v with the key %s", err, key)
	}
}

func TestHosts_NextOneIsAskedAtOnce(t *testing.T) {
	unavailable := serve(t, fail(503, "not_ready", "Retry-After", "30"))
	server := serve(t, respond(200, meBody))
	c, waits := connect(t, Options{URLs: []string{deadAddress(t), unavailable.url, server.url}})
	for range 2 {
		if _, err := c.Me(ctx); err != nil {
			t.Fatal(err)
		}
	}

	hasWaited := !slices.Equal(*waits, []time.Duration{0, 0})
	if hasWaited || len(unavailable.requests()) != 1 || len(server.requests()) != 2 {
		t.Errorf("waited %v; %d and %d requests", *waits, len(unavailable.requests()), len(server.requests()))
	}
}

func TestTimeout_EndsAnAttempt(t *testing.T) {
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	c, waits := connect(t, Options{URLs: []string{silent.url}, Timeout: 20 * time.Millisecond, Retries: 1})
	_, err := c.Me(ctx)
	if !errors.Is(err, ErrConnection) || !errors.Is(err, context.DeadlineExceeded) || len(*waits) != 1 {
		t.Errorf("waited %v, %v", *waits, err)
	}

	stalled := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"status":`))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	c, _ = connect(t, Options{URLs: []string{stalled.url}, Timeout: 20 * time.Millisecond, Retries: -1})
	if _, err := c.Me(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestContext_CancelsRequestsAndWaits(t *testing.T) {
	canceled, cancel := context.WithCancel(ctx)
	defer cancel()
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	c, _ := connect(t, Options{URLs: []string{silent.url}})
	if _, err := c.Me(canceled); !errors.Is(err, context.Canceled) || errors.Is(err, ErrConnection) {
		t.Errorf("got %v", err)
	}

	if err := pause(canceled, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("the wait ended with %v", err)
	}
	if err := pause(ctx, time.Nanosecond); err != nil {
		t.Errorf("the wait ended with %v", err)
	}
}

func TestRateLimit_IsTheOneOfTheLastResponse(t *testing.T) {
	server := serve(t, respond(200, meBody, "X-RateLimit-Limit", "100", "X-RateLimit-Remaining", "99",
		"X-RateLimit-Reset", "42", "X-RateLimit-Window", "minute"))
	c, _ := connect(t, Options{URLs: []string{server.url}})
	if _, known := c.RateLimit(); known {
		t.Error("there is a limit before the first response")
	}
	if _, err := c.Me(ctx); err != nil {
		t.Fatal(err)
	}
	want := RateLimit{Limit: 100, Remaining: 99, Reset: 42 * time.Second, Window: "minute"}
	if got, _ := c.RateLimit(); got != want {
		t.Errorf("got %+v", got)
	}
}

func TestConnections_AreUsedAgain(t *testing.T) {
	server := serve(t, respond(200, meBody))
	c, _ := connect(t, Options{URLs: []string{server.url}})
	for range 5 {
		if _, err := c.Me(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range server.requests() {
		if r.RemoteAddr != server.requests()[0].RemoteAddr {
			t.Errorf("got requests from %s and %s", server.requests()[0].RemoteAddr, r.RemoteAddr)
		}
	}
}

func TestRedirects_DoNotGetTheKey(t *testing.T) {
	other := serve(t, respond(200, meBody))
	server := serve(t, respond(307, "", "Location", other.url))
	c, _ := connect(t, Options{URLs: []string{server.url}, HTTPClient: http.DefaultClient})
	if _, err := c.Me(ctx); err == nil || len(other.requests()) != 0 {
		t.Errorf("%d requests reached the other server, %v", len(other.requests()), err)
	}
}

func TestIDs_AreEncodedOrRefused(t *testing.T) {
	server := serve(t, respond(200, changeBody))
	c, _ := connect(t, Options{URLs: []string{server.url}})
	if _, err := c.Freelancers.Erase(ctx, "a/b?c"); err != nil {
		t.Fatal(err)
	}
	if got := server.requests()[0].RequestURI; got != "/api/v1/freelancers/a%2Fb%3Fc" {
		t.Errorf("got %s", got)
	}

	for _, id := range []string{"", ".", ".."} {
		if err := c.Interviews.Delete(ctx, id); err == nil {
			t.Errorf("%q is an ID", id)
		}
	}
}

func TestHealth_OfAnUnhealthyService(t *testing.T) {
	server := serve(t, respond(503, `{"status":"unhealthy","unhealthy_components":["database"]}`))
	c, _ := connect(t, Options{URLs: []string{server.url}})
	health, err := c.Health(ctx)
	if err != nil || health.Status != "unhealthy" || health.UnhealthyComponents[0] != "database" {
		t.Errorf("got %+v, %v", health, err)
	}
}

func TestRecord_IsSentAsItWasRead(t *testing.T) {
	stored := `{"id":"f1","name":"Ada","rating":null,"hourly_rate":0,"availability":false,"location":null}`
	var record FreelancerRecord
	if err := json.Unmarshal([]byte(stored), &record); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(record)
	want := `{"id":"f1","name":"Ada","hourly_rate":0,"availability":false}`
	if err != nil || string(got) != want || record.Rating != nil {
		t.Errorf("got %s, %v", got, err)
	}
}
