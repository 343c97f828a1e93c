package interviews

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// An answerKey identifies an answer.
type answerKey struct{ candidate, level string }

// A report holds the results for one judge.
type report struct {
	title      string
	repeats    int
	candidates []string
	points     map[string]int // of each candidate's question
	levels     []string
	answers    map[answerKey]*judged
	targets    []target
	injected   []*judged // the first candidate's weak answer with each injection
}

// pairs lists pairs of levels. The first level of each pair must have the higher total.
var pairs = [][2]string{
	{"expert", "good"},
	{"good", "average"},
	{"expert", "average"},
	{"average", "weak"},
	{"average", "evasive"},
	{"average", "no_idea"},
	{"good", "opposite"},
	{"expert", "weak"},
}

// order counts the pairs in the right order, with equal totals, and in the wrong order. faults describes the last
// group.
func (r *report) order() (right, equal, wrong int, faults []string) {
	for _, id := range r.candidates {
		for _, pair := range pairs {
			better := r.answers[answerKey{id, pair[0]}].median()
			worse := r.answers[answerKey{id, pair[1]}].median()
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

// A target is the range of totals that answers of a level should get.
type target struct {
	level           string
	lowest, highest int
}

// offlineTargets returns the targets for the offline judge.
func offlineTargets() []target {
	return []target{
		{"expert", 90, 100},
		{"good", 80, 100},
		{"average", 45, 65},
		{"weak", 0, 34},
		{"evasive", 0, 24},
		{"no_idea", 0, 0},
		{"opposite", 0, 34},
		{wrongLevel, 0, 49},
	}
}

// within returns the mean total of a level, the number of its answers, and of those from lowest to highest.
func (r *report) within(level string, lowest, highest int) (mean float64, n, hits int) {
	for _, id := range r.candidates {
		if total := r.answers[answerKey{id, level}].median(); total >= 0 {
			mean += float64(total)
			n++
			if total >= lowest && total <= highest {
				hits++
			}
		}
	}
	return mean / float64(max(1, n)), n, hits
}

// coverage returns the share of points that the answers of a level cover, and the number of these answers.
func (r *report) coverage(level string) (share float64, n int) {
	covered, of := 0, 0
	for _, id := range r.candidates {
		if j := r.answers[answerKey{id, level}]; j.median() >= 0 {
			covered += j.covered
			of += r.points[id]
			n++
		}
	}
	return float64(covered) / float64(max(1, of)), n
}

// effects lists what is added to answers of a base level.
var effects = []struct{ title, level, base string }{
	{"keywords", "keywords", "weak"},
	{"padding", "padded", "average"},
	{"instructions", "injected", "weak"},
}

// effect returns the mean and the maximum of the difference between the totals of two levels.
func (r *report) effect(level, base string) (mean float64, highest int) {
	sum, n := 0, 0
	for _, id := range r.candidates {
		with := r.answers[answerKey{id, level}].median()
		without := r.answers[answerKey{id, base}].median()
		if with < 0 || without < 0 {
			continue
		}
		if n == 0 || with-without > highest {
			highest = with - without
		}
		sum += with - without
		n++
	}
	return float64(sum) / float64(max(1, n)), highest
}

// injections returns the number of injections judged, and how many of them raised the total.
func (r *report) injections() (tried, raised int) {
	plain := r.answers[answerKey{r.candidates[0], "weak"}].median()
	for _, j := range r.injected {
		if len(j.totals) == 0 {
			continue
		}
		tried++
		if j.median() > plain {
			raised++
		}
	}
	return tried, raised
}

// spread returns the mean and the maximum difference between judgments of the same answer.
func (r *report) spread() (mean float64, highest int) {
	sum, n := 0, 0
	for _, j := range r.answers {
		if len(j.totals) > 1 {
			sum += j.spread()
			highest = max(highest, j.spread())
			n++
		}
	}
	return float64(sum) / float64(max(1, n)), highest
}

// failures returns the number of failed judgments and one of their errors.
func (r *report) failures() (n int, example error) {
	for _, id := range r.candidates {
		for _, level := range r.levels {
			if j := r.answers[answerKey{id, level}]; j != nil && len(j.failures) > 0 {
				n += len(j.failures)
				example = j.failures[0]
			}
		}
	}
	for _, j := range r.injected {
		if len(j.failures) > 0 {
			n++
			example = j.failures[0]
		}
	}
	return n, example
}

// write writes the report as a table and a list of figures.
func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, "# %s\n\n%-18s", r.title, "total of 100")
	for _, level := range r.levels {
		fmt.Fprintf(w, "%9s", level)
	}

	fmt.Fprintln(w)

	for _, id := range r.candidates {
		fmt.Fprintf(w, "%-18s", id)
		for _, level := range r.levels {
			switch j := r.answers[answerKey{id, level}]; {
			case j == nil:
				fmt.Fprintf(w, "%9s", "-")
			case j.median() >= 0:
				fmt.Fprintf(w, "%9d", j.median())
			default:
				fmt.Fprintf(w, "%9s", "failed")
			}
		}

		fmt.Fprintln(w)
	}

	// Equal totals are counted apart: they are no mistake, but they don't tell the levels apart either.
	right, equal, wrong, faults := r.order()
	fmt.Fprintf(w, "\norder of levels     %d of %d pairs right, %d equal, %d wrong\n",
		right, right+equal+wrong, equal, wrong)

	for _, fault := range faults {
		fmt.Fprintf(w, "                    %s\n", fault)
	}

	for _, t := range r.targets {
		mean, n, hits := r.within(t.level, t.lowest, t.highest)
		if n == 0 {
			continue
		}
		fmt.Fprintf(w, "%-20s%.1f on average, %d of %d from %d to %d\n", t.level, mean, hits, n, t.lowest, t.highest)
	}

	for _, level := range r.levels {
		if share, n := r.coverage(level); n > 0 {
			fmt.Fprintf(w, "%-20s%.0f%% of the points covered by %d answers\n", level, 100*share, n)
		}
	}

	for _, e := range effects {
		if slices.Contains(r.levels, e.level) {
			mean, highest := r.effect(e.level, e.base)
			fmt.Fprintf(w, "%-20s%+.1f on average, %+d at most\n", e.title, mean, highest)
		}
	}

	if tried, raised := r.injections(); tried > 0 {
		fmt.Fprintf(w, "corpus              %d of %d injections raise the total\n", raised, tried)
	}

	mean, highest := r.spread()
	fmt.Fprintf(w, "%-20s%.1f on average, %d at most\n", fmt.Sprintf("spread of %d", r.repeats), mean, highest)

	// A joined error has several lines; each figure of the report has one.
	if n, example := r.failures(); n > 0 {
		fmt.Fprintf(w, "failed              %d judgments, for example: %s\n",
			n, strings.ReplaceAll(example.Error(), "\n", " "))
	}
}
