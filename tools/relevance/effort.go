package relevance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/commandline"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/effort"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

const effortHelp = `
Compares the estimates of the size of the work with hours that were judged by reading. The judged set needs a file
effort.tsv: brief_id, price_kind (fixed, hourly, unknown), hours_low, hours_typical, hours_high, separated by tabs.

With -posts, it first fits the model to job posts: CSV files with the columns title, job_link, price, description and
job_tag. -hours names their judged hours (post, low, typical, high); a post is the first 12 digits of the SHA-256 of its
job_link. Cross-validation measures the model on posts that it has not seen; the judged set is never fitted.

Examples:
  relevance effort
  relevance effort -posts job-posts -hours match/effort/judged.tsv -o match/effort/model.json
`

// effortOptions holds the flags of effort.
type effortOptions struct {
	judged, posts, hours, output string
}

func effortCommand() *command {
	o := &effortOptions{}
	flags := commandline.NewFlags("effort")
	flags.StringVar(&o.judged, "judged", "", "`folder` of the judged set (default: the real one, if available)")
	flags.StringVar(&o.posts, "posts", "", "`folder` with job posts to fit the model to")
	flags.StringVar(&o.hours, "hours", filepath.Join("match", "effort", "judged.tsv"),
		"`file` with the hours of the posts")
	flags.StringVar(&o.output, "o", "", "`file` for the fitted model")
	return &command{
		name: "effort", summary: "compare estimates of the size of the work with judged hours, or fit them",
		details: effortHelp, flags: flags, run: o.run,
	}
}

func (o *effortOptions) run(_ context.Context, stdout io.Writer) error {
	model, err := effort.Load()
	if err != nil {
		return err
	}

	if o.posts != "" {
		if model, err = o.fit(stdout); err != nil {
			return err
		}
		if o.output != "" {
			encoded, err := json.Marshal(model)
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { _, err := fmt.Fprintf(w, "%s\n", encoded); return err }
			if err := writeFile(o.output, write); err != nil {
				return err
			}
		}
	}

	return o.compare(model, stdout)
}

// hoursJudged are the hours that a reader expects of some work.
type hoursJudged struct {
	kind               string
	low, typical, high float64
}

// compare prints how far the estimates for the briefs of a judged set are from their judged hours.
func (o *effortOptions) compare(model *effort.Model, stdout io.Writer) error {
	set, err := readJudgedSet(o.judged)
	if err != nil {
		return err
	}
	judged, err := readFile(filepath.Join(set.folder, "effort.tsv"), readHours)
	if err != nil {
		return err
	}

	byKind := map[string][]float64{}
	for _, b := range set.briefs {
		hours, known := judged[b.ID]
		if !known {
			continue
		}
		work, err := workOf(b, hours.kind == "fixed")
		if err != nil {
			return err
		}

		// Twice the judged hours is as wrong as half of them.
		ratio := math.Abs(math.Log(model.Estimate(&work).Typical / hours.typical))
		for _, kind := range []string{"all", hours.kind} {
			byKind[kind] = append(byKind[kind], ratio)
		}
	}

	fmt.Fprintln(stdout, "\nhow far the estimate is from the judged hours of briefs that were not fitted, as a factor")
	for _, kind := range []string{"all", "fixed", "hourly", "unknown"} {
		if ratios := byKind[kind]; len(ratios) > 0 {
			fmt.Fprintf(stdout, "%-8s %3d briefs: median %.2f, mean %.2f\n", kind, len(ratios), typicalFactor(ratios),
				meanFactor(ratios))
		}
	}
	return nil
}

// workOf returns the work of a brief. Its budget counts if it is for the whole project.
func workOf(b eval.Brief, fixed bool) (effort.Work, error) {
	var body struct {
		Description string    `json:"description"`
		Skills      []string  `json:"required_skills"`
		Budget      []float64 `json:"budget_range"`
	}
	if err := json.Unmarshal(b.Body, &body); err != nil {
		return effort.Work{}, fmt.Errorf("brief %s: %w", b.ID, err)
	}

	w := effort.Work{Skills: body.Skills}
	w.Title, w.Description, _ = strings.Cut(body.Description, "\n")
	if fixed && len(body.Budget) == 2 {
		w.Buys = matching.Some(body.Budget[1] / usualRate)
	}
	return w, nil
}

// usualRate is the median hourly rate of the marketplace whose posts and freelancers were judged, in US dollars.
const usualRate = 20

// typicalFactor returns the median of absolute logarithms of ratios, as a ratio.
func typicalFactor(logs []float64) float64 {
	sorted := slices.Sorted(slices.Values(logs))
	return math.Exp(sorted[len(sorted)/2])
}

// meanFactor returns their mean, as a ratio.
func meanFactor(logs []float64) float64 {
	sum := 0.
	for _, x := range logs {
		sum += x
	}
	return math.Exp(sum / float64(len(logs)))
}
