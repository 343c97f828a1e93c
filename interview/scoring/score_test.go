package scoring

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// A stubJudge has only a name and an answer to IsVerdict.
type stubJudge struct{ verdict bool }

func (j stubJudge) Name() string { return "stub" }

func (j stubJudge) IsVerdict() bool { return j.verdict }

func (j stubJudge) Judge(
	context.Context, string, *interview.Subject, *interview.Question, string,
) (interview.Judgment, error) {
	panic("unexpected call")
}

// marks returns a mark for each level, in the order of the criteria. It skips level -1.
func marks(levels ...int) []interview.Mark {
	var all []interview.Mark
	for i, level := range levels {
		if level >= 0 {
			all = append(all, interview.Mark{Criterion: interview.Criteria()[i], Level: level})
		}
	}
	return all
}

func scoreOf(t *testing.T, q interview.Question, levels ...int) interview.Score {
	t.Helper()
	sc, err := NewScore(&q, &interview.Judgment{Marks: marks(levels...)}, "an answer", "stub")
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

func TestNewScore_Value(t *testing.T) {
	tests := []struct {
		name       string
		weights    interview.Weights
		levels     []int
		want       matching.Optional[int]
		unmeasured []interview.Criterion
	}{
		{"best", interview.DefaultWeights(), []int{5, 5, 5}, matching.Some(100), nil},
		{"worst", interview.DefaultWeights(), []int{0, 0, 0}, matching.Some(0), nil},
		// 40 + 18 + 6
		{"weighted", interview.DefaultWeights(), []int{5, 3, 1}, matching.Some(64), nil},
		// (40·100 + 30·60) / 70
		{
			"a criterion without a mark", interview.DefaultWeights(),
			[]int{5, -1, 3},
			matching.Some(83),
			[]interview.Criterion{interview.Experience},
		},
		{
			"one mark", interview.DefaultWeights(),
			[]int{-1, 4, -1},
			matching.Some(80),
			[]interview.Criterion{interview.Technical, interview.Communication},
		},
		{"no mark", interview.DefaultWeights(), nil, matching.Optional[int]{}, interview.Criteria()},
		{
			"two criteria without a weight",
			interview.Weights{interview.Technical: 100},
			[]int{3, 0, 0},
			matching.Some(60),
			nil,
		},
		{
			"marks only without a weight",
			interview.Weights{interview.Technical: 100},
			[]int{-1, 5, 5},
			matching.Optional[int]{},
			[]interview.Criterion{interview.Technical},
		},
		{
			"half rounded up",
			interview.Weights{interview.Technical: 50, interview.Experience: 50},
			[]int{5, 0, -1},
			matching.Some(50), nil,
		},
		// 66.8
		{
			"rounded",
			interview.Weights{interview.Technical: 34, interview.Experience: 33, interview.Communication: 33},
			[]int{4, 3, 3},
			matching.Some(67), nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sc := scoreOf(t, interview.Question{Weights: tt.weights}, tt.levels...)
			if sc.Value != tt.want {
				t.Errorf("score %v, want %v", sc.Value, tt.want)
			}

			if diff := cmp.Diff(tt.unmeasured, sc.Unmeasured); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An answer without an idea scores 0 whichever levels the judge gave, unless it covers a point.
func TestNewScore_NoIdea(t *testing.T) {
	q := interview.Question{Weights: interview.DefaultWeights(), Points: []string{"p"}}
	judgment := interview.Judgment{Marks: marks(1, -1, 1), Remarks: []interview.Remark{interview.RemarkNoIdea}}
	sc, err := NewScore(&q, &judgment, "No idea, sorry.", "stub")
	if err != nil || sc.Value != matching.Some(0) || len(sc.Marks) != 3 || (*score)(&sc).isSubstantial() {
		t.Errorf("got %+v, %v", sc, err)
	}
	contradiction := interview.Judgment{Marks: marks(3, 3, 3), Remarks: []interview.Remark{interview.RemarkNoIdea}}
	if sc, err := NewScore(&q, &contradiction, "I don't know the name, but …", "stub"); sc.Value != matching.Some(60) {
		t.Errorf("got %+v, %v", sc, err)
	}
	judgment.Covered = []int{0}
	sc, err = NewScore(&q, &judgment, "No idea, but I would look at the plan.", "stub")
	if err != nil || sc.Value != matching.Some(20) || !(*score)(&sc).isSubstantial() {
		t.Errorf("got %+v, %v", sc, err)
	}
}
