package odds

import (
	"math"
	"testing"
)

func TestConfidence(t *testing.T) {
	c := Calibration{"name": {{-1, .2}, {1, .6}, {3, .996}}}
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
		if got := c.Confidence(test.field, test.strength); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("confidence(%q, %v) = %v, want %v", test.field, test.strength, got, test.want)
		}
	}
}
