package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/metrics"
)

func onPlan(name string) func(*fixture) {
	return withKey(func(k *apikey.Key) { k.Plan = name })
}

// pages makes the matcher return a page of freelancers: f0, f1 and so on.
func pages(f *fixture) {
	f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
		var a matching.Answer
		for i := range b.Limit {
			a.Matches = append(a.Matches, matching.Match{
				Freelancer: matching.Freelancer{ID: fmt.Sprintf("f%d", b.Offset+i)}, Level: matching.LevelWeak,
			})
		}
		return &a, nil
	})
}

func page(offset, limit int) string {
	return fmt.Sprintf(`{"job_title":"x","offset":%d,"limit":%d}`, offset, limit)
}

// fewViews lets the fixture's account see another n freelancers.
func fewViews(t *testing.T, n int) func(*fixture) {
	t.Helper()
	return func(f *fixture) {
		plan := planOf(t, goodKey().Plan)
		stored := &seenViews{freelancers: map[uint64]bool{}}
		for i := range plan.FreelancersPerDay - n {
			stored.freelancers[uint64(i)] = true
		}
		f.Views = views.New(stored, time.Now)
	}
}

// A response with more new freelancers than remain is refused as a whole. Freelancers already seen may be shown again.
func TestViews_Match(t *testing.T) {
	f := newFixture()
	pages(f)
	fewViews(t, 5)(f)
	h := New(f.Dependencies).Handler()
	limit := strconv.Itoa(planOf(t, "professional").FreelancersPerDay)
	send := func(body string, status int, remaining string, want ...string) *httptest.ResponseRecorder {
		t.Helper()
		c := call{path: matchPath, body: body, status: status, want: want}

		if status == http.StatusTooManyRequests {
			c.code = views.CodeLimit
			c.never = []string{`"matches"`, `"id"`}
		}

		w := c.sendTo(t, h)
		if w.Header().Get(limits.HeaderViewLimit) != limit || w.Header().Get(limits.HeaderViewRemaining) != remaining {
			t.Errorf("%s: limit %q, %q remaining; want %s, %s", body, w.Header().Get(limits.HeaderViewLimit),
				w.Header().Get(limits.HeaderViewRemaining), limit, remaining)
		}

		return w
	}

	send(page(0, 3), 200, "2", `"id":"f2"`)
	send(page(1, 4), 200, "0", `"id":"f4"`)
	w := send(page(3, 3), 429, "0", "1 new freelancer", "0 left of its plan's 5000 per day", "T00:00:00Z")
	if wait, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || wait < 1 || wait > 24*60*60 {
		t.Errorf("Retry-After is %q, want the seconds until midnight", w.Header().Get("Retry-After"))
	}

	send(page(0, 5), 200, "0", `"id":"f0"`)
	for _, want := range []string{
		"daily limit of freelancers reached", `"account":"acc_1"`, `"plan":"professional"`, w.Header().Get("X-Request-Id"),
	} {
		if !strings.Contains(f.log.String(), want) {
			t.Errorf("the log lacks %s", want)
		}
	}

	wantMetrics(t, f, `matching_freelancer_views_total{outcome="new",plan="professional"} 5`,
		`matching_freelancer_views_total{outcome="repeated",plan="professional"} 7`,
		`matching_freelancer_views_total{outcome="refused",plan="professional"} 1`)
}

func wantMetrics(t *testing.T, f *fixture, want ...string) {
	t.Helper()
	w := httptest.NewRecorder()
	f.Metrics.(*metrics.Metrics).Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet,
		"/metrics", nil))
	for _, line := range want {
		if !strings.Contains(w.Body.String(), line+"\n") {
			t.Errorf("/metrics lacks %s", line)
		}
	}
}

func TestViews_UnlimitedPlan(t *testing.T) {
	c := call{path: matchPath, body: page(0, 100), status: 200, change: func(f *fixture) {
		pages(f)
		onPlan("enterprise")(f)
		f.Views = nil
	}}
	w, f := c.send(t)
	if w.Header().Get(limits.HeaderViewLimit) != "" || w.Header().Get(limits.HeaderViewRemaining) != "" {
		t.Errorf("an unlimited plan has the headers of a limit: %v", w.Header())
	}
	wantMetrics(t, f, `matching_freelancer_views_total{outcome="unlimited",plan="enterprise"} 100`)
}

