package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/sessions"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/webhook"
)

const (
	interviewPath = "/api/v1/interview"
	goodInterview = `{"freelancer_id":"f1","job_title":"Backend developer"}`
	testSession   = "0f2c4b6a8d1e3f5a7b9c0d2e4f6a8b1c"
)

// A fakeInterviewer validates requests like the real one, and conducts them with a function.
type fakeInterviewer struct {
	conduct func(ctx context.Context, r interview.Request, watch func(interview.Event)) (interview.Result, error)
	invited interview.InvitationRequest
}

func (f *fakeInterviewer) Check(r *interview.Request) error {
	return sessions.NewService(sessions.Config{}).Check(r)
}

func (f *fakeInterviewer) Conduct(ctx context.Context, r interview.Request,
	watch func(interview.Event),
) (interview.Result, error) {
	if err := f.Check(&r); err != nil {
		return interview.Result{}, err
	}
	return f.conduct(ctx, r, watch)
}

func (f *fakeInterviewer) Delete(_ context.Context, account, id string, _ interview.Requester) error {
	if account != "acc_1" || id != testSession {
		return &matching.Error{Code: interview.CodeSessionNotFound, Message: "there is no such session"}
	}
	return nil
}

func (f *fakeInterviewer) Invite(
	ctx context.Context, r interview.InvitationRequest,
) (interview.Invited, error) {
	if err := f.Delete(ctx, r.Account, r.SessionID, r.By); err != nil {
		return interview.Invited{}, err
	}
	f.invited = r
	return interview.Invited{Token: "TOKEN", Expires: time.Date(2031, 5, 24, 9, 30, 0, 0, time.UTC)}, nil
}

func (f *fakeInterviewer) Revoke(ctx context.Context, account, id string, by interview.Requester) error {
	return f.Delete(ctx, account, id, by)
}

func interviewerFails(err error) func(*fixture) {
	return conducts(func(context.Context, interview.Request, func(interview.Event)) (interview.Result, error) {
		return interview.Result{}, err
	})
}

func conducts(f func(ctx context.Context, r interview.Request, watch func(interview.Event)) (interview.Result,
	error),
) func(*fixture) {
	return func(x *fixture) { x.Interviewer = &fakeInterviewer{conduct: f} }
}

func answers(r interview.Result) func(context.Context, interview.Request, func(interview.Event)) (interview.Result,
	error) {
	return func(context.Context, interview.Request, func(interview.Event)) (interview.Result, error) {
		return r, nil
	}
}

// begun returns a session with one generated and one custom question, and no answers.
func begun() interview.Result {
	return interview.Result{
		Freelancer: interview.Person{ID: "f1", Name: "Mira Talden", JobTitle: "R&D <Backend>"},
		Mode:       interview.Hybrid, SessionID: testSession, State: interview.Open, Language: "en",
		GeneratedBy: "llm:words", UnknownSkills: []string{"Reactt"},
		Questions: []interview.Question{
			{
				ID: "q1", Text: "What is a <channel>?", Skill: "Go", Kind: interview.KnowHow, Difficulty: interview.Easy,
				Expected:  "A queue between threads of the run time.",
				Points:    []string{"cheap", "scheduled by the run time"},
				Anchors:   []interview.Anchor{{Level: 1, Text: "a kind of function"}},
				FollowUps: []string{"How do they end?"}, Weights: interview.DefaultWeights(), By: "llm:words",
			},
			{ID: "q2", Text: "When can you begin?", Weights: interview.Weights{interview.Communication: 100}, By: "client"},
		},
		Remarks: []interview.Notice{{Code: interview.NoticeUnknownSkills, Message: "Unknown skills."}},
		Begun:   time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC), Expires: time.Date(2031, 6, 16, 9, 30, 0, 0, time.UTC),
	}
}

