package resumes

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Fields of the goals. They are broader or narrower than the judged fields of the generated files.
const (
	goalJobFound      = "job found"       // employer or title, and time
	goalWholeJob      = "whole job"       // title, employer, both dates
	goalEducation     = "education entry" // degree, institution, both dates
	goalField         = "education with field"
	goalCertification = "certification whole" // name, issuer, date
	goalLevel         = "language and level"
	goalListed        = "listed skills"    // wanted: in the lists of the file
	goalReturned      = "skills in lists"  // found: that the parser returned from lists
	goalSkills        = "skills, all"      // found: all that were returned and judged
	jobTitles         = "job: title"       // of the jobs that were found
	jobCompanies      = "job: employer"    // of the jobs that were found
	jobDates          = "job: both dates"  // of the jobs that were found
	degreeNames       = "education degree" // in any entry
	degreeSchools     = "education institution"
	degreeDates       = "education both dates"
)

var goalColumns = []string{
	"name", "email", "phone", goalJobFound, goalWholeJob, goalEducation, "languages", "certifications", goalListed,
	goalReturned,
}

// writeGoals writes the table of goals, with the counts from which its figures follow.
func writeGoals(w io.Writer, title string, verdicts []verdict) {
	all := sum(verdicts)
	fmt.Fprintf(w, "%s: %d files\n\n", title, len(verdicts))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	accuracy := func(name, field string) {
		c := all[field]
		fmt.Fprintf(t, "%s\t%s\t%d of %d\n", name, share(c.recall()), c.right, c.wanted)
	}

	f1 := func(name, field string) {
		c := all[field]
		fmt.Fprintf(t, "%s\t%s\t%d right, %d wanted, %d found (precision %s, recall %s)\n",
			name, share(c.f1()), c.right, c.wanted, c.found, share(c.precision()), share(c.recall()))
	}

	accuracy("name", "name")
	accuracy("e-mail", "email")
	accuracy("phone", "phone")
	f1("job found, F1", goalJobFound)
	f1("whole job, F1", goalWholeJob)
	f1("education entry, F1", goalEducation)
	f1("languages, F1", "languages")
	f1("certifications, F1", "certifications")
	listed := all[goalListed]
	returned := all[goalReturned]
	skills := all[goalSkills]
	fmt.Fprintf(t, "listed skills: recall\t%s\t%d of %d\n", share(listed.recall()), listed.right, listed.wanted)
	fmt.Fprintf(t, "  at precision\t%s\t%d of %d\n", share(returned.precision()), returned.right, returned.found)
	falseSkills := skills.found - skills.right
	fmt.Fprintf(t, "false skills\t%s\t%d of %d returned\n", share(1-skills.precision()), falseSkills, skills.found)
	writeColumns(t, verdicts)

	// The parts show where the figures above come from.
	fmt.Fprint(t, "\nnot among the goals:\n")
	accuracy("job title", "job_title")
	accuracy("location", "location")
	accuracy(jobTitles, jobTitles)
	accuracy(jobCompanies, jobCompanies)
	accuracy(jobDates, jobDates)

	for _, field := range []string{degreeNames, degreeSchools, degreeDates, goalField, goalLevel, goalCertification} {
		f1(field, field)
	}

	_ = t.Flush()
	fmt.Fprintln(w)
}

// writeColumns writes how many files are in the right order.
func writeColumns(w io.Writer, verdicts []verdict) {
	for _, row := range []struct {
		name    string
		columns bool
	}{{"two columns in the right order", true}, {"one column in the right order", false}} {
		files, right := 0, 0
		for _, v := range verdicts {
			if v.passages > 0 && v.columns == row.columns {
				files++
				if v.disorder == "" {
					right++
				}
			}
		}
		if files > 0 {
			fmt.Fprintf(w, "%s\t%s\t%d of %d files\n", row.name, share(float64(right)/float64(files)), right, files)
		}
	}
}

// An estimate is a confidence of the parser, and whether the field or entry was right.
type estimate struct {
	field      string
	confidence float64
	right      bool
}

// writeCalibration compares the estimates of the parser with the truth. It writes nothing if there are none.
func writeCalibration(w io.Writer, verdicts []verdict) {
	const allFields = "all"

	fields := []string{allFields} // in the order in which they occur
	binsOf := map[string][]confidenceBin{allFields: confidenceBins()}
	for _, v := range verdicts {
		for _, e := range v.estimates {
			if binsOf[e.field] == nil {
				binsOf[e.field] = confidenceBins()
				fields = append(fields, e.field)
			}

			binOf(binsOf[allFields], e.confidence).add(e)
			binOf(binsOf[e.field], e.confidence).add(e)
		}
	}

	if len(fields) == 1 {
		return
	}

	var headings []string
	for _, b := range confidenceBins() {
		headings = append(headings, fmt.Sprintf("%.2f-%.2f", b.low, b.high))
	}

	// The parser is calibrated if the share of right values in each bin lies between the bin's ends.
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "right of those with confidence\t%s\tmean, share right\n", strings.Join(headings, "\t"))
	for _, field := range fields {
		fmt.Fprintf(t, "%s\t", field)
		var total confidenceBin
		for _, b := range binsOf[field] {
			total.count += b.count
			total.right += b.right
			total.sum += b.sum

			if b.count == 0 {
				fmt.Fprint(t, "-\t")
				continue
			}
			fmt.Fprintf(t, "%.2f (%d of %d)\t", float64(b.right)/float64(b.count), b.right, b.count)
		}

		n := float64(total.count)
		fmt.Fprintf(t, "%.2f, %.2f\n", total.sum/n, float64(total.right)/n)
	}

	_ = t.Flush()
	fmt.Fprintln(w)
}

// A confidenceBin counts the estimates from low up to, but without, high.
type confidenceBin struct {
	low, high    float64
	count, right int
	sum          float64 // of the confidences
}

func (b *confidenceBin) add(e estimate) {
	b.count++
	b.sum += e.confidence
	if e.right {
		b.right++
	}
}

// confidenceBins returns empty bins for all confidences, 0 to 1. Most confidences are high, so bins are narrow there.
func confidenceBins() []confidenceBin {
	borders := []float64{0, .5, .7, .8, .9, .95, 1}
	bins := make([]confidenceBin, len(borders)-1)
	for i := range bins {
		bins[i].low = borders[i]
		bins[i].high = borders[i+1]
	}
	return bins
}

// binOf returns the bin that a confidence belongs to. The last one also has the confidence 1.
func binOf(bins []confidenceBin, confidence float64) *confidenceBin {
	i := 0
	for i < len(bins)-1 && confidence >= bins[i].high {
		i++
	}
	return &bins[i]
}
