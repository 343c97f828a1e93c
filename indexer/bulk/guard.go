package bulk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk/coverage"
)

// maxFall is the share of the live index's freelancers, or of a field's coverage, that may be lost without a
// confirmation.
const maxFall = .3

// guardedFields are the fields whose coverage must not fall: without them, freelancers are hardly found or compared.
var guardedFields = []string{"job_title", "skills", "hourly_rate", "description"}

// Figures describe the contents of an index.
type Figures struct {
	Index       string // "" if the index has no name yet
	Freelancers int
	Coverage    map[string]int // freelancers with a known value by field, as in exports; nil if it was not counted
}

// A Fall is a figure that is much lower after a change than before.
type Fall struct {
	Field         string  // "" for the number of freelancers
	Before, After float64 // the number of freelancers, or the share of them with a known value in the field
}

// ShrinkError reports that a change would lose much of what the live index has. Nothing was changed.
type ShrinkError struct {
	Before, After Figures
	Falls         []Fall // at least one
}

// Error lists each figure that falls.
func (e *ShrinkError) Error() string {
	lines := make([]string, len(e.Falls))
	for i, f := range e.Falls {
		lines[i] = f.String()
	}
	return fmt.Sprintf("much of the live index %s would be lost: %s", e.Before.Index, strings.Join(lines, "; "))
}

// String returns a sentence such as "skills are known for 12% of the freelancers instead of 91%".
func (f Fall) String() string {
	if f.Field == "" {
		return fmt.Sprintf("%s instead of %s",
			english.Plural(int(f.After), "freelancer", ""), humanize.Comma(int64(f.Before)))
	}
	return fmt.Sprintf("%s known for %s of the freelancers instead of %s", f.Field, percent(f.After), percent(f.Before))
}

// Percent formats n as a percentage of total.
func Percent(n, total int) string { return percent(float64(n) / float64(max(total, 1))) }

// percent formats a share. It shows a decimal for small ones, so that a share above zero never reads as zero.
func percent(share float64) string {
	if share > 0 && share < .1 {
		return fmt.Sprintf("%.1f%%", max(100*share, .1))
	}
	return fmt.Sprintf("%.0f%%", 100*share)
}

// Falls returns the figures that fall by more than maxFall. A field that wasn't counted doesn't fall.
func Falls(before, after *Figures) (list []Fall) {
	fell := func(before, after float64) bool { return after < (1-maxFall)*before }
	if was, is := float64(before.Freelancers), float64(after.Freelancers); fell(was, is) {
		list = append(list, Fall{Before: was, After: is})
	}
	if before.Coverage == nil || after.Coverage == nil {
		return list
	}
	for _, field := range guardedFields {
		was := before.share(field)
		is := after.share(field)
		if fell(was, is) {
			list = append(list, Fall{Field: field, Before: was, After: is})
		}
	}
	return list
}

func (f *Figures) share(field string) float64 {
	return float64(f.Coverage[field]) / float64(max(f.Freelancers, 1))
}

// guard returns a *ShrinkError if a change loses too much of the live index, unless the options allow that or somebody
// confirms it.
func (c *change) guard(ctx context.Context, before, after *Figures) error {
	lost := Falls(before, after)
	if len(lost) == 0 || c.AllowShrink {
		return nil
	}
	shrink := &ShrinkError{Before: *before, After: *after, Falls: lost}
	if c.Confirm == nil {
		return shrink
	}
	confirmed, err := c.Confirm(ctx, shrink)
	if err != nil {
		return fmt.Errorf("%w: %w", shrink, err)
	}
	if !confirmed {
		return shrink
	}
	return nil
}

// maxDrift is the share of the freelancers who may have changed since coverage was counted. Beyond it, coverage is
// counted again when it is needed.
const maxDrift = .1

// isCurrent reports whether the coverage in an index's provenance is close enough to that of the index. Changes of
// single freelancers don't count it again.
func isCurrent(info *engine.Info) bool {
	p := info.Provenance
	if p == nil || p.Coverage == nil {
		return false
	}
	drift := p.CoverageDrift + max(p.Freelancers-info.Documents, info.Documents-p.Freelancers)
	return float64(drift) <= maxDrift*float64(info.Documents)
}

