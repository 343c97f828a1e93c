package odds

import (
	"math"
	"testing"
)

func scored(value string, score float64) Candidate[string] {
	return NewCandidate(value, "test", If("known", true, score), If("does not apply", false, 100))
}

func TestChoose(t *testing.T) {
	same := func(a, b string) bool { return a == b }
	for _, test := range []struct {
		name     string
		all      []Candidate[string]
		same     func(a, b string) bool
		want     string
		margin   float64
		strength float64
	}{
		{"a single candidate has no rival", []Candidate[string]{scored("a", 2)}, nil, "a", math.Inf(1), 2},
		{"the highest score wins", []Candidate[string]{scored("a", 1), scored("b", 4), scored("c", 2)}, nil, "b", 2, 2},
		{"a close rival limits the strength", []Candidate[string]{scored("a", 5), scored("b", 4.5)}, nil, "a", .5, .5},
		{"the first of equals wins", []Candidate[string]{scored("a", 3), scored("b", 3)}, nil, "a", 0, 0},
		{"the same value is no rival", []Candidate[string]{scored("a", 5), scored("a", 5), scored("b", 1)}, same, "a", 4, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := Choose(test.all, test.same)
			if !ok || got.Value != test.want || got.Margin != test.margin || got.Strength() != test.strength {
				t.Errorf("got %q with margin %v and strength %v, want %q, %v, %v",
					got.Value, got.Margin, got.Strength(), test.want, test.margin, test.strength)
			}

			if len(got.Features) != 1 {
				t.Errorf("kept the features %v, want only those that apply", got.Features)
			}
		})
	}

	if _, ok := Choose[string](nil, nil); ok {
		t.Error("chose one of no candidates")
	}
}
