package sessions_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/sessions"
)

// five returns five strong answers.
func five() []string { return levels(4, 4, 4, 4, 4) }

func TestConduct_AsksThenEvaluates(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Questions)
	asked := f.conduct(t, r)
	wantSame(t, interview.Person{ID: "f1", Name: "Ana Example", JobTitle: "React Developer"}, asked.Freelancer)

	if len(asked.Questions) != 5 || asked.State != interview.Open || asked.GeneratedBy != byModel ||
		asked.Evaluation != nil || len(asked.SessionID) != 32 || asked.Language != "en" {
		t.Errorf("got %+v", asked)
	}

	var about []string
	for i, q := range asked.Questions {
		about = append(about, q.Skill)
		if q.ID != fmt.Sprintf("q%d", i+1) || q.By != byModel {
			t.Errorf("question %d has ID %s and is by %s", i, q.ID, q.By)
		}
		wantSame(t, interview.Weights{"technical": 57, "communication": 43}, q.Weights) // no question asks for own work
	}

	wantSame(t, []string{"React", "PostgreSQL", "Underwater Basketry", "React", ""}, about)
	wantSame(t, []string{"Underwater Basketry"}, asked.UnknownSkills)

	f.clock.pass(time.Hour)
	done := f.conduct(t, followUp(r, asked.SessionID, interview.Full, levels(5, 4, 3, 0, 4)...))
	wantSame(t, asked.Questions, done.Questions)
	e := done.Evaluation
	if done.State != interview.Evaluated || e == nil {
		t.Fatalf("got %+v", done)
	}

	var scores []int
	for _, sc := range e.Scores {
		scores = append(scores, sc.Value.Or(-1))
	}
	wantSame(t, []int{100, 80, 60, 0, 80}, scores)

	if e.Overall != matching.Some(64) || e.Recommendation.Known || e.Method != byModel || !e.Confidence.Known ||
		!e.At.Equal(f.clock.now()) {
		t.Errorf("got %+v", e)
	}

	quotation := interview.Quotation{Question: "q1", Criterion: interview.Technical, Text: "level 5"}
	if len(e.Evidence) != 12 || e.Evidence[0] != quotation {
		t.Errorf("evidence %v", e.Evidence)
	}

	if !done.Expires.Equal(f.clock.now().Add(30 * 24 * time.Hour)) {
		t.Errorf("the session expires at %v, want 30 days after its evaluation", done.Expires)
	}
}

