package resumes

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
)

// rankedFields are the fields whose share of right values the quality of a file should follow.
var rankedFields = []string{
	"name", "email", "phone", "location", goalWholeJob, goalEducation, goalListed,
}

// accuracy returns the mean F1 of the judged fields of a file, or the recall of its listed skills. ok is false if
// nothing was judged.
func (v *verdict) accuracy() (mean float64, ok bool) {
	total, n := 0.0, 0
	for _, field := range rankedFields {
		t := v.tallies[field]
		f1 := t.f1()
		if field == goalListed {
			f1 = t.recall()
		}

		if !math.IsNaN(f1) {
			total += f1
			n++
		}
	}
	return total / float64(max(n, 1)), n > 0
}

// writeQualityRank writes how well the order of files by quality agrees with their order by accuracy.
func writeQualityRank(w io.Writer, verdicts []verdict) {
	const minFiles = 5
	var qualities, accuracies []float64
	for i := range verdicts {
		if mean, ok := verdicts[i].accuracy(); ok {
			qualities = append(qualities, verdicts[i].quality)
			accuracies = append(accuracies, mean)
		}
	}
	if len(qualities) < minFiles {
		return
	}
	fmt.Fprintf(w, "rank correlation of quality with the share of right fields: %.2f (%d files)\n\n",
		rankCorrelation(qualities, accuracies), len(qualities))
}

// rankCorrelation returns Spearman's rank correlation, from -1 to 1, NaN if all values of one list are equal.
func rankCorrelation(a, b []float64) float64 {
	x, y := ranks(a), ranks(b)
	middle := float64(len(a)+1) / 2
	var products, squaresX, squaresY float64
	for i := range x {
		dx, dy := x[i]-middle, y[i]-middle
		products += dx * dy
		squaresX += dx * dx
		squaresY += dy * dy
	}
	return products / math.Sqrt(squaresX*squaresY)
}

// ranks returns the ranks of values, from 1. Equal values have the mean of their ranks.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })

	all := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			all[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return all
}
