package eval

import (
	"maps"
	"slices"
)

// Confusion counts pairs of a brief and a freelancer by the grades of two graders: Confusion[first][second].
type Confusion [Excellent + 1][Excellent + 1]int

// Agreement compares the grades that two graders gave to the same pairs.
type Agreement struct {
	Pairs                 int // graded by both
	OnlyFirst, OnlySecond int // pairs graded by one of them
	Confusion             Confusion

	// Same is the share of pairs with equal grades. Kappa is the agreement beyond chance, where a difference of two grades
	// counts four times as much as one (quadratic weights; Cohen 1968). The intervals resample whole briefs.
	Same, Kappa Estimate
}

// Agree compares two gradings.
func Agree(first, second Judgments) *Agreement {
	a := &Agreement{}
	var briefs []Confusion
	for _, brief := range slices.Sorted(maps.Keys(first)) {
		var c Confusion
		both := 0
		for freelancer, grade := range first[brief] {
			if other, ok := second[brief][freelancer]; ok {
				c[grade][other]++
				both++
			}
		}

		a.Pairs += both
		if both > 0 {
			briefs = append(briefs, c)
		}
	}

	a.OnlyFirst = first.count() - a.Pairs
	a.OnlySecond = second.count() - a.Pairs
	for i := range briefs {
		a.Confusion.add(&briefs[i])
	}

	// Grades of one brief depend on each other, so the bootstrap draws whole briefs.
	estimate := func(statistic func(*Confusion) float64) Estimate {
		return resample(len(briefs), 2, func(pick func(int) int) float64 {
			var sum Confusion
			for place := range briefs {
				sum.add(&briefs[pick(place)])
			}
			return statistic(&sum)
		})
	}

	a.Same = estimate((*Confusion).same)
	a.Kappa = estimate((*Confusion).kappa)
	return a
}

// count returns the number of judged pairs.
func (j Judgments) count() (n int) {
	for _, grades := range j {
		n += len(grades)
	}
	return n
}

func (c *Confusion) add(other *Confusion) {
	for i := range c {
		for k := range c[i] {
			c[i][k] += other[i][k]
		}
	}
}

// same returns the share of pairs on the diagonal. There must be at least one pair.
func (c *Confusion) same() float64 {
	equal, all := 0, 0
	for i := range c {
		for k, n := range c[i] {
			all += n
			if i == k {
				equal += n
			}
		}
	}
	return float64(equal) / float64(all)
}

// kappa returns Cohen's kappa with quadratic weights. It is 1 if all grades are equal.
func (c *Confusion) kappa() float64 {
	var rows, columns [Excellent + 1]int
	observed, all := 0, 0
	for i := range c {
		for k, n := range c[i] {
			rows[i] += n
			columns[k] += n
			observed += n * (i - k) * (i - k)
			all += n
		}
	}

	// If all grades are in one class, the expected disagreement is 0 as well, and the quotient undefined.
	if observed == 0 {
		return 1
	}

	expected := 0.
	for i := range rows {
		for k := range columns {
			expected += float64(rows[i]*columns[k]*(i-k)*(i-k)) / float64(all)
		}
	}

	return 1 - float64(observed)/expected
}
