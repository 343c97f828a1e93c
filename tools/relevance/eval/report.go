package eval

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/freelancer-matching/service/internal/matching"
)

// Measure is a quality metric, 0 to 1, that [Evaluate] computes for each brief.
type Measure int

// The measures. "Good" means a grade of at least Good.
const (
	NDCG10     Measure = iota // nDCG of the first ten candidates
	Precision5                // share of the first five candidates that are good
	MRR                       // 1 ÷ rank of the first good candidate
	Recall50                  // share of all good candidates that are among the first fifty
	Unjudged10                // share of the first ten candidates without a grade; if above .05, use Judged10, not NDCG10
	Judged10                  // nDCG of the first ten judged candidates, ignoring unjudged ones

	measures // the number of measures
)

// String returns the measure's name in reports.
func (m Measure) String() string {
	return [measures]string{"nDCG@10", "P@5", "MRR", "recall@50", "unjudged@10", "nDCG@10 of judged"}[m]
}

// Result holds every measure of one brief. A measure is unknown if the brief's judgments don't determine it.
type Result [measures]matching.Optional[float64]

// Report is the quality of a run over a judged set.
type Report struct {
	briefs     []string // sorted IDs of the judged briefs
	categories map[string]string
	results    map[string]Result
}

// Evaluate measures a run on every judged brief. A brief missing from the run counts as an empty answer. The briefs
// argument supplies the categories.
func Evaluate(run Run, judgments Judgments, briefs []Brief) *Report {
	r := &Report{
		briefs:     slices.Sorted(maps.Keys(judgments)),
		categories: map[string]string{},
		results:    map[string]Result{},
	}
	for _, b := range briefs {
		r.categories[b.ID] = b.Category
	}
	for _, brief := range r.briefs {
		r.results[brief] = measure(judgments, brief, run[brief])
	}
	return r
}

func measure(judgments Judgments, brief string, ids []string) Result {
	ranked, known := judgments.grades(brief, ids)
	all := slices.Collect(maps.Values(judgments[brief]))
	var judged []Grade
	unjudged := 0
	top := min(10, len(ranked))
	for i, grade := range ranked {
		switch {
		case known[i]:
			judged = append(judged, grade)
		case i < top:
			unjudged++
		}
	}

	// In the other measures, a freelancer without a grade counts as unsuitable, which is unfair to a ranking that finds
	// new people. Judged10 leaves them out.
	return Result{
		NDCG10:     NDCG(ranked, all, 10),
		Precision5: matching.Some(Precision(ranked, 5)),
		MRR:        ReciprocalRank(ranked, all),
		Recall50:   Recall(ranked, all, 50),
		Unjudged10: matching.Some(float64(unjudged) / float64(max(1, top))),
		Judged10:   NDCG(judged, all, 10),
	}
}

// Result returns the measures of one brief. All are unknown if the brief was not judged.
func (r *Report) Result(brief string) Result { return r.results[brief] }

// Mean returns the mean of a measure over all briefs for which it is known, with its 95% interval.
func (r *Report) Mean(m Measure) Estimate {
	return bootstrap(r.values(m, func(string) bool { return true }))
}

func (r *Report) values(m Measure, include func(brief string) bool) []float64 {
	var values []float64
	for _, brief := range r.briefs {
		if v := r.results[brief][m]; v.Known && include(brief) {
			values = append(values, v.Value)
		}
	}
	return values
}

// String formats the report as tables: the measures, then the categories, then the briefs.
func (r *Report) String() string {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "measure\tbriefs\tmean\t95% interval")

	for m := range measures {
		mean := r.Mean(m)
		fmt.Fprintf(table, "%s\t%d\t%.3f\t[%.3f, %.3f]\n", m, mean.N, mean.Mean, mean.Low, mean.High)
	}

	fmt.Fprintf(table, "\ncategory\tbriefs\t%s\n", NDCG10)
	for _, category := range r.categoryNames() {
		mean := bootstrap(r.values(NDCG10, func(brief string) bool { return r.categories[brief] == category }))
		fmt.Fprintf(table, "%s\t%d\t%.3f\n", category, mean.N, mean.Mean)
	}

	fmt.Fprintf(table, "\nbrief\t%s\t%s\t%s\t%s\t%s\n", NDCG10, Precision5, MRR, Recall50, Unjudged10)
	for _, brief := range r.briefs {
		fmt.Fprint(table, brief)
		for m := NDCG10; m <= Unjudged10; m++ {
			fmt.Fprintf(table, "\t%s", cell(r.results[brief][m]))
		}
		fmt.Fprintln(table)
	}

	table.Flush()
	return b.String()
}

func (r *Report) categoryNames() []string {
	names := map[string]bool{}
	for _, brief := range r.briefs {
		names[r.categories[brief]] = true
	}
	return slices.Sorted(maps.Keys(names))
}

func cell(v matching.Optional[float64]) string {
	if !v.Known {
		return "-"
	}
	return fmt.Sprintf("%.3f", v.Value)
}
