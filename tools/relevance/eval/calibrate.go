package eval

import (
	"maps"
	"slices"

	"freelancer-matching/internal/matching"
)

// Outcome is one candidate of an answer, beside what people said of it.
type Outcome struct {
	Brief  string
	Score  float64 // 0 to 1, or the mix before the curve
	Level  matching.Level
	Judged bool
	Grade  Grade // Unsuitable where nobody judged
}

// Outcomes are the first n candidates of each answer, in the order of the briefs' ids. The score of each is what
// score says.
func Outcomes(answers Answers, judgments Judgments, n int, score func(*Candidate) float64) []Outcome {
	var all []Outcome
	for _, brief := range slices.Sorted(maps.Keys(answers)) {
		for i := range answers[brief][:min(n, len(answers[brief]))] {
			c := &answers[brief][i]
			grade, judged := judgments[brief][c.ID]
			all = append(all, Outcome{Brief: brief, Score: score(c), Level: c.Level, Judged: judged, Grade: grade})
		}
	}
	return all
}

// Reliability is what became of a group of outcomes.
type Reliability struct {
	Judged, Unjudged int
	// Good and Suitable are the shares of the judged that are at least Good, and at least Partly. Their N counts briefs,
	// and so do their intervals: candidates of one brief are no independent witnesses.
	Good, Suitable Estimate
}

// NewReliability summarizes outcomes.
func NewReliability(outcomes []Outcome) Reliability {
	r := Reliability{}
	for _, o := range outcomes {
		if o.Judged {
			r.Judged++
		} else {
			r.Unjudged++
		}
	}
	r.Good = share(outcomes, Good)
	r.Suitable = share(outcomes, Partly)
	return r
}

// share is how many of the judged have at least a grade, with a bootstrap interval over briefs.
func share(outcomes []Outcome, least Grade) Estimate {
	type count struct{ having, judged float64 }
	byBrief := map[string]count{}
	for _, o := range outcomes {
		if !o.Judged {
			continue
		}
		c := byBrief[o.Brief]
		c.judged++
		if o.Grade >= least {
			c.having++
		}
		byBrief[o.Brief] = c
	}
	var counts []count
	for _, brief := range slices.Sorted(maps.Keys(byBrief)) {
		counts = append(counts, byBrief[brief])
	}
	return resample(len(counts), 3, func(pick func(place int) int) float64 {
		var sum count
		for place := range counts {
			c := counts[pick(place)]
			sum.having += c.having
			sum.judged += c.judged
		}
		return sum.having / sum.judged
	})
}

// CrossCalibrate is the outcomes with, in place of each score, the share of good ones that a curve of so many knots
// predicts for it, fitted on the other briefs alone.
func CrossCalibrate(outcomes []Outcome, knots int) []Outcome {
	calibrated := slices.Clone(outcomes)
	curves := map[string]Curve{}
	for i := range calibrated {
		o := &calibrated[i]
		if curves[o.Brief] == nil {
			others := slices.DeleteFunc(slices.Clone(outcomes), func(other Outcome) bool { return other.Brief == o.Brief })
			curves[o.Brief] = FitCurve(others, knots)
		}
		o.Score = curves[o.Brief].At(o.Score)
	}
	return calibrated
}

// Brier is the mean square of the difference between the scores of the judged, as predictions, and whether they are good
// (Brier 1950), 0 to 1, the less the better. Unknown where nobody was judged.
func Brier(outcomes []Outcome) matching.Optional[float64] {
	sum, judged := 0., 0
	for _, o := range outcomes {
		if !o.Judged {
			continue
		}
		judged++
		off := o.Score
		if o.Grade >= Good {
			off--
		}
		sum += off * off
	}
	if judged == 0 {
		return matching.Optional[float64]{}
	}
	return matching.Some(sum / float64(judged))
}
