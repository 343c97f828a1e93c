package scoring

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/messages"
)

// aboutAnswers returns as many questions as there are scores, all of medium difficulty.
func aboutAnswers(q interview.Question, scores []interview.Score) About {
	questions := slices.Repeat([]interview.Question{q}, len(scores))
	for i := range scores {
		questions[i].ID = fmt.Sprintf("q%d", i+1)
		scores[i].Question = questions[i].ID
	}
	return About{Questions: questions, Messages: messages.In("en")}
}

func TestEvaluate(t *testing.T) {
	q := interview.Question{Weights: interview.DefaultWeights(), Difficulty: interview.Medium}
	same := func(n, level int) []interview.Score {
		return slices.Repeat([]interview.Score{scoreOf(t, q, level, level, level)}, n)
	}
	with := func(scores []interview.Score, r interview.Remark) []interview.Score {
		scores[1].Remarks = []interview.Remark{r}
		return scores
	}

	blank := func(scores []interview.Score, n int) []interview.Score {
		return append(scores, slices.Repeat([]interview.Score{Unanswered(&q)}, n)...)
	}
	unmeasured := func(n int) []interview.Score { return slices.Repeat([]interview.Score{scoreOf(t, q)}, n) }
	type optional = matching.Optional[int]
	yes := matching.Some(true)
	no := matching.Some(false)
	unknown := matching.Optional[bool]{}
	tests := []struct {
		name       string
		scores     []interview.Score
		verdict    bool
		overall    optional
		recommend  matching.Optional[bool]
		confidence float64 // 0: unknown
		reason     string
	}{
		{"strong", same(5, 4), true, matching.Some(80), yes, .99, "at least 70"},
		{"weak", same(5, 2), true, matching.Some(40), no, .98, "below 50"},
		{"in between", same(5, 3), true, matching.Some(60), unknown, .5, "from 50 to 69, so a person must decide"},
		{"strong, without verdict", same(5, 4), false, optional{}, unknown, 0, "whether they are right"},
		{"weak, without verdict", same(5, 1), false, optional{}, unknown, 0, "whether they are right"},
		{"barely strong", append(same(2, 4), same(2, 3)...), true, matching.Some(70), yes, .84, "at least 70"},
		{"barely strong, two questions", append(same(1, 4), same(1, 3)...), true, matching.Some(70), unknown, .76, "error"},
		{"barely not weak", append(same(2, 2), same(2, 3)...), true, matching.Some(50), unknown, .83, "decide"},
		{"one question", same(1, 5), true, matching.Some(100), unknown, .99, "only 1 answer could"},
		{"two questions", same(2, 5), true, matching.Some(100), yes, .99, "at least"},
		{"mostly unanswered", blank(same(2, 5), 3), true, matching.Some(40), unknown, .98, "only 2 answers could"},
		{"partly unanswered", blank(same(3, 4), 2), true, matching.Some(48), no, .9, "below"},
		{"unanswered", blank(nil, 5), true, matching.Some(0), unknown, .99, "no answer could"},
		{"nothing measured", unmeasured(5), true, optional{}, unknown, 0, "no answer could be measured"},
		{"partly measured", append(same(4, 4), unmeasured(1)...), true, matching.Some(80), yes, .98, "at least"},
		{
			"strong, may address a model", with(same(5, 5), interview.RemarkInstructions), true,
			matching.Some(100), unknown, .99, "the answer to q2 may address a language model",
		},
		{
			"weak, may address a model", with(same(5, 1), interview.RemarkInstructions), true, matching.Some(20), no, .99,
			"below",
		},
		{
			"strong, one answer off topic", with(same(5, 5), interview.RemarkOffTopic), true, matching.Some(100), yes, .99,
			"at least",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := Evaluate(aboutAnswers(q, tt.scores), false, tt.scores, stubJudge{verdict: tt.verdict}, nil)
			if e.Overall != tt.overall || e.Recommendation != tt.recommend || e.Confidence.Value != tt.confidence ||
				!strings.Contains(e.Reason, tt.reason) || e.Confidence.Known != (tt.confidence > 0) {
				t.Errorf("got total %v ± %v, recommendation %v, confidence %v, reason %q",
					e.Overall, e.StandardError, e.Recommendation, e.Confidence, e.Reason)
			}
		})
	}
}