// Each case sends requests of several modes to a session of one mode in one state.
func TestConduct_ModesAndStates(t *testing.T) {
	const (
		wrongMode = "mode wrong_mode"
		noAnswers = "provided_answers not_in_mode"
	)

	type step struct {
		mode    interview.Mode
		answers int    // number of answers at level 4; if negative, at level 3
		want    string // the state, error code or fault
	}

	tests := []struct {
		begin, state string // open or evaluated
		steps        []step
	}{
		{"ai_questions", "open", []step{
			{"ai_questions", 0, "open"},
			{"ai_questions", 5, noAnswers},
			{"ai_full", 0, "open"},
			{"ai_full", 4, "provided_answers wrong_length"},
			{"ai_full", 6, "provided_answers wrong_length"},
			{"custom_full", 0, wrongMode},
			{"hybrid", 0, wrongMode},
			{"adaptive", 0, wrongMode},
			{"report", 0, "open"},
			{"report", 5, noAnswers},
			{"ai_full", 5, "evaluated"},
		}},
		{"ai_full", "evaluated", []step{
			{"ai_questions", 0, "evaluated"},
			{"ai_full", 0, "evaluated"},
			{"ai_full", 5, "evaluated"},
			{"ai_full", -5, "session_closed"},
			{"report", 0, "evaluated"},
			{"adaptive", 1, wrongMode},
		}},
		{"custom_full", "open", []step{
			{"custom_full", 0, "open"},
			{"ai_full", 0, wrongMode},
			{"report", 0, "open"},
			{"custom_full", 1, "provided_answers wrong_length"},
			{"custom_full", 2, "evaluated"},
		}},
		{"custom_full", "evaluated", []step{
			{"custom_full", 0, "evaluated"},
			{"custom_full", 2, "evaluated"},
			{"custom_full", -2, "session_closed"},
			{"report", 0, "evaluated"},
		}},
		{"hybrid", "open", []step{
			{"hybrid", 0, "open"},
			{"report", 0, "open"},
			{"ai_full", 6, wrongMode},
			{"hybrid", 5, "provided_answers wrong_length"},
			{"hybrid", 6, "evaluated"},
		}},
		{"hybrid", "evaluated", []step{{"hybrid", 0, "evaluated"}, {"hybrid", -6, "session_closed"}}},
		{"adaptive", "open", []step{
			{"adaptive", 0, "open"},
			{"report", 0, "open"},
			{"adaptive", 2, "provided_answers wrong_length"},
			{"ai_full", 0, wrongMode},
			{"adaptive", 1, "open"},
			{"adaptive", 1, "open"},
			{"adaptive", 1, "open"},
			{"adaptive", 1, "open"},
			{"adaptive", 1, "evaluated"},
			{"adaptive", 1, "evaluated"},
			{"adaptive", -1, "session_closed"},
			{"report", 0, "evaluated"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.begin+" "+tt.state, func(t *testing.T) {
			f := newFixture(t)
			first := fresh(interview.Mode(tt.begin))
			began := f.conduct(t, first)

			if tt.state == "evaluated" {
				answers := levels(4, 4, 4, 4, 4, 4)[:len(began.Questions)]
				f.conduct(t, followUp(first, began.SessionID, first.Mode, answers...))
			}

			for i, s := range tt.steps {
				answers := levels(4, 4, 4, 4, 4, 4)[:max(s.answers, 0)]
				if s.answers < 0 {
					answers = levels(3, 3, 3, 3, 3, 3)[:-s.answers]
				}
				result, err := f.Conduct(t.Context(), followUp(first, began.SessionID, s.mode, answers...), nil)
				got := string(result.State)

				if err != nil {
					got = string(matching.CodeOf(err))
					if fields := faultyFields(err); fields != nil {
						got = strings.Join(fields, ", ")
					}
				} else if result.Mode != s.mode || result.SessionID != began.SessionID ||
					(result.Evaluation != nil) != (result.State == interview.Evaluated) {
					t.Errorf("step %d: got %+v", i, result)
				}

				if got != s.want {
					t.Errorf("step %d, %s with %d answers: got %s, want %s", i, s.mode, s.answers, got, s.want)
				}
			}
		})
	}
}

func TestConduct_ReturnsTheStoredEvaluation(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	began := f.conduct(t, r)
	done := f.conduct(t, followUp(r, began.SessionID, interview.Full, five()...))
	f.expert.script = nil
	f.config.Judges = nil // must not be needed
	f.clock.pass(time.Hour)
	restarted := sessions.NewService(f.config)
	for _, mode := range []interview.Mode{interview.Full, interview.Report} {
		got, err := restarted.Conduct(t.Context(), followUp(r, began.SessionID, mode), nil)
		if err != nil {
			t.Fatal(err)
		}
		got.Mode = done.Mode
		wantSame(t, done, got)
	}
}

func TestConduct_CustomQuestionsWithAnswers(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.CustomFull)
	// not needed for custom questions
	r.ProjectDescription = ""
	r.JobTitle = ""
	r.ScoringCriteria = map[string]int{"technical_accuracy": 1, "experience_level": 1, "communication": 1}
	r.CustomQuestions[0].Kind = interview.Behavioral
	r.CustomQuestions[1].ScoringCriteria = map[string]int{"technical": 5}
	r.ProvidedAnswers = levels(2, 5)
	done := f.conduct(t, r)
	if done.State != interview.Evaluated || done.GeneratedBy != "client" || done.Evaluation.Overall != matching.Some(70) {
		t.Errorf("got %+v", done.Evaluation)
	}
	wantSame(t, interview.Weights{"technical": 34, "experience": 33, "communication": 33}, done.Questions[0].Weights)
	wantSame(t, interview.Weights{"technical": 100}, withoutZero(done.Questions[1].Weights))
	if q := done.Questions[1]; q.Expected != "Because." || q.By != "client" {
		t.Errorf("got %+v", q)
	}
}

// withoutZero returns the weights above 0.
func withoutZero(w interview.Weights) interview.Weights {
	out := interview.Weights{}
	for c, share := range w {
		if share != 0 {
			out[c] = share
		}
	}
	return out
}

func TestConduct_HybridKeepsItsQuestions(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Hybrid)
	r.CustomQuestions = []interview.CustomQuestion{{Text: "Why us?", FollowUp: []string{"Really?"}}}
	r.NumQuestions = matching.Some(2)
	began := f.conduct(t, r)
	var texts []string
	for _, q := range began.Questions {
		texts = append(texts, q.ID+" "+q.By+": "+q.Text)
	}

	wantSame(t, []string{
		"q1 llm:test: Question 1 by llm:test?", "q2 llm:test: Question 2 by llm:test?",
		"q3 client: Why us?", "q4 client: When can you start?",
	}, texts)

	done := f.conduct(t, followUp(r, began.SessionID, interview.Hybrid, levels(4, 4, 2, 2)...))
	wantSame(t, began.Questions, done.Questions)
	other := followUp(r, began.SessionID, interview.Hybrid)
	other.AdditionalQuestions = []string{"Something else?"}
	f.refused(t, other, matching.CodeInvalid, "custom_questions different")

	if another := f.conduct(t, followUp(other, "", interview.Hybrid)); len(another.Questions) != 4 {
		t.Errorf("another session has %d questions, want 4", len(another.Questions))
	}
}