// evaluated returns the same session with answers and an evaluation.
func evaluated() interview.Result {
	r := begun()
	r.State = interview.Evaluated
	r.Answers = []interview.Answer{{Question: "q1", Text: "I wrote \"pools\" of them."}, {Question: "q2"}}
	r.Evaluation = &interview.Evaluation{
		Scores: []interview.Score{
			{
				Question: "q1", Answered: true, Value: matching.Some(74), Feedback: "Right.", Strengths: []string{"own work"},
				Covered: []int{0},
				Marks: []interview.Mark{{
					Criterion: interview.Technical, Level: 4, Evidence: []string{"pools"},
					Review: &interview.Review{Level: 5, Reason: "better", By: "u", At: time.Date(2031, 5, 18, 0, 0, 0, 0, time.UTC)},
				}},
				Unmeasured: []interview.Criterion{interview.Experience}, Remarks: []interview.Remark{interview.RemarkTooShort},
				By: "llm:words",
			},
			{Question: "q2", Value: matching.Some(0)},
		},
		Overall: matching.Some(37), Evidence: []interview.Quotation{{
			Question: "q1", Criterion: interview.Technical,
			Text: "pools",
		}},
		Strengths: []string{"own work"}, Recommendation: matching.Some(false), Reason: "37 is below 50", Method: "llm:words",
		Verdict: true, StandardError: matching.Some(9.5), Confidence: matching.Some(.4),
		TotalMethod: interview.Equated,
		Points:      interview.Points{Covered: 1, Of: 2},
		Agreement:   &interview.Agreement{Answers: 1, Marks: 1, WithinOne: 1},
		Skills: []interview.SkillResult{
			{
				Skill: "Go", MustHave: true, State: interview.Shown, Level: matching.Some(3.7), Score: matching.Some(74),
				StandardError: matching.Some(18.1), Questions: []string{"q1"},
				Evidence: []interview.Quotation{{Question: "q1", Criterion: interview.Technical, Text: "pools"}},
			},
			{Skill: "Rust", State: interview.NotAsked},
		},
		At: time.Date(2031, 5, 17, 9, 31, 0, 0, time.UTC),
	}

	return r
}

