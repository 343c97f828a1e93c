package scoring

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// A path chooses the difficulty of the i-th of n questions after the one before and its score.
type path struct {
	name  string
	start interview.Difficulty
	next  func(i, n int, last interview.Difficulty, score int) interview.Difficulty
}

func paths() []path {
	staircase := func(_, _ int, last interview.Difficulty, score int) interview.Difficulty {
		return NextDifficulty(last, matching.Some(score))
	}
	same := func(_, _ int, last interview.Difficulty, _ int) interview.Difficulty { return last }
	rising := func(i, n int, _ interview.Difficulty, _ int) interview.Difficulty {
		return interview.Difficulties()[i*3/n]
	}
	return []path{
		{"staircase from easy", interview.Easy, staircase},
		{"staircase from medium", interview.Medium, staircase},
		{"staircase from hard", interview.Hard, staircase},
		{"always easy", interview.Easy, same},
		{"always medium", interview.Medium, same},
		{"always hard", interview.Hard, same},
		{"fixed form", interview.Easy, rising},
	}
}

// A population is a series of simulated interviews. Levels are drawn by the rating-scale model; the difficulty of a
// question varies within its class.
type population struct {
	random    *rand.Rand
	questions int
	step      float64 // true distance of the classes of difficulty
	known     map[string]simulatedTotal
}

type simulatedTotal struct{ mean, equated, standardError float64 }

// interview returns the totals of one interview.
func (p *population) interview(ability float64, way path) simulatedTotal {
	var taken form
	sum := 0
	d := way.start
	for i := range p.questions {
		truth := p.step*float64(slices.Index(interview.Difficulties(), d)-1) + difficultySpread*p.random.NormFloat64()
		level := p.draw(levelProbabilities(ability - truth))
		taken = append(taken, location(d))
		sum += level
		d = way.next(min(i+1, p.questions-1), p.questions, d, level*pointsPerLevel)
	}

	slices.Sort(taken) // the order has no effect
	key := fmt.Sprint(taken, sum)
	if _, ok := p.known[key]; !ok {
		reference := referenceForm(p.questions)
		p.known[key] = simulatedTotal{
			mean:          float64(sum*pointsPerLevel) / float64(p.questions),
			equated:       taken.equate(float64(sum), reference),
			standardError: taken.standardError(float64(sum), reference),
		}
	}

	return p.known[key]
}

func (p *population) draw(probabilities [interview.BestLevel + 1]float64) int {
	at := p.random.Float64()
	for level, probability := range probabilities {
		if at -= probability; at < 0 {
			return level
		}
	}
	return interview.BestLevel
}

// An observation summarizes many interviews of people of the same ability on the same path.
type observation struct{ mean, equated, spread, standardError float64 }

func (p *population) observe(ability float64, way path, n int) observation {
	var o observation
	var squares, variance float64
	for range n {
		total := p.interview(ability, way)
		o.mean += total.mean / float64(n)
		o.equated += total.equated / float64(n)
		squares += total.equated * total.equated / float64(n)
		variance += total.standardError * total.standardError / float64(n)
	}
	o.spread, o.standardError = math.Sqrt(squares-o.equated*o.equated), math.Sqrt(variance)
	return o
}

// gap returns the difference between the largest and the smallest value.
func gap(values map[string]float64) float64 {
	all := slices.Collect(maps.Values(values))
	return slices.Max(all) - slices.Min(all)
}

// Candidates of equal ability get equal totals on all paths, unlike plain means, and the reported standard error is the
// spread of their totals. docs/benchmarks.md has the table.
func TestScale_IsIndependentOfThePath(t *testing.T) {
	const (
		candidates  = 3000
		tolerance   = 1.5 // points between two paths
		steError    = 0.1 // relative error of the standard error
		minMeansGap = 15  // points between plain means
	)
	for _, questions := range []int{5, 10} {
		p := &population{rand.New(rand.NewPCG(7, 7)), questions, hardDifficulty, map[string]simulatedTotal{}}
		for _, ability := range []float64{-2, -1, 0, 1, 2} {
			means := map[string]float64{}
			equated := map[string]float64{}
			for _, way := range paths() {
				o := p.observe(ability, way, candidates)
				means[way.name] = o.mean
				equated[way.name] = o.equated
				t.Logf("%2d questions, ability %2.0f, %-21s: mean %4.1f, equated %4.1f, spread %4.1f, standard error %4.1f",
					questions, ability, way.name, o.mean, o.equated, o.spread, o.standardError)

				if ratio := o.standardError / o.spread; math.Abs(ratio-1) > steError {
					t.Errorf("ability %v, %s: standard error %.1f, but the totals vary by %.1f",
						ability, way.name, o.standardError, o.spread)
				}
			}

			if gap(equated) > tolerance {
				t.Errorf("ability %v: totals are %v, want at most %v points apart", ability, equated, tolerance)
			}

			if gap(means) < minMeansGap {
				t.Errorf("ability %v: plain means are %v, want them to depend on the path", ability, means)
			}
		}
	}
}

