package main

import (
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
	if r.Refused > 0 {
		fmt.Fprintf(w, "%s freelancers refused by the engine; the log names them\n", count(r.Refused))
	}
}

// printNext tells what a load that succeeded has changed.
func (c *cli) printNext(r *bulk.Report) {
	rate := float64(r.Rows) / max(r.Elapsed.Seconds(), 1e-3)
	fmt.Fprintf(c.stdout, "\n%s freelancers indexed in %s, %s rows a second\n",
		count(r.Indexed), r.Elapsed.Round(10*time.Millisecond), count(int(rate)))
	fmt.Fprintf(c.stdout, "index     %s\n", r.Index)
	if r.Previous == "" {
		fmt.Fprint(c.stdout, "previous  none\nA running server answers from it now; start one with: go run ./server\n")
		return
	}
	fmt.Fprintf(c.stdout, "previous  %s\nA running server has changed over. To go back: indexer rollback\n", r.Previous)
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
			places[i] = fmt.Sprintf("%s:%d", filepath.Base(e.File), e.Line)
			if e.Value != "" && k.Column != "" {
				places[i] += fmt.Sprintf(" %q", shown(e.Value, 30))
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