func TestInterview_Request(t *testing.T) {
	tests := []struct {
		name, body string
		header     http.Header
		want       interview.Request
	}{
		{"minimal", goodInterview, nil, interview.Request{
			FreelancerID: "f1", JobTitle: "Backend developer",
			Mode: interview.Questions,
		}},
		{
			"null fields", `{"freelancer_id":"f1","job_title":"x","mode":null,"session_id":null,` +
				`"provided_answers":null,"num_questions":null,` +
				`"scoring_criteria":null,"custom_questions":null,"language":null}`, nil,
			interview.Request{FreelancerID: "f1", JobTitle: "x", Mode: interview.Questions},
		},
		{
			"all fields", `{"freelancer_id":"f1","project_description":"d","job_title":"t",` +
				`"required_skills":["Go"],"must_have_skills":["Go"],"mode":"hybrid",` +
				`"custom_questions":[{"text":"a?","expected_answer":"b",` +
				`"scoring_criteria":{"technical_accuracy":60,"communication":40},"follow_up":["c?"],"kind":"technical"}],` +
				`"additional_questions":["d?"],"scoring_criteria":{"technical":1},"language":"es","num_questions":3}`,
			http.Header{"Idempotency-Key": {"key 1"}},
			interview.Request{
				IdempotencyKey: "key 1", FreelancerID: "f1", ProjectDescription: "d", JobTitle: "t", RequiredSkills: []string{"Go"},
				MustHaveSkills: []string{"Go"}, Mode: interview.Hybrid,
				CustomQuestions: []interview.CustomQuestion{{
					Text: "a?", ExpectedAnswer: "b", ScoringCriteria: map[string]int{"technical_accuracy": 60, "communication": 40},
					FollowUp: []string{"c?"}, Kind: interview.KnowHow,
				}},
				AdditionalQuestions: []string{"d?"}, ScoringCriteria: map[string]int{"technical": 1}, Language: "es",
				NumQuestions: matching.Some(3),
			},
		},
		{
			"answers", `{"freelancer_id":"f1","mode":"ai_full","session_id":"` + testSession + `","provided_answers":["a",""]}`,
			nil,
			interview.Request{
				FreelancerID: "f1", Mode: interview.Full, SessionID: testSession,
				ProvidedAnswers: []string{"a", ""},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got interview.Request
			c := call{
				path: interviewPath, body: test.body, header: test.header, status: 200,
				change: conducts(func(_ context.Context, r interview.Request, watch func(interview.Event)) (interview.Result,
					error,
				) {
					if watch != nil {
						t.Error("got a watch function without a stream")
					}
					got = r
					return begun(), nil
				}),
			}

			c.send(t)
			test.want.Account = "acc_1"
			test.want.By = interview.Requester{By: audit.By{Actor: "key_1", Address: "192.0.2.1"}, Account: "acc_1"}
			test.want.Limits = interview.Limits{Sessions: 5_000, Bytes: 250 << 20} // of the key's plan

			if got.CustomQuestions != nil && len(got.CustomQuestions) == 0 {
				got.CustomQuestions = nil
			}

			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A key without an account has sessions of its own, which its rotated successors share.
func TestInterview_Owner(t *testing.T) {
	for owner, key := range map[string]apikey.Key{
		"acc_1": goodKey(),
		"key_0": {ID: "key_1", Counter: "key_0", Plan: "professional", PlanSince: time.Now()},
	} {
		var got string
		c := call{path: interviewPath, body: goodInterview, status: 200, change: func(f *fixture) {
			f.Keys = keysFunc(func(context.Context, string) (apikey.Key, error) { return key, nil })
			conducts(func(_ context.Context, r interview.Request, _ func(interview.Event)) (interview.Result, error) {
				got = r.Account
				return begun(), nil
			})(f)
		}}
		if c.send(t); got != owner {
			t.Errorf("the session belongs to %q, want %q", got, owner)
		}
	}
}

func TestInterview_RejectsInvalidRequests(t *testing.T) {
	post := func(name, body string, status int, code matching.Code, want ...string) call {
		return call{
			name: name, path: interviewPath, body: body, status: status, code: code, want: want,
			change: conducts(func(context.Context, interview.Request, func(interview.Event)) (interview.Result, error) {
				t.Errorf("%s: the interview was conducted", name)
				return begun(), nil
			}),
		}
	}

	with := func(c call, name string, values ...string) call {
		c.header = http.Header{name: values}
		return c
	}

	run(t, []call{
		post("no body", "", 400, strictjson.CodeMalformedJSON),
		with(post("another media type", goodInterview, 415, receive.CodeUnsupportedMediaType), "Content-Type", "text/plain"),
		post("too large", strings.Repeat(" ", receive.MaxJSON)+goodInterview, 413, receive.CodeBodyTooLarge),
		post("no freelancer", `{"job_title":"x"}`, 422, matching.CodeInvalid, `"field":"freelancer_id","code":"required"`),
		post("several invalid fields", `{"mode":"interrogate","num_questions":50,"language":"English"}`, 422,
			matching.CodeInvalid,
			`"field":"mode"`, `"field":"freelancer_id"`, `"field":"num_questions"`, `"field":"language"`),
		post("wrong types and broken rules",
			`{"freelancerId":"f1","num_questions":"five","language":"English","job_title":"x"}`, 422, validate.CodeWrongType,
			"Did you mean freelancer_id?", `"field":"num_questions","code":"wrong_type"`,
			`"field":"language","code":"unknown_value"`,
			`"field":"freelancer_id","code":"required"`),
		post("number as answer",
			`{"freelancer_id":"f1","mode":"ai_full","session_id":"`+testSession+`","provided_answers":["a",7]}`, 422,
			validate.CodeWrongType, `"field":"provided_answers[1]"`),
		post("text as custom question", `{"freelancer_id":"f1","mode":"custom_full","custom_questions":["a?"]}`, 422,
			validate.CodeWrongType,
			`"field":"custom_questions[0]"`),
		post("answers without a session", `{"freelancer_id":"f1","job_title":"x","mode":"ai_full","provided_answers":["a"]}`,
			422, matching.CodeInvalid,
			`"field":"session_id"`),
		post("unknown criterion", `{"freelancer_id":"f1","job_title":"x","scoring_criteria":{"charm":10}}`, 422,
			matching.CodeInvalid,
			`"field":"scoring_criteria.charm"`),
		with(post("blank Idempotency-Key", goodInterview, 422, matching.CodeInvalid, `"field":"Idempotency-Key"`),
			"Idempotency-Key", ""),
		with(post("two Idempotency-Keys", goodInterview, 422, matching.CodeInvalid, `"field":"Idempotency-Key"`),
			"Idempotency-Key", "a", "b"),
		with(post("Idempotency-Key too long", goodInterview, 422, matching.CodeInvalid, `"field":"Idempotency-Key"`),
			"Idempotency-Key", strings.Repeat("k", 256)),
		with(post("invalid request for a stream", `{"job_title":"x"}`, 422, matching.CodeInvalid, `"field":"freelancer_id"`),
			"Accept", endpoint.EventsType),
	})
}

func TestInterview_Webhook(t *testing.T) {
	secret := "whsec_" + strings.Repeat("c2Vj", 8)
	c := call{
		path: interviewPath, status: 200, never: []string{secret},
		body: `{"freelancer_id":"f1","job_title":"x","webhook":{"url":"https://example.com/h","secret":"` + secret + `"}}`,
		want: []string{
			`"webhook":{"url":"https://example.com/h","type":"interview.evaluated","attempts":2,"delivered_at":null,` +
				`"last_error":"no response within 10s","next_attempt_at":"2031-05-17T09:30:00Z"}`,
		},
		change: conducts(func(_ context.Context, r interview.Request, _ func(interview.Event)) (interview.Result, error) {
			if want := (interview.WebhookRequest{URL: "https://example.com/h", Secret: secret}); *r.Webhook != want {
				t.Errorf("webhook %+v, want %+v", *r.Webhook, want)
			}
			result := evaluated()
			result.Webhook = &webhook.Status{
				URL: r.Webhook.URL, Type: interview.MessageEvaluated, Attempts: 2, LastError: "no response within 10s",
				Next: result.Begun,
			}

			return result, nil
		}),
	}

	_, f := c.send(t)
	if strings.Contains(f.log.String(), secret) {
		t.Errorf("the log has the secret: %s", f.log)
	}

	run(t, []call{
		{
			name: "private address", path: interviewPath, status: 422, code: matching.CodeInvalid,
			body:  `{"freelancer_id":"f1","job_title":"x","webhook":{"url":"https://10.0.0.1/","secret":"` + secret + `x"}}`,
			want:  []string{`"field":"webhook.url"`, `"field":"webhook.secret"`},
			never: []string{secret, "10.0.0.1"},
		},
		{
			name: "wrong types", path: interviewPath, status: 422, code: validate.CodeWrongType,
			body: `{"freelancer_id":"f1","job_title":"x","webhook":{"url":7,"events":[]}}`,
			want: []string{`"field":"webhook.url","code":"wrong_type"`, `"field":"webhook.events","code":"unknown_field"`},
		},
		{name: "null", path: interviewPath, status: 200, body: `{"freelancer_id":"f1","job_title":"x","webhook":null}`},
	})
}

func TestInterview_OneErrorPerField(t *testing.T) {
	c := call{
		path: interviewPath, status: 422, code: validate.CodeWrongType,
		body: `{"freelancer_id":7,"mode":"custom_full","custom_questions":[7],"language":"xyz"}`,
		want: []string{
			`"field":"freelancer_id","code":"wrong_type"`, `"field":"custom_questions[0]"`, `"field":"language"`,
			"The request has 3 errors",
		},
		never: []string{`"code":"required"`, `"code":"blank"`},
	}
	c.send(t)
}

func TestInterview_Failures(t *testing.T) {
	fails := func(name string, err error, status int, code matching.Code) call {
		return call{
			name: name, path: interviewPath, body: goodInterview, status: status, code: code,
			change: interviewerFails(err),
		}
	}

	streamed := func(c call) call {
		c.name += " before the first event"
		c.header = http.Header{"Accept": {endpoint.EventsType}}
		return c
	}

	calls := []call{
		fails("unknown freelancer", &matching.Error{
			Code:    matching.CodeFreelancerUnknown,
			Message: "there is no such freelancer",
		}, 404,
			matching.CodeFreelancerUnknown),
		fails("unknown session", &matching.Error{Code: interview.CodeSessionNotFound, Message: "no such session"}, 404,
			interview.CodeSessionNotFound),
		fails("closed session", &matching.Error{Code: interview.CodeSessionClosed, Message: "closed"}, 409,
			interview.CodeSessionClosed),
		fails("deadline exceeded", context.DeadlineExceeded, 504, matching.CodeEngineTimeout),
		fails("other error", errors.New("secret cause"), 500, matching.CodeInternal),
	}
	for _, c := range calls {
		calls = append(calls, streamed(c))
	}

	run(t, calls)
}

func TestInterview_RetryAfterIdempotencyConflict(t *testing.T) {
	err := &matching.Error{Code: interview.CodeIdempotency, Message: "under way", RetryAfter: 4500 * time.Millisecond}
	c := call{
		path: interviewPath, body: goodInterview, status: 409, code: interview.CodeIdempotency,
		change: interviewerFails(err),
	}
	if w, _ := c.send(t); w.Header().Get("Retry-After") != "5" {
		t.Errorf("Retry-After is %q, want 5", w.Header().Get("Retry-After"))
	}
}

func TestInterview_ResponseWithEvaluation(t *testing.T) {
	c := call{
		path: interviewPath, body: goodInterview, status: 200,
		want: []string{
			`"session_id":"` + testSession + `"`, `"state":"evaluated"`,
			`"scoring_criteria":{"technical":40,"experience":30,"communication":30}`,
			`"skill":null,"kind":null,"difficulty":null`, `"answers":["I wrote \"pools\" of them.",""]`, `"scores":[74,0]`,
			`"ai_scores":[74]`,
			`"custom_scores":[0]`, `"hiring_recommendation":false`,
			`"evidence":[{"question":"q1","criterion":"technical","text":"pools"}]`,
			`"method":null`, `R&D <Backend>`,
		},
	}
	c.send(t)
}

func TestInterview_ResponseWithoutOptionalFields(t *testing.T) {
	c := call{
		path: interviewPath, body: goodInterview, status: 200,
		change: conducts(func(context.Context, interview.Request, func(interview.Event)) (interview.Result, error) {
			r := begun()
			r.UnknownSkills = nil
			r.Remarks = nil
			return r, nil
		}),
		want:  []string{`"unknown_skills":[]`, `"remarks":[]`},
		never: []string{`"evaluation"`, `"answers"`, `"derived_skills"`, `"ai_scores"`},
	}
	c.send(t)
}

func TestInterview_ResponseWithoutVerdict(t *testing.T) {
	c := call{
		path: interviewPath, body: goodInterview, status: 200,
		change: conducts(func(context.Context, interview.Request, func(interview.Event)) (interview.Result, error) {
			r := evaluated()
			r.Questions = r.Questions[:1]
			r.Evaluation.Recommendation = matching.Optional[bool]{}
			r.Evaluation.Overall = matching.Optional[int]{}
			r.Evaluation.Verdict = false
			r.Evaluation.Scores = r.Evaluation.Scores[:1]
			r.Evaluation.Scores[0].Value = matching.Optional[int]{}
			r.Evaluation.Scores[0].Counted = true
			r.Evaluation.Skills[0].State = interview.Answered
			return r, nil
		}),
		want: []string{
			`"hiring_recommendation":null`, `"overall_score":null`, `"scores":[null]`, `"level":null,"evidence"`,
			`"state":"answered"`,
		},
		never: []string{`"ai_scores"`, `"custom_scores"`},
	}
	c.send(t)
}

func TestInterview_Delete(t *testing.T) {
	remove := func(name, query string, status int, code matching.Code, want ...string) call {
		return call{
			name: name, method: http.MethodDelete, path: interviewPath + query, status: status, code: code,
			want: want,
		}
	}
	run(t, []call{
		remove("own session", "?session_id="+testSession, 200, "", `"data":{"session_id":"`+testSession+`"}`),
		remove("unknown session", "?session_id="+strings.Repeat("0", 32), 404, interview.CodeSessionNotFound),
		remove("no ID", "", 422, matching.CodeInvalid, `"field":"session_id"`),
		remove("two IDs", "?session_id=a&session_id=b", 422, matching.CodeInvalid, "once"),
		remove("unknown parameter", "?sessionid=a", 422, validate.CodeUnknownField, "Did you mean session_id?",
			`"code":"required"`),
		remove("malformed query", "?%zz", 422, matching.CodeInvalid, `"field":"query"`),
	})
}

// The audit log has the user of the dashboard rather than the key.
func TestInterview_RequesterFromTheDashboard(t *testing.T) {
	var got interview.Request
	f := newFixture()
	conducts(func(_ context.Context, r interview.Request, _ func(interview.Event)) (interview.Result, error) {
		got = r
		return begun(), nil
	})(f)
	w := httptest.NewRecorder()
	c := call{path: interviewPath, body: goodInterview}
	New(f.Dependencies).ServeAs(goodKey(), "usr_1", w, c.request(t))
	if want := (interview.Requester{By: audit.By{Actor: "usr_1"}, Account: "acc_1"}); w.Code != 200 || got.By != want {
		t.Errorf("status %d, requester %+v, want %+v", w.Code, got.By, want)
	}
}