// If the classes are closer or farther apart than the scale assumes, totals still depend less on the path than means
// do.
func TestScale_WithWrongDifficulties(t *testing.T) {
	for _, step := range []float64{0.4, 0.75, 1.1} {
		p := &population{rand.New(rand.NewPCG(9, 9)), 5, step, map[string]simulatedTotal{}}
		worst, worstMean := 0., 0.
		for _, ability := range []float64{-2, -1, 0, 1, 2} {
			means := map[string]float64{}
			equated := map[string]float64{}
			for _, way := range append(paths()[:3], paths()[6]) { // staircases and the fixed form
				o := p.observe(ability, way, 2000)
				means[way.name] = o.mean
				equated[way.name] = o.equated
			}

			worst = max(worst, gap(equated))
			worstMean = max(worstMean, gap(means))
		}

		t.Logf("true step %.2f: staircases and the fixed form differ by up to %.1f points, means by %.1f",
			step, worst, worstMean)
		if worst >= worstMean {
			t.Errorf("true step %.2f: totals differ by %.1f points, means only by %.1f", step, worst, worstMean)
		}
	}
}

func TestForm_Equate(t *testing.T) {
	reference := referenceForm(5)
	for _, f := range []form{
		{mediumDifficulty},
		{easyDifficulty, easyDifficulty},
		{hardDifficulty, hardDifficulty, hardDifficulty},
		reference,
	} {
		best := float64(interview.BestLevel * len(f))
		if got := round(f.equate(best, reference)); got != 100 {
			t.Errorf("%v: a perfect result gives %d", f, got)
		}

		if got := round(f.equate(0, reference)); got != 0 {
			t.Errorf("%v: an empty result gives %d", f, got)
		}

		for _, sum := range []float64{0, best} {
			if got := f.standardError(sum, reference); got < 1 || got > 25 {
				t.Errorf("%v: the standard error of %v is %v", f, sum, got)
			}
		}
	}

	for sum := 0.5; sum < 25; sum += 0.5 {
		if got, mean := reference.equate(sum, reference), sum*pointsPerLevel/5; math.Abs(got-mean) > 1e-6 {
			t.Errorf("on the reference form itself, the sum %v gives %v, want the mean %v", sum, got, mean)
		}
	}

	easy := form{easyDifficulty}
	hard := form{hardDifficulty}
	if easy.equate(3, reference) >= hard.equate(3, reference) {
		t.Error("the same level counts for more in an easy question")
	}
}

// The probabilities of the rating-scale model for a hand-computed case, and their moments.
func TestLevelProbabilities(t *testing.T) {
	// exp(0), exp(2), exp(3), exp(3), exp(2), exp(0), divided by their sum
	sum := 2 * (1 + math.Exp(2) + math.Exp(3))
	want := [...]float64{1 / sum, math.Exp(2) / sum, math.Exp(3) / sum, math.Exp(3) / sum, math.Exp(2) / sum, 1 / sum}
	got := levelProbabilities(0)
	for k := range want {
		if math.Abs(got[k]-want[k]) > 1e-12 {
			t.Errorf("level %d has probability %v, want %v", k, got[k], want[k])
		}
	}

	if m := momentsAt(0); math.Abs(m.mean-2.5) > 1e-12 || math.Abs(m.third) > 1e-12 {
		t.Errorf("got moments %+v of a symmetric distribution", m)
	}
	// In this family, the variance is the slope of the mean, and the third moment that of the variance.
	const step = 1e-5
	for _, distance := range []float64{-3, -.5, .7, 4} {
		before := momentsAt(distance - step)
		at := momentsAt(distance)
		after := momentsAt(distance + step)
		slope := (after.mean - before.mean) / (2 * step)
		bend := (after.variance - before.variance) / (2 * step)
		if math.Abs(slope-at.variance) > 1e-6 || math.Abs(bend-at.third) > 1e-6 {
			t.Errorf("at %v: slopes %v and %v, moments %+v", distance, slope, bend, at)
		}
	}
}

func TestReferenceForm(t *testing.T) {
	for n, want := range map[int]string{1: "[0]", 2: "[-0.75 0]", 5: "[-0.75 -0.75 0 0 0.75]"} {
		if got := fmt.Sprint(referenceForm(n)); got != want {
			t.Errorf("%d questions: got %s, want %s", n, got, want)
		}
	}
}
