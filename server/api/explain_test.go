package api

import (
	"context"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
)

const explainPath = matchPath + "/explain"

func TestExplain(t *testing.T) {
	var asked string
	var brief *matching.Brief
	c := call{
		path: explainPath, status: 200,
		body: `{"required_skills":["Go"],"freelancer_id":"a/b ü","limit":7,"weights":{"text":2},"details":true}`,
		change: func(f *fixture) {
			f.Explainer = explainerFunc(func(_ context.Context, b *matching.Brief, id string) (*matching.Standing, error) {
				brief = b
				asked = id
				return fullStanding(), nil
			})
		},
		want: []string{
			`"rank":37,"total":1342,"excluded":false,"excluded_by":[],"last_shown":{"rank":10,"score":0.81}`,
			`"shortfalls":[{"feature":"skills","points":0.18},{"feature":"budget","points":0.08}]`,
			`"explanation":[`, `"details":{`, `"exchange_rate":{`,
		},
	}

	w, f := c.send(t)
	if asked != "a/b ü" || brief.Limit != 7 || brief.Weights["text"] != 2 || brief.RequiredSkills[0] != "Go" {
		t.Errorf("asked for %q and %+v", asked, brief)
	}

	if w.Header().Get("X-RateLimit-Remaining") == "" || len(f.usage.requests) != 1 ||
		f.usage.requests[0].Operation != "match-explain" {
		t.Errorf("headers %v, usage %+v", w.Header(), f.usage.requests)
	}
}

func TestExplain_Excluded(t *testing.T) {
	c := call{
		path: explainPath, status: 200, body: `{"job_title":"x","freelancer_id":"f1"}`,
		change: func(f *fixture) {
			f.Explainer = explainerFunc(func(context.Context, *matching.Brief, string) (*matching.Standing, error) {
				return &matching.Standing{ExcludedBy: []matching.Exclusion{
					{Filter: "countries", Wanted: "the country DE"},
					{Filter: "min_rating", Wanted: "a rating of at least 4.5", Actual: matching.Some("4")},
				}, Match: matching.Match{Level: matching.LevelWeak}}, nil
			})
		},
		want: []string{
			`"rank":null,"total":0,"excluded":true`, `"last_shown":null`, `"shortfalls":[]`,
			`{"filter":"countries","wanted":"the country DE","actual":null}`, `"actual":"4"}`,
		},
	}
	c.send(t)
}

func TestExplain_Errors(t *testing.T) {
	unknown := func(f *fixture) {
		f.Explainer = explainerFunc(func(context.Context, *matching.Brief, string) (*matching.Standing, error) {
			return nil, &matching.Error{Code: matching.CodeFreelancerUnknown, Message: `No freelancer has the ID "x".`}
		})
	}
	for _, c := range []call{
		{name: "no id", body: goodBrief, status: 422, code: matching.CodeInvalid, want: []string{"freelancer_id"}},
		{
			name: "no brief", body: `{"freelancer_id":"f1"}`, status: 422, code: matching.CodeInvalid,
			want: []string{`"field":"description"`},
		},
		{
			name: "long id", body: `{"job_title":"x","freelancer_id":"` + strings.Repeat("é", 201) + `"}`, status: 422,
			code: matching.CodeInvalid, want: []string{"too_long"},
		},
		{name: "number", body: `{"job_title":"x","freelancer_id":1}`, status: 422, code: validate.CodeWrongType},
		{name: "unknown field", body: `{"job_title":"x","freelancer":"f1"}`, status: 422},
		{
			name: "twice", body: `{"job_title":"x","freelancer_id":"f1","freelancer_id":"f2"}`, status: 422,
			want: []string{"duplicate_field"},
		},
		{
			name: "unknown freelancer", body: `{"job_title":"x","freelancer_id":"x"}`, status: 404, change: unknown,
			code: matching.CodeFreelancerUnknown,
		},
	} {
		c.path = explainPath
		t.Run(c.name, func(t *testing.T) { c.send(t) })
	}
}
