// Package report describes what a command did to the rows of its inputs and to the live index: as text for a terminal,
// and as JSON for programs.
package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/bulk/coverage"
	"github.com/freelancer-matching/service/indexer/format"
	"github.com/freelancer-matching/service/internal/value"
)

// maxReasons is the number of reasons in a printed list, so that a report fits on a screen. -json, -report and the dead
// letters have more.
const maxReasons = 6

// A Printer prints what a command did to the rows and to the index.
type Printer struct {
	Out, Err io.Writer // Out gets the report, Err gets summaries
	Quiet    bool      // nobody reads Out
}

// Report prints what happened to the rows, after success or failure.
func (p *Printer) Report(r *bulk.Report) {
	w := p.Out
	fmt.Fprintf(w, "%s read\n", format.Count(r.Rows, "row", ""))
	fmt.Fprintf(w, "  %10s %s\n", format.Number(r.Freelancers), english.PluralWord(r.Freelancers, "freelancer", ""))
	fmt.Fprintf(w, "  %10s merged into a freelancer from an earlier row\n", format.Number(r.Merged))

	// The main counts are always there, so that runs can be compared; the rarer ones appear only if they aren't zero.
	if r.Duplicates > 0 {
		fmt.Fprintf(w, "  %10s %s another row of the same freelancer\n", format.Number(r.Duplicates),
			english.PluralWord(r.Duplicates, "repeats", "repeat"))
	}

	if r.Deletions > 0 {
		fmt.Fprintf(w, "  %10s %s a freelancer\n", format.Number(r.Deletions),
			english.PluralWord(r.Deletions, "deletes", "delete"))
	}

	fmt.Fprintf(w, "  %10s rejected\n", format.Number(r.Rejected))
	if r.LeftOut > 0 {
		fmt.Fprintf(w, "  %10s left out by -where\n", format.Number(r.LeftOut))
	}
	if r.Skipped > 0 {
		fmt.Fprintf(w, "  %10s skipped, because they aren't about anybody\n", format.Number(r.Skipped))
	}

	if r.Erased > 0 {
		fmt.Fprintf(w, "  %10s left out, because server people erased the person\n", format.Number(r.Erased))
	}
	printCurrency(w, r)
	p.merges(r)
	printCoverage(w, r)
	printDerived(w, r)
	printUnits(w, r)
	printTally(w, "reasons for rejection", r.Faults)
	printTally(w, "warnings", r.Warnings)

	// The dead letters follow the reasons, because they are where to look next.
	if r.DeadLetters != "" {
		fmt.Fprintf(w, "dead letters: %s\n", r.DeadLetters)
	}
	p.Refusals(r)
}

// printCoverage prints the share of freelancers with a known value in each field, before and after the load. It has two
// fields on a line.
func printCoverage(w io.Writer, r *bulk.Report) {
	if r.Coverage == nil {
		return
	}
	hasBefore := r.Before != nil && r.Before.Coverage != nil
	cell := func(field string) string {
		after := bulk.Percent(r.Coverage[field], r.LiveFreelancers())
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
	fields, details := coverage.Shown(r.Coverage, before)
	for _, list := range [][]string{fields, details} {
		// The list runs down the left column and continues in the right one.
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

// printCurrency prints the currency of the amounts, unless a flag named it or it is the default.
func printCurrency(w io.Writer, r *bulk.Report) {
	switch r.CurrencyBy {
	case bulk.FromHourlyRates:
		fmt.Fprintf(w, "currency: %s, the only one that the hourly rates name; -currency sets another one\n", r.Currency)
	case bulk.FromLiveIndex:
		fmt.Fprintf(w, "currency: %s, as in the live index\n", r.Currency)
	}
}

// printDerived prints which values the rows don't state, and how many rates were converted.
func printDerived(w io.Writer, r *bulk.Report) {
	if len(r.Derived) > 0 {
		fmt.Fprintln(w, "rows with values that they don't state, but leave no doubt about:")
	}
	for _, text := range slices.Sorted(maps.Keys(r.Derived)) {
		format.PrintCounted(w, r.Derived[text], text, "")
	}
	if len(r.Converted) > 0 {
		fmt.Fprintln(w, "rows with hourly rates in other currencies, converted:")
	}
	for _, c := range r.Converted {
		rates := "with -rate"
		if c.RatesDate != "" {
			rates = "with the rates of " + c.RatesDate
		}
		format.PrintCounted(w, c.Rows, "from "+c.Currency+" "+rates, "")
	}
}

// printUnits prints how many rates were converted from other units than an hour, and with which hours.
func printUnits(w io.Writer, r *bulk.Report) {
	if len(r.Units) == 0 {
		return
	}
	fmt.Fprintf(w, "rows with rates for other units than an hour, converted; a day has %s hours, a week 5 days, a year "+
		"52 weeks:\n", humanize.Ftoa(r.HoursPerDay))
	for _, unit := range value.Units {
		if rows := r.Units[unit]; rows > 0 {
			hours := humanize.FtoaWithDigits(unit.Hours(r.HoursPerDay), 2)
			format.PrintCounted(w, rows, fmt.Sprintf("per %s, divided by %s", unit, hours), "")
		}
	}
}

// Summarize prints one line about rejected rows, refusals, conflicts and warnings on standard error. It prints nothing
// without -quiet, or if there are none.
func (p *Printer) Summarize(r *bulk.Report) {
	var parts []string
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, text)
		}
	}
	add(r.Rejected, format.Count(r.Rejected, "row", "")+" rejected")
	add(r.Refused, format.Count(r.Refused, "freelancer", "")+" refused by the search engine")
	add(r.Merges.ConflictCount(), format.Count(r.Merges.ConflictCount(), "conflict", "")+" between merged rows")
	add(r.Warnings.Total(), format.Count(r.Warnings.Total(), "warning", ""))
	if len(parts) == 0 || !p.Quiet {
		return
	}
	if r.DeadLetters != "" {
		parts = append(parts, "dead letters in "+r.DeadLetters)
	}
	fmt.Fprintf(p.Err, "indexer: %s\n", strings.Join(parts, ", "))
}

