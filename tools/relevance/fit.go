package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"freelancer-matching/internal/commandline"
	"freelancer-matching/ranking"
	"freelancer-matching/tools/relevance/eval"
)

const fitHelp = `
Finds weights for skills, text and semantic. Their sum stays what it is in the profile, and so do the weights of the
other features, about which the grades say nothing: leave what these need out of the briefs with -drop.

The candidates of every brief (up to 500) are collected once, with the values of their features, and sorted anew by
every mix of weights on a grid. Chosen is the mix whose neighbours on the grid, up to .05 away, reach the best nDCG@10 on
average: the single best one owes its place to chance too. What is to be expected of it on other briefs is told by
cross-validation: every brief measured with weights that were chosen without it. At last the service is asked again with
the chosen weights, because weights also steer which candidates are found.

The weight of skills stays so high that, of two freelancers alike except in skills, rating and sales, the one with all
required skills never scores below the one with none of them. The report tells what that costs.

Examples:
  relevance fit -drop budget_range,budget_type,complexity,timeline
  relevance fit -drop budget_range,budget_type,complexity,timeline -step .05 -o fit.txt
`

// fitOptions are the flags of fit.
type fitOptions struct {
	common
	step   float64
	folds  int
	output string
}

func fitCommand() *command {
	o := &fitOptions{}
	flags := commandline.NewFlags("fit")
	o.bind(flags)
	flags.Float64Var(&o.step, "step", .02, "`distance` of the weights that are tried, .01 to .2")
	flags.IntVar(&o.folds, "folds", 5,
		"`number` of folds of the second cross-validation, at least 2; the first leaves out one brief at a time")
	flags.StringVar(&o.output, "o", "", "`file` for the report (default: standard output)")
	return &command{
		name: "fit", summary: "weights of skills, text and semantic that the grades call for",
		details: fitHelp, flags: flags, run: o.run,
	}
}

func (o *fitOptions) run(ctx context.Context, stdout io.Writer) (err error) {
	if o.step < .01 || o.step > .2 {
		return commandline.Usagef("-step must be .01 to .2, got %g", o.step)
	}
	if o.folds < 2 {
		return commandline.Usagef("-folds must be at least 2, got %d", o.folds)
	}
	set, s, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if o.output == "" {
		return o.fit(ctx, set, s, stdout)
	}
	return writeFile(o.output, func(w io.Writer) error { return o.fit(ctx, set, s, w) })
}

// reach is how much the weights of neighbours on the grid differ.
const reach = .05

// problem is everything a fit starts from.
type problem struct {
	set      *judgedSet
	answers  *answers
	present  eval.Weights // of all features
	features []string     // to be fitted
	sum      float64      // of their weights
	step     float64
	floor    float64 // of the weight of skills
}

func (o *fitOptions) fit(ctx context.Context, set *judgedSet, s *service, w io.Writer) error {
	p, err := o.collect(ctx, set, s)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, o.way)
	p.answers.writeSkipped(w)
	free := p.grid(0)
	bound := free
	if slices.Contains(p.features, "skills") {
		bound = p.grid(p.floor)
	}
	if bound == nil {
		return fmt.Errorf("the weight of skills must be at least %.3f, but the fitted weights add up to %.2f", p.floor, p.sum)
	}
	present := eval.Evaluate(p.answers.candidates.Run(), set.judgments, set.briefs)
	p.describe(w)
	choice := bound.Choose(bound.Briefs())
	chosen := bound.Weights(choice.Place)

	way := o.way
	way.weights = weights(chosen)
	again, _, err := s.judge(ctx, set, way, io.Discard)
	if err != nil {
		return err
	}
	loo, _ := bound.CrossValidate(eval.Folds(bound.Briefs(), len(bound.Briefs())))
	kFold, folds := bound.CrossValidate(eval.Folds(bound.Briefs(), o.folds))
	unbound := free.Choose(free.Briefs())
	unboundLoo, _ := free.CrossValidate(eval.Folds(free.Briefs(), len(free.Briefs())))
	writeFit(w, present, []outcome{
		{"present weights", p.only(p.present), present},
		{"best on the grid", bound.Weights(choice.Best), bound.Report(choice.Best)},
		{"chosen", chosen, bound.Report(choice.Place)},
		{"chosen, one brief left out", nil, loo},
		{fmt.Sprintf("chosen, %d folds", len(folds)), nil, kFold},
		{"chosen, the service asked again", chosen, again},
		{"without the bound on skills", free.Weights(unbound.Place), free.Report(unbound.Place)},
		{"the same, one brief left out", nil, unboundLoo},
	})
	fmt.Fprintf(w, "\nfor the profile: %s\n", chosen)
	writeNear(w, bound, choice, p.features)
	writeFolds(w, bound, folds)
	return nil
}

