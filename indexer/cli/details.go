package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/bulk/coverage"
	"github.com/freelancer-matching/service/indexer/format"
)

// The numbers of files and changes of an index that status shows without -v.
const (
	shownFiles   = 5
	shownChanges = 3
)

// detailWidth is the width of details beside their labels, so that lines fit into 80 columns.
const detailWidth = 66

// printDetails prints where the freelancers of an index came from.
func printDetails(w io.Writer, info *engine.Info, state string, verbose bool) error {
	fmt.Fprintf(w, "\n%s: %s\n", state, info.Name)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(label, format string, args ...any) {
		fmt.Fprintf(table, "  %s\t%s\n", label, fmt.Sprintf(format, args...))
	}
	line("created", "%s, from %s", info.Created.UTC().Format(format.TimeLayout), cmp.Or(info.Source, "an unknown source"))
	line("taxonomy", "%s, mapping %s", info.Taxonomy, info.Mapping)

	// Indexes of early versions have no provenance, only the dates.
	p := info.Provenance
	if p == nil {
		line("load", "not recorded; an earlier version of this program loaded it")
		if !info.Updated.IsZero() {
			line("changed", "%s", info.Updated.UTC().Format(format.TimeLayout))
		}
		return table.Flush()
	}

	describeRun(line, &p.Run, verbose)

	// The newest changes come last, and the index itself forgets the oldest ones, so the two numbers add up.
	changes := p.Changes
	hidden := p.ForgottenChanges

	if !verbose && len(changes) > shownChanges {
		hidden += len(changes) - shownChanges
		changes = changes[len(changes)-shownChanges:]
	}

	if hidden > 0 {
		line("changes", "%s before these", format.Count(hidden, "change", ""))
	}

	for i := range changes {
		describeRun(line, &changes[i], verbose)
	}

	if p.Base != "" {
		line("copied", "from %s", p.Base)
	}

	if len(p.Coverage) > 0 {
		// Upserts and deletions adjust the shares without counting everybody again, so they drift.
		about := ""
		if p.CoverageDrift > 0 {
			about = "about "
		}

		for i, text := range format.WrapList(shares(p.Coverage, p.Freelancers), ", ", detailWidth) {
			line([]string{"known", ""}[min(i, 1)], "%s%s", about, text)
			about = ""
		}
	}

	return table.Flush()
}

// describeRun prints one run of a command.
func describeRun(line func(label, format string, args ...any), r *engine.Run, verbose bool) {
	if r.Command == "" {
		line("load", "not recorded; an earlier version of this program loaded it")
		return
	}

	// User and version come from the machine that loaded the index, so they may contain control characters.
	line(r.Command, "%s by %s in %s, version %s", r.Started.UTC().Format(format.TimeLayout), format.Printable(r.User, 60),
		r.Finished.Sub(r.Started).Round(time.Second), format.Printable(r.Version, 40))
	files := r.Files

	if !verbose {
		files = files[:min(len(files), shownFiles)]
	}

	for _, f := range files {
		sum := ""
		if f.SHA256 != "" {
			sum = ", sha256 " + f.SHA256
			if !verbose {
				// Twelve digits tell two files apart by eye; -v shows the whole checksum.
				sum = sum[:len(", sha256 ")+12] + "…"
			}
		}

		line("", "%s: %s, %s, %s%s", format.Printable(fileName(f.Name, verbose), 80), cmp.Or(f.Format, "folder"),
			humanize.Bytes(uint64(max(f.Bytes, 0))), format.Count(f.Rows, "row", ""), sum)
	}

	if more := len(r.Files) - len(files); more > 0 {
		line("", "and %s", format.Count(more, "more file", ""))
	}

	for _, text := range format.WrapList(runCounts(r), ", ", detailWidth) {
		line("", "%s", text)
	}

	if options := slices.Sorted(maps.Keys(r.Options)); len(options) > 0 {
		for i, name := range options {
			options[i] = "-" + name + format.Prefixed(" ", format.Printable(r.Options[name], 60))
		}
		for _, text := range format.WrapList(options, " ", detailWidth) {
			line("", "%s", text)
		}
	}

	if r.Mapping != "" && verbose {
		for text := range strings.Lines(strings.TrimSpace(r.Mapping)) {
			if strings.HasPrefix(text, "#") { // explains how to edit a mapping file
				continue
			}
			line("", "%s", format.Printable(strings.TrimRight(text, "\r\n"), 120))
		}
	}
}

// fileName returns the name of a file, without its folder unless verbose is set.
func fileName(name string, verbose bool) string {
	if verbose || strings.Contains(name, "://") {
		return name
	}
	return filepath.Base(name)
}

// runCounts returns the counts of a run that are not zero.
func runCounts(r *engine.Run) (counts []string) {
	add := func(n int, noun, rest string) {
		if n > 0 {
			counts = append(counts, format.Count(n, noun, "")+" "+rest)
		}
	}
	add(r.Merged, "row", "merged")
	add(r.Duplicates, "row", "repeated")
	add(r.Rejected, "row", "rejected")
	add(r.Added, "freelancer", "added")
	add(r.Replaced, "freelancer", "replaced")
	add(r.Deleted, "freelancer", "deleted")
	if r.Conflicts > 0 {
		counts = append(counts, format.Count(r.Conflicts, "conflict", ""))
	}
	if r.Warnings > 0 {
		counts = append(counts, format.Count(r.Warnings, "warning", ""))
	}
	return counts
}

// shares returns the share of freelancers with a known value for each field, as in "rating 45%".
func shares(known map[string]int, freelancers int) (list []string) {
	fields, details := coverage.Shown(known)
	for _, field := range append(fields, details...) {
		list = append(list, field+" "+bulk.Percent(known[field], freelancers))
	}
	return list
}

// age returns how long ago a time was, as a short text such as 5m, 3h or 12d.
func age(now, t time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return "-"
	case d < time.Hour:
		return fmt.Sprintf("%dm", max(0, int(d.Minutes())))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd", int(d.Hours()/24))
	}
}
