package eval

import (
	"math"
	"strconv"
	"testing"
)

func TestAgree(t *testing.T) {
	// The confusion matrix {{2, 1}, {0, 1}} of grades 0 and 3: 3 of 4 pairs are equal, 1.5 disagreements of weight 9 are
	// expected by chance, 1 is observed, so kappa is 1 − 1/2.
	first := Judgments{"b1": {"ann": 0, "bob": 0, "cy": 0}, "b2": {"ann": 3, "dee": 2}}
	second := Judgments{"b1": {"ann": 0, "bob": 0, "cy": 3}, "b2": {"ann": 3}, "b3": {"ann": 1, "bob": 1}}
	a := Agree(first, second)
	if a.Pairs != 4 || a.OnlyFirst != 1 || a.OnlySecond != 2 {
		t.Errorf("%d pairs, %d and %d by one grader, want 4, 1 and 2", a.Pairs, a.OnlyFirst, a.OnlySecond)
	}
	if a.Confusion[0][0] != 2 || a.Confusion[0][3] != 1 || a.Confusion[3][3] != 1 {
		t.Errorf("confusion %v", a.Confusion)
	}
	if a.Same.Mean != .75 || math.Abs(a.Kappa.Mean-.5) > 1e-12 || a.Kappa.N != 2 {
		t.Errorf("same %+v, kappa %+v; want .75 and .5 over 2 briefs", a.Same, a.Kappa)
	}
}

// A difference of one grade costs a ninth of a difference of three.
func TestAgree_WeightsAreQuadratic(t *testing.T) {
	disagreement := func(last Grade) float64 {
		first := Judgments{}
		second := Judgments{}
		for i := range 100 { // half of the pairs have each extreme, so that one pair hardly changes what chance gives
			id := strconv.Itoa(i)
			grade := Grade(i % 2 * 3)
			first[id] = map[string]Grade{"x": grade}
			second[id] = map[string]Grade{"x": grade}
		}
		second["0"]["x"] = last
		return 1 - Agree(first, second).Kappa.Mean
	}
	if ratio := disagreement(3) / disagreement(1); ratio < 8.8 || ratio > 9.2 {
		t.Errorf("three grades cost %.2f times as much as one, want 9", ratio)
	}
}

func TestAgree_Extremes(t *testing.T) {
	equal := Judgments{"b": {"ann": 2, "bob": 2}}
	if a := Agree(equal, equal); a.Kappa.Mean != 1 || a.Same.Mean != 1 {
		t.Errorf("equal gradings: %+v", a)
	}
	if a := Agree(equal, Judgments{}); a.Pairs != 0 || a.Kappa != (Estimate{}) {
		t.Errorf("no common pairs: %+v", a)
	}
	opposite := Agree(Judgments{"b": {"ann": 0, "bob": 3}}, Judgments{"b": {"ann": 3, "bob": 0}})
	if opposite.Kappa.Mean != -1 {
		t.Errorf("opposite grades have kappa %v, want -1", opposite.Kappa.Mean)
	}
}
