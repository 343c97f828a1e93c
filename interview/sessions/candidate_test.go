package sessions_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// invitation returns a request for an invitation with a time limit of an hour.
func invitation(session string) interview.InvitationRequest {
	return interview.InvitationRequest{Account: "acc_1", SessionID: session, TimeLimit: matching.Some(60)}
}

// invite starts a session and opens its invitation.
func (f *fixture) invite(t *testing.T, m interview.Mode, edits ...func(*interview.InvitationRequest)) (
	string, interview.Candidate,
) {
	t.Helper()
	session := f.conduct(t, fresh(m)).SessionID
	r := invitation(session)
	for _, edit := range edits {
		edit(&r)
	}
	invited, err := f.Invite(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := f.candidates.OpenInvitation(t.Context(), invited.Token)
	if err != nil {
		t.Fatal(err)
	}
	return session, c
}

func (f *fixture) started(t *testing.T, m interview.Mode, edits ...func(*interview.InvitationRequest)) (
	string, interview.Candidate,
) {
	t.Helper()
	session, c := f.invite(t, m, edits...)
	if v, err := f.candidates.Start(t.Context(), c); err != nil || !v.Started {
		t.Fatalf("start: %+v, %v", v, err)
	}
	return session, c
}

func (f *fixture) save(t *testing.T, c interview.Candidate, question, text string) {
	t.Helper()
	if _, err := f.candidates.Save(t.Context(), c, question, text, interview.AnswerFacts{}); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) settle(t *testing.T) {
	t.Helper()
	if err := f.candidates.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) report(t *testing.T, session string, m interview.Mode) interview.Result {
	t.Helper()
	return f.conduct(t, followUp(fresh(m), session, interview.Report))
}

// wantState checks the state of a session's invitation.
func (f *fixture) wantState(t *testing.T, session string, want interview.InvitationState) {
	t.Helper()
	i := f.report(t, session, interview.Questions).Invitation
	if i == nil || i.State(f.clock.now()) != want {
		t.Errorf("invitation %+v, want state %s", i, want)
	}
}

func wantRefusal(t *testing.T, err error, want interview.Refusal) {
	t.Helper()
	refused, ok := errors.AsType[*interview.RefusedError](err)
	if !ok || refused.Refusal != want {
		t.Errorf("got error %v, want refusal %s", err, want)
	}
}

func TestInvite_Faults(t *testing.T) {
	f := newFixture(t)
	session := f.conduct(t, fresh(interview.Questions)).SessionID
	now := f.clock.now()
	tests := []struct {
		name string
		edit func(*interview.InvitationRequest)
		want string // field and code
	}{
		{"no hours", func(r *interview.InvitationRequest) { r.ExpiresIn = matching.Some(0) }, "expires_in out_of_range"},
		{"many hours", func(r *interview.InvitationRequest) { r.ExpiresIn = matching.Some(721) }, "expires_in out_of_range"},
		{"after the session", func(r *interview.InvitationRequest) {
			r.ExpiresAt = now.Add(31 * 24 * time.Hour)
		}, "expires_at out_of_range"},
		{"in the past", func(r *interview.InvitationRequest) { r.ExpiresAt = now }, "expires_at past"},
		{"both", func(r *interview.InvitationRequest) {
			r.ExpiresIn, r.ExpiresAt = matching.Some(5), now.Add(time.Hour)
		}, "expires_at conflict"},
		{
			"no time", func(r *interview.InvitationRequest) { r.TimeLimit = matching.Some(0) },
			"time_limit_minutes out_of_range",
		},
		{
			"long time", func(r *interview.InvitationRequest) { r.TimeLimit = matching.Some(1441) },
			"time_limit_minutes out_of_range",
		},
		{"language", func(r *interview.InvitationRequest) { r.Language = "it" }, "language unknown_value"},
		{"blank consent", func(r *interview.InvitationRequest) { r.ConsentText = " " }, "consent_text blank"},
		{
			"long consent", func(r *interview.InvitationRequest) { r.ConsentText = strings.Repeat("x", 5001) },
			"consent_text too_long",
		},
		{"http", func(r *interview.InvitationRequest) { r.ReturnURL = "http://example.com" }, "return_url invalid"},
		{"script", func(r *interview.InvitationRequest) { r.ReturnURL = "javascript:alert(1)" }, "return_url invalid"},
		{"password", func(r *interview.InvitationRequest) { r.ReturnURL = "https://a:b@example.com" }, "return_url invalid"},
		{"no host", func(r *interview.InvitationRequest) { r.ReturnURL = "https:///x" }, "return_url invalid"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := invitation(session)
			test.edit(&r)
			_, err := f.Invite(t.Context(), r)
			wantSame(t, []string{test.want}, faultyFields(err))
		})
	}
}

