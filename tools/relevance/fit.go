package relevance

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

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

const fitHelp = `
Finds weights for skills, text and semantic. Their sum stays the same as in the profile. The weights of the other
features don't change, because the grades ignore those features; remove the members they use from the briefs with -drop.

The command collects the candidates of every brief once (up to 500) with their feature values, and sorts them by every
mix of weights on a grid. It chooses the mix whose neighbors on the grid, up to .05 away, have the best average nDCG@10;
the single best mix is partly luck. Cross-validation estimates the quality on other briefs: it measures every brief with
weights chosen without that brief. Finally, the command queries the service with the chosen weights, because weights
also affect which candidates are found.

The weight of skills has a lower bound: of two freelancers who differ only in skills, rating and sales, one with all
required skills never scores below one with none of them. The report shows what this bound costs.

Examples:
  relevance fit -drop budget_range,budget_type,complexity,timeline
  relevance fit -drop budget_range,budget_type,complexity,timeline -step .05 -o fit.txt
`

// fitOptions holds the flags of fit.
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
	flags.Float64Var(&o.step, "step", .02, "`distance` between the weights to try, .01 to .2")
	flags.IntVar(&o.folds, "folds", 5,
		"`number` of folds in the second cross-validation, at least 2; the first one leaves out one brief at a time")
	flags.StringVar(&o.output, "o", "", "`file` for the report (default: standard output)")
	return &command{
		name: "fit", summary: "find the weights of skills, text and semantic that fit the grades best",
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

// reach is the maximum weight moved between features for two mixes to be neighbors on the grid.
const reach = .05

// problem holds the inputs of a fit.
type problem struct {
	set      *judgedSet
	answers  *answers
	present  eval.Weights // current weights of all features
	features []string     // the features to fit
	sum      float64      // total weight of features
	step     float64      // distance between weights on the grid
	floor    float64      // minimum weight of skills
}

// fit chooses weights, measures them in several ways, and writes a report.
func (o *fitOptions) fit(ctx context.Context, set *judgedSet, s *service, w io.Writer) error {
	p, err := o.collect(ctx, set, s)
	if err != nil {
		return err
	}

	fmt.Fprintln(w, o.way)
	p.answers.writeSkipped(w)

	// The bound on skills has a cost; a fit without it shows how much.
	free := p.grid(0)
	bound := free
	if slices.Contains(p.features, "skills") {
		bound = p.grid(p.floor)
	}
	if bound == nil {
		return fmt.Errorf("skills needs a weight of at least %.3f, but the fitted weights add up to %.2f", p.floor, p.sum)
	}

	p.describe(w)
	choice := bound.Choose(bound.Briefs())
	chosen := bound.Weights(choice.Place)

	// Reranking can't add candidates that only the new weights would find, so the service is asked again.
	way := o.way
	way.weights = weights(chosen)
	requeried, _, err := s.judge(ctx, set, way, io.Discard)
	if err != nil {
		return err
	}

	// Weights that are measured on the briefs they were chosen by look better than they are. Cross-validation shows by
	// how much.
	present := eval.Evaluate(p.answers.candidates.Run(), set.judgments, set.briefs)
	oneLeftOut := leaveOneOut(bound)
	inFolds, folds := bound.CrossValidate(eval.Folds(bound.Briefs(), o.folds))
	freeChoice := free.Choose(free.Briefs())
	writeFit(w, present, []outcome{
		{"present weights", p.only(p.present), present},
		{"best on the grid", bound.Weights(choice.Best), bound.Report(choice.Best)},
		{"chosen", chosen, bound.Report(choice.Place)},
		{"chosen, one brief left out", nil, oneLeftOut},
		{fmt.Sprintf("chosen, %d folds", len(folds)), nil, inFolds},
		{"chosen, the service asked again", chosen, requeried},
		{"without the bound on skills", free.Weights(freeChoice.Place), free.Report(freeChoice.Place)},
		{"the same, one brief left out", nil, leaveOneOut(free)},
	})

	fmt.Fprintf(w, "\nfor the profile: %s\n", chosen)
	writeNear(w, bound, choice, p.features)
	writeFolds(w, bound, folds)

	return nil
}

// leaveOneOut measures each brief with the weights that are chosen without it.
func leaveOneOut(g *eval.Grid) *eval.Report {
	briefs := g.Briefs()
	report, _ := g.CrossValidate(eval.Folds(briefs, len(briefs)))
	return report
}

// collect asks the service for all candidates with their features. It sends the weights to fit, so that a running
// service uses the weights of this program's profile. A weight of 0 is replaced by one step, because the service
// reports no value for a feature without weight.
func (o *fitOptions) collect(ctx context.Context, set *judgedSet, s *service) (*problem, error) {
	profile, err := ranking.Load(o.way.profile)
	if err != nil {
		return nil, err
	}

	p := &problem{set: set, present: maps.Clone(profile.Weights), step: o.step, floor: safeSkills(profile)}
	way := o.way
	way.weights = weights{}
	// The service reports no value for a feature without weight.
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

	// The weights add up to a constant, so a single one can't be fitted.
	if len(p.features) < 2 {
		return nil, fmt.Errorf("fit needs at least two of %s in the answers, got %q",
			strings.Join(fitted(), ", "), strings.Join(p.features, ", "))
	}

	return p, nil
}

// grid evaluates all mixes with skills weighted at least floor. It returns nil if there are none.
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

// only returns the weights of the features to fit.
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

// safeSkills returns the minimum weight of skills that keeps a freelancer with all required skills from scoring below
// one with none, if they differ only in skills, rating and sales. In the worst case, the first has no nice-to-have
// skill and the lowest quality, and the second has a sibling of every required skill, every nice-to-have skill and the
// highest quality. It returns +Inf if nice-to-have skills outweigh the required ones, so that no weight is enough.
func safeSkills(p *ranking.Profile) float64 {
	credit := p.Skills.Credit
	nice := p.Skills.NiceToHave
	lead := (credit.Implied - credit.Sibling - nice*credit.Listed) / (1 + nice)
	if lead <= 0 {
		return math.Inf(1)
	}
	return p.Weights["quality"] / lead
}

// outcome is a line in the report of a fit.
type outcome struct {
	name    string
	weights eval.Weights // nil if they differ by fold
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
	// The first outcome is the present ranking, with which the others are compared.
	fmt.Fprintf(table, "%s\t\t\t%s\n", outcomes[0].name, outcomes[0].weights)
	for _, o := range outcomes[1:] {
		ndcg := o.report.Minus(present, eval.NDCG10)
		precision := o.report.Minus(present, eval.Precision5)
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

// writeNear prints the range of weights whose loss is too small to detect with these briefs.
func writeNear(w io.Writer, g *eval.Grid, c eval.Choice, features []string) {
	fmt.Fprintf(w, "\nabout as good (neighbors average at most %g less nDCG@10): %d mixes,", eval.Flat, len(c.Near))
	for _, feature := range features {
		low := math.Inf(1)
		high := math.Inf(-1)
		for _, place := range c.Near {
			low = min(low, g.Weights(place)[feature])
			high = max(high, g.Weights(place)[feature])
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
