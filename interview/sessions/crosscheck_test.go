package sessions_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// A model's marks that are far above what can be counted carry no recommendation until a person has read the answers.
func TestConduct_CrossChecksAModel(t *testing.T) {
	at := func(level string) func(context.Context, *interview.Question, string) (interview.Judgment, error) {
		return func(_ context.Context, q *interview.Question, _ string) (interview.Judgment, error) {
			return byLevel(q, level)
		}
	}
	foreign := func(_ context.Context, q *interview.Question, _ string) (interview.Judgment, error) {
		return interview.Judgment{Question: q.ID, Remarks: []interview.Remark{interview.RemarkLanguage}}, nil
	}
	unknown := func(_ context.Context, q *interview.Question, _ string) (interview.Judgment, error) {
		return interview.Judgment{Question: q.ID}, nil
	}
	tests := []struct {
		name      string
		counted   func(context.Context, *interview.Question, string) (interview.Judgment, error)
		recommend bool
	}{
		{"the same", at("level 5"), true},
		{"two levels less", at("level 3"), true},
		{"three levels less", at("level 2"), false},
		{"nothing", at("level 0"), false},
		{"in another language", foreign, false},
		{"in an interview in a language that the offline judge doesn't know", unknown, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			f.counter.script = tt.counted
			r := fresh(interview.Full)
			began := f.conduct(t, r)
			done := f.conduct(t, followUp(r, began.SessionID, interview.Full, levels(5, 5, 5, 5, 5)...))
			e := done.Evaluation
			if e.Overall != matching.Some(100) || e.Recommendation.Known != tt.recommend {
				t.Errorf("got total %v, recommendation %v: %s", e.Overall, e.Recommendation, e.Reason)
			}
			if apart := strings.Contains(codes(done.Remarks), "judges_apart"); apart == tt.recommend {
				t.Errorf("got notices %s", codes(done.Remarks))
			}
			hasRemark := slices.Contains(e.Scores[0].Remarks, interview.RemarkJudgesApart)
			if hasRemark == tt.recommend || tt.recommend == strings.Contains(e.Reason, "at least 50 points more") {
				t.Errorf("got remarks %v, reason %q", e.Scores[0].Remarks, e.Reason)
			}
		})
	}
}
