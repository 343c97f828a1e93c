package interview

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
)

func TestWeights_Of(t *testing.T) {
	onlyExperience := Weights{Experience: 100}
	tests := []struct {
		weights Weights
		kind    Kind
		want    Weights
	}{
		{DefaultWeights(), Behavioral, DefaultWeights()},
		{DefaultWeights(), KnowHow, Weights{Technical: 57, Communication: 43}},
		{DefaultWeights(), Situational, Weights{Technical: 57, Communication: 43}},
		{DefaultWeights(), "", Weights{Technical: 57, Communication: 43}},
		{Weights{Experience: 70, Technical: 30}, KnowHow, Weights{Technical: 100}},
		{Weights{Technical: 50, Communication: 50}, KnowHow, Weights{Technical: 50, Communication: 50}},
		{onlyExperience, KnowHow, onlyExperience},
	}
	for _, tt := range tests {
		got := tt.weights.ForKind(tt.kind)
		for _, c := range criteria() {
			if got[c] != tt.want[c] {
				t.Errorf("%v for %q: got %v, want %v", tt.weights, tt.kind, got, tt.want)
				break
			}
		}
	}
}

func TestOwnWorkPhrases(t *testing.T) {
	asks := []string{
		"Tell me about a time when a release failed.",
		"How did you find out why a React page was slow?",
		"Have you ever migrated a database?",
		"Cuéntame de un proyecto que salió mal.",
		"¿Qué has hecho con PostgreSQL?",
		"Beschreiben Sie ein Projekt, das Sie geleitet haben.",
		"Parlez-moi d'un client difficile.",
		"Você já trabalhou com Docker?",
	}

	other := []string{
		"What is a join?",
		"How would you find out why a query is slow?",
		"In your own words, what is an index?",
		"Explain how you would test a payment form.",
		"Tell me about the difference between TCP and UDP.",
		"¿Qué es un índice?",
		"Wie würden Sie eine langsame Abfrage untersuchen?",
		"Qu'est-ce qu'une jointure ?",
		"O que é um índice?",
	}

	phrases := ownWorkPhrases()
	for _, text := range asks {
		if !phrases.in(text) {
			t.Errorf("%q asks for own work", text)
		}
	}

	for _, text := range other {
		if phrases.in(text) {
			t.Errorf("%q doesn't ask for own work", text)
		}
	}
}

// An answer without an idea scores 0 whichever levels the judge gave, unless it covers a point.
func TestNewScore_NoIdea(t *testing.T) {
	q := Question{Weights: DefaultWeights(), Points: []string{"p"}}
	judgment := Judgment{Marks: marks(1, -1, 1), Remarks: []Remark{RemarkNoIdea}}
	sc, err := newScore(&q, &judgment, "No idea, sorry.", "stub")
	if err != nil || sc.Value != matching.Some(0) || len(sc.Marks) != 3 || sc.isSubstantial() {
		t.Errorf("got %+v, %v", sc, err)
	}
	contradiction := Judgment{Marks: marks(3, 3, 3), Remarks: []Remark{RemarkNoIdea}}
	if sc, err := newScore(&q, &contradiction, "I don't know the name, but …", "stub"); sc.Value != matching.Some(60) {
		t.Errorf("got %+v, %v", sc, err)
	}
	judgment.Covered = []int{0}
	sc, err = newScore(&q, &judgment, "No idea, but I would look at the plan.", "stub")
	if err != nil || sc.Value != matching.Some(20) || !sc.isSubstantial() {
		t.Errorf("got %+v, %v", sc, err)
	}
}

// evaluated returns the evaluation of answers to questions about skills. A level of -1 is a skipped question.
func evaluated(t *testing.T, kind Mode, skills []Skill, about []string, levels []int, edits ...func([]Score)) (
	*session, *Evaluation,
) {
	t.Helper()
	se := &session{Kind: kind, Subject: Subject{Skills: skills, Language: "en"}}
	var scores []Score
	for i, name := range about {
		q := Question{ID: fmt.Sprintf("q%d", i+1), Skill: name, Difficulty: Medium, Weights: Weights{Technical: 100}}
		se.Questions = append(se.Questions, q)

		if levels[i] < 0 {
			scores = append(scores, noAnswer(&q))
			continue
		}

		j := Judgment{Marks: []Mark{{Criterion: Technical, Level: levels[i], Evidence: []string{"an answer"}}}}
		sc, err := newScore(&q, &j, "an answer", "stub")
		if err != nil {
			t.Fatal(err)
		}

		scores = append(scores, sc)
	}

	for _, edit := range edits {
		edit(scores)
	}
	e := newEvaluation(se, scores, stubJudge{verdict: true}, nil)
	se.Evaluation = e

	return se, e
}

