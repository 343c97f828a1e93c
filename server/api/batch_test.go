package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/quotatest"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/matches"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/metrics"
)

const batchPath = matchPath + "/batch"

func batchOf(briefs ...string) string { return `{"briefs":[` + strings.Join(briefs, ",") + `]}` }

// results returns the results of a batch as they were sent.
func results(t *testing.T, w *httptest.ResponseRecorder) []json.RawMessage {
	t.Helper()
	var answer struct {
		Data struct {
			Succeeded, Failed int
			Results           []json.RawMessage
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}

	d := answer.Data
	failed := 0
	for _, r := range d.Results {
		if strings.HasPrefix(string(r), `{"status":"error"`) {
			failed++
		}
	}

	if d.Failed != failed || d.Succeeded != len(d.Results)-failed {
		t.Errorf("%d succeeded, %d failed, of %d results with %d errors", d.Succeeded, d.Failed, len(d.Results), failed)
	}

	return d.Results
}

// codes returns error.code of each result.
func codes(t *testing.T, w *httptest.ResponseRecorder) []string {
	t.Helper()
	var list []string
	for _, r := range results(t, w) {
		var f wire.Failure
		if err := json.Unmarshal(r, &f); err != nil {
			t.Fatal(err)
		}
		list = append(list, string(f.Error.Code))
	}
	return list
}

// Every result has the bytes that POST /match returns for the brief, whatever the brief.
func TestBatch_ResultsAreThoseOfMatch(t *testing.T) {
	f := newFixture()
	f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
		switch b.JobTitle {
		case "slow":
			return nil, fmt.Errorf("secret cause: %w", context.DeadlineExceeded)
		case "panic":
			panic("secret cause")
		case "profile":
			return nil, &matching.Error{Code: matching.CodeInvalid, Message: "unknown profile"}
		case "nan":
			zero := 0.0
			return &matching.Answer{Matches: []matching.Match{{Score: zero / zero}}}, nil
		}

		return fullAnswer(), nil
	})

	h := New(f.Dependencies).Handler()
	briefs := []string{
		goodBrief, ` {"description" : "A dashboard in <React> & more", "explain":true} `, `{"timeline":0}`, `{}`, `5`, ` 7 `,
		`null`, `[1,2]`, `"text"`, `{"description":5,"budget":[1,2]}`, `{"job_title":"slow"}`, `{"job_title":"panic"}`,
		`{"job_title":"profile"}`, `{"job_title":"nan"}`, `{"job_title":"x","job_title":"x"}`,
		`{"job_title":"` + strings.Repeat("x", receive.MaxJSON) + `"}`, goodBrief,
	}

	batch := call{path: batchPath, body: "\n{ \"briefs\" : [\t" + strings.Join(briefs, " ,\n") + "\r\n] } ", status: 200}
	batch.header = http.Header{"X-Request-Id": {"same"}}
	got := results(t, batch.sendTo(t, h))
	if len(got) != len(briefs) {
		t.Fatalf("%d results, want %d", len(got), len(briefs))
	}

	for i, brief := range briefs {
		single := call{body: brief, header: http.Header{"X-Request-Id": {fmt.Sprint("same.", i)}}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, single.request(t))
		want := w.Body.String()
		result := string(got[i]) + "\n"

		if w.Code == http.StatusOK {
			want = withoutTime([]byte(want))
			result = withoutTime([]byte(result))
		}

		if want != result {
			t.Errorf("brief %s:\n%s", head(brief), cmp.Diff(want, result))
		}
	}

	if !strings.Contains(f.log.String(), "secret cause") {
		t.Error("the log lacks the cause of the panic")
	}
}