// A session belongs to one account and one freelancer.
func TestConduct_RefusesOtherAccountsAndFreelancers(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	began := f.conduct(t, r)
	other := followUp(r, began.SessionID, interview.Full, five()...)
	other.Account = "acc_2"
	f.refused(t, other, interview.CodeSessionNotFound)
	err := f.Delete(t.Context(), "acc_2", began.SessionID, interview.Requester{})
	if matching.CodeOf(err) != interview.CodeSessionNotFound {
		t.Errorf("delete from another account: got error %v, want %s", err, interview.CodeSessionNotFound)
	}

	other = followUp(r, began.SessionID, interview.Full, five()...)
	other.FreelancerID = "f2"
	f.refused(t, other, matching.CodeInvalid, "freelancer_id wrong_freelancer")
	unknown := []string{strings.Repeat("0", 32), strings.ToUpper(began.SessionID), "no id", began.SessionID + "0"}
	for _, id := range unknown {
		f.refused(t, followUp(r, id, interview.Report), interview.CodeSessionNotFound)
	}

	r.FreelancerID = "f3"
	f.refused(t, r, matching.CodeFreelancerUnknown)
	got := f.conduct(t, followUp(fresh(interview.Full), began.SessionID, interview.Report))
	if got.State != interview.Open {
		t.Errorf("got %+v", got)
	}
}

// Neither later requests nor changes of the freelancer affect the subject of a session.
func TestConduct_KeepsTheSubject(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Questions)
	began := f.conduct(t, r)
	delete(f.config.Freelancers.(people), "f1")
	r.ProjectDescription = ""
	r.JobTitle = "Something else"
	r.RequiredSkills = nil
	r.Language = "es"
	r.NumQuestions = matching.Some(3)
	r.ScoringCriteria = map[string]int{"technical": 1}
	done := f.conduct(t, followUp(r, began.SessionID, interview.Full, five()...))
	wantSame(t, began.Questions, done.Questions)
	if done.Language != "en" {
		t.Errorf("language is now %s, want en", done.Language)
	}
}

func TestConduct_SessionsExpire(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	began := f.conduct(t, r)
	f.clock.pass(30*24*time.Hour - time.Second)
	f.conduct(t, followUp(r, began.SessionID, interview.Full, five()...))
	f.clock.pass(30*24*time.Hour - time.Second)
	f.conduct(t, followUp(r, began.SessionID, interview.Report))
	f.clock.pass(time.Second)
	f.refused(t, followUp(r, began.SessionID, interview.Report), interview.CodeSessionNotFound)
}

func TestDelete(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	r.IdempotencyKey = "first"
	began := f.conduct(t, r)
	if err := f.Delete(t.Context(), "acc_1", began.SessionID, interview.Requester{}); err != nil {
		t.Fatal(err)
	}
	err := f.Delete(t.Context(), "acc_1", began.SessionID, interview.Requester{})
	if matching.CodeOf(err) != interview.CodeSessionNotFound {
		t.Errorf("second delete: got error %v, want %s", err, interview.CodeSessionNotFound)
	}
	f.refused(t, followUp(fresh(interview.Full), began.SessionID, interview.Report), interview.CodeSessionNotFound)
	if again := f.conduct(t, r); again.SessionID == began.SessionID {
		t.Error("got the result of a deleted session")
	}
}

