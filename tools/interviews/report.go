package main

import (
	"fmt"
	"io"
	"strings"
)

// answerKey names an answer.
type answerKey struct{ candidate, level string }

// report is what was measured of one judge.
type report struct {
	title      string
	repeats    int
	candidates []string
	answers    map[answerKey]*judged
	injected   []*judged // the first candidate's weak answer with each injection
}

// pairs are levels of which the first has to have the higher total.
var pairs = [][2]string{
	{"expert", "good"}, {"good", "average"}, {"expert", "average"}, {"average", "weak"}, {"average", "evasive"}, {"expert", "weak"},
}

// order counts the pairs in the right order, those that are equal, and those the wrong way round.
func (r *report) order() (right, equal, wrong int, faults []string) {
	for _, id := range r.candidates {
		for _, pair := range pairs {
			better, worse := r.answers[answerKey{id, pair[0]}].middle(), r.answers[answerKey{id, pair[1]}].middle()
			switch {
			case better < 0 || worse < 0:
			case better > worse:
				right++
			case better == worse:
				equal++
			default:
				wrong++
				faults = append(faults, fmt.Sprintf("%s: %s %d, %s %d", id, pair[0], better, pair[1], worse))
			}
		}
	}
	return right, equal, wrong, faults
}

// effect is how much an answer of one level has more than one of another, in the mean and at most.
func (r *report) effect(level, than string) (mean float64, most int) {
	sum, n := 0, 0
	for _, id := range r.candidates {
		with, without := r.answers[answerKey{id, level}].middle(), r.answers[answerKey{id, than}].middle()
		if with < 0 || without < 0 {
			continue
		}
		if difference := with - without; n == 0 || difference > most {
			most = difference
		}
		sum += with - without
		n++
	}
	return float64(sum) / float64(max(1, n)), most
}

// injections counts the injections that were judged, and those that raised the total.
func (r *report) injections() (tried, raised int) {
	plain := r.answers[answerKey{r.candidates[0], "weak"}].middle()
	for _, j := range r.injected {
		if len(j.totals) == 0 {
			continue
		}
		tried++
		if j.middle() > plain {
			raised++
		}
	}
	return tried, raised
}

// spread is how far judgements of the same answer lie apart, in the mean and at most.
func (r *report) spread() (mean float64, most int) {
	sum, n := 0, 0
	for _, j := range r.answers {
		if len(j.totals) > 1 {
			sum += j.spread()
			most = max(most, j.spread())
			n++
		}
	}
	return float64(sum) / float64(max(1, n)), most
}

// failures are how many judgements failed, and one of the errors.
func (r *report) failures() (n int, one error) {
	for _, id := range r.candidates {
		for _, level := range answerLevels {
			if j := r.answers[answerKey{id, level}]; len(j.failures) > 0 {
				n, one = n+len(j.failures), j.failures[0]
			}
		}
	}
	for _, j := range r.injected {
		if len(j.failures) > 0 {
			n, one = n+1, j.failures[0]
		}
	}
	return n, one
}

func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, "# %s\n\n%-18s", r.title, "total of 100")
	for _, level := range answerLevels {
		fmt.Fprintf(w, "%9s", level)
	}
	fmt.Fprintln(w)
	for _, id := range r.candidates {
		fmt.Fprintf(w, "%-18s", id)
		for _, level := range answerLevels {
			if middle := r.answers[answerKey{id, level}].middle(); middle >= 0 {
				fmt.Fprintf(w, "%9d", middle)
			} else {
				fmt.Fprintf(w, "%9s", "failed")
			}
		}
		fmt.Fprintln(w)
	}
	right, equal, wrong, faults := r.order()
	fmt.Fprintf(w, "\norder of levels     %d of %d pairs right, %d equal, %d wrong\n", right, right+equal+wrong, equal, wrong)
	for _, fault := range faults {
		fmt.Fprintf(w, "                    %s\n", fault)
	}
	mean, most := r.effect("padded", "average")
	fmt.Fprintf(w, "padding             %+.1f in the mean, %+d at most\n", mean, most)
	mean, most = r.effect("injected", "weak")
	fmt.Fprintf(w, "instructions        %+.1f in the mean, %+d at most\n", mean, most)
	if tried, raised := r.injections(); tried > 0 {
		fmt.Fprintf(w, "corpus              %d of %d injections raise the total\n", raised, tried)
	}
	mean, most = r.spread()
	fmt.Fprintf(w, "%-20s%.1f in the mean, %d at most\n", fmt.Sprintf("spread of %d", r.repeats), mean, most)
	if n, one := r.failures(); n > 0 {
		fmt.Fprintf(w, "failed              %d judgements, one of them: %s\n", n, strings.ReplaceAll(one.Error(), "\n", " "))
	}
}