func TestBatch_Errors(t *testing.T) {
	invalid := func(name, body string, status int, code matching.Code, want ...string) call {
		return call{
			name: name, path: batchPath, body: body, status: status, code: code, want: want,
			change: matcherFails(fmt.Errorf("secret cause: the matcher was called")),
		}
	}

	many := slices.Repeat([]string{goodBrief}, 101)
	run(t, []call{
		invalid("no body", "", 400, strictjson.CodeMalformedJSON),
		invalid("cut off", batchOf(goodBrief)[:40], 400, strictjson.CodeMalformedJSON),
		invalid("one malformed brief", batchOf(goodBrief, `{"description":}`), 400, strictjson.CodeMalformedJSON),
		invalid("two values", batchOf(goodBrief)+batchOf(goodBrief), 400, strictjson.CodeMalformedJSON),
		invalid("too deep", batchOf(strings.Repeat("[", 40)+strings.Repeat("]", 40)), 400, strictjson.CodeMalformedJSON),
		invalid("not UTF-8", batchOf("\"\xff\""), 400, strictjson.CodeMalformedJSON),
		invalid("a list", `[`+goodBrief+`]`, 422, validate.CodeWrongType, "body must be an object; got a list"),
		invalid("a brief", goodBrief, 422, validate.CodeUnknownField, "The known fields are briefs", "1 to 100 briefs"),
		invalid("no list", `{"briefs":`+goodBrief+`}`, 422, validate.CodeWrongType, "briefs must be a list; got an object"),
		invalid("a text", `{"briefs":"x"}`, 422, validate.CodeWrongType, "briefs must be a list; got the string"),
		invalid("null", `{"briefs":null}`, 422, matching.CodeInvalid, "1 to 100 briefs"),
		invalid("empty", `{"briefs":[]}`, 422, matching.CodeInvalid, "1 to 100 briefs"),
		invalid("absent", `{}`, 422, matching.CodeInvalid, "1 to 100 briefs"),
		invalid("unknown field", `{"breifs":[],"briefs":[`+goodBrief+`]}`, 422, validate.CodeUnknownField,
			"Did you mean briefs?"),
		invalid("twice", `{"briefs":[`+goodBrief+`],"briefs":[`+goodBrief+`]}`, 422, matching.CodeInvalid, "more than once"),
		invalid("too many", batchOf(many...), 422, matching.CodeInvalid, "at most 100"),
		invalid("far too many", `{"briefs":[1`+strings.Repeat(",1", 1<<20)+`],"briefs":1}`, 422, matching.CodeInvalid),
		invalid("too large", strings.Repeat(" ", matches.MaxBatch+1), 413, receive.CodeBodyTooLarge, "8388608 bytes"),
		{
			name: "not JSON", path: batchPath, body: "x", status: 415, code: receive.CodeUnsupportedMediaType,
			header: http.Header{"Content-Type": {"text/plain"}},
		},
		{
			name: "not permitted", path: batchPath, body: batchOf(goodBrief), status: 403, code: apikey.CodeOperation,
			change: withKey(func(k *apikey.Key) { k.Operations = []string{"parse"} }),
		},
	})

	c := call{path: batchPath, body: batchOf(many[1:]...), status: 200}
	c.change = withKey(func(k *apikey.Key) { k.Operations = []string{"match"} })
	if w, _ := c.send(t); len(results(t, w)) != 100 {
		t.Error("a hundred briefs must be accepted, with the permission match")
	}
}

// Each brief is charged like a request: valid or not, but not if it doesn't run.
func TestBatch_Charges(t *testing.T) {
	f := newFixture()
	withKey(func(k *apikey.Key) { k.Plan = "freelancer" })(f)
	now := time.Now()
	f.Quota = quota.New(quota.Config{Store: quotatest.NewMemory(), Now: func() time.Time { return now }, Log: f.Log})
	h := New(f.Dependencies).Handler()
	send := func(left int, c call) {
		t.Helper()
		c.path = batchPath
		if got := remaining(t, c.sendTo(t, h)); got != left {
			t.Errorf("%d requests remaining, want %d", got, left)
		}
	}

	send(94, call{body: batchOf(goodBrief, "{}", goodBrief, "{}", "5", goodBrief), status: 200})
	send(93, call{body: "{", status: 400, code: strictjson.CodeMalformedJSON})
	send(92, call{body: `{"briefs":[]}`, status: 422, code: matching.CodeInvalid})
	full := slices.Repeat([]string{goodBrief}, 93)
	send(92, call{
		body: batchOf(full...), status: 429, code: quota.CodeRateLimit,
		want: []string{"These 93 requests exceed", "Send at most 92 at once"},
	})

	send(0, call{body: batchOf(full[1:]...), status: 200})
	send(0, call{body: batchOf(goodBrief), status: 429, code: quota.CodeRateLimit})
}

