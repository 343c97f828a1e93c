package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/embedded/view"
)

// Compact merges the changes of a complete index into a new base, and waits until it is in use. Nothing is left then of
// documents that were deleted before, but their IDs in copies of the files that somebody has made. A tracker of the
// index delays it. The error wraps ErrNotFound if the index does not exist and ErrConflict if it was never completed.
func (e *Engine) Compact(ctx context.Context, index string) error {
	if _, err := e.root.Complete(index); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	c := &compaction{e: e, name: index, dir: filepath.Join(e.root.Path, index), share: 1}
	lock := flock.New(filepath.Join(c.dir, mergeLockFile))
	if _, err := lock.TryLockContext(ctx, trackedLockRetry); err != nil {
		return fmt.Errorf("compact index %q: lock %s: %w", index, lock.Path(), err)
	}

	s := e.servedIndex(index)
	var err error

	if s == nil || s.stale() {
		if s, err = e.load(ctx, index); err == nil {
			defer s.close()
		}
	}

	if err == nil {
		err = c.run(ctx, s)
	}

	if err = errors.Join(err, lock.Unlock()); err != nil {
		return fmt.Errorf("compact index %q: %w", index, err)
	}

	return nil
}

// servedIndex returns an index that this process serves, or nil.
func (e *Engine) servedIndex(name string) *served {
	e.mu.Lock()
	defer e.mu.Unlock()
	for s := range e.serving {
		if s.name == name {
			return s
		}
	}
	return nil
}

// mergeLockFile is locked, in the directory of an index, while its changes are merged into a new base.
const mergeLockFile = "merge.lock"

// A compaction merges the changes of an index into a new base:
//
//  1. It writes the files of the next generation from a view, while changes go on.
//  2. It copies the changes made since to the log of the next generation, the last of them under the lock of changes.
//  3. It replaces the manifest, which puts the next generation into service, and removes the files of this one.
//
// Until the manifest is replaced, nobody reads the new files, and a crash leaves files that the next merge removes.
type compaction struct {
	e     *Engine
	name  string
	dir   string
	share float64 // of one processor core

	next   *datadir.Description
	served *served // the next generation
	store  *store  // of the next generation
	from   changelog.Position
	pauses int // counts the calls of pause

	// Set by tests.
	crash   func(step string) error
	waiting func() // called while a tracker delays the merge
}

// run merges the changes of s, an index that is served or was just loaded. The caller holds the merge lock.
func (c *compaction) run(ctx context.Context, s *served) error {
	// An interrupted merge has left the files of a generation that never went into service.
	if err := datadir.RemoveOtherGenerations(c.dir); err != nil {
		return err
	}

	source := s.mergeSource()
	if s.stale() {
		return errors.New("the index was replaced meanwhile")
	}
	if err := source.view.Verify(ctx, c.pause); err != nil { // damage must not be copied and get valid checksums
		return err
	}

	c.next = source.nextDescription()
	c.from = source.end
	if err := c.build(ctx, s, source); err != nil {
		c.closeNext()
		return err
	}
	if c.step("activated") != nil {
		return nil //nolint:nilerr // a crash after the switch leaves a live segment
	}

	// The next merge tries again.
	if err := datadir.RemoveOtherGenerations(c.dir); err != nil {
		c.e.log.WarnContext(ctx, "files of an earlier generation not removed", "index", c.name, "error", err)
	}

	return nil
}

// A mergeSource is a served index at the moment when a merge of it starts. The view has all changes before end in the
// log.
type mergeSource struct {
	manifest    os.FileInfo
	description *datadir.Description
	view        *view.View
	log         *changelog.Log
	end         changelog.Position
}

func (s *served) mergeSource() *mergeSource {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &mergeSource{manifest: s.manifest, description: s.d, view: s.view.Load(), log: s.log, end: s.end}
}

// nextDescription returns the description of the next generation, as far as it is known before its files are written.
func (m *mergeSource) nextDescription() *datadir.Description {
	next := *m.description
	next.Generation++
	next.Updated = m.view.Meta.Updated
	next.Format = sectionfile.FormatVersion
	return &next
}

// build writes the next generation of s and puts it into service.
func (c *compaction) build(ctx context.Context, s *served, source *mergeSource) (err error) {
	defer source.view.Guard(&err)()

	if err := c.writeBase(ctx, source.view); err != nil {
		return err
	}
	if err := c.open(s); err != nil {
		return err
	}
	if err := c.step("opened"); err != nil {
		return err
	}
	if err := c.carryMost(ctx, source.log); err != nil {
		return err
	}
	return c.activate(ctx, s, source)
}