func TestInvite_Refusals(t *testing.T) {
	f := newFixture(t)
	open := f.conduct(t, fresh(interview.Questions)).SessionID
	r := fresh(interview.Questions)
	evaluated := f.conduct(t, r).SessionID
	f.conduct(t, followUp(r, evaluated, interview.Full, five()...))
	foreign := invitation(open)
	full := invitation(open)
	foreign.Account = "acc_2"
	full.Limits = interview.Limits{Bytes: 60_000}
	for _, test := range []struct {
		r    interview.InvitationRequest
		want matching.Code
	}{
		{invitation(evaluated), interview.CodeSessionClosed},
		{foreign, interview.CodeSessionNotFound},
		{invitation("nonsense"), interview.CodeSessionNotFound},
		{full, interview.CodeStorageFull},
	} {
		if _, err := f.Invite(t.Context(), test.r); matching.CodeOf(err) != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}

	if err := f.Revoke(t.Context(), "acc_1", open, interview.Requester{}); matching.CodeOf(err) !=
		interview.CodeInvitationNotFound {
		t.Errorf("revoke without an invitation: %v", err)
	}
}

// A candidate opens the link, agrees, answers and submits; then the answers are evaluated.
func TestCandidate_WholeInterview(t *testing.T) {
	f := newFixture(t)
	ctx := t.Context()
	session := f.conduct(t, fresh(interview.Questions)).SessionID
	r := invitation(session)
	r.By = interview.Requester{By: audit.By{Actor: "key_1"}, Account: "acc_1"}
	invited, err := f.Invite(ctx, r)
	if err != nil || !invited.Expires.Equal(f.clock.now().Add(7*24*time.Hour)) {
		t.Fatalf("%+v, %v", invited, err)
	}

	f.wantState(t, session, interview.InvitationPending)
	c, _, err := f.candidates.OpenInvitation(ctx, invited.Token)
	if err != nil {
		t.Fatal(err)
	}

	f.wantState(t, session, interview.InvitationOpened)
	_, err = f.candidates.Visit(ctx, interview.Candidate{SessionID: session, Browser: "another"})
	wantRefusal(t, err, interview.RefusedUsed)

	f.save(t, c, "q1", "before the start")
	v, err := f.candidates.Start(ctx, c)
	if err != nil || v.Planned != 5 || v.Project != "Developer" || v.Questions[0].Answer != "" ||
		!v.Deadline.Equal(f.clock.now().Add(time.Hour)) {
		t.Fatalf("%+v, %v", v, err)
	}

	_, _, err = f.candidates.OpenInvitation(ctx, invited.Token)
	wantRefusal(t, err, interview.RefusedUsed)
	_, err = f.candidates.Submit(ctx, c)
	wantRefusal(t, err, interview.RefusedEmpty)
	facts := interview.AnswerFacts{
		Seconds: matching.Some(40), TypedCharacters: matching.Some(12), PastedCharacters: matching.Some(-1),
		Pastes: matching.Some(2),
	}
	for i, text := range levels(5, 4, 3, 0, 4) {
		if _, err := f.candidates.Save(ctx, c, v.Questions[i].ID, text, facts); err != nil {
			t.Fatal(err)
		}
	}

	fewer := facts
	fewer.Seconds = matching.Some(30)
	if _, err := f.candidates.Save(ctx, c, "q1", "level 5: again", fewer); err != nil {
		t.Fatal(err)
	}

	if got := f.report(t, session, interview.Questions); len(got.Answers) != 0 {
		t.Errorf("the client sees drafts: %v", got.Answers)
	}
	f.clock.pass(time.Minute)

	for range 2 { // a second submission changes nothing
		if v, err = f.candidates.Submit(ctx, c); err != nil || !v.Submitted {
			t.Fatalf("%+v, %v", v, err)
		}
	}

	f.save(t, c, "q1", "too late")
	got := f.report(t, session, interview.Questions)
	f.wantState(t, session, interview.InvitationSubmitted)

	if got.State != interview.Open || got.Evaluation != nil || len(got.Answers) != 5 {
		t.Errorf("before the evaluation: %+v", got)
	}
	f.refused(t, followUp(fresh(interview.Questions), session, interview.Full, five()...), interview.CodeSessionClosed)

	if err := f.Revoke(ctx, "acc_1", session, r.By); matching.CodeOf(err) != interview.CodeSessionClosed {
		t.Errorf("revoke after the submission: %v", err)
	}

	f.settle(t)
	got = f.report(t, session, interview.Questions)
	if got.State != interview.Evaluated || got.Evaluation.Overall != matching.Some(64) {
		t.Errorf("after the evaluation: %+v", got.Evaluation)
	}

	facts.PastedCharacters = matching.Optional[int]{}
	want := interview.Answer{
		Question: "q1", Text: "level 5: again", At: f.clock.now(), By: interview.ByCandidate, Facts: facts,
	}
	wantSame(t, want, got.Answers[0])

	if v, err = f.candidates.Visit(ctx, c); err != nil || !v.Submitted {
		t.Errorf("afterward: %+v, %v", v, err)
	}
	var actions []string
	events, err := f.db.AuditLog.Events(ctx, audit.Query{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}

	for _, e := range slices.Backward(events) {
		if e.Action != audit.InterviewRead {
			actions = append(actions, e.Actor+" "+string(e.Action))
		}
	}

	wantSame(t, []string{
		"key_1 interview.invited", "candidate interview.invitation_opened", "candidate interview.submitted",
	}, actions)
}

// Submitted answers stay when the evaluation fails, and are evaluated later.
func TestCandidate_EvaluationFails(t *testing.T) {
	f := newFixture(t)
	session, c := f.started(t, interview.Questions)
	f.save(t, c, "q1", "level 4: because")
	failing := func(context.Context, *interview.Question, string) (interview.Judgment, error) {
		return interview.Judgment{}, errScript
	}
	f.expert.script = failing
	f.counter.script = failing
	if _, err := f.candidates.Submit(t.Context(), c); err != nil {
		t.Fatal(err)
	}

	if err := f.candidates.Settle(t.Context()); !errors.Is(err, errScript) {
		t.Errorf("settle: %v", err)
	}

	if got := f.report(t, session, interview.Questions); len(got.Answers) != 5 || got.State != interview.Open {
		t.Errorf("answers lost: %+v", got)
	}
	f.settle(t) // not due yet
	f.expert.script = nil
	f.counter.script = nil
	f.clock.pass(3 * time.Minute)
	f.settle(t)

	if got := f.report(t, session, interview.Questions); got.State != interview.Evaluated {
		t.Errorf("not evaluated later: %+v", got)
	}
}

func TestCandidate_TimeLimit(t *testing.T) {
	const limit = time.Hour
	t.Run("answers saved in time are submitted", func(t *testing.T) {
		f := newFixture(t)
		session, c := f.started(t, interview.Questions)
		f.clock.pass(limit + 20*time.Second)
		f.save(t, c, "q1", "level 4: in the grace period")
		f.clock.pass(20 * time.Second)
		f.settle(t)
		f.wantState(t, session, interview.InvitationSubmitted)

		if got := f.report(t, session, interview.Questions); got.State != interview.Evaluated {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("a late request submits what was saved", func(t *testing.T) {
		f := newFixture(t)
		session, c := f.started(t, interview.Questions)
		f.save(t, c, "q1", "level 4: in time")
		f.clock.pass(limit + time.Minute)
		v, err := f.candidates.Save(t.Context(), c, "q1", "level 5: late", interview.AnswerFacts{})
		if err != nil || !v.Submitted || v.Questions[0].Answer != "level 4: in time" {
			t.Errorf("%+v, %v", v, err)
		}

		f.wantState(t, session, interview.InvitationSubmitted)
	})

	t.Run("nothing saved", func(t *testing.T) {
		f := newFixture(t)
		session, c := f.started(t, interview.Questions)
		f.save(t, c, "q1", "  ")
		f.clock.pass(limit + time.Minute)

		for range 2 {
			_, err := f.candidates.Visit(t.Context(), c)
			wantRefusal(t, err, interview.RefusedTimeOver)
		}

		f.settle(t)
		f.wantState(t, session, interview.InvitationExpired)
	})

	t.Run("the invitation expires first", func(t *testing.T) {
		f := newFixture(t)
		_, c := f.invite(t, interview.Questions, func(r *interview.InvitationRequest) {
			r.ExpiresIn, r.TimeLimit = matching.Some(1), matching.Some(120)
		})
		v, err := f.candidates.Start(t.Context(), c)
		if err != nil || !v.Deadline.Equal(f.clock.now().Add(time.Hour)) {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

// Without a time limit, drafts of an expired invitation are deleted, because nobody asked to submit them.
func TestCandidate_ExpiryDeletesDrafts(t *testing.T) {
	f := newFixture(t)
	session, c := f.started(t, interview.Questions, func(r *interview.InvitationRequest) {
		r.ExpiresIn = matching.Some(2)
		r.TimeLimit = matching.Optional[int]{}
	})
	f.save(t, c, "q1", "level 4: a private draft")
	f.clock.pass(2 * time.Hour)
	f.settle(t)
	_, err := f.candidates.Visit(t.Context(), c)
	wantRefusal(t, err, interview.RefusedExpired)
	f.wantState(t, session, interview.InvitationExpired)
	record, err := f.db.Interviews.Find(t.Context(), session, f.clock.now())
	if err != nil || strings.Contains(string(record.Data), "private draft") {
		t.Errorf("the draft remains: %v, %s", err, record.Data)
	}
}

func TestCandidate_Refusals(t *testing.T) {
	f := newFixture(t)
	ctx := t.Context()
	_, _, err := f.candidates.OpenInvitation(ctx, "nonsense")
	wantRefusal(t, err, interview.RefusedUnknown)

	session := f.conduct(t, fresh(interview.Questions)).SessionID
	first, err := f.Invite(ctx, invitation(session))
	if err != nil {
		t.Fatal(err)
	}

	second, err := f.Invite(ctx, invitation(session))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = f.candidates.OpenInvitation(ctx, first.Token)
	wantRefusal(t, err, interview.RefusedUnknown)
	c, _, err := f.candidates.OpenInvitation(ctx, second.Token)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := f.candidates.Start(ctx, c); err != nil {
		t.Fatal(err)
	}
	_, err = f.candidates.Save(ctx, c, "q1", strings.Repeat("x", interview.MaxAnswer+1), interview.AnswerFacts{})
	wantRefusal(t, err, interview.RefusedTooLong)

	for _, q := range []string{"q1", "q2", "q3", "q4"} {
		_, err = f.candidates.Save(ctx, c, q, strings.Repeat("é", interview.MaxAnswer), interview.AnswerFacts{})
	}
	wantRefusal(t, err, interview.RefusedTooLong) // 80,000 bytes

	for range 2 {
		if err := f.Revoke(ctx, "acc_1", session, interview.Requester{}); err != nil {
			t.Fatal(err)
		}
	}

	f.wantState(t, session, interview.InvitationRevoked)
	_, err = f.candidates.Submit(ctx, c)
	wantRefusal(t, err, interview.RefusedRevoked)

	session, c = f.started(t, interview.Questions)
	f.conduct(t, followUp(fresh(interview.Questions), session, interview.Full, five()...))
	_, err = f.candidates.Visit(ctx, c)
	wantRefusal(t, err, interview.RefusedClosed)

	session, c = f.started(t, interview.Questions)
	if err := f.Delete(ctx, "acc_1", session, interview.Requester{}); err != nil {
		t.Fatal(err)
	}
	_, err = f.candidates.Visit(ctx, c)
	wantRefusal(t, err, interview.RefusedUnknown)

	late := f.conduct(t, fresh(interview.Questions)).SessionID
	r := invitation(late)
	r.ExpiresIn = matching.Some(1)
	expired, err := f.Invite(ctx, r)
	if err != nil {
		t.Fatal(err)
	}

	f.clock.pass(time.Hour)
	_, _, err = f.candidates.OpenInvitation(ctx, expired.Token)
	wantRefusal(t, err, interview.RefusedExpired)
}

// Of several browsers that open a link at once, one gets the interview.
func TestCandidate_AgreesInOneBrowser(t *testing.T) {
	f := newFixture(t)
	invited, err := f.Invite(t.Context(), invitation(f.conduct(t, fresh(interview.Questions)).SessionID))
	if err != nil {
		t.Fatal(err)
	}

	// The link works everywhere until the candidate agrees in one of the browsers.
	const browsers = 4
	var opened []interview.Candidate
	for range browsers {
		c, _, err := f.candidates.OpenInvitation(t.Context(), invited.Token)
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, c)
	}

	results := make(chan error, browsers)
	for _, c := range opened {
		go func() {
			_, err := f.candidates.Start(t.Context(), c)
			results <- err
		}()
	}

	started := 0
	for range browsers {
		if err := <-results; err == nil {
			started++
		} else {
			wantRefusal(t, err, interview.RefusedUsed)
		}
	}

	if started != 1 {
		t.Errorf("the candidate has agreed in %d browsers", started)
	}
}

// Nobody who has the link can make the session grow by opening it.
func TestCandidate_OpensTheLinkOften(t *testing.T) {
	f := newFixture(t)
	invited, err := f.Invite(t.Context(), invitation(f.conduct(t, fresh(interview.Questions)).SessionID))
	if err != nil {
		t.Fatal(err)
	}

	var all []interview.Candidate
	for range 20 {
		c, _, err := f.candidates.OpenInvitation(t.Context(), invited.Token)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}

	_, err = f.candidates.Visit(t.Context(), all[0])
	wantRefusal(t, err, interview.RefusedUsed)
	for _, c := range all[4:] {
		if _, err := f.candidates.Visit(t.Context(), c); err != nil {
			t.Errorf("one of the last 16 browsers gets %v", err)
		}
	}
}

func TestCandidate_Adaptive(t *testing.T) {
	f := newFixture(t)
	ctx := t.Context()
	session, c := f.started(t, interview.Adaptive)
	for n := 1; n < 5; n++ {
		v, err := f.candidates.Visit(ctx, c)
		if err != nil || len(v.Questions) != n || v.Planned != 5 || v.Answered != n-1 {
			t.Fatalf("question %d: %+v, %v", n, v, err)
		}
		q := v.Questions[n-1].ID
		f.save(t, c, q, "level 4: because")

		if v, err := f.candidates.Submit(ctx, c); err != nil || v.Submitted {
			t.Fatalf("submitted before the last question: %+v, %v", v, err)
		}

		for range 2 { // going on twice is the same as once
			if v, err = f.candidates.Next(ctx, c, q); err != nil || v.Submitted {
				t.Fatalf("question %d: %+v, %v", n, v, err)
			}
		}

		f.save(t, c, q, "level 1: changed")
	}

	if v, err := f.candidates.Next(ctx, c, "q5"); err != nil || v.Submitted || len(v.Questions) != 5 {
		t.Fatalf("%+v, %v", v, err)
	}
	f.save(t, c, "q5", "level 4: because")

	if v, err := f.candidates.Submit(ctx, c); err != nil || !v.Submitted {
		t.Fatalf("%+v, %v", v, err)
	}
	f.settle(t)
	got := f.report(t, session, interview.Adaptive)
	if got.State != interview.Evaluated || len(got.Answers) != 5 || got.Answers[0].Text != "level 4: because" ||
		got.Answers[0].By != interview.ByCandidate {
		t.Errorf("got %+v", got)
	}
}

func TestCandidate_AdaptiveTimeLimit(t *testing.T) {
	f := newFixture(t)
	session, c := f.started(t, interview.Adaptive)
	f.save(t, c, "q1", "level 4: because")
	if _, err := f.candidates.Next(t.Context(), c, "q1"); err != nil {
		t.Fatal(err)
	}
	f.clock.pass(2 * time.Hour)
	f.settle(t)
	got := f.report(t, session, interview.Adaptive)
	if got.State != interview.Evaluated || len(got.Answers) != 2 || len(got.Evaluation.Scores) != 2 ||
		!strings.Contains(codes(got.Remarks), string(interview.NoticeTimeOver)) {
		t.Errorf("got %+v", got)
	}
}

// A visit of the candidate has nothing of the rubric, in any mode.
func TestCandidate_SeesNoRubric(t *testing.T) {
	f := newFixture(t)
	_, c := f.started(t, interview.CustomFull)
	v, err := f.candidates.Visit(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range v.Questions {
		wantSame(t, interview.CandidateQuestion{ID: q.ID, Text: q.Text}, q)
	}
}