// collect asks the service for all candidates with their features. The weights to be fitted are sent, so that a running
// service ranks by those of this program's profile. One that is 0 today is the smallest one then, because the service
// tells no value of a feature without weight.
func (o *fitOptions) collect(ctx context.Context, set *judgedSet, s *service) (*problem, error) {
	profile, err := ranking.Load(o.way.profile)
	if err != nil {
		return nil, err
	}
	p := &problem{set: set, present: maps.Clone(profile.Weights), step: o.step, floor: safeSkills(profile)}
	way := o.way
	way.weights = weights{}
	for _, feature := range fitted() {
		if p.present[feature] == 0 {
			p.present[feature] = o.step
		}
		way.weights[feature] = p.present[feature]
	}
	if p.answers, err = s.ask(ctx, set.briefs, way, window, true); err != nil {
		return nil, err
	}
	for _, feature := range fitted() {
		if slices.Contains(p.answers.candidates.Features(), feature) {
			p.features = append(p.features, feature)
			p.sum += p.present[feature]
		}
	}
	if len(p.features) < 2 {
		return nil, fmt.Errorf("a fit needs at least two of %s in the answers, there are: %s",
			strings.Join(fitted(), ", "), strings.Join(p.features, ", "))
	}
	return p, nil
}

// grid tries all mixes with a lower bound on the weight of skills; nil where there is none.
func (p *problem) grid(floor float64) *eval.Grid {
	if floor > p.sum {
		return nil
	}
	mixes := eval.Simplex(p.features, p.sum, p.step, eval.Weights{"skills": floor})
	if len(mixes) == 0 {
		return nil
	}
	return eval.NewGrid(p.answers.candidates, p.present, mixes, max(reach, p.step), p.set.judgments, p.set.briefs)
}

// only are the weights of the features to be fitted.
func (p *problem) only(w eval.Weights) eval.Weights {
	some := eval.Weights{}
	for _, feature := range p.features {
		some[feature] = w[feature]
	}
	return some
}

func (p *problem) describe(w io.Writer) {
	candidates := 0
	for _, list := range p.answers.candidates {
		candidates += len(list)
	}
	fmt.Fprintf(w, "%d briefs, %d candidates; the weights of %s add up to %.2f, in steps of %g; skills at least %.3f\n",
		len(p.set.briefs), candidates, strings.Join(p.features, ", "), p.sum, p.step, p.floor)
	fmt.Fprint(w, "standard deviation of the values within a brief:")
	for _, feature := range p.features {
		fmt.Fprintf(w, " %s %.3f", feature, p.answers.candidates.Spread(feature))
	}
	fmt.Fprint(w, "\n\n")
}

// safeSkills is the least weight of skills with which, of two freelancers alike except in skills, rating and sales, the
// one with all required skills never scores below the one with none. At worst the first lists no nice-to-have skill and
// has the lowest quality, and the second has a sibling of every required skill, every nice-to-have one, and the highest
// quality. It is infinite where nice-to-have skills outweigh the required ones, so that no weight is enough.
func safeSkills(p *ranking.Profile) float64 {
	credit, nice := p.Skills.Credit, p.Skills.NiceToHave
	ahead := (credit.Implied - credit.Sibling - nice*credit.Listed) / (1 + nice)
	if ahead <= 0 {
		return math.Inf(1)
	}
	return p.Weights["quality"] / ahead
}

// outcome is one line of the report of a fit.
type outcome struct {
	name    string
	weights eval.Weights // nil: differ by fold
	report  *eval.Report
}

func writeFit(w io.Writer, present *eval.Report, outcomes []outcome) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	measures := []eval.Measure{eval.NDCG10, eval.Precision5, eval.MRR, eval.Recall50, eval.Unjudged10, eval.Judged10}
	fmt.Fprint(table, "ranking")
	for _, m := range measures {
		fmt.Fprintf(table, "\t%s", m)
	}
	fmt.Fprintln(table)
	for _, o := range outcomes {
		fmt.Fprint(table, o.name)
		for _, m := range measures {
			fmt.Fprintf(table, "\t%.3f", o.report.Mean(m).Mean)
		}
		fmt.Fprintln(table)
	}
	fmt.Fprintln(table, "\ndifference from the present\tnDCG@10\tP@5\tweights")
	fmt.Fprintf(table, "%s\t\t\t%s\n", outcomes[0].name, outcomes[0].weights)
	for _, o := range outcomes[1:] {
		ndcg, precision := o.report.Minus(present, eval.NDCG10), o.report.Minus(present, eval.Precision5)
		fmt.Fprintf(table, "%s\t%+.3f [%+.3f, %+.3f]\t%+.3f [%+.3f, %+.3f]\t%s\n", o.name,
			ndcg.Mean, ndcg.Low, ndcg.High, precision.Mean, precision.Low, precision.High, byFold(o.weights))
	}
	table.Flush()
}

func byFold(w eval.Weights) string {
	if w == nil {
		return "by fold"
	}
	return w.String()
}

// writeNear tells how far the weights could go without a loss that these briefs would show.
func writeNear(w io.Writer, g *eval.Grid, c eval.Choice, features []string) {
	fmt.Fprintf(w, "\nabout as good (nDCG@10 of the neighbourhood up to %g less): %d mixes,", eval.Flat, len(c.Near))
	for _, feature := range features {
		low, high := math.Inf(1), math.Inf(-1)
		for _, place := range c.Near {
			low, high = min(low, g.Weights(place)[feature]), max(high, g.Weights(place)[feature])
		}
		fmt.Fprintf(w, " %s %.3f to %.3f", feature, low, high)
	}
	fmt.Fprintln(w)
}

func writeFolds(w io.Writer, g *eval.Grid, folds []eval.Fold) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nbriefs held out\tweights chosen without them")
	for _, fold := range folds {
		fmt.Fprintf(table, "%s\t%s\n", strings.Join(fold.Briefs, " "), g.Weights(fold.Place))
	}
	table.Flush()
}