// The subject is the account, so a second key grants nothing. A key without an account counts for itself.
func TestViews_Subject(t *testing.T) {
	for _, tt := range []struct {
		key  apikey.Key
		want string
	}{
		{apikey.Key{ID: "key_1", Account: "acc_7", Counter: "key_1", Plan: "freelancer"}, "acc_7"},
		{apikey.Key{ID: "key_2", Account: "acc_7", Counter: "key_2", Plan: "freelancer"}, "acc_7"},
		{apikey.Key{ID: "key_3", Counter: "key_0", Plan: "freelancer"}, "key_0"},
	} {
		if caller := endpoint.NewCaller(tt.key); caller.Account != tt.want || caller.Plan.FreelancersPerDay == 0 {
			t.Errorf("%s: subject %q on the plan %+v; want %q", tt.key.ID, caller.Account, caller.Plan, tt.want)
		}
	}
}

// An interview about a new freelancer counts before it begins. Continuing a session, and a request with errors, don't.
func TestViews_Interview(t *testing.T) {
	conducted := 0
	full := func(f *fixture) {
		fewViews(t, 0)(f)
		conducts(func(context.Context, interview.Request, func(interview.Event)) (interview.Result, error) {
			conducted++
			return evaluated(), nil
		})(f)
	}

	const start = `{"freelancer_id":"f1","project_description":"A shop","mode":"ai_questions"}`
	refused := call{path: interviewPath, body: start, status: 429, code: views.CodeLimit, change: full}
	refused.send(t)
	refused.header = http.Header{"Accept": {endpoint.EventsType}}
	refused.send(t)

	if conducted != 0 {
		t.Errorf("%d interviews conducted over the limit", conducted)
	}

	run(t, []call{
		{
			name: "a session continues", path: interviewPath, status: 200, change: full,
			body: `{"freelancer_id":"f1","session_id":"` + testSession + `","provided_answers":["a"],"mode":"ai_full"}`,
		},
		{
			name: "errors come first", path: interviewPath, status: 422, code: matching.CodeInvalid, change: full,
			body: `{"freelancer_id":"f1","mode":"ai_questions"}`,
		},
	})
}

func TestViews_StoreUnavailable(t *testing.T) {
	c := call{status: 503, code: matching.CodeDatabaseUnavailable, never: []string{"Mira"}, change: func(f *fixture) {
		f.Views = brokenViews{}
	}}
	c.send(t)
}

type brokenViews struct{}

func (b brokenViews) Show(ctx context.Context, a views.Allowance, _ []string) (views.Decision, error) {
	return b.Today(ctx, a)
}

func (brokenViews) Today(context.Context, views.Allowance) (views.Decision, error) {
	return views.Decision{}, &matching.Error{
		Code: matching.CodeDatabaseUnavailable, Message: "The database is away.", Cause: errors.New("secret cause"),
	}
}

// How deep a client may page depends on the plan.
func TestMatch_DepthByPlan(t *testing.T) {
	for _, plan := range apikey.Plans() {
		change := func(f *fixture) {
			pages(f)
			onPlan(plan.Name)(f)
		}
		run(t, []call{
			{name: plan.Name, path: matchPath, body: page(plan.MaxDepth-100, 100), status: 200, change: change},
			{
				name: plan.Name + ", too deep", path: matchPath, body: page(plan.MaxDepth-99, 100), status: 422,
				code: matching.CodeInvalid, change: change, want: []string{
					`"field":"offset","code":"too_large"`,
					fmt.Sprintf("offset + limit must be at most %d on the plan %s", plan.MaxDepth, plan.Name),
				},
			},
		})
	}
}

func planOf(t *testing.T, name string) apikey.Plan {
	t.Helper()
	plan, known := apikey.PlanNamed(name)
	if !known {
		t.Fatalf("there is no plan %s", name)
	}
	return plan
}

// The specification states the limits of every plan.
func TestSpecification_Plans(t *testing.T) {
	description := readSpecification(t).Info.Description
	for _, plan := range apikey.Plans() {
		perDay := "unlimited"
		if plan.FreelancersPerDay > 0 {
			perDay = humanize.Comma(int64(plan.FreelancersPerDay))
		}
		row := fmt.Sprintf("| %s | %s | %d |", plan.Name, perDay, plan.MaxDepth)
		if !strings.Contains(description, row) {
			t.Errorf("openapi.yaml lacks %s", row)
		}
	}
}
