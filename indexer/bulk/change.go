package bulk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk/coverage"
)

// timestampFormat is the layout of times, in UTC, in the names of indexes and dead-letter files.
const timestampFormat = "20060102t150405z"

// A change is one call of Load, Upsert, Delete or Reindex.
type change struct {
	*Loader
	Options
	inputs []Input
	report *Report

	start   time.Time
	was     string          // the index that was live when the change started; "" if none
	base    *engine.Info    // the index that is copied; nil if none
	counted engine.Snapshot // the index whose documents were counted last; nil if none
	overlap *overlap        // changes that others make to the live index meanwhile

	editsSince time.Time // what clients have changed since then may be missing in the files of the live index

	removed int // freelancers of a new index who were deleted from it, because a row of the inputs says so
}

func newChange(l *Loader, inputs []Input, o Options) *change {
	return &change{Loader: l, Options: o, inputs: inputs, report: &Report{}}
}

// run calls work while it holds the engine's lock, after checking that the alias can be moved and dropping what
// interrupted loads left behind.
func (c *change) run(ctx context.Context, work func(context.Context) error) (report *Report, err error) {
	c.start = c.Now()
	defer func() { c.report.Elapsed = c.Now().Sub(c.start) }()

	release, err := c.Indexer.Lock(ctx, c.Owner)
	if err != nil {
		return c.report, err
	}
	defer func() { err = errors.Join(err, release()) }()

	if c.Erased != nil {
		if c.erased, err = c.Erased(ctx); err != nil {
			return c.report, err
		}
	}

	if err := DropUnfinished(ctx, c.Indexer, c.Alias, c.Log); err != nil {
		return c.report, err
	}
	if c.was, _, err = c.Indexer.Alias(ctx, c.Alias); err != nil {
		return c.report, err
	}

	c.overlap = newOverlap(c)
	if c.was != "" && !c.DiscardChanges {
		if err := c.overlap.follow(ctx, c.Log); err != nil {
			return c.report, err
		}
	}

	return c.report, errors.Join(work(ctx), c.overlap.unfollow())
}

// DropUnfinished drops the indexes that interrupted loads left behind: those that were never completed, and those that
// were completed but never went live. It keeps damaged indexes, whose records may still be readable. The caller must
// hold the engine's lock, so that no load is still writing to one of them.
func DropUnfinished(ctx context.Context, indexer engine.Indexer, alias string, log *slog.Logger) error {
	live, previous, err := indexer.Alias(ctx, alias)
	if err != nil {
		return err
	}
	infos, err := indexer.Indexes(ctx)
	if err != nil {
		return err
	}

	for _, info := range infos {
		isUsed := info.Name == live || info.Name == previous
		isDamaged := info.Fault != "" && !info.Pending
		isFinished := info.Complete && !info.Pending
		if isUsed || isDamaged || isFinished {
			continue
		}

		err := indexer.Drop(ctx, info.Name)
		if errors.Is(err, engine.ErrConflict) { // an alias may point to it
			log.WarnContext(ctx, "unfinished index kept", "index", info.Name, "error", err)
			continue
		}

		if err != nil {
			return fmt.Errorf("drop the unfinished index %q: %w", info.Name, err)
		}
		log.InfoContext(ctx, "unfinished index dropped", "index", info.Name)
	}

	return nil
}

// A producer emits the freelancers of a new index in the order in which the index stores them.
type producer func(ctx context.Context, r *reading, emit emitFunc) error

// build creates an index, fills it from produce, checks it, compares it with the live one, and points the alias to it.
// If it fails, it drops the new index and leaves the alias unchanged. It also fails if another process has moved the
// alias since the change started: the new index would undo that.
func (c *change) build(ctx context.Context, produce producer) (err error) {
	index, err := c.create(ctx)
	if err != nil {
		return err
	}
	defer func() {
		// The report names the new index as soon as it is live; then it is too late to drop it. An interrupted load cleans
		// up too, so the context's end doesn't apply here.
		if err != nil && c.report.Index != index {
			err = errors.Join(err, c.Indexer.Drop(context.WithoutCancel(ctx), index))
		}
	}()

	r := newReading(c.inputs, c.Options, index, c.report)
	if err := r.end(c.fill(ctx, index, r, produce)); err != nil {
		return err
	}
	if err := c.checkNew(ctx, index); err != nil {
		return fmt.Errorf("check index %q: %w", index, err)
	}

	// Rows that delete a freelancer win over other rows of them, wherever they are, so they are applied last. The check
	// above would miss the deleted ones.
	if c.removed, err = c.deleteRows(ctx, index, r); err != nil {
		return err
	}
	c.report.Indexed -= c.removed

	// A new index that starts from the live one has the changes of clients already.
	if c.base == nil {
		if err := c.mergeEdits(ctx, index, r); err != nil {
			return err
		}
	}

	if err := c.guardNew(ctx, r); err != nil {
		return err
	}
	if err := c.describe(ctx, index); err != nil {
		return err
	}
	if err := c.encode(ctx, index); err != nil {
		return err
	}

	return c.publish(ctx, index)
}

