package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
)

// The numbers of files and changes of an index that status shows without -v.
const (
	shownFiles   = 5
	shownChanges = 3
)

// detailWidth is the width of details beside their labels, so that lines fit into 80 columns.
const detailWidth = 66

// printDetails prints where the freelancers of an index came from.
func (c *cli) printDetails(info *engine.Info, state string, verbose bool) error {
	fmt.Fprintf(c.stdout, "\n%s: %s\n", state, info.Name)
	table := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	line := func(label, format string, args ...any) {
		fmt.Fprintf(table, "  %s\t%s\n", label, fmt.Sprintf(format, args...))
	}
	line("created", "%s, from %s", info.Created.UTC().Format(timeFormat), cmp.Or(info.Source, "an unknown source"))
	line("taxonomy", "%s, mapping %s", info.Taxonomy, info.Mapping)
	p := info.Provenance
	if p == nil {
		line("load", "not recorded; an earlier version of this program loaded it")
		if !info.Updated.IsZero() {
			line("changed", "%s", info.Updated.UTC().Format(timeFormat))
		}
		return table.Flush()
	}

	describeRun(line, &p.Run, verbose)
	changes := p.Changes
	hidden := p.ForgottenChanges

	if !verbose && len(changes) > shownChanges {
		hidden += len(changes) - shownChanges
		changes = changes[len(changes)-shownChanges:]
	}

	if hidden > 0 {
		line("changes", "%s before these", count(hidden, "change", ""))
	}

	for i := range changes {
		describeRun(line, &changes[i], verbose)
	}

	if p.Base != "" {
		line("copied", "from %s", p.Base)
	}

	if len(p.Coverage) > 0 {
		about := ""
		if p.CoverageDrift > 0 {
			about = "about "
		}

		for i, text := range wrapList(shares(p.Coverage, p.Freelancers), ", ", detailWidth) {
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

	line(r.Command, "%s by %s in %s, version %s", r.Started.UTC().Format(timeFormat), printable(r.User, 60),
		r.Finished.Sub(r.Started).Round(time.Second), printable(r.Version, 40))
	files := r.Files

	if !verbose {
		files = files[:min(len(files), shownFiles)]
	}

	for _, f := range files {
		sum := ""
		if f.SHA256 != "" {
			sum = ", sha256 " + f.SHA256
			if !verbose {
				sum = sum[:len(", sha256 ")+12] + "…"
			}
		}

		line("", "%s: %s, %s, %s%s", printable(fileName(f.Name, verbose), 80), cmp.Or(f.Format, "folder"),
			humanize.Bytes(uint64(max(f.Bytes, 0))), count(f.Rows, "row", ""), sum)
	}

	if more := len(r.Files) - len(files); more > 0 {
		line("", "and %s", count(more, "more file", ""))
	}

	for _, text := range wrapList(runCounts(r), ", ", detailWidth) {
		line("", "%s", text)
	}

	if options := slices.Sorted(maps.Keys(r.Options)); len(options) > 0 {
		for i, name := range options {
			options[i] = "-" + name + prefixed(" ", printable(r.Options[name], 60))
		}
		for _, text := range wrapList(options, " ", detailWidth) {
			line("", "%s", text)
		}
	}

	if r.Mapping != "" && verbose {
		for text := range strings.Lines(strings.TrimSpace(r.Mapping)) {
			if strings.HasPrefix(text, "#") { // explains how to edit a mapping file
				continue
			}
			line("", "%s", printable(strings.TrimRight(text, "\r\n"), 120))
		}
	}
}

// wrapList joins the items of a list into lines of about width characters.
func wrapList(items []string, separator string, width int) (lines []string) {
	for i, item := range items {
		last := len(lines) - 1
		size := utf8.RuneCountInString(separator) + utf8.RuneCountInString(item)
		if i == 0 || utf8.RuneCountInString(lines[last])+size > width {
			if i > 0 {
				lines[last] += strings.TrimRight(separator, " ")
			}
			lines = append(lines, item)
			continue
		}
		lines[last] += separator + item
	}
	return lines
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
			counts = append(counts, count(n, noun, "")+" "+rest)
		}
	}
	add(r.Merged, "row", "merged")
	add(r.Duplicates, "row", "repeated")
	add(r.Rejected, "row", "rejected")
	add(r.Added, "freelancer", "added")
	add(r.Replaced, "freelancer", "replaced")
	add(r.Deleted, "freelancer", "deleted")
	if r.Conflicts > 0 {
		counts = append(counts, count(r.Conflicts, "conflict", ""))
	}
	if r.Warnings > 0 {
		counts = append(counts, count(r.Warnings, "warning", ""))
	}
	return counts
}

// shares returns the share of freelancers with a known value for each field, as in "rating 45%".
func shares(coverage map[string]int, freelancers int) (list []string) {
	fields, details := bulk.ShownFields(coverage)
	for _, field := range append(fields, details...) {
		list = append(list, field+" "+bulk.Percent(coverage[field], freelancers))
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
