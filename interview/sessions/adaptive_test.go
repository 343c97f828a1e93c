package sessions_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// Each case lists the levels of the answers, with 0 for no answer, and the skill and difficulty of the resulting
// questions.
func TestConduct_AdaptiveQuestions(t *testing.T) {
	tests := []struct {
		name   string
		skills []string
		levels []int
		want   string
	}{
		{"strong answers", []string{"React"}, []int{5, 5, 4}, "React medium, React hard, React hard"},
		{"weak answers", []string{"React"}, []int{1, 1, 0}, "React medium, React easy, React easy"},
		{"fair answers", []string{"React"}, []int{3, 2, 3}, "React medium, React medium, React medium"},
		{
			"up and down",
			[]string{"React"},
			[]int{4, 0, 1, 5, 5},
			"React medium, React hard, React medium, React easy, React medium",
		},
		{
			"each skill before a second round",
			[]string{"React", "CSS", "SQL"},
			[]int{3, 3, 3, 3},
			"React medium, CSS medium, SQL medium, React medium",
		},
		{
			"least conclusive skill first in the second round",
			[]string{"React", "CSS", "SQL"},
			[]int{5, 1, 3, 3, 3, 3},
			"React medium, CSS hard, SQL medium, SQL medium, CSS medium, React medium",
		},
		{"project without skills", nil, []int{5, 3}, " medium,  hard"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			r := fresh(interview.Adaptive)
			r.RequiredSkills, r.NumQuestions = tt.skills, matching.Some(len(tt.levels))

			if tt.skills == nil {
				r.ProjectDescription = "Something nice."
				r.JobTitle = ""
			}

			result := f.conduct(t, r)
			for i, answer := range levels(tt.levels...) {
				if len(result.Questions) != i+1 || result.State != interview.Open {
					t.Fatalf("after %d answers, the session has %d questions and is %s", i, len(result.Questions), result.State)
				}
				next := f.conduct(t, followUp(r, result.SessionID, interview.Adaptive, answer))
				wantSame(t, result.Questions, next.Questions[:len(result.Questions)])
				result = next
			}

			var got []string
			for _, q := range result.Questions {
				got = append(got, fmt.Sprintf("%s %s", q.Skill, q.Difficulty))
			}
			wantSame(t, tt.want, strings.Join(got, ", "))
			e := result.Evaluation
			if result.State != interview.Evaluated || len(e.Scores) != len(tt.levels) || e.Method != byModel {
				t.Errorf("got state %s, evaluation %+v", result.State, e)
			}
		})
	}
}

// If the model could not judge an answer when it arrived, it tries again at the end. If it fails again, the offline
// judge judges all answers, so that all marks are from the same judge.
func TestConduct_AdaptiveUsesOneJudge(t *testing.T) {
	for _, recovers := range []bool{true, false} {
		t.Run(fmt.Sprintf("model recovers: %t", recovers), func(t *testing.T) {
			f := newFixture(t)
			asked := map[string]int{}
			f.config.Parallel = 1
			f.expert.script = func(_ context.Context, q *interview.Question, answer string) (interview.Judgment, error) {
				asked[q.ID]++
				if q.ID == "q2" && (!recovers || asked["q2"] == 1) {
					return interview.Judgment{}, errScript
				}
				return byLevel(q, answer)
			}

			f.restart()
			r := fresh(interview.Adaptive)
			r.NumQuestions = matching.Some(3)
			result := f.conduct(t, r)
			for _, answer := range levels(4, 4, 4) {
				result = f.conduct(t, followUp(r, result.SessionID, interview.Adaptive, answer))
			}

			want := map[bool]string{true: byModel, false: byOffline}[recovers]
			for _, sc := range result.Evaluation.Scores {
				if sc.By != want {
					t.Errorf("%s was judged by %s, want %s", sc.Question, sc.By, want)
				}
			}

			if result.Evaluation.Method != want || codes(result.Remarks) != "unknown_skills judge_failed" {
				t.Errorf("method %s, remarks %v", result.Evaluation.Method, result.Remarks)
			}
			again := map[bool]int{true: 1, false: 0}[recovers] // one of three answers, for the agreement
			if n := asked["q1"] + asked["q2"] + asked["q3"]; n != 4+again {
				t.Errorf("the model judged answers %v times, want q1 and q3 once, q2 twice, and %d of them again", asked, again)
			}
		})
	}
}

func TestConduct_AdaptiveRejectsQuestionsAboutOtherSkills(t *testing.T) {
	f := newFixture(t)
	f.model.edit = func(_ context.Context, _ int, q *interview.Question) error {
		q.Skill = "PostgreSQL" // React is first
		return nil
	}
	if q := f.conduct(t, fresh(interview.Adaptive)).Questions[0]; q.Skill != "React" || q.By != byOffline {
		t.Errorf("got a question about %s by %s, want React by %s", q.Skill, q.By, byOffline)
	}
}

func TestConduct_AdaptiveEndsWithoutFurtherQuestions(t *testing.T) {
	f := newFixture(t, withoutModel)
	f.bank.edit = failAt(2)
	r := fresh(interview.Adaptive)
	result := f.conduct(t, r)
	for _, answer := range levels(4, 4) {
		result = f.conduct(t, followUp(r, result.SessionID, interview.Adaptive, answer))
	}
	if result.State != interview.Evaluated || len(result.Questions) != 2 ||
		codes(result.Remarks) != "unknown_skills fewer_questions" {
		t.Errorf("got %+v", result)
	}
}
