package sessions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// reviewOf returns a request that reviews a mark of the first answer of a session.
func reviewOf(session, criterion string, level int) interview.ReviewRequest {
	return interview.ReviewRequest{
		Account: "acc_1", By: byKey(), SessionID: session, Question: "q1", Criterion: criterion,
		Level: matching.Some(level), Reason: " The answer says so. ",
	}
}

func (f *fixture) review(t *testing.T, r interview.ReviewRequest) interview.Result {
	t.Helper()
	result, err := f.Review(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// evaluatedSession returns an evaluated session of two questions, of which the first has an answer of level 2.
func (f *fixture) evaluatedSession(t *testing.T) interview.Result {
	t.Helper()
	r := fresh(interview.CustomFull)
	r.ProvidedAnswers = levels(2, 0)
	return f.conduct(t, r)
}

func TestReview(t *testing.T) {
	f := newFixture(t)
	before := f.evaluatedSession(t)
	if before.Evaluation.Overall != matching.Some(20) {
		t.Fatalf("the total is %v, want 20", before.Evaluation.Overall)
	}

	f.clock.pass(time.Minute)
	r := reviewOf(before.SessionID, "technical_accuracy", 5)
	r.Reviewer = "Grace"
	got := f.review(t, r)
	e := got.Evaluation
	mark := e.Scores[0].Marks[0]
	want := interview.Review{Level: 5, Reason: "The answer says so.", By: "Grace", At: f.clock.now()}

	if mark.Criterion != interview.Technical || mark.Level != 2 || mark.Review == nil {
		t.Fatalf("mark %+v", mark)
	}
	wantSame(t, want, *mark.Review)

	// 57% of level 5 and 43% of level 2 are 74 points, and the other question has none.
	if w := got.Questions[0].Weights[interview.Technical]; w != 57 || e.Scores[0].Value != matching.Some(74) ||
		e.Scores[1].Value != matching.Some(0) || e.Overall != matching.Some(37) {
		t.Errorf("weight %d, scores %v, %v, total %v; want 57, 74, 0, 37", w, e.Scores[0].Value, e.Scores[1].Value, e.Overall)
	}

	if !e.At.Equal(before.Evaluation.At) || !got.Expires.Equal(before.Expires) {
		t.Error("a review changed when the session was evaluated or expires")
	}
	wantSame(t, []interview.MarkReview{{Question: "q1", Criterion: interview.Technical, Review: want}}, e.Reviews)

	// The same again changes nothing; another one counts, and the history has both.
	f.clock.pass(time.Minute)
	wantSame(t, got, f.review(t, r))
	r.Level = matching.Some(1)
	r.Reviewer = ""
	got = f.review(t, r)
	if got.Evaluation.Overall != matching.Some(14) || len(got.Evaluation.Reviews) != 2 ||
		got.Evaluation.Scores[0].Marks[0].Review.By != "key_1" || got.Evaluation.Reviews[0].By != "Grace" {
		t.Errorf("after another review: %+v", got.Evaluation)
	}

	wantSame(t, got, f.report(t, before.SessionID, interview.CustomFull))
	f.wantReviews(t, "q1 technical: level 5 → 1", "q1 technical: level 2 → 5")
}

// wantReviews checks the details of the entries about reviews, the last one first.
func (f *fixture) wantReviews(t *testing.T, details ...string) {
	t.Helper()
	entries, err := f.db.AuditLog.Events(t.Context(), audit.Query{Account: "acc_1", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if e.Action == audit.InterviewReviewed && e.Actor == "key_1" {
			got = append(got, e.Detail)
		}
	}
	wantSame(t, details, got)
}

// A level equal to the judge's changes no number, whatever kind of interview it is.
func TestReview_SameLevel(t *testing.T) {
	f := newFixture(t)
	for _, m := range []interview.Mode{interview.CustomFull, interview.Full, interview.Adaptive} {
		r := fresh(m)
		session := f.conduct(t, r)
		id := session.SessionID

		for session.Evaluation == nil {
			answers := levels(4)
			if m != interview.Adaptive {
				answers = levels(4, 3, 0, 5, 2)[:len(session.Questions)]
			}
			session = f.conduct(t, followUp(r, id, m, answers...))
		}

		before := session.Evaluation
		after := f.review(t, reviewOf(id, "technical", 4)).Evaluation
		if before.Overall != after.Overall || before.StandardError != after.StandardError {
			t.Errorf("%s: total %v ± %v, before %v ± %v", m, after.Overall, after.StandardError, before.Overall,
				before.StandardError)
		}

		for i := range before.Scores {
			wantSame(t, before.Scores[i].Value, after.Scores[i].Value)
		}
	}
}

func TestReview_Faults(t *testing.T) {
	f := newFixture(t)
	session := f.evaluatedSession(t).SessionID
	open := f.conduct(t, fresh(interview.CustomFull)).SessionID
	for _, test := range []struct {
		edit   func(*interview.ReviewRequest)
		code   matching.Code
		fields []string
	}{
		{
			func(r *interview.ReviewRequest) { *r = interview.ReviewRequest{Account: "acc_1", SessionID: session} },
			matching.CodeInvalid,
			[]string{"criterion unknown_value", "level required", "question blank", "reason blank"},
		},
		{
			func(r *interview.ReviewRequest) { r.Level = matching.Some(6) }, matching.CodeInvalid,
			[]string{"level out_of_range"},
		},
		{
			func(r *interview.ReviewRequest) { r.Level = matching.Some(-1) }, matching.CodeInvalid,
			[]string{"level out_of_range"},
		},
		{
			func(r *interview.ReviewRequest) { r.Reason = strings.Repeat("é", 2001) }, matching.CodeInvalid,
			[]string{"reason too_long"},
		},
		{
			func(r *interview.ReviewRequest) { r.Reviewer = strings.Repeat("x", 201) }, matching.CodeInvalid,
			[]string{"reviewer too_long"},
		},
		{
			func(r *interview.ReviewRequest) { r.Reason = "a\x00b" }, matching.CodeInvalid, []string{"reason invalid_text"},
		},
		{func(r *interview.ReviewRequest) { r.Question = "q3" }, matching.CodeInvalid, []string{"question unknown_value"}},
		{func(r *interview.ReviewRequest) { r.Question = "q2" }, matching.CodeInvalid, []string{"criterion not_marked"}},
		{func(r *interview.ReviewRequest) { r.SessionID = open }, interview.CodeSessionOpen, nil},
		{func(r *interview.ReviewRequest) { r.Account = "acc_2" }, interview.CodeSessionNotFound, nil},
		{func(r *interview.ReviewRequest) { r.SessionID = "x" }, interview.CodeSessionNotFound, nil},
		{func(r *interview.ReviewRequest) { r.Limits.Bytes = 10 }, interview.CodeStorageFull, nil},
	} {
		r := reviewOf(session, "technical", 3)
		test.edit(&r)
		_, err := f.Review(t.Context(), r)
		if matching.CodeOf(err) != test.code {
			t.Errorf("%+v: %v, want %s", r, err, test.code)
		}

		wantSame(t, test.fields, faultyFields(err))
	}

	for i := range interview.MaxReviews {
		r := reviewOf(session, "technical", 3)
		r.Reason = fmt.Sprint("reason ", i)
		f.review(t, r)
	}

	_, err := f.Review(t.Context(), reviewOf(session, "technical", 4))
	wantSame(t, []string{"question too_many"}, faultyFields(err))
}
