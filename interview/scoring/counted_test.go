package scoring

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/messages"
)

// counted returns the evaluation of two answers about React and one about nothing, whose marks were counted.
func counted(t *testing.T, levels ...int) (About, *interview.Evaluation) {
	t.Helper()
	about := About{Skills: []interview.Skill{{Name: "React"}, {Name: "Go"}}, Messages: messages.In("en")}
	var scores []interview.Score
	for i, skill := range []string{"React", "React", ""} {
		q := interview.Question{
			ID: "q" + string(rune('1'+i)), Skill: skill, Difficulty: interview.Medium, Points: []string{"a", "b", "c"},
			Weights: interview.Weights{interview.Technical: 60, interview.Communication: 40},
		}
		about.Questions = append(about.Questions, q)
		sc := scoreOf(t, q, levels[i], -1, levels[i])
		sc.Question = q.ID
		sc.Covered = []int{0, 2}
		scores = append(scores, sc)
	}
	return about, Evaluate(about, false, scores, stubJudge{}, nil)
}

// Counting can't tell a wrong answer in the words of the field from a right one, so it gives points covered and no
// number that looks like a judgment.
func TestEvaluate_CountedMarksGiveNoTotal(t *testing.T) {
	about, e := counted(t, 5, 5, 5)
	if e.Overall.Known || e.StandardError.Known || e.Confidence.Known || e.Recommendation.Known {
		t.Errorf("got total %v, standard error %v, confidence %v", e.Overall, e.StandardError, e.Confidence)
	}

	for _, sc := range e.Scores {
		if sc.Value.Known || !sc.Counted {
			t.Errorf("%s: score %v, counted %v", sc.Question, sc.Value, sc.Counted)
		}
	}

	want := []interview.SkillResult{
		{
			Skill: "React", State: interview.Answered, Questions: []string{"q1", "q2"},
			Points: interview.Points{Covered: 4, Of: 6},
		},
		{Skill: "Go", State: interview.NotAsked},
	}
	if diff := cmp.Diff(want, e.Skills); diff != "" {
		t.Error(diff)
	}

	if want := (interview.Points{Covered: 6, Of: 9}); e.Points != want {
		t.Errorf("points %v, want %v", e.Points, want)
	}

	// Evaluations of earlier releases have been stored with numbers.
	e.Overall, e.StandardError, e.Scores[0].Value = matching.Some(82), matching.Some(5.0), matching.Some(100)
	e.Confidence = matching.Some(.9)
	e.Skills[0].State, e.Skills[0].Score, e.Skills[0].Level = interview.Shown, matching.Some(82), matching.Some(4.1)
	Derive(e, about.Questions)
	if diff := cmp.Diff(want, e.Skills); diff != "" || e.Overall.Known || e.Confidence.Known || e.Scores[0].Value.Known {
		t.Errorf("after reading: %+v\n%s", e, diff)
	}
}

// A person who has reviewed all marks of an answer has judged it.
func TestCompute_ReviewedMarksCount(t *testing.T) {
	about, e := counted(t, 5, 5, 5)
	review := func(i, level int) {
		for k := range e.Scores[i].Marks {
			e.Scores[i].Marks[k].Review = &interview.Review{Level: level, Reason: "read", By: "user", At: time.Unix(0, 0)}
			if k == 0 {
				Compute(e, about)
				if e.Scores[i].Value.Known {
					t.Errorf("got a score after one of two reviews: %v", e.Scores[i].Value)
				}
			}
		}
		Compute(e, about)
	}

	review(0, 2)
	review(1, 3)
	if e.Scores[0].Value != matching.Some(40) || e.Skills[0].Score != matching.Some(50) || e.Overall.Known {
		t.Errorf("got %v, %+v, total %v", e.Scores[0].Value, e.Skills[0], e.Overall)
	}

	review(2, 4)
	if e.Overall != matching.Some(60) || !e.StandardError.Known || e.Recommendation.Known {
		t.Errorf("total %v, standard error %v, recommendation %v", e.Overall, e.StandardError, e.Recommendation)
	}
}

// Without anything to judge, no judge is needed: skipped questions give the total 0.
func TestEvaluate_SkippedQuestionsNeedNoJudge(t *testing.T) {
	q := interview.Question{ID: "q1", Weights: interview.DefaultWeights(), Difficulty: interview.Medium}
	about := aboutAnswers(q, []interview.Score{Unanswered(&q)})
	e := Evaluate(about, false, []interview.Score{Unanswered(&q)}, stubJudge{}, nil)
	if e.Overall != matching.Some(0) || e.Scores[0].Counted {
		t.Errorf("got %v", e.Overall)
	}
}