// A higher mark never lowers the total, an answer is never worth less than a missing one, and totals are from 0 to 100.
func TestEvaluate_IsMonotonic(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	english := messages.In("en")
	for range 2000 {
		n := 1 + random.IntN(6)
		questions := make([]interview.Question, n)
		scores := make([]interview.Score, n)
		levels := make([][]int, n)
		for i := range questions {
			questions[i].Difficulty = interview.Difficulties()[random.IntN(3)]
			questions[i].Weights = interview.ScaleWeights(map[string]int{
				"technical": random.IntN(5), "experience": random.IntN(5), "communication": 1 + random.IntN(5),
			}, nil)
			levels[i] = []int{random.IntN(6), random.IntN(6), random.IntN(6)}
			scores[i] = scoreOf(t, questions[i], levels[i]...)
		}

		adaptive := random.IntN(2) == 1
		about := About{Questions: questions, Messages: english}
		total := func(scores []interview.Score) int {
			return Evaluate(about, adaptive, scores, stubJudge{verdict: true}, nil).Overall.Value
		}
		before := total(scores)
		if before < 0 || before > 100 {
			t.Fatalf("total %d", before)
		}

		at := random.IntN(n)
		criterion := random.IntN(3)
		better := slices.Clone(scores)
		missing := slices.Clone(scores)

		if levels[at][criterion] < interview.BestLevel {
			levels[at][criterion]++
		}
		better[at] = scoreOf(t, questions[at], levels[at]...)
		missing[at] = Unanswered(&questions[at])
		if total(better) < before || total(missing) > before {
			t.Fatalf("total %d, with a better mark %d, without an answer %d", before, total(better), total(missing))
		}
	}
}

// evaluated returns the evaluation of answers to questions about skills. A level of -1 is a skipped question.
func evaluated(
	t *testing.T, adaptive bool, skills []interview.Skill, about []string, levels []int, edits ...func([]interview.Score),
) (
	About, *interview.Evaluation,
) {
	t.Helper()
	given := About{Skills: skills, Messages: messages.In("en")}
	var scores []interview.Score
	for i, name := range about {
		q := interview.Question{
			ID: fmt.Sprintf("q%d", i+1), Skill: name, Difficulty: interview.Medium,
			Weights: interview.Weights{interview.Technical: 100},
		}
		given.Questions = append(given.Questions, q)

		if levels[i] < 0 {
			scores = append(scores, Unanswered(&q))
			continue
		}

		j := interview.Judgment{Marks: []interview.Mark{
			{Criterion: interview.Technical, Level: levels[i], Evidence: []string{"an answer"}},
		}}
		sc, err := NewScore(&q, &j, "an answer", "stub")
		if err != nil {
			t.Fatal(err)
		}

		scores = append(scores, sc)
	}

	for _, edit := range edits {
		edit(scores)
	}

	return given, Evaluate(given, adaptive, scores, stubJudge{verdict: true}, nil)
}

func remark(i int, r interview.Remark) func([]interview.Score) {
	return func(scores []interview.Score) { scores[i].Remarks = append(scores[i].Remarks, r) }
}

func TestEvaluate_Skills(t *testing.T) {
	tests := []struct {
		name   string
		levels []int // of two answers about React; -1: skipped
		edits  []func([]interview.Score)
		state  interview.SkillState
		level  matching.Optional[float64]
	}{
		{"good", []int{4, 4}, nil, interview.Shown, matching.Some(4.0)},
		{"just good enough", []int{3, 4}, nil, interview.Shown, matching.Some(3.5)},
		{"fair", []int{3, 3}, nil, interview.PartlyShown, matching.Some(3.0)},
		{"weak", []int{2, 2}, nil, interview.Weak, matching.Some(2.0)},
		{"skipped", []int{-1, -1}, nil, interview.NotShown, matching.Some(0.0)},
		{"one good, one skipped", []int{5, -1}, nil, interview.PartlyShown, matching.Some(2.5)},
		{"one weak, one skipped", []int{2, -1}, nil, interview.Weak, matching.Some(1.0)},
		{"level 0", []int{0, 0}, nil, interview.NotShown, matching.Some(0.0)},
		{
			"off topic",
			[]int{1, 1},
			[]func([]interview.Score){remark(0, interview.RemarkOffTopic), remark(1, interview.RemarkOffTopic)},
			interview.NotShown,
			matching.Some(1.0),
		},
		{
			"too short",
			[]int{2, -1},
			[]func([]interview.Score){remark(0, interview.RemarkTooShort)},
			interview.NotShown,
			matching.Some(1.0),
		},
		{
			"no idea",
			[]int{0, -1},
			[]func([]interview.Score){remark(0, interview.RemarkNoIdea)},
			interview.NotShown,
			matching.Some(0.0),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			skills := []interview.Skill{{Name: "React"}, {Name: "Go", MustHave: true}}
			_, e := evaluated(t, false, skills, []string{"React", "React", ""}, append(tt.levels, 3), tt.edits...)
			react := e.Skills[0]
			golang := e.Skills[1]

			if react.State != tt.state || react.Level != tt.level || !slices.Equal(react.Questions, []string{"q1", "q2"}) {
				t.Errorf("got %+v", react)
			}

			if !react.StandardError.Known || react.StandardError.Value <= 0 {
				t.Errorf("standard error %v", react.StandardError)
			}

			for _, q := range react.Evidence {
				if q.Question == "q3" {
					t.Errorf("evidence from a question about something else: %v", q)
				}
			}

			want := interview.SkillResult{Skill: "Go", MustHave: true, State: interview.NotAsked}
			if cmp.Diff(want, golang) != "" {
				t.Errorf("got %+v", golang)
			}
		})
	}
}

