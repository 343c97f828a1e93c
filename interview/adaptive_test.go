package interview_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
)

// Each case is the levels of the answers, 0 for none, and the questions that they lead to: skill and difficulty.
func TestConduct_AdaptiveClimbs(t *testing.T) {
	tests := []struct {
		name   string
		skills []string
		levels []int
		want   string
	}{
		{"strong answers", []string{"React"}, []int{5, 5, 4}, "React medium, React hard, React hard"},
		{"weak answers", []string{"React"}, []int{1, 1, 0}, "React medium, React easy, React easy"},
		{"fair answers", []string{"React"}, []int{3, 2, 3}, "React medium, React medium, React medium"},
		{"up and down", []string{"React"}, []int{4, 0, 1, 5, 5}, "React medium, React hard, React medium, React easy, React medium"},
		{"each skill before a second round", []string{"React", "CSS", "SQL"}, []int{3, 3, 3, 3}, "React medium, CSS medium, SQL medium, React medium"},
		{
			"the least clear skill first in the second",
			[]string{"React", "CSS", "SQL"},
			[]int{5, 1, 3, 3, 3, 3},
			"React medium, CSS hard, SQL medium, SQL medium, CSS medium, React medium",
		},
		{"of no skill, the project", nil, []int{5, 3}, " medium,  hard"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			r := fresh(interview.Adaptive)
			r.RequiredSkills, r.NumQuestions = tt.skills, matching.Some(len(tt.levels))
			if tt.skills == nil {
				r.ProjectDescription, r.JobTitle = "Something nice.", ""
			}
			result := f.conduct(t, r)
			for i, answer := range levels(tt.levels...) {
				if len(result.Questions) != i+1 || result.State != interview.Open {
					t.Fatalf("after %d answers: %d questions, %s", i, len(result.Questions), result.State)
				}
				next := f.conduct(t, followUp(r, result.SessionID, interview.Adaptive, answer))
				wantSame(t, result.Questions, next.Questions[:len(result.Questions)])
				result = next
			}
			var got []string
			for _, q := range result.Questions {
				got = append(got, fmt.Sprintf("%s %s", q.Skill, q.Difficulty))
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), tt.want)
			}
			if result.State != interview.Evaluated || len(result.Evaluation.Scores) != len(tt.levels) || result.Evaluation.Method != byModel {
				t.Errorf("got %+v", result.Evaluation)
			}
		})
	}
}

// An answer that the model could not judge when it came is judged again at the end, so that all marks are of one judge: the
// model, or else the offline judge.
func TestConduct_AdaptiveIsJudgedByOneInTheEnd(t *testing.T) {
	for _, recovers := range []bool{true, false} {
		t.Run(fmt.Sprint(recovers), func(t *testing.T) {
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
			f.Service = interview.NewService(f.config)
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
			if asked["q1"] != 1 || asked["q3"] != 1 {
				t.Errorf("asked the model %v: what it judged once is kept", asked)
			}
		})
	}
}

func TestConduct_AdaptiveWhenTheModelAsksOfAnotherSkill(t *testing.T) {
	f := newFixture(t)
	f.model.edit = func(_ context.Context, _ int, q *interview.Question) error {
		q.Skill = "PostgreSQL" // whose turn it is not
		return nil
	}
	if q := f.conduct(t, fresh(interview.Adaptive)).Questions[0]; q.Skill != "React" || q.By != byOffline {
		t.Errorf("got a question about %s by %s", q.Skill, q.By)
	}
}

func TestConduct_AdaptiveEndsWhereNothingIsLeftToAsk(t *testing.T) {
	f := newFixture(t, withoutModel)
	f.bank.edit = func(_ context.Context, i int, _ *interview.Question) error {
		return map[bool]error{true: errScript}[i == 2]
	}
	r := fresh(interview.Adaptive)
	result := f.conduct(t, r)
	for _, answer := range levels(4, 4) {
		result = f.conduct(t, followUp(r, result.SessionID, interview.Adaptive, answer))
	}
	if result.State != interview.Evaluated || len(result.Questions) != 2 || codes(result.Remarks) != "unknown_skills fewer_questions" {
		t.Errorf("got %+v", result)
	}
}