func remark(i int, r Remark) func([]Score) {
	return func(scores []Score) { scores[i].Remarks = append(scores[i].Remarks, r) }
}

func TestNewEvaluation_Skills(t *testing.T) {
	tests := []struct {
		name   string
		levels []int // of two answers about React; -1: skipped
		edits  []func([]Score)
		state  SkillState
		level  matching.Optional[float64]
	}{
		{"good", []int{4, 4}, nil, Shown, matching.Some(4.0)},
		{"just good enough", []int{3, 4}, nil, Shown, matching.Some(3.5)},
		{"fair", []int{3, 3}, nil, PartlyShown, matching.Some(3.0)},
		{"weak", []int{2, 2}, nil, Weak, matching.Some(2.0)},
		{"skipped", []int{-1, -1}, nil, NotShown, matching.Some(0.0)},
		{"one good, one skipped", []int{5, -1}, nil, PartlyShown, matching.Some(2.5)},
		{"one weak, one skipped", []int{2, -1}, nil, Weak, matching.Some(1.0)},
		{"level 0", []int{0, 0}, nil, NotShown, matching.Some(0.0)},
		{
			"off topic",
			[]int{1, 1},
			[]func([]Score){remark(0, RemarkOffTopic), remark(1, RemarkOffTopic)},
			NotShown,
			matching.Some(1.0),
		},
		{"too short", []int{2, -1}, []func([]Score){remark(0, RemarkTooShort)}, NotShown, matching.Some(1.0)},
		{"no idea", []int{0, -1}, []func([]Score){remark(0, RemarkNoIdea)}, NotShown, matching.Some(0.0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			skills := []Skill{{Name: "React"}, {Name: "Go", MustHave: true}}
			_, e := evaluated(t, Full, skills, []string{"React", "React", ""}, append(tt.levels, 3), tt.edits...)
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

			if want := (SkillResult{Skill: "Go", MustHave: true, State: NotAsked}); cmp.Diff(want, golang) != "" {
				t.Errorf("got %+v", golang)
			}
		})
	}
}

// Without any measured criterion, a skill has neither score nor level.
func TestNewEvaluation_SkillNotMeasured(t *testing.T) {
	_, e := evaluated(t, Full, []Skill{{Name: "React"}}, []string{"React", ""}, []int{4, 4}, func(scores []Score) {
		scores[0].Marks = nil
	})
	r := e.Skills[0]
	if r.State != NotShown || r.Level.Known || r.Score.Known || r.StandardError.Known {
		t.Errorf("got %+v", r)
	}
}

func TestRecommend_RequiresMustHaveSkills(t *testing.T) {
	tests := []struct {
		name      string
		skills    []Skill
		levels    []int
		recommend bool
		reason    string
	}{
		{"none", []Skill{{Name: "React"}, {Name: "Go"}}, []int{5, 5, 5, 3}, true, "is at least 70"},
		{"shown", []Skill{{Name: "React", MustHave: true}}, []int{4, 4, 5, 5}, true, "show the must-have skill"},
		{"weak", []Skill{{Name: "React", MustHave: true}, {Name: "Go"}}, []int{3, 3, 5, 5}, false, "must-have skill React"},
		{
			"several",
			[]Skill{{Name: "React", MustHave: true}, {Name: "Rust", MustHave: true}, {Name: "Go", MustHave: true}},
			[]int{3, 3, 5, 5},
			false,
			"must-have skills React, Rust",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, e := evaluated(t, Full, tt.skills, []string{"React", "React", "Go", "Go"}, tt.levels)
			if e.Recommendation.Known != tt.recommend || !strings.Contains(e.Reason, tt.reason) {
				t.Errorf("got %v, %q", e.Recommendation, e.Reason)
			}
		})
	}
}

