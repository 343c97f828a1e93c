package relevance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

const ablateHelp = `
Ranks with all features, without each feature, and by skills, text and semantic alone, and prints the differences from
the full ranking, paired by brief. The weights also affect which candidates are found.

Examples:
  relevance ablate
  relevance ablate -drop budget_range,budget_type,complexity,timeline -weights semantic=.2
`

func ablateCommand() *command {
	o := &common{}
	flags := commandline.NewFlags("ablate")
	o.bind(flags)
	o.bindWeights(flags)
	return &command{
		name: "ablate", summary: "measure the contribution of each feature", details: ablateHelp, flags: flags,
		run: func(ctx context.Context, stdout io.Writer) error { return ablate(ctx, o, stdout) },
	}
}

// fitted returns the features whose weights can be fitted. The grades ignore price, time, rating and sales.
func fitted() []string { return []string{"skills", "text", "semantic"} }

// variant is a ranking with some weights overridden.
type variant struct {
	name    string
	weights weights
}

// variants returns the rankings of an ablation: one without each used feature, and one with each used feature of fitted
// alone. all names every feature of the profile.
func variants(used, all []string) []variant {
	var list []variant
	for _, feature := range used {
		list = append(list, variant{"without " + feature, weights{feature: 0}})
	}
	for _, feature := range fitted() {
		if !slices.Contains(used, feature) {
			continue
		}
		only := weights{}
		for _, other := range all {
			only[other] = 0
		}
		only[feature] = 1
		list = append(list, variant{feature + " only", only})
	}
	return list
}

func ablate(ctx context.Context, o *common, stdout io.Writer) (err error) {
	profile, err := ranking.Load(o.way.profile)
	if err != nil {
		return err
	}

	set, s, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	answers, err := s.ask(ctx, set.briefs, o.way, pageSize, true)
	if err != nil {
		return err
	}

	fmt.Fprintln(stdout, o.way)
	answers.writeSkipped(stdout)
	features := slices.Sorted(maps.Keys(profile.Weights))
	// Removing a feature that no brief uses would repeat the full ranking, so it gets no row.
	used := answers.candidates.Features()
	for _, feature := range features {
		if !slices.Contains(used, feature) {
			fmt.Fprintf(stdout, "not used for any brief: %s\n", feature)
		}
	}

	full := eval.Evaluate(answers.candidates.Run(), set.judgments, set.briefs)
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\nranking\t%s\t%s\t%s\t%s\tdifference of nDCG@10\t95%% interval\tbetter\tworse\n",
		eval.NDCG10, eval.Precision5, eval.Recall50, eval.Judged10)
	row := func(name string, r *eval.Report) {
		fmt.Fprint(table, name)
		for _, m := range []eval.Measure{eval.NDCG10, eval.Precision5, eval.Recall50, eval.Judged10} {
			fmt.Fprintf(table, "\t%.3f", r.Mean(m).Mean)
		}

		// The full ranking is what the others are compared with.
		if r == full {
			fmt.Fprintln(table, "\t\t\t\t")
			return
		}

		d := r.Minus(full, eval.NDCG10)
		fmt.Fprintf(table, "\t%+.3f\t[%+.3f, %+.3f]\t%d\t%d\n", d.Mean, d.Low, d.High, d.Better, d.Worse)
	}

	row("full", full)
	for _, v := range variants(used, features) {
		w := o.way
		w.weights = o.way.weights.with(v.weights)
		r, _, err := s.judge(ctx, set, w, io.Discard)
		if err != nil {
			return err
		}

		row(v.name, r)
	}

	return table.Flush()
}