// Refusals prints why the engine refused documents, if it did.
func (p *Printer) Refusals(r *bulk.Report) {
	if r.Refused == 0 {
		return
	}
	fmt.Fprintf(p.Out, "The search engine refused %s; see the dead letters.\n", format.Count(r.Refused, "freelancer", ""))
	printTally(p.Out, "reasons for refusal", r.Refusals)
}

// Upsert prints how an upsert changed the live freelancers.
func (p *Printer) Upsert(r *bulk.Report) {
	p.Method(r)
	if r.Base != "" {
		fmt.Fprintf(p.Out, "  %10s added\n  %10s replaced\n  %10s unchanged\n",
			format.Number(r.Freelancers-r.Refused-r.Replaced), format.Number(r.Replaced), format.Number(r.Kept))
	}
}

// overlap prints what rows deleted and what others changed meanwhile.
func (p *Printer) overlap(r *bulk.Report) {
	if r.Deletions > 0 {
		fmt.Fprintf(p.Out, "  %10s deleted\n", format.Number(r.Deleted))
	}
	p.edits(&r.Edits)
	if r.Carried > 0 {
		fmt.Fprintf(p.Out, "  %10s kept that others made meanwhile\n", format.Count(r.Carried, "change", ""))
	}
}

// edits prints which changes of clients a load has undone or kept.
func (p *Printer) edits(e *bulk.Edits) {
	if e.IsEmpty() {
		return
	}

	title := "changes since the last load that these files undo; -keep-changes keeps them:"
	if e.Kept {
		title = "changes since the last load that were kept:"
	}
	fmt.Fprintln(p.Out, title)

	if e.Freelancers > 0 {
		fields := slices.Sorted(maps.Keys(e.ByField))
		for i, name := range fields {
			fields[i] = fmt.Sprintf("%s (%s)", name, format.Number(e.ByField[name]))
		}
		fmt.Fprintf(p.Out, "  %10s with other values: %s\n", format.Count(e.Freelancers, "freelancer", ""),
			strings.Join(fields, ", "))
	}
	if e.Added > 0 {
		fmt.Fprintf(p.Out, "  %10s added over HTTP\n", format.Count(e.Added, "freelancer", ""))
	}
}

// Method prints how the live index was changed, and why a new index was needed.
func (p *Printer) Method(r *bulk.Report) {
	switch {
	case r.InPlace:
		fmt.Fprintln(p.Out, "changed the live index in place")
	case r.Base != r.Index:
		fmt.Fprintf(p.Out, "built a new index: %s\n", r.Reason)
	}
}

// Result prints the number of freelancers indexed, which index is live, and how to roll back.
func (p *Printer) Result(r *bulk.Report) {
	p.overlap(r)
	handled := r.Rows
	unit := "rows"

	// A new index that starts from another one gets its freelancers, too, which are no rows of the files.
	if !r.InPlace && r.Base != "" {
		handled = r.Indexed
		unit = "freelancers"
	}

	indexing := r.Elapsed - r.Encoding
	perSecond := int(float64(handled) / max(indexing.Seconds(), 1e-3))
	fmt.Fprintf(p.Out, "\n%s indexed in %s (%s %s per second)\n", format.Count(r.Indexed, "freelancer", ""),
		indexing.Round(10*time.Millisecond), format.Number(perSecond), unit)
	if r.Encoded > 0 {
		fmt.Fprintf(p.Out, "%s encoded in %s\n",
			format.Count(r.Encoded, "profile", ""), r.Encoding.Round(10*time.Millisecond))
	}
	p.Live(r)

	switch {
	case r.InPlace:
		fmt.Fprintln(p.Out, "A running server already uses the changed index. This change can't be rolled back.")
	case r.Previous == "":
		fmt.Fprintln(p.Out, "A running server now uses this index. To start a server: go run ./server")
	default:
		fmt.Fprintln(p.Out, "A running server now uses this index. To go back: indexer rollback")
	}
}

// Live prints the live index and the one that a rollback returns to.
func (p *Printer) Live(r *bulk.Report) {
	fmt.Fprintf(p.Out, "index     %s\nprevious  %s\n", r.Index, cmp.Or(r.Previous, "none"))
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
			reason = format.Printable(k.Column, 30) + ": " + reason
		}
		format.PrintCounted(w, k.Faults, reason, formatPlaces(k.Examples, k.Column))
	}
	if more := len(counts) - maxReasons; more > 0 {
		fmt.Fprintf(w, "  and %s; -report or -json has them\n", format.Count(more, "more reason", ""))
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
	value := format.Printable(e.Value, 30)
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
