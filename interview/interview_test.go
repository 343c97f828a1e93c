package interview

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
		for _, c := range Criteria() {
			if got[c] != tt.want[c] {
				t.Errorf("%v for %q: got %v, want %v", tt.weights, tt.kind, got, tt.want)
				break
			}
		}
	}
}

func TestScaleWeights(t *testing.T) {
	fallback := Weights{Technical: 100}
	tests := []struct {
		named map[string]int
		want  Weights
	}{
		{nil, fallback},
		{map[string]int{"technical": 40, "experience": 30, "communication": 30}, DefaultWeights()},
		{map[string]int{"technical_accuracy": 40, "experience_level": 30, "communication": 30}, DefaultWeights()},
		{
			map[string]int{"technical": 1, "experience": 1, "communication": 1},
			Weights{Technical: 34, Experience: 33, Communication: 33},
		},
		{map[string]int{"technical": 2, "communication": 1}, Weights{Technical: 67, Communication: 33}},
		{map[string]int{"experience": 7}, Weights{Experience: 100}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, ScaleWeights(tt.named, fallback)); diff != "" {
			t.Errorf("%v: %s", tt.named, diff)
		}
	}
}
