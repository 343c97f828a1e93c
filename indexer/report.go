package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"freelancer-matching/indexer/bulk"
)

// The limits of a printed report, so that it fits on a screen of 80 columns. -json, -report and the dead letters have
// more.
const (
	maxReasons  = 6
	reportWidth = 80
	countWidth  = 13 // of a count at the start of a line, with the space after it
)

// printReport prints what happened to the rows, after success or failure.
func (c *cli) printReport(r *bulk.Report) {
	w := c.stdout
	fmt.Fprintf(w, "%s read\n", count(r.Rows, "row", ""))
	fmt.Fprintf(w, "  %10s %s\n", number(r.Freelancers), english.PluralWord(r.Freelancers, "freelancer", ""))
	fmt.Fprintf(w, "  %10s merged into a freelancer from an earlier row\n", number(r.Merged))

	if r.Duplicates > 0 {
		fmt.Fprintf(w, "  %10s %s another row of the same freelancer\n", number(r.Duplicates),
			english.PluralWord(r.Duplicates, "repeats", "repeat"))
	}

	if r.Deletions > 0 {
		fmt.Fprintf(w, "  %10s %s a freelancer\n", number(r.Deletions),
			english.PluralWord(r.Deletions, "deletes", "delete"))
	}

	fmt.Fprintf(w, "  %10s rejected\n", number(r.Rejected))
	if r.Skipped > 0 {
		fmt.Fprintf(w, "  %10s skipped, because they aren't about anybody\n", number(r.Skipped))
	}

	if r.Erased > 0 {
		fmt.Fprintf(w, "  %10s left out, because server people erased the person\n", number(r.Erased))
	}
	c.printMerges(r)
	printCoverage(w, r)
	printDerived(w, r)
	printTally(w, "reasons for rejection", r.Faults)
	printTally(w, "warnings", r.Warnings)

	if r.DeadLetters != "" {
		fmt.Fprintf(w, "dead letters: %s\n", r.DeadLetters)
	}
	c.printRefusals(r)
}

// printCoverage prints the share of freelancers with a known value in each field, before and after the load. It has two
// fields on a line.
func printCoverage(w io.Writer, r *bulk.Report) {
	if r.Coverage == nil {
		return
	}
	hasBefore := r.Before != nil && r.Before.Coverage != nil
	cell := func(field string) string {
		after := bulk.Percent(r.Coverage[field], liveFreelancers(r))
		if !hasBefore {
			return fmt.Sprintf("%-14s %5s", field, after)
		}
		before := bulk.Percent(r.Before.Coverage[field], r.Before.Freelancers)
		return fmt.Sprintf("%-14s %5s → %5s", field, before, after)
	}

	fmt.Fprintf(w, "known values%s:\n", map[bool]string{true: ", before → after"}[hasBefore])
	var before map[string]int

	if hasBefore {
		before = r.Before.Coverage
	}
	fields, details := bulk.ShownFields(r.Coverage, before)
	for _, list := range [][]string{fields, details} {
		half := (len(list) + 1) / 2
		for i := range half {
			line := "  " + cell(list[i])
			if i+half < len(list) {
				line += "      " + cell(list[i+half])
			}
			fmt.Fprintln(w, line)
		}
	}
}

// printDerived prints which values the rows don't state, and how many rates were converted.
func printDerived(w io.Writer, r *bulk.Report) {
	if len(r.Derived) > 0 {
		fmt.Fprintln(w, "rows with values that they don't state, but leave no doubt about:")
	}
	for _, text := range slices.Sorted(maps.Keys(r.Derived)) {
		printCounted(w, r.Derived[text], text, "")
	}
	if len(r.Converted) > 0 {
		fmt.Fprintln(w, "rows with hourly rates in other currencies, converted:")
	}
	for _, c := range r.Converted {
		rates := "with -rate"
		if c.RatesDate != "" {
			rates = "with the rates of " + c.RatesDate
		}
		printCounted(w, c.Rows, "from "+c.Currency+" "+rates, "")
	}
}

// summarize prints one line about rejected rows, refusals, conflicts and warnings on standard error. It prints nothing
// without -quiet, or if there are none.
func (c *cli) summarize(r *bulk.Report) {
	var parts []string
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, text)
		}
	}
	add(r.Rejected, count(r.Rejected, "row", "")+" rejected")
	add(r.Refused, count(r.Refused, "freelancer", "")+" refused by the search engine")
	add(conflicts(r), count(conflicts(r), "conflict", "")+" between merged rows")
	add(warnings(r), count(warnings(r), "warning", ""))
	if len(parts) == 0 || !c.output.quiet {
		return
	}
	if r.DeadLetters != "" {
		parts = append(parts, "dead letters in "+r.DeadLetters)
	}
	fmt.Fprintf(c.stderr, "indexer: %s\n", strings.Join(parts, ", "))
}

// printRefusals prints why the engine refused documents, if it did.
func (c *cli) printRefusals(r *bulk.Report) {
	if r.Refused == 0 {
		return
	}
	fmt.Fprintf(c.stdout, "The search engine refused %s; see the dead letters.\n", count(r.Refused, "freelancer", ""))
	printTally(c.stdout, "reasons for refusal", r.Refusals)
}

