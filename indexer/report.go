package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize/english"

	"freelancer-matching/indexer/bulk"
)

// maxReasons is the number of reasons that a report lists. The dead-letter file has all of them.
const maxReasons = 12

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
	fmt.Fprintf(w, "  %10s rejected\n", number(r.Rejected))
	if r.Skipped > 0 {
		fmt.Fprintf(w, "  %10s skipped, because they aren't about anybody\n", number(r.Skipped))
	}
	if r.Erased > 0 {
		fmt.Fprintf(w, "  %10s left out, because server people erased the person\n", number(r.Erased))
	}
	c.printMerges(r)
	printTally(w, "reasons for rejection", r.Faults)
	printTally(w, "warnings", r.Warnings)
	if r.DeadLetters != "" {
		fmt.Fprintf(w, "dead letters: %s\n", r.DeadLetters)
	}
	c.printRefusals(r)
}

// summarize prints one line about rejected rows, refused freelancers and warnings on standard error. It prints nothing
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
	handled, unit := r.Rows, "rows"
	if !r.InPlace && r.Base != "" {
		handled, unit = r.Indexed, "freelancers"
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
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, k := range counts[:min(len(counts), maxReasons)] {
		reason := k.Reason
		if k.Column != "" {
			reason = printable(k.Column, 30) + ": " + reason
		}
		examples := make([]string, len(k.Examples))
		for i, e := range k.Examples {
			examples[i] = formatExample(e, k.Column)
		}
		fmt.Fprintf(table, "  %10s %s\t%s\n", number(k.Faults), reason, strings.Join(examples, ", "))
	}
	table.Flush()
	if more := len(counts) - maxReasons; more > 0 {
		fmt.Fprintf(w, "  and %s\n", count(more, "more reason", ""))
	}
}

// formatExample formats the place of a fault as FILE:LINE, with the value if the fault concerns one column.
func formatExample(e bulk.Example, column string) string {
	file, value := filepath.Base(e.File), printable(e.Value, 30)
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