// closeNext closes what is open of a next generation that doesn't go into service.
func (c *compaction) closeNext() {
	if c.served != nil {
		c.served.close()
	}
	if c.store != nil {
		c.store.close()
	}
}

// step lets a test interrupt the work.
func (c *compaction) step(name string) error {
	if c.crash == nil {
		return nil
	}
	return c.crash(name)
}

// pause sleeps so that work takes no more than the share of a processor core.
func (c *compaction) pause(ctx context.Context, worked time.Duration) error {
	if c.pauses++; c.pauses%64 == 0 { // the index may be dropped any time
		if _, err := os.Stat(filepath.Join(c.dir, datadir.ManifestFile)); err != nil {
			return fmt.Errorf("the index was dropped: %w", err)
		}
	}
	return pacer(c.share)(ctx, worked)
}

// exclusive runs a step under the lock of changes.
func (c *compaction) exclusive(ctx context.Context) func(step func() error) error {
	return func(step func() error) error {
		unlock, err := c.e.root.LockChanges(ctx)
		if err != nil {
			return err
		}
		return errors.Join(step(), unlock())
	}
}

// writeBase writes the files of the base.
func (c *compaction) writeBase(ctx context.Context, v *view.View) error {
	index := filepath.Join(c.dir, c.next.IndexFile())
	records := filepath.Join(c.dir, c.next.RecordsFile())
	w, err := v.WriteBase(ctx, index, records, c.pause, c.exclusive(ctx))
	if err != nil {
		return err
	}
	if len(w.Damaged) > 0 {
		err := &engine.DamagedError{Index: c.name, IDs: w.Damaged, Err: w.DamagedError}
		c.e.log.WarnContext(ctx, "damaged records stay damaged", "index", c.name, "error", err, "hint", engine.Remedy(err))
	}
	c.next.Documents = w.Documents
	c.next.Files = map[string]int64{c.next.RecordsFile(): w.Records, c.next.IndexFile(): w.Index}
	c.next.RecordsSum = datadir.HexSum(uint32(w.RecordsSum))
	return c.step("written")
}

// open creates the log of the next generation, and loads the base.
func (c *compaction) open(s *served) error {
	log, err := changelog.Create(filepath.Join(c.dir, c.next.ChangesFile()), c.next.Generation)
	if err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}

	// The new base is loaded before it goes into service, so that no search waits for it.
	v, err := load(c.dir, c.next, c.e.mapFrom)
	if err != nil {
		return err
	}
	v.Meta.Provenance = s.view.Load().Meta.Provenance
	c.served = &served{e: c.e, name: c.name, dir: c.dir, d: c.next, provenance: s.provenance}
	c.served.view.Store(v)

	if c.served.log, err = datadir.OpenLog(c.dir, c.next, false); err != nil {
		return err
	}

	c.store = &store{
		e: c.e, name: c.name, dir: c.dir, d: c.next, documents: c.next.Documents, changed: map[string]*changedDocument{},
		base: segment.DirectoryOf(v.Parts[0].Segment),
	}
	if c.store.log, err = datadir.OpenLog(c.dir, c.next, true); err != nil {
		return err
	}

	c.store.records, err = os.OpenFile(filepath.Join(c.dir, c.next.RecordsFile()), os.O_RDWR, 0)
	return err
}

// fewBytes is the size of the part of a log that is copied under the lock of changes, which takes a millisecond.
const fewBytes = 256 << 10

// carryMost copies the changes that were made since the base was written, until few are left.
func (c *compaction) carryMost(ctx context.Context, old *changelog.Log) error {
	for {
		before := c.from
		if err := c.carry(ctx, old); err != nil {
			return err
		}
		size, err := old.Size()
		if err != nil || size-c.from.Offset < fewBytes || c.from == before {
			return err
		}
	}
}