// Evaluated sessions count, too. The error names the session that expires first.
func TestConduct_LimitsSessions(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	r.Limits.Sessions = 2
	first := f.conduct(t, r)
	f.clock.pass(time.Hour)
	f.conduct(t, r)
	f.conduct(t, followUp(r, first.SessionID, interview.Full, five()...))
	asked := f.model.made
	_, err := f.Conduct(t.Context(), r, nil)
	if want := "is the next to expire, at 2031-06-16T10:30:00Z"; matching.CodeOf(err) != interview.CodeTooManySessions ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %s and %q", err, interview.CodeTooManySessions, want)
	}

	if f.model.made != asked {
		t.Error("the rejected request generated questions")
	}
	other := r
	other.Account = "acc_2"
	f.conduct(t, other)

	if err := f.Delete(t.Context(), "acc_1", first.SessionID, interview.Requester{}); err != nil {
		t.Fatal(err)
	}
	f.conduct(t, r)
}

// An account without space can neither start sessions nor answer questions, and causes no work. Reading and deleting
// sessions still works.
func TestConduct_LimitsBytes(t *testing.T) {
	f := newFixture(t)
	var judged atomic.Int32
	f.expert.script = func(_ context.Context, q *interview.Question, answer string) (interview.Judgment, error) {
		judged.Add(1)
		return byLevel(q, answer)
	}

	r := fresh(interview.Full)
	began := f.conduct(t, r)
	other := f.conduct(t, r)
	r.Limits.Bytes = 20_000
	answers := five()
	answers[0] += strings.Repeat(" and so on", 900)
	f.conduct(t, followUp(r, other.SessionID, interview.Full, answers...))
	asked := f.model.made
	judged.Store(0)
	f.refused(t, followUp(r, began.SessionID, interview.Full, answers...), interview.CodeStorageFull)
	long := r
	long.ProjectDescription = strings.Repeat("A shop. ", 2000)
	f.refused(t, long, interview.CodeStorageFull)

	if f.model.made != asked || judged.Load() > 0 {
		t.Errorf("rejected requests generated %d questions and judged %d answers", f.model.made-asked, judged.Load())
	}
	f.conduct(t, followUp(r, began.SessionID, interview.Report))

	if err := f.Delete(t.Context(), "acc_1", other.SessionID, interview.Requester{}); err != nil {
		t.Fatal(err)
	}
	f.conduct(t, followUp(r, began.SessionID, interview.Full, answers...))
}

// All answers of an adaptive session together are limited, although they arrive one by one.
func TestConduct_LimitsAllAnswersOfASession(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Adaptive)
	r.NumQuestions = matching.Some(10)
	session := f.conduct(t, r).SessionID
	answer := "level 3: " + strings.Repeat("x", 9_000)
	for range interview.MaxAnswers / len(answer) {
		f.conduct(t, followUp(r, session, interview.Adaptive, answer))
	}
	f.refused(t, followUp(r, session, interview.Adaptive, answer), matching.CodeInvalid, "provided_answers too_long")
	f.conduct(t, followUp(r, session, interview.Adaptive, "level 3: short"))
}

// Neither a session nor the result for an Idempotency-Key stores a text of the request twice.
func TestConduct_StoresTextsOnce(t *testing.T) {
	f := newFixture(t)
	spy := &spyStore{Store: f.config.Store}
	f.config.Store = spy
	f.restart()
	r := fresh(interview.CustomFull)
	r.IdempotencyKey = "k"
	r.ProvidedAnswers = []string{"level 4: " + strings.Repeat("an unusual text ", 500), "level 3: b"}
	first := f.conduct(t, r)
	if n := bytes.Count(spy.data, []byte("level 4: an unusual text")); n != 1 {
		t.Errorf("the session stores the answer %d times, want 1", n)
	}
	if len(spy.result) == 0 || len(spy.result) > 500 {
		t.Errorf("the claim stores %d bytes, want some, and at most 500: %s", len(spy.result), spy.result)
	}
	wantSame(t, first, f.conduct(t, r))
}