// A review changes everything that follows from the mark, and the judge's level stays.
func TestEvaluation_ComputesAgainAfterReview(t *testing.T) {
	skills := []Skill{{Name: "React", MustHave: true}}
	se, e := evaluated(t, Full, skills, []string{"React", "", ""}, []int{2, 5, 5}, remark(0, RemarkInstructions))
	if e.Overall != matching.Some(80) || e.Recommendation.Known || e.Skills[0].State != Weak {
		t.Fatalf("got %v, %q, %+v", e.Overall, e.Reason, e.Skills)
	}
	e.Scores[0].Marks[0].Review = &Review{Level: 5, Reason: "right, in other words", By: "user", At: time.Unix(0, 0)}
	e.compute(se)
	if e.Overall != matching.Some(100) || e.Recommendation != matching.Some(true) || e.Skills[0].State != Shown ||
		e.Scores[0].Value != matching.Some(100) || e.Scores[0].Marks[0].Level != 2 {
		t.Errorf("got %v, %q, %+v", e.Overall, e.Reason, e.Skills)
	}
	e.Scores[0].Marks[0].Review = nil
	e.compute(se)
	if e.Overall != matching.Some(80) || e.Recommendation.Known {
		t.Errorf("after the review was removed: %v, %q", e.Overall, e.Reason)
	}
}

// In adaptive sessions, the same levels in harder questions give a higher total and better results per skill.
func TestNewEvaluation_AccountsForDifficulty(t *testing.T) {
	se, e := evaluated(t, Adaptive, []Skill{{Name: "React"}}, []string{"React", "", "", ""}, []int{3, 3, 3, 3})
	medium := e.Overall.Value
	if e.TotalMethod != Equated {
		t.Errorf("method %s", e.TotalMethod)
	}
	for i := range se.Questions {
		se.Questions[i].Difficulty = Hard
	}
	e.compute(se)
	if e.Overall.Value < medium+10 || e.Skills[0].Score.Value < e.Overall.Value-1 {
		t.Errorf("total %d with medium questions, %d with hard ones; %+v", medium, e.Overall.Value, e.Skills)
	}
}

func TestAgreement_Add(t *testing.T) {
	q := Question{ID: "q1", Weights: Weights{Technical: 60, Communication: 40}}
	tests := []struct {
		name          string
		first, second []Mark
		want          Agreement
	}{
		{"equal", marks(4, -1, 3), marks(4, -1, 3), Agreement{Answers: 1, Marks: 2, Exact: 2, WithinOne: 2}},
		{"one level", marks(4, -1, 3), marks(3, -1, 4), Agreement{Answers: 1, Marks: 2, WithinOne: 2}},
		{
			"two levels", marks(4, -1, 3), marks(2, -1, 3),
			Agreement{Answers: 1, Marks: 2, Exact: 1, WithinOne: 1, Disputed: []string{"q1"}},
		},
		{"without a weight", marks(4, 5, 3), marks(4, 1, 3), Agreement{Answers: 1, Marks: 2, Exact: 2, WithinOne: 2}},
		{"a mark missing", marks(4, -1, 3), marks(4), Agreement{Answers: 1, Marks: 1, Exact: 1, WithinOne: 1}},
	}
	for _, tt := range tests {
		var got Agreement
		got.add(&q, tt.first, tt.second)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestSession_Sample(t *testing.T) {
	for answers, want := range map[int]int{0: 0, 1: 1, 2: 1, 5: 1, 6: 2, 9: 3, 20: 3} {
		seen := map[int]bool{}
		for seed := range uint64(200) {
			se := &session{Subject: Subject{Seed: seed}}
			scores := slices.Repeat([]Score{{Marks: marks(3)}}, answers)
			scores = append(scores, Score{}) // without an answer: never chosen
			sample := se.sample(scores)
			if len(sample) != want || !slices.Equal(sample, se.sample(scores)) {
				t.Fatalf("%d answers: sample %v, want %d of them", answers, sample, want)
			}
			for _, i := range sample {
				seen[i] = true
			}
		}
		if len(seen) != answers || seen[answers] {
			t.Errorf("%d answers: seeds chose only %v", answers, seen)
		}
	}
}
