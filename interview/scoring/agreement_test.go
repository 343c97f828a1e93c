package scoring

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/interview"
)

func TestCompare(t *testing.T) {
	q := interview.Question{ID: "q1", Weights: interview.Weights{interview.Technical: 60, interview.Communication: 40}}
	tests := []struct {
		name          string
		first, second []interview.Mark
		want          interview.Agreement
	}{
		{"equal", marks(4, -1, 3), marks(4, -1, 3), interview.Agreement{Answers: 1, Marks: 2, Exact: 2, WithinOne: 2}},
		{"one level", marks(4, -1, 3), marks(3, -1, 4), interview.Agreement{Answers: 1, Marks: 2, WithinOne: 2}},
		{
			"two levels", marks(4, -1, 3), marks(2, -1, 3),
			interview.Agreement{Answers: 1, Marks: 2, Exact: 1, WithinOne: 1, Disputed: []string{"q1"}},
		},
		{
			"without a weight", marks(4, 5, 3), marks(4, 1, 3),
			interview.Agreement{Answers: 1, Marks: 2, Exact: 2, WithinOne: 2},
		},
		{"a mark missing", marks(4, -1, 3), marks(4), interview.Agreement{Answers: 1, Marks: 1, Exact: 1, WithinOne: 1}},
	}
	for _, tt := range tests {
		var got interview.Agreement
		Compare(&got, &q, tt.first, tt.second)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