// If another request takes what was left, the rest of the briefs get the error that POST /match returns.
func TestBatch_QuotaUsedUpMeanwhile(t *testing.T) {
	f := newFixture()
	key := goodKey()
	key.Plan = "freelancer"
	withKey(func(k *apikey.Key) { *k = key })(f)
	now := time.Now()
	f.Quota = quota.New(quota.Config{Store: quotatest.NewMemory(), Now: func() time.Time { return now }, Log: f.Log})
	f.Matcher = matcherFunc(func(ctx context.Context, _ *matching.Brief) (*matching.Answer, error) {
		plan, _ := apikey.PlanNamed(key.Plan)
		a := quota.Allowance{
			Subject: key.Counter, Since: key.PlanSince, PerMinute: plan.PerMinute, PerMonth: plan.Per30Days,
		}
		for range 49 {
			if _, err := f.Quota.Take(ctx, a); err != nil {
				t.Error(err)
			}
		}

		return fullAnswer(), nil
	})

	c := call{path: batchPath, body: batchOf(goodBrief, goodBrief, goodBrief, goodBrief), status: 200}
	got := codes(t, c.sendTo(t, New(f.Dependencies).Handler()))
	limit := string(quota.CodeRateLimit)
	if diff := cmp.Diff([]string{"", "", limit, limit}, got); diff != "" {
		t.Error(diff)
	}
}

// The freelancers of each brief count against the daily limit, and a brief over it gets its error.
func TestBatch_CountsViews(t *testing.T) {
	f := newFixture()
	withKey(func(k *apikey.Key) { k.Plan = "freelancer" })(f)
	f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
		a := &matching.Answer{}
		for i := range b.Limit {
			a.Matches = append(a.Matches, matching.Match{
				Freelancer: matching.Freelancer{ID: fmt.Sprint(b.JobTitle, i)}, Level: matching.LevelWeak,
			})
		}

		return a, nil
	})

	brief := func(title string, limit int) string { return fmt.Sprintf(`{"job_title":%q,"limit":%d}`, title, limit) }
	body := batchOf(brief("a", 100), brief("b", 100), brief("a", 100), brief("c", 100), brief("d", 100), brief("e", 99),
		brief("f", 2), brief("g", 1))
	w := (&call{path: batchPath, body: body, status: 200}).sendTo(t, New(f.Dependencies).Handler())
	want := []string{"", "", "", "", "", "", string(views.CodeLimit), ""}
	if diff := cmp.Diff(want, codes(t, w)); diff != "" {
		t.Error(diff)
	}

	if left := w.Header().Get(limits.HeaderViewRemaining); left != "0" {
		t.Errorf("%s is %q, want 0", limits.HeaderViewRemaining, left)
	}
}

// The briefs after the time limit aren't run and not charged.
func TestBatch_TimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		withKey(func(k *apikey.Key) { k.Plan = "freelancer" })(f)
		f.RequestTimeout = 10 * time.Second
		f.Matcher = matcherFunc(func(ctx context.Context, b *matching.Brief) (*matching.Answer, error) {
			if b.JobTitle == "stuck" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			<-time.After(9 * time.Second)
			return fullAnswer(), nil
		})

		start := time.Now()
		c := call{path: batchPath, status: 200}
		c.body = batchOf(goodBrief, `{"job_title":"stuck"}`, `{"job_title":"stuck"}`, goodBrief, goodBrief)
		w := c.sendTo(t, New(f.Dependencies).Handler())
		late := string(endpoint.CodeNotProcessed)
		timeout := string(matching.CodeEngineTimeout)
		if diff := cmp.Diff([]string{"", timeout, timeout, late, late}, codes(t, w)); diff != "" {
			t.Error(diff)
		}

		if took := time.Since(start); took != matches.BatchTime {
			t.Errorf("took %s, want %s", took, matches.BatchTime)
		}

		if left := remaining(t, w); left != 97 {
			t.Errorf("%d requests remaining, want 97", left)
		}
	})
}

