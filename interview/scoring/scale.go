package scoring

import (
	"math"

	"github.com/freelancer-matching/service/interview"
)

// Answers to questions of different difficulty are compared on the scale of a rating-scale model (Rasch 1960, Andrich
// 1978): a person of ability θ gets level k of an answer to a question of difficulty δ with a probability proportional
// to exp(k·(θ−δ) − τ₁ − … − τₖ). In this model the sum of the levels contains all information about the ability, so
// levels may be fractional, as weighted means of several criteria are.
//
// An adaptive total is the expected total of the person on a reference form, the difficulties of the fixed form with as
// many questions: true-score equating (Lord 1980). If the person answered exactly that form, it is the mean.
//
// The numbers below are conventions, because there are no answers of real candidates to calibrate them with. A step of
// difficulty costs 15 points near the middle: an answer of StrongAnswer points then raises the difficulty to where the
// person is expected to get 55, the middle between StrongAnswer and WeakAnswer. Evenly spaced thresholds make the
// levels evenly spaced, as the anchors are; with a distance of 1, the answers of one person vary by about one level.
// ADR 0052 shows how totals react if the true numbers differ.
const (
	easyDifficulty   = -0.75 // δ in logits
	mediumDifficulty = 0
	hardDifficulty   = 0.75

	thresholdDistance = 1.0 // between τₖ and τₖ₊₁, in logits; the thresholds are symmetric around 0

	difficultySpread = 0.3 // standard deviation of the questions of a class, in logits
)

// maxAbility bounds the estimates of ability, in logits. A person of this ability is expected to get 99.99 points.
const maxAbility = 12

// location returns the difficulty δ of a class in logits. A client's own question, whose difficulty is unknown, counts
// as medium.
func location(d interview.Difficulty) float64 {
	switch d {
	case interview.Easy:
		return easyDifficulty
	case interview.Hard:
		return hardDifficulty
	case interview.Medium:
	}
	return mediumDifficulty
}

// levelProbabilities returns the probability of each level at a distance θ−δ of ability and difficulty.
func levelProbabilities(distance float64) [interview.BestLevel + 1]float64 {
	var p [interview.BestLevel + 1]float64
	exponent, highest := 0., 0.
	for k := 1; k <= interview.BestLevel; k++ {
		threshold := thresholdDistance * (float64(k) - (interview.BestLevel+1)/2.)
		exponent += distance - threshold
		p[k] = exponent
		highest = max(highest, exponent)
	}

	// Subtracting the largest exponent keeps Exp from overflowing.
	sum := 0.
	for k := range p {
		p[k] = math.Exp(p[k] - highest)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// moments holds the mean, the variance and the third central moment of the level of an answer, or sums of these.
type moments struct{ mean, variance, third, squaredVariance float64 }

func momentsAt(distance float64) moments {
	p := levelProbabilities(distance)
	var m moments
	for k := range p {
		m.mean += p[k] * float64(k)
	}
	for k := range p {
		from := float64(k) - m.mean
		m.variance += p[k] * from * from
		m.third += p[k] * from * from * from
	}
	m.squaredVariance = m.variance * m.variance
	return m
}

// A form is a list of difficulties in logits, one for each question.
type form []float64

// moments returns the sums over the questions for a person of some ability.
func (f form) moments(ability float64) moments {
	var sum moments
	for _, difficulty := range f {
		m := momentsAt(ability - difficulty)
		sum.mean += m.mean
		sum.variance += m.variance
		sum.third += m.third
		sum.squaredVariance += m.squaredVariance
	}
	return sum
}

// referenceForm returns the form of n questions with rising difficulty: a third of each class, like fixed forms.
func referenceForm(n int) form {
	if n == 1 {
		return form{mediumDifficulty}
	}
	all := interview.Difficulties()
	f := make(form, n)
	for i := range f {
		f[i] = location(all[i*len(all)/n])
	}
	return f
}

// ability returns the ability of a person whose levels on the form add up to sum: the maximum likelihood estimate,
// which is infinite, and here maxAbility, if all levels are the highest.
func (f form) ability(sum float64) float64 {
	return root(func(ability float64) float64 { return sum - f.moments(ability).mean })
}

// likelyAbility returns Warm's (1989) weighted likelihood estimate, which is less biased and always finite.
func (f form) likelyAbility(sum float64) float64 {
	return root(func(ability float64) float64 {
		m := f.moments(ability)
		return sum - m.mean + m.third/(2*m.variance)
	})
}

// root returns where a falling function is 0, between -maxAbility and maxAbility.
func root(f func(float64) float64) float64 {
	low := -float64(maxAbility)
	high := float64(maxAbility)
	for range 50 {
		if middle := (low + high) / 2; f(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// equate returns the total from 0 to 100 that a person is expected to get on a reference form if their levels on this
// form add up to sum.
func (f form) equate(sum float64, reference form) float64 {
	return reference.moments(f.ability(sum)).mean * pointsPerLevel / float64(len(reference))
}

// standardError returns the standard error of a total on the reference form, in points: that of the ability, times the
// slope of the total (delta method). The ability varies with the answers, as Fisher's information says, and with the
// questions, by difficultySpread. All are taken at likelyAbility, because the standard error of a perfect result would
// otherwise be 0.
func (f form) standardError(sum float64, reference form) float64 {
	ability := f.likelyAbility(sum)
	m := f.moments(ability)
	slope := reference.moments(ability).variance * pointsPerLevel / float64(len(reference))
	return slope * math.Sqrt(m.variance+difficultySpread*difficultySpread*m.squaredVariance) / m.variance
}