// A requester who reads answers of earlier requests leaves an entry in the audit log, once per session and day.
// Asking and answering leave none.
func TestConduct_AuditsReading(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	r.By = interview.Requester{By: audit.By{Actor: "key_1", Address: "192.0.2.1"}, Account: "acc_1"}
	r.IdempotencyKey = "begin"
	session := f.conduct(t, r).SessionID
	f.conduct(t, r)
	answer := followUp(r, session, interview.Full, five()...)
	answer.IdempotencyKey = "answer"
	report := followUp(r, session, interview.Report)
	report.IdempotencyKey = ""
	f.conduct(t, report) // no answers yet
	f.conduct(t, answer)
	var want []audit.Event
	check := func(step string) {
		t.Helper()
		got, err := f.db.AuditLog.Events(t.Context(), audit.Query{Limit: 10})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, -want +got:\n%s", step, err, diff)
		}
	}

	add := func(actor string, action audit.Action) {
		want = slices.Insert(want, 0, audit.Event{
			At: f.clock.now(), Actor: actor, Account: "acc_1", Action: action, Subject: session, Address: "192.0.2.1",
		})
	}

	check("asking and answering")
	f.conduct(t, answer) // repeats the result with its answers
	add("key_1", audit.InterviewRead)
	check("a repeated result")
	f.clock.pass(time.Minute)
	f.conduct(t, report)
	check("a report on the same day")
	report.By.Actor = "usr_1"
	f.conduct(t, report)
	add("usr_1", audit.InterviewRead)
	check("a report to somebody else")
	f.clock.pass(24 * time.Hour)
	f.conduct(t, report)
	add("usr_1", audit.InterviewRead)
	check("a report on the next day")
	foreign := report
	foreign.Account = "acc_2"
	f.refused(t, foreign, interview.CodeSessionNotFound)

	if err := f.Delete(t.Context(), "acc_1", session, report.By); err != nil {
		t.Fatal(err)
	}
	add("usr_1", audit.InterviewDeleted)
	check("a deletion")
}

// spyStore keeps what was inserted last.
type spyStore struct {
	interview.Store
	data, result []byte
}

func (s *spyStore) Insert(
	ctx context.Context, r interview.Record, l interview.Limits, now time.Time, settled *interview.Claim,
) error {
	s.data = r.Data
	if settled != nil {
		s.result = settled.Result
	}
	return s.Store.Insert(ctx, r, l, now, settled)
}

func TestConduct_Subject(t *testing.T) {
	f := newFixture(t)
	var subjects []*interview.Subject
	f.counter.script = nil
	spy := &spyJudge{judge: f.expert, subjects: &subjects}
	f.config.Judges = []interview.Judge{spy}
	f.restart()
	r := fresh(interview.Full)
	r.RequiredSkills = []string{"react", "React.js", "HTML/CSS", "TypeScript", "Underwater Basketry", "Postgres"}
	began := f.conduct(t, r)
	f.conduct(t, followUp(r, began.SessionID, interview.Full, five()...))
	s := subjects[0]
	var skills []string
	for _, k := range s.Skills {
		skills = append(skills, fmt.Sprintf("%s %t %t", k.Name, k.ID != "" && k.Category != "", k.Gap))
	}

	wantSame(t, []string{
		"React true false", "HTML true true", "CSS true true", "TypeScript true false", "Underwater Basketry false true",
		"PostgreSQL true true",
	}, skills)

	if s.Freelancer.ID != "f1" || s.Freelancer.Experience != matching.Some(4.0) || s.Seed == 0 ||
		s.Project != r.ProjectDescription {
		t.Errorf("got %+v", s)
	}

	r.FreelancerID = "f2"
	r.RequiredSkills = []string{"React", "Vue"}
	r.ProvidedAnswers = nil
	f.config.Freelancers.(people)["f2"] = matching.Freelancer{ID: "f2", Skills: []string{"Next.js"}}
	began = f.conduct(t, r)
	f.conduct(t, followUp(r, began.SessionID, interview.Full, five()...))

	if s := subjects[1]; s.Skills[0].Gap || !s.Skills[1].Gap {
		t.Errorf("a profile with Next.js has the gaps %+v, want only Vue", s.Skills)
	}

	r = fresh(interview.Questions)
	r.RequiredSkills = nil
	r.ProjectDescription = "Necesitamos una tienda en línea con React y una base de datos PostgreSQL."
	got := f.conduct(t, r)
	if got.Language != "es" || !slices.Contains(got.DerivedSkills, "PostgreSQL") ||
		!strings.Contains(codes(got.Remarks), "derived_skills") {
		t.Errorf("got language %s, derived skills %v, remarks %v", got.Language, got.DerivedSkills, got.Remarks)
	}

	r.Language = "de"
	if got := f.conduct(t, r); got.Language != "de" {
		t.Errorf("got language %s, want de", got.Language)
	}
}
