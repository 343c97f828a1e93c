package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
)

const mePath = "/api/v1/me"

// me returns the response of GET /me.
func me(t *testing.T, change func(*fixture)) (wire.Me, *fixture) {
	t.Helper()
	w, f := (&call{method: http.MethodGet, path: mePath, status: 200, change: change}).send(t)
	var answer wire.MeAnswer
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Data, f
}

func TestMe_HasAllLimits(t *testing.T) {
	got, f := me(t, func(f *fixture) {
		k := goodKey()
		k.Plan = "freelancer"
		k.Permissions = []string{apikey.ReadData}
		k.Expires = time.Now().Add(time.Hour)
		f.Keys = keyed(k)
		f.Changes = changes.New(&changeCounts{used: 98}, time.Now)
	})

	names := map[string]int{}
	for _, limit := range got.Limits {
		names[limit.Name+" per "+limit.Window] = limit.Limit
		if limit.Remaining > limit.Limit || limit.Reset < 0 {
			t.Errorf("%+v", limit)
		}
	}
	want := map[string]int{
		"requests per minute": 100, "requests per month": 5000, "freelancers per day": 500, "changes per minute": 100,
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("limits (-want +got)\n%s", diff)
	}

	if got.Plan != "freelancer" || got.MaxDepth != 100 || got.ExpiresAt == nil || len(got.Permissions) != 1 {
		t.Errorf("%+v", got)
	}
	wantMetrics(t, f, `matching_requests_total{code="",operation="me",plan="freelancer",status="200"} 1`)
}

func TestMe_UnlimitedPlan(t *testing.T) {
	got, _ := me(t, func(f *fixture) {
		k := goodKey()
		k.Plan = "enterprise"
		k.Operations = []string{"match"} // every key may ask what it may do
		f.Keys = keyed(k)
	})
	if len(got.Limits) != 0 || got.ExpiresAt != nil || !cmp.Equal(got.Operations, []string{"match"}) {
		t.Errorf("%+v", got)
	}
}

func TestMe_Errors(t *testing.T) {
	run(t, []call{
		{
			name: "no key", method: http.MethodGet, path: mePath, header: http.Header{"X-Api-Key": nil}, status: 401,
			code: apikey.CodeMissing,
		},
		{
			name: "other network", method: http.MethodGet, path: mePath, status: 403, code: apikey.CodeNetwork,
			change: withKey(func(k *apikey.Key) { k.Networks = append(k.Networks, prefix(t, "10.0.0.0/8")) }),
		},
		{
			name: "views unreadable", method: http.MethodGet, path: mePath, status: 503, code: matching.CodeDatabaseUnavailable,
			change: func(f *fixture) { f.Views = brokenViews{} },
		},
	})
}

// The specification fixes the types of a match, so only a client that asks for it gets null.
func TestUnknown_AsNull(t *testing.T) {
	const nulls = `{"id":"f2","name":null,"job_title":null,"skills":null,"experience":null,"rating":null,` +
		`"hourly_rate":null,"profile_url":null,"availability":null,"total_sales":null}`
	run(t, []call{
		{name: "match", path: matchPath + "?unknown=null", body: goodBrief, status: 200, want: []string{nulls}},
		{
			name: "batch", path: batchPath + "?unknown=null", body: `{"briefs":[` + goodBrief + `]}`, status: 200,
			want: []string{nulls},
		},
		{
			name: "other value", path: matchPath + "?unknown=0", body: goodBrief, status: 422, code: matching.CodeInvalid,
			want: []string{"unknown must be one of null"},
		},
		get("similar", onePath+"/similar?unknown=null", 200, "", nulls),
		get("record", onePath+"?unknown=null", 200, "", `"id":"f1"`, `"available_from":null`, `"verified":null`),
		get("list", listPath+"?unknown=null", 200, "", `"available_from":null`),
		get("other value of a list", listPath+"?unknown=zero", 422, matching.CodeInvalid),
	})

	plain := get("", onePath, 200, "")
	plain.never = []string{"null"}
	plain.send(t)
}

func TestPaging_NextOffset(t *testing.T) {
	many := func(f *fixture) {
		answer := fullAnswer()
		answer.Considered = 500
		f.Matcher = matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) { return answer, nil })
	}
	page := func(name, query, next, link string) {
		t.Run(name, func(t *testing.T) {
			c := get("", onePath+"/similar"+query, 200, "", `"next_offset":`+next+`,`)
			c.change = many
			w, _ := c.send(t)
			if got := w.Header().Get("Link"); got != link {
				t.Errorf("Link %q, want %q", got, link)
			}
		})
	}
	page("first", "?min_rating=4", "10", `</api/v1/freelancers/f1/similar?min_rating=4&offset=10>; rel="next"`)
	page("middle", "?limit=100&offset=100", "200", `</api/v1/freelancers/f1/similar?limit=100&offset=200>; rel="next"`)
	page("the plan allows no next page", "?limit=100&offset=400", "null", "")
}

func TestJSONResume_IsAnOperation(t *testing.T) {
	c := call{path: parsePath + "/json-resume", header: asForm, body: goodForm, status: 200, want: []string{`"basics":`}}
	w, _ := c.send(t)
	if got := w.Header().Get("Deprecation"); got != "" {
		t.Errorf("Deprecation %q", got)
	}

	c.path = parsePath + "?format=json_resume"
	w, _ = c.send(t)
	want := http.Header{
		"Deprecation": {"@1796083200"}, "Sunset": {"Wed, 01 Dec 2027 00:00:00 GMT"},
		"Link": {`</api/v1/parse/json-resume>; rel="successor-version"`},
	}
	for name := range want {
		if diff := cmp.Diff(want[name], w.Header()[name]); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}

	c.path = parsePath + "/json-resume?format=fields"
	c.status = 422
	c.want = []string{"format is not a known field"}
	c.send(t)
}

func TestDescriptions_AreCached(t *testing.T) {
	h := New(newFixture().Dependencies).Handler()
	for path, want := range map[string]string{
		"/openapi.yaml": "openapi: 3.1.0\n", "/openapi.json": `"openapi":"3.1.0"`, "/openapi-3.0.json": `"openapi":"3.0.3"`,
	} {
		c := call{
			method: http.MethodGet, path: path, header: http.Header{"X-Api-Key": nil}, status: 200, want: []string{want},
		}
		first := c.sendTo(t, h)
		tag := first.Header().Get("ETag")
		if !strings.HasPrefix(tag, `W/"`) || first.Header().Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: headers %v", path, first.Header())
		}

		c = call{
			method: http.MethodGet, path: path, header: http.Header{"If-None-Match": {`"x", ` + tag}}, status: 304,
		}
		if again := c.sendTo(t, h); again.Body.Len() != 0 {
			t.Errorf("%s: %d bytes with 304", path, again.Body.Len())
		}
	}
}