// A batch holds one slot while a brief runs and none in between, and waits for it as long as its own time lasts.
func TestBatch_TakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		withAccounts(f)
		f.MaxMatches = 1
		f.AdmissionWait = 500 * time.Millisecond
		var mu sync.Mutex
		var order []string
		f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
			mu.Lock()
			order = append(order, b.JobTitle)
			mu.Unlock()
			<-time.After(400 * time.Millisecond)
			return fullAnswer(), nil
		})

		h := New(f.Dependencies).Handler()
		var group sync.WaitGroup
		send := func(path, account, body string) {
			group.Go(func() {
				c := call{path: path, body: body, status: 200, header: http.Header{headerKey: {account}}}
				c.sendTo(t, h)
			})
			synctest.Wait()
		}

		brief := func(title string) string { return fmt.Sprintf(`{"job_title":%q}`, title) }
		send(batchPath, "a", batchOf(brief("a1"), brief("a2"), brief("a3")))
		send(matchPath, "b", brief("b"))
		send(batchPath, "c", batchOf(brief("c1"), brief("c2")))
		group.Wait()

		if diff := cmp.Diff([]string{"a1", "b", "c1", "a2", "c2", "a3"}, order); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// An account runs two batches at once; single requests of the same account are still answered.
func TestBatch_ConcurrentBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		f.MaxMatches = 8
		f.AdmissionWait = 500 * time.Millisecond
		release := make(chan struct{})
		f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
			if b.JobTitle == "slow" {
				<-release
			}
			return fullAnswer(), nil
		})

		h := New(f.Dependencies).Handler()
		var group sync.WaitGroup
		slow := call{path: batchPath, body: batchOf(`{"job_title":"slow"}`), status: 200}
		for range maxAccountBatches {
			group.Go(func() { slow.sendTo(t, h) })
		}

		synctest.Wait()
		third := slow
		third.status = 429
		third.code = admission.CodeTooManyConcurrent
		third.sendTo(t, h)
		(&call{status: 200}).sendTo(t, h)
		close(release)
		group.Wait()
	})
}

// The memory for results is bounded: after the limit, briefs aren't run.
func TestBatch_ResultsAreLimited(t *testing.T) {
	f := newFixture()
	ran := 0
	f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) {
		ran++
		return &matching.Answer{Matches: []matching.Match{{
			Freelancer: matching.Freelancer{ID: "f1", Name: strings.Repeat("x", matches.MaxBatchResults/4)},
			Level:      matching.LevelWeak,
		}}}, nil
	})
	c := call{path: batchPath, body: batchOf(slices.Repeat([]string{goodBrief}, 6)...), status: 200}
	got := codes(t, c.sendTo(t, New(f.Dependencies).Handler()))
	late := string(endpoint.CodeNotProcessed)
	if diff := cmp.Diff([]string{"", "", "", "", late, late}, got); diff != "" || ran != 4 {
		t.Errorf("%d briefs ran: %s", ran, diff)
	}
}

// The owner of the key sees each brief among the requests, and operators see the batch and its briefs.
func TestBatch_UsageAndMetrics(t *testing.T) {
	f := newFixture()
	h := New(f.Dependencies).Handler()
	c := call{path: batchPath, status: 200, header: http.Header{"X-Request-Id": {"a"}}}
	c.body = batchOf(goodBrief, "{}")
	c.sendTo(t, h)
	c.body, c.status = "{}", 422
	c.sendTo(t, h)
	var got []string
	for _, r := range f.usage.requests {
		got = append(got, fmt.Sprint(r.RequestID, " ", r.Operation, " ", r.Status, " ", r.Code))
	}

	want := []string{
		"a.0 match-batch 200 ", "a.1 match-batch 422 validation_failed", "a match-batch 422 validation_failed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}

	scraped := httptest.NewRecorder()
	f.Metrics.(*metrics.Metrics).Handler().ServeHTTP(scraped, httptest.NewRequestWithContext(t.Context(), http.MethodGet,
		"/metrics", nil))

	for _, line := range []string{
		`matching_batch_briefs_total{code=""} 1`, `matching_batch_briefs_total{code="validation_failed"} 1`,
		`matching_requests_total{code="",operation="match-batch",plan="professional",status="200"} 1`,
	} {
		if !strings.Contains(scraped.Body.String(), line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
}
