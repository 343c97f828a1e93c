package sessions_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// secondly returns a script that judges each answer by the level it names, and the second time by the function.
func secondly(
	again func(ctx context.Context, q *interview.Question) (interview.Judgment, error),
) func(context.Context, *interview.Question, string) (interview.Judgment, error) {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(ctx context.Context, q *interview.Question, answer string) (interview.Judgment, error) {
		mu.Lock()
		second := seen[q.ID]
		seen[q.ID] = true
		mu.Unlock()
		if second {
			return again(ctx, q)
		}
		return byLevel(q, answer)
	}
}

func TestConduct_JudgesASampleTwice(t *testing.T) {
	at := func(level string) func(context.Context, *interview.Question) (interview.Judgment, error) {
		return func(_ context.Context, q *interview.Question) (interview.Judgment, error) { return byLevel(q, level) }
	}
	hangs := func(ctx context.Context, _ *interview.Question) (interview.Judgment, error) {
		<-ctx.Done()
		return interview.Judgment{}, ctx.Err()
	}

	fails := func(context.Context, *interview.Question) (interview.Judgment, error) {
		return interview.Judgment{}, errScript
	}
	panics := func(context.Context, *interview.Question) (interview.Judgment, error) { panic("scripted") }
	tests := []struct {
		name      string
		again     func(context.Context, *interview.Question) (interview.Judgment, error)
		want      *interview.Agreement // without Disputed
		recommend bool
		notices   string
	}{
		{"same", at("level 4"), &interview.Agreement{Answers: 2, Marks: 4, Exact: 4, WithinOne: 4}, true, "unknown_skills"},
		{"near", at("level 5"), &interview.Agreement{Answers: 2, Marks: 4, WithinOne: 4}, true, "unknown_skills"},
		{"far", at("level 1"), &interview.Agreement{Answers: 2, Marks: 4}, false, "unknown_skills disagreement"},
		{"fails", fails, nil, true, "unknown_skills"},
		{"hangs", hangs, nil, true, "unknown_skills"},
		{"panics", panics, nil, true, "unknown_skills"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t, func(f *fixture) {
				if tt.name == "hangs" {
					f.config.ModelTimeout = 100 * time.Millisecond
				}
			})

			f.expert.script = secondly(tt.again)
			r := fresh(interview.Full)
			r.NumQuestions = matching.Some(6)
			began := f.conduct(t, r)
			done := f.conduct(t, followUp(r, began.SessionID, interview.Full, levels(4, 4, 4, 4, 4, 4)...))
			e := done.Evaluation
			got := e.Agreement
			if got != nil {
				if disputed := len(got.Disputed) > 0; disputed == tt.recommend {
					t.Errorf("disputed %v", got.Disputed)
				}
				counts := *got
				counts.Disputed, got = nil, &counts
			}

			wantSame(t, tt.want, got)
			if e.Overall != matching.Some(80) || e.Recommendation.Known != tt.recommend || codes(done.Remarks) != tt.notices {
				t.Errorf("got total %v, recommendation %v, %q, notices %s",
					e.Overall, e.Recommendation, e.Reason, codes(done.Remarks))
			}

			if !tt.recommend && !strings.Contains(e.Reason, "differ by two levels") {
				t.Errorf("reason %q", e.Reason)
			}
		})
	}
}

// A judge without verdicts isn't asked twice, and claims neither agreement nor confidence nor a total.
func TestConduct_OfflineClaimsNothing(t *testing.T) {
	f := newFixture(t, withoutModel)
	f.counter.script = secondly(func(_ context.Context, q *interview.Question) (interview.Judgment, error) {
		t.Errorf("%s was judged twice", q.ID)
		return interview.Judgment{}, errScript
	})
	r := fresh(interview.Full)
	began := f.conduct(t, r)
	e := f.conduct(t, followUp(r, began.SessionID, interview.Full, levels(4, 4, 4, 4, 4)...)).Evaluation
	if e.Agreement != nil || e.Confidence.Known || e.StandardError.Known || e.Overall.Known {
		t.Errorf("got %+v", e)
	}
}

func TestConduct_MustHaveSkills(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.Full)
	r.MustHaveSkills = []string{"Postgres", "Docker"} // the second one is not among the required skills
	began := f.conduct(t, r)
	var about []string
	for _, q := range began.Questions {
		about = append(about, q.Skill)
	}

	wantSame(t, []string{"PostgreSQL", "Docker", "React", "Underwater Basketry", ""}, about)
	e := f.conduct(t, followUp(r, began.SessionID, interview.Full, levels(5, 0, 5, 5, 5)...)).Evaluation
	var got []string
	for _, s := range e.Skills {
		got = append(got, s.Skill+" "+string(s.State))
		if s.MustHave != (s.Skill == "PostgreSQL" || s.Skill == "Docker") {
			t.Errorf("%s: must have %t", s.Skill, s.MustHave)
		}
	}

	wantSame(t, []string{"PostgreSQL shown", "Docker not_shown", "React shown", "Underwater Basketry shown"}, got)
	if e.Recommendation.Known || !strings.Contains(e.Reason, "must-have skill Docker") {
		t.Errorf("got %v, %q", e.Recommendation, e.Reason)
	}
	wantSame(t, interview.Points{Of: 8}, e.Points) // four answered questions with two points each
}

// A client's question counts for the required skill that it names.
func TestConduct_SkillsOfClientQuestions(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.CustomFull)
	r.RequiredSkills = []string{"Go", "PostgreSQL", "Underwater Basketry"}
	r.CustomQuestions = []interview.CustomQuestion{
		{Text: "What is an index in Postgres?"},
		{Text: "How would you go about a migration?"},
		{Text: "What do you like about underwater basketry?"},
		{Text: "When do you use PostgreSQL with Golang?"},
	}
	var got []string
	for _, q := range f.conduct(t, r).Questions {
		got = append(got, q.Skill)
	}
	wantSame(t, []string{"PostgreSQL", "", "Underwater Basketry", ""}, got)
}

func TestConduct_SpeaksTheSessionsLanguage(t *testing.T) {
	for language, want := range map[string][2]string{
		"de": {"einige erforderliche Fähigkeiten fehlen", "keine Empfehlung: die Gesamtpunktzahl 60"},
		"pt": {"algumas habilidades exigidas", "sem recomendação: a pontuação total de 60"},
		"it": {"some required skills", "no recommendation: the total of 60"},
	} {
		f := newFixture(t)
		r := fresh(interview.Full)
		r.Language = language
		began := f.conduct(t, r)
		done := f.conduct(t, followUp(r, began.SessionID, interview.Full, levels(3, 3, 3, 3, 3)...))
		if !strings.HasPrefix(done.Remarks[0].Message, want[0]) || !strings.HasPrefix(done.Evaluation.Reason, want[1]) {
			t.Errorf("%s: got %q and %q", language, done.Remarks, done.Evaluation.Reason)
		}
	}
}

func TestConduct_RejectsUnknownKinds(t *testing.T) {
	f := newFixture(t)
	r := fresh(interview.CustomFull)
	r.CustomQuestions[1].Kind = "puzzle"
	r.MustHaveSkills = []string{"Go", " "}
	f.refused(t, r, matching.CodeInvalid, "must_have_skills[1] blank", "custom_questions[1].kind unknown_value")
}
