package odds

import (
	"math"
	"sort"
)

// A Calibration converts the strength of a choice to the probability that the field, or the whole entry of a list, is
// right. A field without a table gets the logistic function of its strength.
type Calibration map[string][]Point

// A Point says which share of the fields of about this strength was right in the files of the fit.
// Strengths and shares increase from one point of a table to the next.
type Point struct{ Strength, Share float64 }

// Confidence returns the probability that a field with a strength is right, with linear interpolation between points.
// It is never 0, which stands for an empty field. field is the name of the field in the JSON of a resume, such as
// "name" or "experience".
func (c Calibration) Confidence(field string, strength float64) float64 {
	points := c[field]
	if len(points) == 0 {
		return logistic(strength)
	}
	i := sort.Search(len(points), func(i int) bool { return points[i].Strength >= strength })
	share := points[min(i, len(points)-1)].Share
	if i == 0 {
		share = min(share, logistic(strength)) // weaker than anything in the files of the fit
	}
	if i > 0 && i < len(points) {
		low := points[i-1]
		high := points[i]
		share = low.Share + (high.Share-low.Share)*(strength-low.Strength)/(high.Strength-low.Strength)
	}
	return math.Round(100*min(max(share, .01), .99)) / 100
}

// logistic returns the probability for a strength in log odds, limited so that the strength can be computed from it.
func logistic(strength float64) float64 { return 1 / (1 + math.Exp(-min(max(strength, -20), 20))) }
