package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// Change is the difference of one brief's measure between two runs.
type Change struct {
	Brief string
	By    float64
}

// sameEnough is the tolerance below which two values count as equal. Any change of order makes a larger difference.
const sameEnough = 1e-9

// Changes returns the briefs whose measure differs from another report on the same judged set, from the largest
// improvement to the largest decline.
func (r *Report) Changes(other *Report, m Measure) []Change {
	var changes []Change
	for _, c := range r.pairs(other, m) {
		if c.By > sameEnough || c.By < -sameEnough {
			changes = append(changes, c)
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(b.By, a.By) })
	return changes
}

// Minus returns the mean of r's measure minus other's, paired by brief. Both reports must be on the same judged set.
func (r *Report) Minus(other *Report, m Measure) Difference {
	var d Difference
	var differences []float64
	for _, c := range r.pairs(other, m) {
		switch {
		case c.By > sameEnough:
			d.Better++
		case c.By < -sameEnough:
			d.Worse++
		}
		differences = append(differences, c.By)
	}
	d.Estimate = bootstrap(differences)
	return d
}

// pairs returns the differences for all briefs with a known measure in both reports.
func (r *Report) pairs(other *Report, m Measure) []Change {
	var pairs []Change
	for _, brief := range r.briefs {
		mine := r.results[brief][m]
		others := other.results[brief][m]
		if mine.Known && others.Known {
			pairs = append(pairs, Change{brief, mine.Value - others.Value})
		}
	}
	return pairs
}

// Compare formats the differences between r and other as tables: first the measures, then the briefs that improved and
// the briefs that declined, each with the largest change first.
func Compare(r, other *Report) string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "measure\tdifference\t95% interval\tbetter\tworse\tof briefs")
	for m := range measures {
		d := r.Minus(other, m)
		fmt.Fprintf(table, "%s\t%+.3f\t[%+.3f, %+.3f]\t%d\t%d\t%d\n", m, d.Mean, d.Low, d.High, d.Better, d.Worse, d.N)
	}
	changes := r.Changes(other, NDCG10)
	worse := slices.IndexFunc(changes, func(c Change) bool { return c.By < 0 })
	if worse < 0 {
		worse = len(changes)
	}
	listChanges(table, "better", changes[:worse])
	slices.Reverse(changes[worse:])
	listChanges(table, "worse", changes[worse:])
	table.Flush()
	return b.String()
}

func listChanges(table *tabwriter.Writer, heading string, changes []Change) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintf(table, "\n%s\t%s\n", heading, NDCG10)
	for _, c := range changes {
		fmt.Fprintf(table, "%s\t%+.3f\n", c.Brief, c.By)
	}
}
