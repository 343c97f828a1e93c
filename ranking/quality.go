package ranking

import (
	"fmt"

	"github.com/freelancer-matching/service/internal/matching"
)

// A qualityScorer values ratings.
type qualityScorer struct {
	numbers QualityNumbers
	mean    float64 // rating of the data set, 0 to 5
}

// newQualityScorer returns the scorer for the ratings of a data set.
func newQualityScorer(p *Profile, r *Request) qualityScorer {
	return qualityScorer{numbers: p.Quality, mean: r.Corpus.MeanRating.Value}
}

// value returns the rating on a scale from 0 to 1.
func (q *qualityScorer) value(sig *matching.Signals) float64 { return q.rating(sig) / 5 }

// rating returns the Bayesian mean of a rating, 0 to 5. The data set's mean counts like a number of additional
// projects, so a single 5.0 stays near it and two hundred 4.9s don't. Without a rating, it returns that mean.
func (q *qualityScorer) rating(sig *matching.Signals) float64 {
	if !sig.Rating.Known {
		return q.mean
	}
	projects := q.numbers.UnknownProjects
	if sig.TotalSales.Known {
		projects = float64(sig.TotalSales.Value)
	}
	prior := q.numbers.PriorProjects
	return (projects*sig.Rating.Value + prior*q.mean) / (projects + prior)
}

// summary says what the rating counts as, and why.
func (q *qualityScorer) summary(sig *matching.Signals) string {
	mean := decimal(q.mean, 2)
	if !sig.Rating.Known {
		return "unknown rating, counted as the mean of " + mean
	}
	projects := "an unknown number of projects"
	if sig.TotalSales.Known {
		projects = plural(float64(sig.TotalSales.Value), "project")
	}
	return fmt.Sprintf("rated %s over %s; counts as %[4]s, because it is drawn toward the mean of %[3]s",
		decimal(sig.Rating.Value, 2), projects, mean, decimal(q.rating(sig), 2))
}
