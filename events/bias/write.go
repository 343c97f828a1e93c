package bias

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/internal/matching"
)

// fourFifths is the impact ratio below which the EEOC's Uniform Guidelines see evidence of adverse impact.
const fourFifths = 0.8

// title returns what a measure counts.
func (r *Report) title(measure string) string {
	switch measure {
	case Top:
		return fmt.Sprintf("Selection by the ranking: people with a rank up to %d in a response", r.Top)
	case Chosen:
		return "Selection by clients: people contacted or hired, of those in responses"
	case Scoring:
		return "Scoring rate: people whose mean score is above the median, of those in responses with scores"
	default:
		return "Exposure: attention by rank, 1/log2(1+rank), summed over responses, for each person"
	}
}

// Write writes the report as text.
func (r *Report) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s from %s to %s, %d of them with events\n", english.Plural(r.Matches, "match", "matches"),
		r.From.UTC().Format(time.DateOnly), r.To.UTC().Format(time.DateOnly), r.WithEvents)
	fmt.Fprintf(w, "%s in the file of groups; %s in responses and left out\n",
		english.Plural(r.People, "person", "people"), english.Plural(r.Unlisted, "other was", "others were"))
	fmt.Fprintf(w, "Impact ratio: rate divided by the highest rate, with its 95 %% interval. Categories with less than "+
		"%.3g %% of the people\nhave none. \"<\" marks ratios below %.1f.\n", 100*r.MinShare, fourFifths)

	for _, t := range r.Tables {
		if err := r.writeTable(w, &t); err != nil {
			return err
		}
	}

	return nil
}

func (r *Report) writeTable(w io.Writer, t *Table) error {
	fmt.Fprintf(w, "\n%s\n", r.title(t.Measure))
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(lines, "%s\tpeople\tselected\trate\timpact ratio\tinterval\n", strings.Join(t.Columns, ", "))
	for _, row := range t.Rows {
		selected := fmt.Sprint(row.Selected)
		if t.Measure == Exposure {
			selected = "–"
		}
		fmt.Fprintf(lines, "%s\t%d\t%s\t%.3f\t%s\t%s\n", row.Category, row.People, selected, row.Rate, row.ratioText(),
			interval(row.Low, row.High))
	}
	if err := lines.Flush(); err != nil {
		return err
	}

	_, err := fmt.Fprintf(w, "Left out, because their category is unknown: %d\n", t.Unknown)
	return err
}

// ratioText returns the impact ratio, marked if it is low, or the reason why the category has no ratio.
func (r *Row) ratioText() string {
	switch {
	case r.Excluded:
		return "excluded"
	case !r.Ratio.Known:
		return "–"
	case r.Ratio.Value < fourFifths:
		return fmt.Sprintf("%.2f <", r.Ratio.Value)
	default:
		return fmt.Sprintf("%.2f", r.Ratio.Value)
	}
}

func interval(low, high matching.Optional[float64]) string {
	if !low.Known {
		return "–"
	}
	return fmt.Sprintf("%.2f–%.2f", low.Value, high.Value)
}
