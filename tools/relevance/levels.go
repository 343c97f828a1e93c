package relevance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

const levelsHelp = `
Takes the first candidates of every answer and prints the share of good ones (grade 2 or 3) among those judged, by score
and by level. Then it fits a rising curve from score to that share, and proposes the scores where the curve crosses the
targets as levels. Cross-validation shows how these levels hold on other briefs: it uses, for each brief, a curve fitted
on the other briefs, and compares the share of good ones that this curve predicts for each level with the real share.
Intervals are 95% intervals from a bootstrap over briefs.

Shares ignore unjudged candidates; "good of all" counts them as not good and is therefore a lower bound.

With -map, the curve starts from the weighted mean of the features, before the profile's own curve is applied, and is
printed in the format of a profile. With that curve, a score is the share of such matches that a recruiter would call
good, and the targets are the levels.

Examples:
  relevance levels -drop budget_range,budget_type,complexity,timeline
  relevance levels -drop budget_range,budget_type,complexity,timeline -map
  relevance levels -top 20 -targets .8,.5,.2
`

// levelsOptions holds the flags of levels.
type levelsOptions struct {
	common
	top     int
	knots   int
	targets shares
	fromMix bool
}

func levelsCommand() *command {
	o := &levelsOptions{targets: shares{.75, .5, .25}}
	flags := commandline.NewFlags("levels")
	o.bind(flags)
	o.bindWeights(flags)
	flags.IntVar(&o.top, "top", 50, "`number` of candidates to take from each answer, 10 to 500")
	flags.IntVar(&o.knots, "knots", 2, "`number` of knots of the curve between its ends, 1 to 10")
	flags.Var(&o.targets, "targets", "comma-separated `shares` of good matches at which excellent, strong and fair begin")
	flags.BoolVar(&o.fromMix, "map", false, "propose a curve from the weighted mean of the features to the score")
	return &command{
		name: "levels", summary: "check how well scores and levels predict good matches, and propose levels",
		details: levelsHelp, flags: flags, run: o.run,
	}
}

func (o *levelsOptions) run(ctx context.Context, stdout io.Writer) (err error) {
	if o.top < 10 || o.top > window {
		return commandline.Usagef("-top must be 10 to %d, got %d", window, o.top)
	}
	if o.knots < 1 || o.knots > 10 {
		return commandline.Usagef("-knots must be 1 to 10, got %d", o.knots)
	}

	set, s, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	a, err := s.ask(ctx, set.briefs, o.way, o.top, true)
	if err != nil {
		return err
	}

	fmt.Fprintln(stdout, o.way)
	a.writeSkipped(stdout)
	name := "score"
	score := func(c *eval.Candidate) float64 { return c.Score }
	if o.fromMix {
		name = "mix"
		score = (*eval.Candidate).Mix
	}

	outcomes := eval.Outcomes(a.candidates, set.judgments, o.top, score)

	// With a service of one's own (-url), the IDs may belong to other freelancers than the graded ones.
	if !slices.ContainsFunc(outcomes, func(c eval.Outcome) bool { return c.Judged }) {
		return errors.New("no returned freelancer has a grade; load the judged set's freelancers and keep their IDs")
	}

	return o.write(stdout, name, outcomes)
}

// write prints how well scores and levels predict good matches, and the curve and the levels that would do better.
func (o *levelsOptions) write(w io.Writer, name string, outcomes []eval.Outcome) error {
	// Each brief is predicted by a curve fitted to the others. On the data it was fitted to, every curve looks good.
	crossed := eval.CrossCalibrate(outcomes, o.knots)
	todaysLevels := byLevel(outcomes, func(c eval.Outcome) matching.Level { return c.Level })
	proposedLevels := byLevel(crossed, func(c eval.Outcome) matching.Level { return o.targets.level(c.Score) })

	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	writeGroups(table, fmt.Sprintf("%s, first %d", name, o.top), byTenth(outcomes))
	writeGroups(table, "level today", todaysLevels)
	writeGroups(table, "level proposed, by the other briefs", proposedLevels)
	writeGroups(table, "share predicted by the other briefs", byTenth(crossed))
	writePredicted(table, proposedLevels)
	if err := table.Flush(); err != nil {
		return err
	}

	// Always predicting the mean share is the baseline that a curve has to beat.
	curve := rounded(eval.FitCurve(outcomes, o.knots))
	fitted := slices.Clone(outcomes)
	always := slices.Clone(outcomes)
	share := eval.NewReliability(outcomes).Good.Mean
	for i := range outcomes {
		fitted[i].Score = curve.At(outcomes[i].Score)
		always[i].Score = share
	}

	fmt.Fprintln(w, "\nBrier score (mean squared error of the predicted share; lower is better)")
	fmt.Fprintf(w, "%s unchanged %.4f, curve %.4f, curve cross-validated %.4f, always %.2f %.4f\n", name,
		eval.Brier(outcomes).Value, eval.Brier(fitted).Value, eval.Brier(crossed).Value, share, eval.Brier(always).Value)

	return o.writeProposal(w, curve)
}

