package api

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/validate"
)

func TestInterviews_Review(t *testing.T) {
	const path = "/" + testSession + "/reviews"
	c, fake := storedCall(http.MethodPost, path)
	c.body = `{"question":"q1","criterion":"technical","level":0,"reason":"No.","reviewer":"Grace"}`
	c.want = []string{`"session_id":"` + testSession + `"`}
	c.send(t)
	fake.reviewed.By = interview.Requester{}
	fake.reviewed.Limits = interview.Limits{}
	want := interview.ReviewRequest{
		Account: "acc_1", SessionID: testSession, Question: "q1", Criterion: "technical", Level: matching.Some(0),
		Reason: "No.", Reviewer: "Grace",
	}
	if diff := cmp.Diff(want, fake.reviewed); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	for _, test := range []struct {
		body string
		code matching.Code
		want []string
	}{
		{"{}", matching.CodeInvalid, []string{
			`"field":"question","code":"blank"`, `"field":"criterion","code":"unknown_value"`,
			`"field":"level","code":"required"`, `"field":"reason","code":"blank"`,
		}},
		{
			`{"question":"q1","criterion":"technical","level":2.5,"reason":"x"}`, validate.CodeWrongType,
			[]string{`"field":"level"`},
		},
		{
			`{"question":"q1","criterion":"technical","level":2,"reason":"x","by":"me"}`, validate.CodeUnknownField,
			[]string{`"field":"by"`},
		},
	} {
		c, fake := storedCall(http.MethodPost, path)
		c.body = test.body
		c.status = 422
		c.code = test.code
		c.want = test.want
		if c.send(t); fake.reviewed.Account != "" {
			t.Errorf("%s: the review was made", test.body)
		}
	}

	c, fake = storedCall(http.MethodPost, path)
	fake.failure = &matching.Error{Code: interview.CodeSessionOpen, Message: "not evaluated"}
	c.body = `{"question":"q1","criterion":"technical","level":0,"reason":"No."}`
	c.status = 409
	c.code = interview.CodeSessionOpen
	c.send(t)
}
