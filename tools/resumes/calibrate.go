package resumes

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/freelancer-matching/service/taxonomy"
)

// calibrationFile has the tables that convert strengths to probabilities, as a path from the root of the repository.
const calibrationFile = "resume/fields/data/calibration.txt"

const calibrationHeader = `# How often fields of a certain strength were right, by field: "strength share; …".
# "go run ./tools resumes calibrate" writes this file; ADR 0048 describes the fit.
# Fields that are missing here use the logistic function.
`

// parserFields maps the metrics that judge whole entries to the fields of the parser.
var parserFields = map[string]string{
	goalWholeJob: "experience", goalEducation: "education", goalLevel: "languages", goalCertification: "certifications",
}

// An observation is the strength of a choice in a file, and whether the field was right.
type observation struct {
	strength float64
	right    bool
	family   string // of the file
}

// A point of a table says which share of the fields of about a strength is right.
type point struct {
	strength, share float64
}

// calibrate fits a table for each field to the labeled documents in folders, writes the tables to the file that the
// parser embeds, and prints how tables hold for families of files that they were not fitted to. If only names fields,
// separated by commas, it keeps the tables of all others.
func calibrate(ctx context.Context, folders []string, only string, stdout io.Writer) error {
	t, err := taxonomy.Load()
	if err != nil {
		return err
	}

	p, err := openProduct(ctx, t)
	if err != nil {
		return err
	}
	defer func() { _ = p.close() }()

	// A table must be fitted to raw estimates, not to those that the table of the last run has corrected.
	p.extractor = p.extractor.Uncalibrated()
	observed := make(map[string][]observation)
	for _, folder := range folders {
		verdicts, err := p.judgeLabeled(ctx, folder, t)
		if err != nil {
			return err
		}

		for _, v := range verdicts {
			// Files made from one template resemble each other, so a family is held out as a whole.
			family, _, _ := strings.Cut(v.layout, "--")
			for _, e := range v.estimates {
				strength := math.Log(e.confidence / (1 - e.confidence))
				field := cmp.Or(parserFields[e.field], e.field)
				observed[field] = append(observed[field], observation{strength, e.right, family})
			}
		}
	}

	tables := make(map[string]string)
	if only != "" {
		if tables, err = readTables(); err != nil {
			return err
		}
		selected := strings.Split(only, ",")
		maps.DeleteFunc(observed, func(field string, _ []observation) bool { return !slices.Contains(selected, field) })
	}

	for field, all := range observed {
		if len(all) >= minBlock {
			tables[field] = tableItems(fit(all))
		}
	}

	var file strings.Builder
	file.WriteString(calibrationHeader)
	for _, field := range slices.Sorted(maps.Keys(tables)) {
		fmt.Fprintf(&file, "%s: %s\n", field, tables[field])
	}

	if err := os.WriteFile(calibrationFile, []byte(file.String()), 0o600); err != nil {
		return err
	}

	writeCrossValidation(stdout, observed)

	return nil
}

// readTables returns the tables of the last fit by their fields.
func readTables() (map[string]string, error) {
	text, err := os.ReadFile(calibrationFile)
	if err != nil {
		return nil, err
	}

	tables := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if field, items, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, "#") {
			tables[field] = items
		}
	}
	return tables, nil
}

// tableItems returns a table as the file has it.
func tableItems(points []point) string {
	items := make([]string, len(points))
	for i, p := range points {
		items[i] = fmt.Sprintf("%.2f %.3f", p.strength, p.share)
	}
	return strings.Join(items, "; ")
}

// minBlock is the number of observations that a point of a table is computed from, at least.
const minBlock = 8

// A block is a run of observations with one share. It may consist of several runs that were joined.
type block struct {
	strength, right, count float64 // sums
	low, high              float64 // mean strength of the first and the last of the joined runs
}

// mean returns the mean strength of the observations.
func (b block) mean() float64 { return b.strength / b.count }

// takes reports whether the next stronger observation belongs to the block, which is too small yet or about as strong.
func (b block) takes(o observation) bool {
	const sameStrength = .05
	return b.count < minBlock || o.strength-b.mean() < sameStrength
}

func (b block) share() float64 { return (b.right + .5) / (b.count + 1) }

func (b block) plus(other block) block {
	return block{b.strength + other.strength, b.right + other.right, b.count + other.count, b.low, other.high}
}

