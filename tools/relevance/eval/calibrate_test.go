package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestOutcomes(t *testing.T) {
	answers := Answers{
		"b2": {{ID: "ann", Score: .3, Level: matching.LevelFair}},
		"b1": {{ID: "ann", Score: .9}, {ID: "bob", Score: .8}, {ID: "cem", Score: .7}},
	}
	judgments := Judgments{"b1": {"bob": 3}, "b2": {"ann": 0}}
	got := Outcomes(answers, judgments, 2, func(c *Candidate) float64 { return c.Score / 2 })
	want := []Outcome{
		{Brief: "b1", Score: .45},
		{Brief: "b1", Score: .4, Judged: true, Grade: Excellent},
		{Brief: "b2", Score: .15, Level: matching.LevelFair, Judged: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMix(t *testing.T) {
	c := Candidate{Features: []matching.Feature{{Weight: .75, Value: 1, Contribution: .9}, {Weight: .25, Value: .4}}}
	if got := c.Mix(); got != .85 {
		t.Errorf("got %v, want .75·1 + .25·.4", got)
	}
}

func TestSpread(t *testing.T) {
	text := func(value float64) Candidate {
		return Candidate{Features: []matching.Feature{{Name: "skills", Value: .7}, {Name: "text", Value: value}}}
	}
	answers := Answers{
		"b1": {text(.2), text(.4)},
		"b2": {text(.1), text(.1)},
		"b3": {{Features: []matching.Feature{{Name: "skills", Value: .1}}}},
	}
	for feature, want := range map[string]float64{"text": .05, "skills": 0, "semantic": 0} {
		if got := answers.Spread(feature); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", feature, got, want)
		}
	}
}

func TestReliability(t *testing.T) {
	var outcomes []Outcome
	for i, grades := range [][]Grade{{3, 2, 1}, {0}} {
		for _, g := range grades {
			outcomes = append(outcomes, Outcome{Brief: fmt.Sprint(i), Judged: true, Grade: g})
		}
	}
	outcomes = append(outcomes, Outcome{Brief: "2"})
	got := NewReliability(outcomes)
	if got.Judged != 4 || got.Unjudged != 1 || got.Good.N != 2 || got.Good.Mean != .5 || got.Suitable.Mean != .75 {
		t.Errorf("got %+v", got)
	}
	// The two briefs have 2 of 3 and 0 of 1 good. A resample holds the same brief twice half of the time.
	if got.Good.Low != 0 || math.Abs(got.Good.High-2./3) > 1e-9 {
		t.Errorf("got %+v, want the interval [0, 2/3]", got.Good)
	}
	if got := NewReliability(outcomes[4:]); got != (Reliability{Unjudged: 1}) {
		t.Errorf("nobody judged: %+v", got)
	}
}

func TestBrier(t *testing.T) {
	outcomes := []Outcome{
		{Score: .75, Judged: true, Grade: Good},
		{Score: .5, Judged: true, Grade: Partly},
		{Score: 1},
	}
	want := matching.Some((.0625 + .25) / 2)
	if got := Brier(outcomes); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Brier(outcomes[2:]); got.Known {
		t.Errorf("nobody judged: %v", got)
	}
}

func TestCurve(t *testing.T) {
	c := Curve{{0, 0}, {.5, .2}, {.75, .2}, {1, 1}}
	for x, want := range map[float64]float64{0: 0, .25: .1, .5: .2, .6: .2, .75: .2, .875: .6, 1: 1} {
		if got := c.At(x); math.Abs(got-want) > 1e-9 {
			t.Errorf("At(%v) = %v, want %v", x, got, want)
		}
	}
	for y, want := range map[float64]float64{0: 0, .1: .25, .2: .5, .6: .875, 1: 1} {
		if got := c.Reaches(y); math.Abs(got-want) > 1e-9 {
			t.Errorf("Reaches(%v) = %v, want %v", y, got, want)
		}
	}
}

// randomOutcomes returns n candidates with random scores, most of them judged; share gives the probability that a score
// is good.
func randomOutcomes(rng *rand.Rand, n int, share func(score float64) float64) []Outcome {
	outcomes := make([]Outcome, n)
	for i := range outcomes {
		o := Outcome{Brief: fmt.Sprint(i % 10), Score: rng.Float64(), Judged: rng.IntN(8) > 0}
		if rng.Float64() < share(o.Score) {
			o.Grade = Good
		}
		outcomes[i] = o
	}
	return outcomes
}

func TestFitCurve_RecoversTheTrueShare(t *testing.T) {
	tests := []struct {
		name  string
		share func(float64) float64
	}{
		{"equal to the score", func(x float64) float64 { return x }},
		{"below the score", func(x float64) float64 { return x * x }},
		{"above the score", func(x float64) float64 { return min(2*x, .5+x/2) }},
		{"sharp bend", func(x float64) float64 { return max(.1*x, 1.9*x-.9) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			outcomes := randomOutcomes(rand.New(rand.NewPCG(3, 3)), 20_000, test.share)
			c := FitCurve(outcomes, 5)
			for x := 0.; x <= 1; x += .05 {
				if math.Abs(c.At(x)-test.share(x)) > .06 {
					t.Errorf("At(%.2f) = %.3f, want %.3f: %v", x, c.At(x), test.share(x), c)
				}
			}
		})
	}
}

// For any outcomes, the curve rises from 0 to 1 with the minimum slope, and no other such curve with the same knots has
// a smaller error.
func TestFitCurve_FindsTheBestRisingCurve(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	loss := func(c Curve, outcomes []Outcome) float64 {
		predicted := slices.Clone(outcomes)
		for i := range predicted {
			predicted[i].Score = c.At(predicted[i].Score)
		}
		return Brier(predicted).Or(0)
	}
	for range 50 {
		chance := rng.Float64()
		outcomes := randomOutcomes(rng, 1+rng.IntN(200), func(float64) float64 { return chance })
		if rng.IntN(2) == 0 {
			for i := range outcomes { // many equal scores
				outcomes[i].Score = math.Floor(outcomes[i].Score*4) / 4
			}
		}

		c := FitCurve(outcomes, 1+rng.IntN(6))
		if c[0] != [2]float64{0, 0} || c[len(c)-1] != [2]float64{1, 1} {
			t.Errorf("the curve does not go from 0 to 1: %v", c)
		}

		for i := 1; i < len(c); i++ {
			if c[i][0] <= c[i-1][0] || c[i][1]-c[i-1][1] < minSlope*(c[i][0]-c[i-1][0])-1e-9 {
				t.Fatalf("the curve does not rise: %v", c)
			}
		}

		minLoss := loss(c, outcomes)
		for range 100 {
			other := slices.Clone(c)
			toward := .2 * rng.Float64()
			for i := 1; i < len(c)-1; i++ { // a mix of two rising curves also rises
				other[i][1] = c[i][1] + toward*(rng.Float64()-c[i][1])
			}

			rises := true
			for i := 1; i < len(c); i++ {
				rises = rises && other[i][1]-other[i-1][1] >= minSlope*(c[i][0]-c[i-1][0])
			}

			if rises && loss(other, outcomes) < minLoss-1e-7 {
				t.Fatalf("%v has a smaller error than %v: %v and %v", other, c, loss(other, outcomes), minLoss)
			}
		}
	}
}

func TestFitCurve_NoJudgedOutcomes(t *testing.T) {
	if diff := cmp.Diff(Curve{{0, 0}, {1, 1}}, FitCurve([]Outcome{{Score: .5}}, 3)); diff != "" {
		t.Errorf("no judged outcomes (-want +got):\n%s", diff)
	}
}

// The prediction for a brief must not depend on its own grades.
func TestCrossCalibrate_IgnoresTheBriefsOwnGrades(t *testing.T) {
	outcomes := randomOutcomes(rand.New(rand.NewPCG(5, 5)), 400, func(x float64) float64 { return x * x })
	before := CrossCalibrate(outcomes, 3)

	for i := range outcomes {
		if outcomes[i].Brief == "7" {
			outcomes[i].Grade = Excellent - outcomes[i].Grade
		}
	}

	after := CrossCalibrate(outcomes, 3)
	moved := 0
	for i, o := range outcomes {
		switch {
		case before[i].Score == after[i].Score:
		case o.Brief == "7":
			t.Fatalf("the prediction for candidate %d depends on the grades of its own brief: %v, %v", i, before[i], after[i])
		default:
			moved++
		}
	}

	if moved == 0 {
		t.Error("reversing the grades of a brief changed no prediction for the other briefs")
	}
}
