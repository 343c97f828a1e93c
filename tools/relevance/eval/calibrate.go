package eval

import (
	"maps"
	"slices"

	"github.com/freelancer-matching/service/internal/matching"
)

// Outcome is one candidate of an answer with the grade that people gave it.
type Outcome struct {
	Brief  string
	Score  float64 // 0 to 1; what the score function passed to Outcomes returned
	Level  matching.Level
	Judged bool
	Grade  Grade // Unsuitable if not judged
}

// Outcomes returns the first n candidates of each answer, sorted by brief ID and then by rank. The score function
// supplies each outcome's Score.
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

// Reliability summarizes how a group of candidates was graded.
type Reliability struct {
	Judged, Unjudged int
	// Good is the share of judged candidates graded at least Good; Suitable is the share graded at least Partly. N counts
	// briefs, and the intervals resample whole briefs, because candidates of the same brief are not independent.
	Good, Suitable Estimate
}

// NewReliability counts outcomes by grade.
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

// share returns the share of judged outcomes graded at least minGrade, with a bootstrap interval over briefs.
func share(outcomes []Outcome, minGrade Grade) Estimate {
	type count struct{ passed, judged float64 }
	byBrief := map[string]count{}
	for _, o := range outcomes {
		if !o.Judged {
			continue
		}

		c := byBrief[o.Brief]
		c.judged++

		if o.Grade >= minGrade {
			c.passed++
		}

		byBrief[o.Brief] = c
	}

	// The order of a map would make the seeded bootstrap unrepeatable.
	var counts []count
	for _, brief := range slices.Sorted(maps.Keys(byBrief)) {
		counts = append(counts, byBrief[brief])
	}

	return resample(len(counts), 3, func(pick func(place int) int) float64 {
		var sum count
		for place := range counts {
			c := counts[pick(place)]
			sum.passed += c.passed
			sum.judged += c.judged
		}

		return sum.passed / sum.judged
	})
}

// CrossCalibrate returns a copy of outcomes with each score replaced by a predicted share of good matches. The
// prediction comes from a curve with the given number of knots, fitted only on the other briefs.
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

// Brier returns the Brier score (Brier 1950) of the judged outcomes: the mean squared difference between the score,
// read as the probability of a good match, and 1 for a good match or 0 otherwise. It is 0 to 1, lower is better. It is
// unknown if no outcome was judged.
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