// Without any measured criterion, a skill has neither score nor level.
func TestEvaluate_SkillNotMeasured(t *testing.T) {
	unmark := func(scores []interview.Score) { scores[0].Marks = nil }
	_, e := evaluated(t, false, []interview.Skill{{Name: "React"}}, []string{"React", ""}, []int{4, 4}, unmark)
	r := e.Skills[0]
	if r.State != interview.NotShown || r.Level.Known || r.Score.Known || r.StandardError.Known {
		t.Errorf("got %+v", r)
	}
}

func TestRecommend_RequiresMustHaveSkills(t *testing.T) {
	tests := []struct {
		name      string
		skills    []interview.Skill
		levels    []int
		recommend bool
		reason    string
	}{
		{"none", []interview.Skill{{Name: "React"}, {Name: "Go"}}, []int{5, 5, 5, 3}, true, "is at least 70"},
		{"shown", []interview.Skill{{Name: "React", MustHave: true}}, []int{4, 4, 5, 5}, true, "show the must-have skill"},
		{
			"weak",
			[]interview.Skill{{Name: "React", MustHave: true}, {Name: "Go"}},
			[]int{3, 3, 5, 5},
			false,
			"must-have skill React",
		},
		{
			"several",
			[]interview.Skill{{Name: "React", MustHave: true}, {Name: "Rust", MustHave: true}, {Name: "Go", MustHave: true}},
			[]int{3, 3, 5, 5},
			false,
			"must-have skills React, Rust",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, e := evaluated(t, false, tt.skills, []string{"React", "React", "Go", "Go"}, tt.levels)
			if e.Recommendation.Known != tt.recommend || !strings.Contains(e.Reason, tt.reason) {
				t.Errorf("got %v, %q", e.Recommendation, e.Reason)
			}
		})
	}
}

// A review changes everything that follows from the mark, and the judge's level stays.
func TestCompute_AfterReview(t *testing.T) {
	skills := []interview.Skill{{Name: "React", MustHave: true}}
	flag := remark(0, interview.RemarkInstructions)
	about, e := evaluated(t, false, skills, []string{"React", "", ""}, []int{2, 5, 5}, flag)
	if e.Overall != matching.Some(80) || e.Recommendation.Known || e.Skills[0].State != interview.Weak {
		t.Fatalf("got %v, %q, %+v", e.Overall, e.Reason, e.Skills)
	}
	e.Scores[0].Marks[0].Review = &interview.Review{
		Level: 5, Reason: "right, in other words", By: "user", At: time.Unix(0, 0),
	}
	Compute(e, about)
	if e.Overall != matching.Some(100) || e.Recommendation != matching.Some(true) ||
		e.Skills[0].State != interview.Shown || e.Scores[0].Value != matching.Some(100) || e.Scores[0].Marks[0].Level != 2 {
		t.Errorf("got %v, %q, %+v", e.Overall, e.Reason, e.Skills)
	}
	e.Scores[0].Marks[0].Review = nil
	Compute(e, about)
	if e.Overall != matching.Some(80) || e.Recommendation.Known {
		t.Errorf("after the review was removed: %v, %q", e.Overall, e.Reason)
	}
}

// In adaptive sessions, the same levels in harder questions give a higher total and better results per skill.
func TestEvaluate_AccountsForDifficulty(t *testing.T) {
	about, e := evaluated(t, true, []interview.Skill{{Name: "React"}}, []string{"React", "", "", ""}, []int{3, 3, 3, 3})
	medium := e.Overall.Value
	if e.TotalMethod != interview.Equated {
		t.Errorf("method %s", e.TotalMethod)
	}
	for i := range about.Questions {
		about.Questions[i].Difficulty = interview.Hard
	}
	Compute(e, about)
	if e.Overall.Value < medium+10 || e.Skills[0].Score.Value < e.Overall.Value-1 {
		t.Errorf("total %d with medium questions, %d with hard ones; %+v", medium, e.Overall.Value, e.Skills)
	}
}
