package fields

import (
	"math"
	"testing"
)

func scored(value string, score float64) candidate[string] {
	return newCandidate(value, "test", feature{"known", true, score}, feature{"does not apply", false, 100})
}

func TestChoose(t *testing.T) {
	same := func(a, b string) bool { return a == b }
	for _, test := range []struct {
		name     string
		all      []candidate[string]
		same     func(a, b string) bool
		want     string
		margin   float64
		strength float64
	}{
		{"a single candidate has no rival", []candidate[string]{scored("a", 2)}, nil, "a", math.Inf(1), 2},
		{"the highest score wins", []candidate[string]{scored("a", 1), scored("b", 4), scored("c", 2)}, nil, "b", 2, 2},
		{"a close rival limits the strength", []candidate[string]{scored("a", 5), scored("b", 4.5)}, nil, "a", .5, .5},
		{"the first of equals wins", []candidate[string]{scored("a", 3), scored("b", 3)}, nil, "a", 0, 0},
		{"the same value is no rival", []candidate[string]{scored("a", 5), scored("a", 5), scored("b", 1)}, same, "a", 4, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := choose(test.all, test.same)
			if !ok || got.value != test.want || got.margin != test.margin || got.strength() != test.strength {
				t.Errorf("got %q with margin %v and strength %v, want %q, %v, %v",
					got.value, got.margin, got.strength(), test.want, test.margin, test.strength)
			}

			if len(got.features) != 1 {
				t.Errorf("kept the features %v, want only those that apply", got.features)
			}
		})
	}

	if _, ok := choose[string](nil, nil); ok {
		t.Error("chose one of no candidates")
	}
}

func TestConfidence(t *testing.T) {
	c := calibration{"name": {{-1, .2}, {1, .6}, {3, .996}}}
	for _, test := range []struct {
		field    string
		strength float64
		want     float64
	}{
		{"name", -9, .01}, // weaker than any field of the fit
		{"name", -1, .2},
		{"name", 0, .4},
		{"name", 1, .6},
		{"name", 2, .8},
		{"name", 9, .99}, // nothing is certain
		{"email", 0, .5}, // no table
	} {
		if got := c.confidence(test.field, test.strength); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("confidence(%q, %v) = %v, want %v", test.field, test.strength, got, test.want)
		}
	}

	for field, points := range readCalibration() {
		if low, high := points[0].share, points[len(points)-1].share; low < 0 || high > 1 {
			t.Errorf("the shares of %s are between %v and %v, want probabilities", field, low, high)
		}
	}
}