// figures returns the figures of a complete index. Those of an index without current figures are counted, which reads
// all its records. If they can't be read, the coverage is unknown: the index may be the damaged one that a load is
// meant to replace.
func (c *change) figures(ctx context.Context, info *engine.Info) (*Figures, error) {
	f := &Figures{Index: info.Name, Freelancers: info.Documents}
	if p := info.Provenance; isCurrent(info) {
		counted := coverage.Of(p.Freelancers, p.Coverage)
		f.Coverage = counted.Scaled(info.Documents).ByField()
		return f, nil
	}
	all, _, err := c.scanCoverage(ctx, info, func(string) bool { return false })
	if engine.Unusable(err) {
		c.Log.WarnContext(ctx, "coverage of the live index unknown", "index", info.Name, "error", err)
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("count the known values of index %q: %w", info.Name, err)
	}
	f.Coverage = all.ByField()
	return f, nil
}

// scanCoverage counts the known values of everyone in an index, and of those whose ID is selected. It skips damaged
// records.
func (c *change) scanCoverage(
	ctx context.Context, info *engine.Info, selects func(id string) bool,
) (all, selected *coverage.Counts, err error) {
	all = &coverage.Counts{}
	selected = &coverage.Counts{}
	progress := Progress{Stage: Counting, Total: info.Documents}
	for f, err := range c.Indexer.Scan(ctx, info.Name) {
		if _, damaged := errors.AsType[*engine.DamagedError](err); damaged {
			continue
		}
		if err != nil {
			return nil, nil, err
		}

		known := coverage.Known(&f)
		all.Add(known)
		if selects(f.ID) {
			selected.Add(known)
		}

		if progress.Rows++; progress.Rows%progressRows == 0 {
			c.Progress(progress)
		}
	}

	return all, selected, nil
}

// guardNew compares a complete new index with the live one and sets the report's figures.
func (c *change) guardNew(ctx context.Context, r *reading) error {
	after := Figures{Freelancers: c.report.Indexed, Coverage: r.coverage().Less(c.removed).ByField()}
	c.report.Coverage = after.Coverage
	if c.was == "" {
		return nil
	}

	live, err := c.index(ctx, c.was)
	if errors.Is(err, engine.ErrNotFound) {
		return nil // swapping the alias will report it
	}
	if err != nil {
		return err
	}
	if c.report.Before, err = c.figures(ctx, live); err != nil {
		return err
	}
	return c.guard(ctx, c.report.Before, &after)
}

// guardUpsert compares the live index with what it will be after an upsert in place, and sets the report's figures. It
// returns the number of changes since coverage was counted. A small upsert isn't compared, because that would cost more
// than the upsert itself: reading all records. The coverage after it is an estimate.
func (c *change) guardUpsert(ctx context.Context, live *engine.Info, r *reading) (drift int, err error) {
	before := &coverage.Counts{}
	incoming := &r.incoming
	total := live.Documents + incoming.Freelancers - c.report.Replaced
	var replaced *coverage.Counts
	switch {
	case float64(incoming.Freelancers) > maxDrift*float64(live.Documents):
		if before, replaced, err = c.scanCoverage(ctx, live, func(id string) bool { return r.has(id) }); err != nil {
			return 0, fmt.Errorf("count the known values of index %q: %w", live.Name, err)
		}

	case isCurrent(live):
		counted := coverage.Of(live.Provenance.Freelancers, live.Provenance.Coverage)
		before = counted.Scaled(live.Documents)
		replaced = before.Scaled(c.report.Replaced)
		drift = live.Provenance.CoverageDrift + c.report.Replaced

	default:
		c.report.Coverage = nil // it would be that of the files
		return 0, nil
	}

	c.report.Before = &Figures{Index: live.Name, Freelancers: live.Documents, Coverage: before.ByField()}

	// A replaced freelancer loses the old values, even those that the files don't give.
	left := before.Without(replaced)
	left.AddAll(incoming)
	after := Figures{Index: live.Name, Freelancers: total, Coverage: left.ByField()}
	c.report.Coverage = after.Coverage
	c.report.expected = total

	return drift, c.guard(ctx, c.report.Before, &after)
}

// guardDelete compares the live index with what it will be without some freelancers.
func (c *change) guardDelete(ctx context.Context, live *engine.Info, deleted int) error {
	before := Figures{Index: live.Name, Freelancers: live.Documents}
	after := Figures{Index: live.Name, Freelancers: live.Documents - deleted}
	return c.guard(ctx, &before, &after)
}