// encode encodes the profiles of the new index, if the options ask for it.
func (c *change) encode(ctx context.Context, index string) error {
	if c.Encode == nil {
		return nil
	}
	snapshot, err := c.Indexer.OpenIndex(ctx, index)
	if err != nil {
		return fmt.Errorf("open the new index: %w", err)
	}

	start := c.Now()
	defer func() { c.report.Encoding = c.Now().Sub(start) }()

	return c.Encode(ctx, snapshot, func(done, total int) {
		c.report.Encoded = done
		c.Progress(Progress{Stage: Encoding, Rows: done, Total: total})
	})
}

// publish makes the new index live, with the changes that were made over HTTP since the change started, and drops old
// indexes. A *PartialError means that the index is live, but lacks some of those changes.
func (c *change) publish(ctx context.Context, index string) error {
	previous, err := c.overlap.goLive(ctx, index)
	c.report.Carried = c.overlap.carried

	partial, lacksChanges := errors.AsType[*PartialError](err)
	isLive := err == nil || lacksChanges
	if !isLive {
		return movedError(err)
	}

	c.report.Index = index
	c.report.Previous = previous
	if lacksChanges {
		return partial
	}

	c.dropOld(ctx)
	return nil
}

// checkStillLive returns an error if another process has moved the alias since the change started.
func (c *change) checkStillLive(ctx context.Context) error {
	now, _, err := c.Indexer.Alias(ctx, c.Alias)
	if err == nil && now != c.was {
		err = movedError(&engine.MovedError{Alias: c.Alias, Expected: c.was, Actual: now})
	}
	return err
}

// checkChanged checks that the index that was changed in place is still live.
func (c *change) checkChanged(ctx context.Context) error {
	err := c.checkStillLive(ctx)
	if err != nil {
		err = &PartialError{Operation: fmt.Sprintf("check that index %q, which was changed, is still live", c.was), Err: err}
	}
	return err
}

// movedError explains an *engine.MovedError. It returns other errors unchanged.
func movedError(err error) error {
	if moved, ok := errors.AsType[*engine.MovedError](err); ok {
		return fmt.Errorf("another command changed the live index while this one was running: %w", moved)
	}
	return err
}

// create makes an index named after the mapping and the time. Of indexes of the same second, the second one ends in -2,
// and so on. No name is used again within that second, because the live index, which has the highest number, is never
// dropped.
func (c *change) create(ctx context.Context) (string, error) {
	created := c.Now().UTC()
	base := strings.ReplaceAll(c.Mapping.Name, ".", "-") + "-" + created.Format(timestampFormat)
	existing, err := c.Indexer.Indexes(ctx)
	if err != nil {
		return "", err
	}

	// Another program may take the name first, so the next number is tried after a conflict.
	for number := nextNumber(existing, base); ; number++ {
		name := base
		if number > 1 {
			name = fmt.Sprintf("%s-%d", base, number)
		}

		err := c.Indexer.Create(ctx, engine.Spec{
			Name:     name,
			Mapping:  c.Mapping,
			Source:   c.Source,
			Currency: c.Currency,
			Taxonomy: c.Taxonomy,
			Vectors:  c.Preparer.Spaces(),
			Created:  created,
		})
		if !errors.Is(err, engine.ErrConflict) {
			return name, err
		}
	}
}

// nextNumber returns the lowest number above those of the indexes that are named base, which has number 1, or base with
// a number, such as base-2.
func nextNumber(existing []engine.Info, base string) int {
	highest := 0
	for _, info := range existing {
		suffix, ok := strings.CutPrefix(info.Name, base)
		if !ok {
			continue
		}

		number, _ := strconv.Atoi(strings.TrimPrefix(suffix, "-"))
		highest = max(highest, number, 1)
	}
	return highest + 1
}

