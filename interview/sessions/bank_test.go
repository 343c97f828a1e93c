package sessions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/bank"
)

// useBank returns an edit of a fixture that replaces all askers and judges with the question bank and its judge.
func useBank(t testing.TB) func(*fixture) {
	b, err := bank.Open(skills(t), analysis.New())
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := embedding.Load()
	if err != nil {
		t.Fatal(err)
	}
	return func(f *fixture) {
		f.config.Askers, f.config.Judges = []interview.Asker{b}, []interview.Judge{bank.NewJudge(b, vectors)}
	}
}

// Every mode works without a model, with the maximum number of questions.
func TestConduct_Offline(t *testing.T) {
	withBank := useBank(t)
	const answer = "At Acme I measured the slow page first, moved the state into a cache with React and TypeScript, " +
		"and in 2023 cut the load time from 4 s to 900 ms; the tests I wrote for it still run on every release."
	for _, mode := range []interview.Mode{interview.Full, interview.Hybrid, interview.CustomFull, interview.Adaptive} {
		for _, language := range []string{"", "es", "ja"} {
			t.Run(fmt.Sprintf("%s in %q", mode, language), func(t *testing.T) {
				f := newFixture(t, withBank)
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
				if len(e.Evidence) == 0 || e.Overall.Known || e.Recommendation.Known || e.Method != "offline" {
					t.Errorf("got %+v", e)
				}

				if mode != interview.CustomFull && len(result.Questions) < interview.MaxQuestions {
					t.Errorf("got %d questions, want %d", len(result.Questions), interview.MaxQuestions)
				}
				wantNotice := language == "ja" && mode != interview.CustomFull
				if strings.Contains(codes(result.Remarks), "language") != wantNotice {
					t.Errorf("remarks %v, want a language notice: %t", result.Remarks, wantNotice)
				}
			})
		}
	}
}

func TestConduct_OfflineRepeatsItsEvaluation(t *testing.T) {
	f := newFixture(t, useBank(t))
	r := fresh(interview.Full)
	began := f.conduct(t, r)
	answers := make([]string, len(began.Questions))
	for i := range answers {
		answers[i] = strings.Repeat("I built a parser in Go for Acme. ", i+1)
	}
	first := f.conduct(t, followUp(r, began.SessionID, interview.Full, answers...))
	second := f.conduct(t, followUp(r, began.SessionID, interview.Full, answers...))
	if second.Evaluation == nil {
		t.Fatal("got no evaluation")
	}
	wantSame(t, first.Evaluation, second.Evaluation)
}

// BenchmarkConduct measures whole requests without a model on SQLite: five questions, and the evaluation of five
// answers.
func BenchmarkConduct(b *testing.B) {
	f := newFixture(b, useBank(b), func(f *fixture) { f.config.Now = time.Now })
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

	b.Run("overhead", func(b *testing.B) { // the service itself, with askers and judges that take no time
		f := newFixture(b)
		for b.Loop() {
			began := f.conduct(b, r)
			f.conduct(b, followUp(r, began.SessionID, interview.Full, five()...))
		}
	})
}