// fit returns the table of a field by isotonic regression: blocks of observations of similar strength are joined until
// their shares increase. Two observations at strength 0, one right and one wrong, stand for the meaning of that
// strength, so that weak choices get no high confidence in a field where all choices so far were right.
func fit(all []observation) []point {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b observation) int { return cmp.Compare(a.strength, b.strength) })

	var blocks []block
	for _, o := range all {
		single := block{strength: o.strength, count: 1}
		if o.right {
			single.right = 1
		}

		last := len(blocks) - 1
		if last >= 0 && blocks[last].takes(o) {
			blocks[last] = blocks[last].plus(single)
		} else {
			blocks = append(blocks, single)
		}
	}

	// The last block may be too small for a share that means anything.
	if n := len(blocks); n > 1 && blocks[n-1].count < minBlock {
		blocks = append(blocks[:n-2], blocks[n-2].plus(blocks[n-1]))
	}

	for i := range blocks {
		blocks[i].low = blocks[i].mean()
		blocks[i].high = blocks[i].mean()
	}

	beginsAtZero := len(blocks) > 0 && blocks[0].strength <= 0
	if !beginsAtZero {
		blocks = slices.Insert(blocks, 0, block{right: 1, count: 2})
	}

	return points(monotone(blocks))
}

// monotone joins neighboring blocks until their shares increase.
func monotone(blocks []block) []block {
	var joined []block
	for _, b := range blocks {
		joined = append(joined, b)
		for n := len(joined); n > 1 && joined[n-2].share() >= joined[n-1].share(); n = len(joined) {
			joined = append(joined[:n-2], joined[n-2].plus(joined[n-1]))
		}
	}
	return joined
}

// points returns the table of blocks: for each block, the strengths between which it has its share.
func points(blocks []block) []point {
	var table []point
	for _, b := range blocks {
		table = append(table, point{b.low, b.share()})
		if b.high-b.low > .05 {
			table = append(table, point{b.high, b.share()})
		}
	}
	return table
}

// at returns the share for a strength, with linear interpolation between points.
func at(table []point, strength float64) float64 {
	i, _ := slices.BinarySearchFunc(table, strength, func(p point, x float64) int { return cmp.Compare(p.strength, x) })
	if i == 0 || i == len(table) {
		return table[min(i, len(table)-1)].share
	}
	low := table[i-1]
	high := table[i]
	return low.share + (high.share-low.share)*(strength-low.strength)/(high.strength-low.strength)
}

// writeCrossValidation fits tables without each family of files in turn, and writes how well they predict that family.
func writeCrossValidation(w io.Writer, observed map[string][]observation) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "field\tfound\tright\tmean confidence\tBrier score\twithout a table\t"+
		"right at .9 or more\tright below .7\t")

	for _, field := range slices.Sorted(maps.Keys(observed)) {
		if len(observed[field]) < minBlock {
			continue
		}

		var all predictions
		tableWithout := make(map[string][]point) // by the family that was left out
		for _, o := range observed[field] {
			if tableWithout[o.family] == nil {
				inFamily := func(x observation) bool { return x.family == o.family }
				tableWithout[o.family] = fit(slices.DeleteFunc(slices.Clone(observed[field]), inFamily))
			}
			all.add(o, at(tableWithout[o.family], o.strength))
		}

		n := float64(len(observed[field]))
		fmt.Fprintf(t, "%s\t%.0f\t%.3f\t%.3f\t%.3f\t%.3f\t%s of %.0f\t%s of %.0f\t\n",
			field, n, all.right/n, all.confidence/n, all.brier/n, all.rawBrier/n,
			share(all.highRight/all.high), all.high, share(all.lowRight/all.low), all.low)
	}

	_ = t.Flush()
}

// A predictions holds sums over the predictions of a field.
type predictions struct {
	right, confidence float64
	brier, rawBrier   float64 // squared errors with a table and without one, which shows whether tables help
	high, highRight   float64 // of confidences of .9 or more
	low, lowRight     float64 // of those below .7
}

// add adds an observation and the confidence that a table gave it.
func (p *predictions) add(o observation, confidence float64) {
	truth := 0.0
	if o.right {
		truth = 1
	}

	raw := 1 / (1 + math.Exp(-o.strength))
	p.right += truth
	p.confidence += confidence
	p.brier += (confidence - truth) * (confidence - truth)
	p.rawBrier += (raw - truth) * (raw - truth)

	switch {
	case confidence >= .9:
		p.high++
		p.highRight += truth
	case confidence < .7:
		p.low++
		p.lowRight += truth
	}
}