// printUpsert prints how an upsert changed the live freelancers.
func (c *cli) printUpsert(r *bulk.Report) {
	c.printMethod(r)
	if r.Base != "" {
		fmt.Fprintf(c.stdout, "  %10s added\n  %10s replaced\n  %10s unchanged\n",
			number(r.Freelancers-r.Refused-r.Replaced), number(r.Replaced), number(r.Kept))
	}
}

// printOverlap prints what rows deleted and what others changed meanwhile.
func (c *cli) printOverlap(r *bulk.Report) {
	if r.Deletions > 0 {
		fmt.Fprintf(c.stdout, "  %10s deleted\n", number(r.Deleted))
	}
	if r.Carried > 0 {
		fmt.Fprintf(c.stdout, "  %10s kept that others made meanwhile\n", count(r.Carried, "change", ""))
	}
}

// printMethod prints how the live index was changed, and why a new index was needed.
func (c *cli) printMethod(r *bulk.Report) {
	switch {
	case r.InPlace:
		fmt.Fprintln(c.stdout, "changed the live index in place")
	case r.Base != r.Index:
		fmt.Fprintf(c.stdout, "built a new index: %s\n", r.Reason)
	}
}

// printResult prints the number of freelancers indexed, which index is live, and how to roll back.
func (c *cli) printResult(r *bulk.Report) {
	c.printOverlap(r)
	handled := r.Rows
	unit := "rows"

	if !r.InPlace && r.Base != "" {
		handled = r.Indexed
		unit = "freelancers"
	}

	perSecond := int(float64(handled) / max(r.Elapsed.Seconds(), 1e-3))
	fmt.Fprintf(c.stdout, "\n%s indexed in %s (%s %s per second)\n", count(r.Indexed, "freelancer", ""),
		r.Elapsed.Round(10*time.Millisecond), number(perSecond), unit)
	c.printLive(r)

	switch {
	case r.InPlace:
		fmt.Fprintln(c.stdout, "A running server already uses the changed index. This change can't be rolled back.")
	case r.Previous == "":
		fmt.Fprintln(c.stdout, "A running server now uses this index. To start a server: go run ./server")
	default:
		fmt.Fprintln(c.stdout, "A running server now uses this index. To go back: indexer rollback")
	}
}

// printLive prints the live index and the one that a rollback returns to.
func (c *cli) printLive(r *bulk.Report) {
	fmt.Fprintf(c.stdout, "index     %s\nprevious  %s\n", r.Index, cmp.Or(r.Previous, "none"))
}

// printTally prints the most frequent reasons with examples.
func printTally(w io.Writer, title string, t bulk.Tally) {
	counts := t.Counts()
	if len(counts) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n", title)
	for _, k := range counts[:min(len(counts), maxReasons)] {
		reason := k.Reason
		if k.Column != "" {
			reason = printable(k.Column, 30) + ": " + reason
		}
		printCounted(w, k.Faults, reason, formatPlaces(k.Examples, k.Column))
	}
	if more := len(counts) - maxReasons; more > 0 {
		fmt.Fprintf(w, "  and %s; -report or -json has them\n", count(more, "more reason", ""))
	}
}

// printCounted prints a count with a text, and a remark: beside the text if there is room, or below it.
func printCounted(w io.Writer, n int, text, remark string) {
	width := reportWidth - countWidth
	lines := wrapList(strings.Fields(text), " ", width)
	if len(lines) == 0 {
		lines = []string{""}
	}

	if last := &lines[len(lines)-1]; remark != "" {
		if len(lines) == 1 && utf8.RuneCountInString(*last)+2+utf8.RuneCountInString(remark) <= width {
			*last += "  " + remark
		} else {
			lines = append(lines, wrapList(strings.Split(remark, ", "), ", ", width)...)
		}
	}

	for i, line := range lines {
		if i == 0 {
			fmt.Fprintf(w, "  %10s %s\n", number(n), line)
		} else {
			fmt.Fprintf(w, "%*s%s\n", countWidth, "", line)
		}
	}
}

// formatPlaces formats the places of faults, and names a file only once: "people.csv:5, :9, :12".
func formatPlaces(examples []bulk.Example, column string) string {
	var places []string
	file := ""
	for _, e := range examples {
		place := formatExample(e, column)
		if e.Line > 0 && e.File == file {
			place = strings.TrimPrefix(place, filepath.Base(e.File))
		}
		places = append(places, place)
		file = e.File
	}
	return strings.Join(places, ", ")
}

// formatExample formats the place of a fault as FILE:LINE, with the value if the fault concerns one column.
func formatExample(e bulk.Example, column string) string {
	file := filepath.Base(e.File)
	value := printable(e.Value, 30)
	switch {
	case e.File == "": // a document that the engine refused
		return value
	case e.Line == 0: // the file is a resume
		return file
	case value == "" || column == "":
		return fmt.Sprintf("%s:%d", file, e.Line)
	default:
		return fmt.Sprintf("%s:%d %q", file, e.Line, value)
	}
}