// carry copies changes to the log of the next generation. Erased ones are left out.
func (c *compaction) carry(ctx context.Context, old *changelog.Log) (err error) {
	defer c.store.base.Stored.Guard(&err)()

	var batch changelog.Batch
	staged := map[string]bool{} // by ID, whether the document exists after the changes in the batch
	flush := func() error {
		if batch.Len() == 0 {
			return ctx.Err()
		}
		clear(staged)
		return errors.Join(c.store.append(&batch), c.store.erase(), ctx.Err())
	}

	end, err := old.Read(c.from, func(entries []changelog.Entry) error {
		for i := range entries {
			c.copy(&entries[i], &batch, staged)
		}

		if batch.Size() < batchBytes {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}

	if err == nil {
		c.from = end
		_, err = c.served.catchUp()
	}

	return datadir.LogError(err)
}

// copy adds a change to a batch.
func (c *compaction) copy(entry *changelog.Entry, batch *changelog.Batch, staged map[string]bool) {
	exists, ok := staged[entry.ID]
	if !ok {
		_, exists = c.store.find(entry.ID)
	}
	switch entry.Kind {
	case changelog.Put:
		batch.CopyPut(entry, !exists)
		staged[entry.ID] = true
	case changelog.Delete, changelog.Deleted:
		if exists {
			base, _ := c.store.base.Find(entry.ID)
			batch.Delete(entry.Time, entry.ID, base)
		}
		staged[entry.ID] = false
	default: // erased
	}
}

// activate puts the next generation into service, once no tracker reads the log of this one.
func (c *compaction) activate(ctx context.Context, s *served, source *mergeSource) (err error) {
	unlockTracked, err := c.lockTracked(ctx, source.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlockTracked()) }()

	unlock, err := c.e.root.LockChanges(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	path := filepath.Join(c.dir, datadir.ManifestFile)
	if stat, err := os.Stat(path); err != nil || !datadir.SameFile(source.manifest, stat) {
		return errors.Join(err, errors.New("the index was dropped meanwhile"))
	}

	if err := c.carryAll(ctx, source.log); err != nil {
		return err
	}
	c.next.Carried = c.store.end
	if err := c.step("carried"); err != nil {
		return err
	}

	// The new manifest makes the next generation the current one. Under the lock, s doesn't notice that before it is
	// replaced, and doesn't load the next generation, too.
	s.mu.Lock()
	defer s.mu.Unlock()

	if err := datadir.WriteJSON(path, c.next); err != nil {
		return err
	}
	if c.served.manifest, err = os.Stat(path); err != nil {
		return err
	}

	c.store.manifest = c.served.manifest
	s.replaced = true
	c.e.replace(s, c.served, c.store)

	return nil
}

// lockTracked keeps trackers from reading the log. A load may track it for minutes; until then, lockTracked copies the
// changes that are made, so that few are left for the time under the lock of changes.
func (c *compaction) lockTracked(ctx context.Context, old *changelog.Log) (unlock func() error, err error) {
	tracked := flock.New(filepath.Join(c.dir, trackedLockFile))
	for {
		isLocked, err := tracked.TryLock()
		if err != nil {
			return nil, err
		}
		if isLocked {
			return tracked.Unlock, nil
		}

		if c.waiting != nil {
			c.waiting()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(trackedWait):
		}

		if err := c.carryMost(ctx, old); err != nil {
			return nil, err
		}
	}
}

// carryAll copies the last changes, while nobody writes. What remains in the log must be a write that was interrupted:
// anything else is damage, which a merge must not remove.
func (c *compaction) carryAll(ctx context.Context, old *changelog.Log) error {
	if err := c.carry(ctx, old); err != nil {
		return err
	}
	size, err := old.Size()
	if err == nil && size <= c.from.Offset {
		return nil
	}
	return datadir.LogError(errors.Join(err, old.Check(c.from)))
}

// trackedWait is the time between attempts to replace a log that is tracked.
const trackedWait = time.Second

// replace puts the next generation of an index into service, in the place of one that may or may not be served.
func (e *Engine) replace(old, next *served, fresh *store) {
	e.mu.Lock()
	var of []*watch
	for _, w := range e.watched {
		if w.current.Load() == old {
			of = append(of, w)
		}
	}
	if before := e.mergedStores[next.name]; before != nil {
		before.close()
	}
	e.mergedStores[next.name] = fresh
	e.mu.Unlock()
	for _, w := range of {
		e.serve(w, next)
	}
	if len(of) == 0 {
		next.close()
	}
}

// takeMergedStore returns the store of an index that a merge has left, if it has the given manifest, and otherwise nil.
func (e *Engine) takeMergedStore(name string, manifest os.FileInfo) *store {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.mergedStores[name]
	delete(e.mergedStores, name)
	if s != nil && !datadir.SameFile(s.manifest, manifest) {
		s.close()
		return nil
	}
	return s
}
