package interview_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/matching"
	"freelancer-matching/interview"
	"freelancer-matching/interview/bank"
)

// offline leaves the real question bank and its judge.
func offline(t testing.TB) func(*fixture) {
	b, err := bank.Open(skills(t), analysis.New())
	if err != nil {
		t.Fatal(err)
	}
	return func(f *fixture) {
		f.config.Askers, f.config.Judges = []interview.Asker{b}, []interview.Judge{bank.NewJudge(b)}
	}
}

// Without a model every mode works to its end, with as many questions as can be asked for.
func TestConduct_Offline(t *testing.T) {
	open := offline(t)
	const answer = "At Acme I measured the slow page first, moved the state into a cache with React and TypeScript, and in 2023 " +
		"cut the load time from 4 s to 900 ms; the tests I wrote for it still run on every release."
	for _, mode := range []interview.Mode{interview.Full, interview.Hybrid, interview.CustomFull, interview.Adaptive} {
		for _, language := range []string{"", "es", "ja"} {
			t.Run(fmt.Sprintf("%s in %q", mode, language), func(t *testing.T) {
				f := newFixture(t, open)
				r := fresh(mode)
				r.Language = language
				if mode != interview.CustomFull {
					r.NumQuestions = matching.Some(interview.MaxQuestions)
				}
				result := f.conduct(t, r)
				for result.State == interview.Open {
					answers := []string{answer}
					if mode != interview.Adaptive {
						answers = make([]string, len(result.Questions))
						answers[0] = answer
					}
					result = f.conduct(t, followUp(r, result.SessionID, mode, answers...))
				}
				e := result.Evaluation
				if !e.Overall.Known || e.Overall.Value == 0 || e.Recommendation.Known || e.Method != "offline" {
					t.Errorf("got %+v", e)
				}
				if mode != interview.CustomFull && len(result.Questions) < interview.MaxQuestions {
					t.Errorf("%d questions", len(result.Questions))
				}
				if told := strings.Contains(codes(result.Remarks), "language"); told != (language == "ja" && mode != interview.CustomFull) {
					t.Errorf("remarks %v", result.Remarks)
				}
			})
		}
	}
}

func TestConduct_OfflineIsTheSameForOneSession(t *testing.T) {
	f := newFixture(t, offline(t))
	r := fresh(interview.Full)
	began := f.conduct(t, r)
	answers := make([]string, len(began.Questions))
	for i := range answers {
		answers[i] = strings.Repeat("I built a parser in Go for Acme. ", i+1)
	}
	one := f.conduct(t, followUp(r, began.SessionID, interview.Full, answers...))
	if again := f.conduct(t, followUp(r, began.SessionID, interview.Full, answers...)); again.Evaluation == nil {
		t.Error("no evaluation")
	} else {
		wantSame(t, one.Evaluation, again.Evaluation)
	}
}

// BenchmarkConduct is a whole request without a model, on SQLite: five questions, and the evaluation of five answers.
func BenchmarkConduct(b *testing.B) {
	f := newFixture(b, offline(b), func(f *fixture) { f.config.MaxOpen, f.config.Now = 1<<40, time.Now })
	r := fresh(interview.Full)
	b.Run("questions", func(b *testing.B) {
		for b.Loop() {
			f.conduct(b, r)
		}
	})
	b.Run("evaluation", func(b *testing.B) {
		r := fresh(interview.CustomFull)
		answer := strings.Repeat("At Acme I moved the state into a cache and cut the load time from 4 s to 900 ms. ", 4)
		r.CustomQuestions = append(r.CustomQuestions, r.CustomQuestions[0], r.CustomQuestions[0], r.CustomQuestions[0])
		r.ProvidedAnswers = []string{answer, answer, answer, answer, answer}
		for b.Loop() {
			f.conduct(b, r)
		}
	})
	b.Run("overhead", func(b *testing.B) { // beside askers and judges: those here take no time
		f := newFixture(b, func(f *fixture) { f.config.MaxOpen = 1 << 40 })
		for b.Loop() {
			began := f.conduct(b, r)
			f.conduct(b, followUp(r, began.SessionID, interview.Full, five()...))
		}
	})
}