// fill adds the freelancers from produce to a new index and finishes it.
func (c *change) fill(ctx context.Context, index string, r *reading, produce producer) error {
	bulk, err := c.Indexer.Bulk(ctx, index, r.refuse)
	if err != nil {
		return err
	}
	defer bulk.Abort()

	err = pipe(ctx, c.workers(), c.Preparer, bulk, func(ctx context.Context, emit emitFunc) error {
		return produce(ctx, r, emit)
	})
	if err != nil {
		return err
	}
	if len(c.inputs) > 0 && c.report.Freelancers == 0 {
		return ErrNothing
	}

	// Close makes everything durable, and has no counts to report.
	c.Progress(Progress{Stage: Finishing})
	result, err := bulk.Close(ctx)
	if err != nil {
		return err
	}

	c.report.Indexed = result.Indexed
	c.report.Refused = result.Failed

	// A file's bad document is a fault of the file, but nobody may lose a freelancer by rebuilding an index.
	if lost := r.lost(); len(lost) > 0 {
		return &LostError{Index: c.report.Base, IDs: lost}
	}

	return r.checkLimit(c.report.Rejected+result.Failed, true)
}

// copyIndex emits the freelancers of base in their order, except those for whom skip returns true and those who were
// erased. Records of others that are damaged make it fail with an *engine.DamagedError that lists all of them.
func (c *change) copyIndex(
	ctx context.Context, base *engine.Info, r *reading, skip func(id string) bool, emit emitFunc,
) error {
	progress := Progress{Stage: Copying, Total: base.Documents}
	lost := &engine.DamagedError{Index: base.Name}
	for f, err := range c.Indexer.Scan(ctx, base.Name) {
		// A skipped freelancer is replaced from the files, which repairs a damaged record.
		if damage, ok := errors.AsType[*engine.DamagedError](err); ok {
			progress.Rows++
			if !skip(damage.IDs[0]) {
				lost.IDs = append(lost.IDs, damage.IDs...)
				lost.Err = damage.Err
			}
			continue
		}

		if err != nil {
			return err
		}
		progress.Rows++
		if progress.Rows%progressRows == 0 {
			c.Progress(progress)
		}

		if skip(f.ID) {
			continue
		}

		if c.isErased(&f) {
			c.report.Erased++
			continue
		}

		c.report.Kept++
		r.copied.Add(coverage.Known(&f))
		if err := emit(f); err != nil {
			return err
		}
	}

	if len(lost.IDs) > 0 {
		return lost
	}

	// Another number of records means that the index lost some, unless somebody changed it during the scan.
	if progress.Rows != base.Documents {
		now, err := c.index(ctx, base.Name)
		if err != nil {
			return err
		}

		if now.Updated.Equal(base.Updated) { // nobody has changed it meanwhile
			return fmt.Errorf("read %d freelancers from index %q, which should have %d",
				progress.Rows, base.Name, base.Documents)
		}
	}

	c.Progress(progress)
	return nil
}

// Errors of changes of the live index if the alias points nowhere.
var (
	ErrNothingLive = errors.New("no index is live")
	// ErrAliasLost means that the alias is damaged or missing, although there are finished indexes.
	ErrAliasLost = errors.New("no index is live, although there are finished indexes; run indexer rollback first")
)

// live describes the index that the alias points to. It returns ErrNothingLive or ErrAliasLost if the alias points
// nowhere. It also sets the report's previous index.
func (c *change) live(ctx context.Context) (*engine.Info, error) {
	name, previous, err := c.Indexer.Alias(ctx, c.Alias)
	c.report.Previous = previous
	if err != nil {
		return nil, err
	}
	if name != "" {
		return c.index(ctx, name)
	}
	infos, err := c.Indexer.Indexes(ctx)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(infos, func(info engine.Info) bool { return info.Complete }) {
		return nil, ErrAliasLost
	}
	return nil, ErrNothingLive
}

// index describes the index with a name. If it does not exist, the error wraps engine.ErrNotFound.
func (c *change) index(ctx context.Context, name string) (*engine.Info, error) {
	infos, err := c.Indexer.Indexes(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(infos, func(info engine.Info) bool { return info.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("index %q: %w", name, engine.ErrNotFound)
	}
	return &infos[i], c.recount(ctx, &infos[i])
}

// recount sets info.Documents to the actual number of documents: an interrupted change does not update the number that
// the index has recorded.
func (c *change) recount(ctx context.Context, info *engine.Info) error {
	if !info.Complete {
		return nil
	}
	snapshot, err := c.open(ctx, info.Name)
	if engine.Unusable(err) {
		return nil // its records may still be readable
	}
	if err != nil {
		return err
	}
	c.counted = snapshot
	info.Documents, err = snapshot.Count(ctx, engine.Filters{})
	return err
}

// difference says what would be prepared differently now than when base was built, or returns "" if nothing would.
func (c *change) difference(base *engine.Info) string {
	return base.Difference(c.Mapping.Name, c.Taxonomy, c.Preparer.Spaces())
}
