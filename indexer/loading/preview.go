package loading

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/bulk/coverage"
	"github.com/freelancer-matching/service/indexer/compare"
	"github.com/freelancer-matching/service/internal/matching"
)

// A Preview says what a load would do to the live index.
type Preview struct {
	Report    *bulk.Report
	New       []string // IDs
	Changed   []string
	Gone      []string
	Unchanged int
	Kept      int // freelancers of the live index who stay, because an upsert's files don't have them
	// Before is nil if no index is live. Both are exact, except for what others change until the load.
	Before *bulk.Figures
	After  bulk.Figures
	Falls  []bulk.Fall // for which a load needs Options.AllowShrink
}

// Look reads files as a load would, and compares them with the live index, of which it changes nothing. The report in
// the preview is never nil; after a failure it covers the rows read so far. live is nil if there is no live index.
//
// It holds a fingerprint of 80 bytes of each freelancer in the live index, and the IDs of those who differ.
func (m Mode) Look(
	ctx context.Context, e engine.Indexer, live *engine.Info, files []bulk.Input, o bulk.Options,
) (*Preview, error) {
	l := &look{mode: m, seed: maphash.MakeSeed(), deleted: map[uint64]bool{}, files: map[uint64]bool{}}
	p := &Preview{Report: &bulk.Report{}}
	if live != nil && m == Upsert && live.Currency != o.Currency {
		return p, &bulk.CurrencyError{Index: live.Name, Has: live.Currency, Given: o.Currency}
	}

	before := iter.Seq2[matching.Freelancer, error](func(func(matching.Freelancer, error) bool) {})
	if live != nil {
		before = l.observeLive(ctx, e, live, o.Progress)
	}

	d, err := compare.Sets(ctx, before, l.readFiles(ctx, files, o, p))
	if err != nil {
		return p, err
	}

	l.describe(p, d)
	if live == nil {
		return p, nil
	}
	p.Before = &bulk.Figures{Index: live.Name, Freelancers: l.before.Freelancers, Coverage: l.before.ByField()}
	p.Falls = bulk.Falls(p.Before, &p.After)

	return p, nil
}

// A look counts what a preview compares.
type look struct {
	mode    Mode
	seed    maphash.Seed
	passes  int             // over the live index
	deleted map[uint64]bool // hashes of the IDs that rows of the files delete
	files   map[uint64]bool // hashes of the IDs in the files
	gone    []string        // IDs of the live index that rows of the files delete

	before, after, kept coverage.Counts
}

func (l *look) key(id string) uint64 { return maphash.String(l.seed, id) }

// observeLive returns the freelancers of the live index. The first reading counts all, and the second one, which
// comes after the files, those whom an upsert keeps.
func (l *look) observeLive(
	ctx context.Context, e engine.Indexer, live *engine.Info, progress func(bulk.Progress),
) compare.Set {
	return func(yield func(matching.Freelancer, error) bool) {
		l.passes++
		now := bulk.Progress{Stage: bulk.Counting, Total: live.Documents}
		for f, err := range e.Scan(ctx, live.Name) {
			if err == nil {
				l.observe(&f)
			}
			if now.Rows++; now.Rows%progressRows == 0 {
				progress(now)
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// progressRows is the number of records between two progress reports.
const progressRows = 256

// observe counts a freelancer of the live index.
func (l *look) observe(f *matching.Freelancer) {
	key := l.key(f.ID)
	switch {
	case l.passes == 1:
		l.before.Add(coverage.Known(f))
	case l.mode != Upsert || l.files[key]:
	case l.deleted[key]:
		l.gone = append(l.gone, strings.Clone(f.ID))
	default:
		l.kept.Add(coverage.Known(f))
	}
}

// readFiles returns the freelancers of the files, without those whom a row deletes. It sets the report of the preview.
func (l *look) readFiles(ctx context.Context, files []bulk.Input, o bulk.Options, p *Preview) compare.Set {
	return func(yield func(matching.Freelancer, error) bool) {
		stopped := false
		o.DeadLetters = func(string) string { return "" }
		o.ObserveDeletion = func(id string) { l.deleted[l.key(id)] = true }
		o.Observe = func(f *matching.Freelancer) {
			key := l.key(f.ID)
			if stopped || l.deleted[key] {
				return
			}
			l.files[key] = true
			l.after.Add(coverage.Known(f))

			// The ID may be a part of the text of a whole row, which the list of new ones would keep in memory.
			found := *f
			found.ID = strings.Clone(f.ID)
			stopped = !yield(found, nil)
		}

		report, err := bulk.Check(ctx, files, o)
		p.Report = report
		if err != nil && !stopped {
			yield(matching.Freelancer{}, fmt.Errorf("read the files: %w", err))
		}
	}
}

// describe sets the differences and the figures of the preview. Sets names everyone as removed whom the files lack, but
// an upsert keeps them, unless a row deletes them.
func (l *look) describe(p *Preview, d *compare.Difference) {
	p.New = d.Added
	p.Unchanged = d.Unchanged
	p.Gone = d.Removed
	for _, change := range d.Changed {
		p.Changed = append(p.Changed, change.ID)
	}

	if l.mode == Upsert {
		p.Gone = l.gone
		p.Kept = l.kept.Freelancers
		l.after.AddAll(&l.kept)
	}
	p.After = bulk.Figures{Freelancers: l.after.Freelancers, Coverage: l.after.ByField()}
}
