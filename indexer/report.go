package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"freelancer-matching/indexer/bulk"
)

// maxReasons is how many reasons a report lists of each kind; the dead letters have all.
const maxReasons = 12

// printReport tells what became of the rows, also after a failure.
func (c *cli) printReport(r *bulk.Report) {
	w := c.stdout
	fmt.Fprintf(w, "%s rows read\n", count(r.Rows))
	fmt.Fprintf(w, "  %10s freelancers\n", count(r.Freelancers))
	fmt.Fprintf(w, "  %10s merged: further rows of the same freelancers\n", count(r.Merged))
	fmt.Fprintf(w, "  %10s rejected\n", count(r.Rejected))
	printTally(w, "rejected because", r.Faults)
	printTally(w, "warnings", r.Warnings)
	if r.DeadLetters != "" {
		fmt.Fprintf(w, "faults of the rejected rows: %s\n", r.DeadLetters)
	}
	c.printRefusals(r)
}

// printRefusals tells whom the engine did not take, and why.
func (c *cli) printRefusals(r *bulk.Report) {
	if r.Refused == 0 {
		return
	}
	fmt.Fprintf(c.stdout, "%s freelancers refused by the engine; the dead letters name them\n", count(r.Refused))
	printTally(c.stdout, "refused because", r.Refusals)
}

// printUpsert tells how the files changed the freelancers that were live.
func (c *cli) printUpsert(r *bulk.Report) {
	c.printWay(r)
	if r.Base != "" {
		fmt.Fprintf(c.stdout, "  %10s added\n  %10s replaced\n  %10s stayed as they were\n",
			count(r.Freelancers-r.Refused-r.Replaced), count(r.Replaced), count(r.Kept))
	}
}

// printWay tells how the live index was changed, and why so.
func (c *cli) printWay(r *bulk.Report) {
	switch {
	case r.InPlace:
		fmt.Fprintln(c.stdout, "changed in place")
	case r.Base != r.Index:
		fmt.Fprintf(c.stdout, "made anew, because %s\n", r.Reason)
	}
}

// printNext tells what a load that succeeded has changed.
func (c *cli) printNext(r *bulk.Report) {
	handled, unit := r.Rows, "rows"
	if !r.InPlace && r.Base != "" {
		handled, unit = r.Indexed, "freelancers"
	}
	rate := float64(handled) / max(r.Elapsed.Seconds(), 1e-3)
	fmt.Fprintf(c.stdout, "\n%s freelancers indexed in %s, %s %s a second\n",
		count(r.Indexed), r.Elapsed.Round(10*time.Millisecond), count(int(rate)), unit)
	c.printLive(r)
	switch {
	case r.InPlace:
		fmt.Fprintln(c.stdout, "A running server answers from it as it is now. A rollback does not take the change back.")
	case r.Previous == "":
		fmt.Fprintln(c.stdout, "A running server answers from it now; start one with: go run ./server")
	default:
		fmt.Fprintln(c.stdout, "A running server has changed over. To go back: indexer rollback")
	}
}

// printLive tells what is live now, and where a rollback goes.
func (c *cli) printLive(r *bulk.Report) {
	fmt.Fprintf(c.stdout, "index     %s\nprevious  %s\n", r.Index, cmp.Or(r.Previous, "none"))
}

// printTally lists the most frequent reasons, each with the place of the first.
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
			reason = shown(k.Column, 30) + ": " + reason
		}
		places := make([]string, len(k.Examples))
		for i, e := range k.Examples {
			switch value := shown(e.Value, 30); {
			case e.File == "":
				places[i] = value
			case e.Line == 0:
				places[i] = filepath.Base(e.File)
			case value == "" || k.Column == "":
				places[i] = fmt.Sprintf("%s:%d", filepath.Base(e.File), e.Line)
			default:
				places[i] = fmt.Sprintf("%s:%d %q", filepath.Base(e.File), e.Line, value)
			}
		}
		fmt.Fprintf(table, "  %10s %s\t%s\n", count(k.Faults), reason, strings.Join(places, ", "))
	}
	table.Flush()
	if more := len(counts) - maxReasons; more > 0 {
		fmt.Fprintf(w, "  and %d further reasons\n", more)
	}
}

func count(n int) string { return humanize.Comma(int64(n)) }