// writeProposal prints what to change in the profile.
func (o *levelsOptions) writeProposal(w io.Writer, curve eval.Curve) error {
	encoded, err := json.Marshal(curve)
	if err != nil {
		return err
	}

	// With a curve from the mix, the score is the predicted share itself, so a level begins at its target.
	begins := o.targets
	if o.fromMix {
		fmt.Fprintf(w, "\nfor the profile:\n\"curve\": %s,\n", encoded)
	} else {
		fmt.Fprintf(w, "share of good matches by score: %s\n\nfor the profile:\n", encoded)
		for i, target := range o.targets {
			begins[i] = math.Round(curve.Reaches(target)*100) / 100
		}
	}

	fmt.Fprintf(w, "\"levels\": {\"excellent\": %g, \"strong\": %g, \"fair\": %g}\n", begins[0], begins[1], begins[2])
	return nil
}

// rounded returns a curve with its knots rounded to three decimals. It omits knots that no longer rise after rounding.
func rounded(c eval.Curve) eval.Curve {
	last := len(c) - 1
	short := eval.Curve{c[0]}
	for _, k := range c[1:last] {
		k = [2]float64{math.Round(k[0]*1000) / 1000, math.Round(k[1]*1000) / 1000}
		before := short[len(short)-1]
		if k[0] > before[0] && k[1] > before[1] && k[0] < 1 && k[1] < 1 {
			short = append(short, k)
		}
	}
	return append(short, c[last])
}

// group is a named set of outcomes, one line in a table.
type group struct {
	name     string
	outcomes []eval.Outcome
}

// byTenth groups outcomes by score in steps of 0.1, highest first, and omits empty groups.
func byTenth(outcomes []eval.Outcome) []group {
	tenths := make([][]eval.Outcome, 10)
	for _, o := range outcomes {
		i := min(int(o.Score*10), 9)
		tenths[i] = append(tenths[i], o)
	}
	var groups []group
	for i, tenth := range slices.Backward(tenths) {
		if len(tenth) > 0 {
			groups = append(groups, group{fmt.Sprintf("%.1f to %.1f", float64(i)/10, float64(i+1)/10), tenth})
		}
	}
	return groups
}

// byLevel groups outcomes by level, highest first, including empty groups.
func byLevel(outcomes []eval.Outcome, level func(eval.Outcome) matching.Level) []group {
	var groups []group
	for _, l := range []matching.Level{
		matching.LevelExcellent, matching.LevelStrong, matching.LevelFair, matching.LevelWeak,
	} {
		groups = append(groups, group{string(l), slices.DeleteFunc(slices.Clone(outcomes), func(o eval.Outcome) bool {
			return level(o) != l
		})})
	}
	return groups
}

func writeGroups(w io.Writer, heading string, groups []group) {
	fmt.Fprintf(w, "\n%s\tbriefs\tjudged\tgood\t95%% interval\tpartly or better\tunjudged\tgood of all\n", heading)
	for _, g := range groups {
		r := eval.NewReliability(g.outcomes)
		if r.Judged == 0 {
			fmt.Fprintf(w, "%s\t0\t0\t-\t-\t-\t%d\t-\n", g.name, r.Unjudged)
			continue
		}
		ofAll := r.Good.Mean * float64(r.Judged) / float64(r.Judged+r.Unjudged)
		fmt.Fprintf(w, "%s\t%d\t%d\t%.2f\t[%.2f, %.2f]\t%.2f\t%d\t%.2f\n",
			g.name, r.Good.N, r.Judged, r.Good.Mean, r.Good.Low, r.Good.High, r.Suitable.Mean, r.Unjudged, ofAll)
	}
}

// writePredicted compares the mean share of good candidates that other briefs predict for each group with the real one.
func writePredicted(w io.Writer, groups []group) {
	fmt.Fprintf(w, "\nlevel proposed, by the other briefs\tjudged\tpredicted\tgood\tdifference\n")
	for _, g := range groups {
		r := eval.NewReliability(g.outcomes)
		if r.Judged == 0 {
			continue
		}

		predicted := 0.
		for _, c := range g.outcomes {
			if c.Judged {
				predicted += c.Score / float64(r.Judged)
			}
		}
		fmt.Fprintf(w, "%s\t%d\t%.2f\t%.2f\t%+.2f\n", g.name, r.Judged, predicted, r.Good.Mean, r.Good.Mean-predicted)
	}
}

// shares is a flag with the shares of good matches at which excellent, strong and fair begin.
type shares [3]float64

func (s *shares) String() string { return fmt.Sprintf("%g,%g,%g", s[0], s[1], s[2]) }

// Set parses three comma-separated shares between 0 and 1 in descending order.
func (s *shares) Set(text string) error {
	parts := strings.Split(text, ",")
	if len(parts) != len(s) {
		return fmt.Errorf("want three comma-separated shares, such as .75,.5,.25, got %q", text)
	}
	for i, part := range parts {
		share, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(share > 0 && share < 1) || i > 0 && share >= s[i-1] {
			return fmt.Errorf("want descending shares between 0 and 1, such as .75,.5,.25, got %q", text)
		}
		s[i] = share
	}
	return nil
}

// level returns the level of a share of good matches.
func (s *shares) level(share float64) matching.Level {
	levels := []matching.Level{matching.LevelExcellent, matching.LevelStrong, matching.LevelFair}
	for i, l := range levels {
		if share >= s[i] {
			return l
		}
	}
	return matching.LevelWeak
}
