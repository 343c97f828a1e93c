package resumes

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// writeReport writes how well a set of files was read, by field, by layout and by language, and what was missed.
func writeReport(w io.Writer, title string, verdicts []verdict) {
	fmt.Fprintf(w, "%s: %d files\n\n", title, len(verdicts))
	writeFields(w, verdicts)
	writeOrder(w, verdicts)
	columns := []string{
		"name", "job_title", "email", "phone", "location",
		"experience", "education", "languages.level", "certifications", "skills",
	}
	writeGroups(w, "layout", columns, verdicts, func(v verdict) string { return v.layout })
	writeGroups(w, "language", columns, verdicts, func(v verdict) string { return v.language })
	writeMisses(w, verdicts)
}

func writeFields(w io.Writer, verdicts []verdict) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "field\twanted\tfound\tright\tprecision\trecall\tF1\t")
	all := sum(verdicts)
	for _, f := range judgedFields() {
		if c, judged := all[f.name]; judged {
			precision := share(c.precision())
			f1 := share(c.f1())
			if f.open {
				precision, f1 = "-", "-"
			}
			fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%s\t%s\t\n",
				f.name, c.wanted, c.found, c.right, precision, share(c.recall()), f1)
		}
	}
	_ = t.Flush()
}

// share formats a number from 0 to 1, and NaN as a dash.
func share(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.3f", x)
}

func writeOrder(w io.Writer, verdicts []verdict) {
	files := 0
	right := 0
	passages := 0
	ordered := 0
	for _, v := range verdicts {
		if len(v.order) == 0 {
			continue
		}

		files++
		passages += v.passages
		ordered += v.ordered

		if v.disorder == "" {
			right++
		}
	}

	if files > 0 {
		fmt.Fprintf(w, "\nreading order: right in %d of %d files; %d of %d passages complete and in place\n",
			right, files, ordered, passages)
	}
}

// writeGroups writes the F1 of some fields for groups of files.
func writeGroups(w io.Writer, title string, columns []string, verdicts []verdict, group func(verdict) string) {
	groups := make(map[string][]verdict)
	for _, v := range verdicts {
		groups[group(v)] = append(groups[group(v)], v)
	}

	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\n%s (F1)\tfiles\t%s\torder\t\n", title, strings.Join(columns, "\t"))

	for _, name := range slices.Sorted(maps.Keys(groups)) {
		all := sum(groups[name])
		right := 0
		known := 0
		fmt.Fprintf(t, "%s\t%d\t", name, len(groups[name]))

		for _, column := range columns {
			fmt.Fprintf(t, "%s\t", share(all[column].f1()))
		}

		for _, v := range groups[name] {
			// The reading order is known of generated files and some others.
			if len(v.order) == 0 {
				continue
			}
			if known++; v.disorder == "" {
				right++
			}
		}

		fmt.Fprintf(t, "%d/%d\t\n", right, known)
	}

	_ = t.Flush()
}

// writeMisses lists what is wrong by file and field: - marks a fact that was missed, + one that is not true.
func writeMisses(w io.Writer, verdicts []verdict) {
	fmt.Fprint(w, "\nmissed (-) and wrong (+)\n")
	for _, v := range verdicts {
		if len(v.misses) == 0 && v.disorder == "" {
			continue
		}

		fmt.Fprintf(w, "\n%s\n", filepath.Base(v.path))

		if v.disorder != "" {
			fmt.Fprintf(w, "  order: %s\n", v.disorder)
		}

		for _, m := range v.misses {
			fmt.Fprintf(w, "  %s\n", m.field)
			// Missed and wrong facts stand together, because a wrong one is often a missed one with a mistake.
			for _, text := range m.missing {
				fmt.Fprintf(w, "    - %s\n", shorten(text, 100))
			}

			for _, text := range m.extra {
				fmt.Fprintf(w, "    + %s\n", shorten(text, 100))
			}
		}
	}
}

// writeTimes writes how long it took to parse a file.
func writeTimes(w io.Writer, verdicts []verdict) {
	kinds := make(map[string][]verdict)
	for _, v := range verdicts {
		kinds[filepath.Ext(v.path)] = append(kinds[filepath.Ext(v.path)], v)
	}
	fmt.Fprint(w, "\ntime per file\n")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		sorted := kinds[kind]
		slices.SortFunc(sorted, func(a, b verdict) int { return cmp.Compare(a.took, b.took) })
		at := func(share float64) time.Duration {
			return sorted[int(share*float64(len(sorted)-1))].took.Round(10 * time.Microsecond)
		}
		fmt.Fprintf(w, "  %-6s %4d files  p50 %v  p99 %v  longest %v (%s)\n", kind, len(sorted), at(.5), at(.99), at(1),
			filepath.Base(sorted[len(sorted)-1].path))
	}
}
