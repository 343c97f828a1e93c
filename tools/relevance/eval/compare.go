package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// Change is by how much a measure of one brief differs between two runs.
type Change struct {
	Brief string
	By    float64
}

// sameEnough is the largest difference of a measure that counts as none: less than any change of order makes.
const sameEnough = 1e-9

// Changes are the briefs on which a measure differs from that of another report on the same judged set: those that got
// better first, by how much, and those that got worst last.
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

// Minus is the mean difference of a measure from that of another report on the same judged set, brief by brief.
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

// pairs are the differences on all briefs where both reports know the measure.
func (r *Report) pairs(other *Report, m Measure) []Change {
	var pairs []Change
	for _, brief := range r.briefs {
		mine, others := r.results[brief][m], other.results[brief][m]
		if mine.Known && others.Known {
			pairs = append(pairs, Change{brief, mine.Value - others.Value})
		}
	}
	return pairs
}

// Compare is the differences of a report from another one as tables: the measures, then the briefs that got better and
// those that got worse, the largest change first.
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
