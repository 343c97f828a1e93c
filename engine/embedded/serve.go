package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/embedded/view"
)

// A served index is an index in memory that follows the changes on disk.
type served struct {
	e    *Engine
	name string
	dir  string
	view atomic.Pointer[view.View]

	mu              sync.Mutex  // held while the view changes; guards the fields below
	manifest        os.FileInfo // of the manifest that was read
	provenance      os.FileInfo // of the provenance that was read; nil if there was none
	d               *datadir.Description
	log             *changelog.Log // closed by the garbage collector when no reader refers to its records
	end             changelog.Position
	unreadableSize  int64 // the size of the log when what follows end couldn't be read
	interruptedSize int64 // the size of the log when what follows end was found to be an interrupted write
	runningJobs     bool  // whether a goroutine does the jobs that are due
	replaced        bool  // whether a merge of this process has put the next generation into service
	damaged         bool  // whether the index was found to be damaged
	damagedEnd      error // says that the last change can't be read; nil if it can
	hasOldBase      bool  // whether the view still has the base of an earlier generation

	// What the log holds, which decides when to merge.
	entries  int
	oldest   time.Time // the first change; zero before it
	deletion time.Time // the first deletion; zero if there is none

	unerased         []int64   // offsets of deletions whose data was not erased when they were read
	unerasedSince    time.Time // when follow first found one of them; zero if there is none
	leftoversRemoved bool      // whether leftovers of an interrupted merge were removed
}

// stale reports whether the index has another base than s.
func (s *served) stale() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	stat, err := os.Stat(filepath.Join(s.dir, datadir.ManifestFile))
	return err != nil || !datadir.SameFile(s.manifest, stat)
}

// load opens a complete index, with all changes that were complete when load was called.
func (e *Engine) load(ctx context.Context, name string) (*served, error) {
	dir, err := e.root.PathTo(name, "")
	if err != nil {
		return nil, err
	}
	var s *served
	err = e.root.Stable(name, func(stat os.FileInfo, d *datadir.Description) error {
		s = &served{e: e, name: name, dir: dir, manifest: stat, d: d}
		err := s.open(ctx)
		if err != nil {
			s.close()
			err = fmt.Errorf("index %q: %w", name, err)
		}
		return err
	})
	return s, err
}

// close closes the files. No view of s may be in use.
func (s *served) close() {
	if v := s.view.Load(); v != nil {
		v.Close()
	}
	if s.log != nil {
		s.log.Close()
	}
}

// open reads the files.
func (s *served) open(ctx context.Context) (err error) {
	v, err := load(s.dir, s.d, s.e.mapFrom)
	if err != nil {
		return err
	}
	v.Meta.Provenance, s.provenance = s.e.root.Provenance(s.dir)
	s.view.Store(v)
	if s.log, err = datadir.OpenLog(s.dir, s.d, false); err != nil {
		return err
	}
	return s.replay(ctx)
}

// replay makes the changes of the log, up to a batch whose write is not complete, or which is damaged and the last one.
func (s *served) replay(ctx context.Context) (err error) {
	complete, err := s.catchUp()
	if complete || err != nil {
		return err
	}
	// Another process may be writing, or erasing what was read just now. Under the lock, nobody is.
	unlock, err := s.e.root.LockChanges(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if complete, err = s.catchUp(); complete || err != nil {
		return err
	}
	return s.checkEnd()
}

// checkEnd checks what follows the last change that could be read, while nobody writes. If only the last change is
// damaged, the index stays in service without it. It can't be changed, because that would remove the change for good.
func (s *served) checkEnd() error {
	err := s.log.Check(s.end)
	if !errors.Is(err, changelog.ErrDamagedEnd) {
		return datadir.LogError(err)
	}

	s.damagedEnd = fmt.Errorf("index %q: %w", s.name, datadir.LogError(err))
	s.e.log.Error("last change damaged", "index", s.name, "file", s.d.ChangesFile(), "offset", s.end.Offset,
		"error", s.damagedEnd, "hint", engine.Remedy(s.damagedEnd))
	return nil
}

// endError returns an error if the last change can't be read.
func (s *served) endError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.damagedEnd
}

// maxApplied is the number of changes that are made to a view at once.
const maxApplied = 1 << 14

// catchUp makes the changes that were appended to the log, and publishes the view, even if reading ends with an error.
// It reports whether it has read all of the log. The caller holds s.mu, unless nothing else uses s yet.
func (s *served) catchUp() (complete bool, err error) {
	size, err := s.log.Size()
	if err != nil || size == s.end.Offset {
		return err == nil, err
	}
	published := s.view.Load()
	defer published.Guard(&err)()

	next := published
	updated := published.Meta.Updated
	var pendingWrites []view.Write
	apply := func() {
		if len(pendingWrites) > 0 {
			next = next.Apply(pendingWrites)
			pendingWrites = nil
		}
	}

	s.end, err = s.log.Read(s.end, func(batch []changelog.Entry) error {
		for i := range batch {
			entry := &batch[i]
			updated = entry.Time.UTC()
			s.countEntry(entry)

			// An erased entry has lost its document. The deletion for which it was erased follows in the log.
			if entry.Kind == changelog.Erased {
				continue
			}
			write, err := s.writeOf(entry)
			if err != nil {
				return err
			}
			pendingWrites = append(pendingWrites, write)
		}

		if len(pendingWrites) >= maxApplied {
			apply()
		}
		return nil
	})
	apply()

	// Searches read the published view without a lock, so only a copy may be modified.
	if next == published {
		unchanged := *published
		next = &unchanged
	}
	next.Meta.Updated = updated
	next.Meta.Bytes = s.d.Info().Bytes + s.end.Offset
	s.view.Store(next)
	s.startJobs()

	return s.end.Offset == size, datadir.LogError(err)
}

// writeOf returns what an entry of the log does to a view.
func (s *served) writeOf(entry *changelog.Entry) (view.Write, error) {
	write := view.Write{ID: entry.ID}
	if entry.Kind != changelog.Put {
		return write, nil // a deletion
	}

	document, err := changelog.DecodeDocument(entry.ID, entry.Document)
	if err != nil {
		return view.Write{}, datadir.Damaged("%s: the entry at byte %d: %v", s.d.ChangesFile(), entry.Offset, err)
	}
	write.Document = document
	write.Record = *segment.LocationIn(s.log.File(), entry.Record)
	return write, nil
}

// countEntry counts an entry.
func (s *served) countEntry(entry *changelog.Entry) {
	s.entries++
	if s.oldest.IsZero() {
		s.oldest = entry.Time
	}
	isDeletion := entry.Kind == changelog.Delete || entry.Kind == changelog.Deleted
	if isDeletion && s.deletion.IsZero() {
		s.deletion = entry.Time
	}
	if entry.Kind == changelog.Delete {
		s.unerased = append(s.unerased, entry.Offset)
	}
}

// startJobs starts to do the jobs that are due, if s is in service. The caller holds s.mu.
func (s *served) startJobs() {
	if s.runningJobs || s.view.Load().Due(false) == nil {
		return
	}
	s.e.mu.Lock()
	defer s.e.mu.Unlock()

	if _, ok := s.e.serving[s]; !ok || s.e.closed {
		return
	}
	s.runningJobs = true
	s.e.done.Go(func() {
		for {
			s.mu.Lock()
			j := s.view.Load().Due(false)
			if j == nil {
				s.runningJobs = false
			}

			s.mu.Unlock()
			if j == nil {
				return
			}
			if err := s.runJob(j); err != nil { // the next check of the index reports it
				return
			}
		}
	})
}

// runJob does a job and publishes the result.
func (s *served) runJob(j *view.Job) (err error) {
	defer s.view.Load().Guard(&err)()
	j.Run()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.Store(j.Finish(s.view.Load()))
	return nil
}

// viewAfterJobs returns the view after all jobs that are due. Nobody else may use s.
func (s *served) viewAfterJobs() (v *view.View, err error) {
	v = s.view.Load()
	defer v.Guard(&err)()
	for j := v.Due(false); j != nil; j = v.Due(false) {
		j.Run()
		v = j.Finish(v)
	}
	return v, nil
}

// follow makes the changes that other processes have made meanwhile. What follows the last complete change may be a
// write that is under way, one that was interrupted, or damage. Only the lock of changes can tell, so follow takes it,
// but not before it has found the log at the same size twice: most likely, another process is just writing.
func (s *served) follow() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.replaced {
		return nil
	}
	s.followProvenance()
	if err := errors.Join(s.followErasures(), s.followGeneration()); err != nil {
		return err
	}

	complete, err := s.catchUp()
	if complete || err != nil {
		return err
	}
	size, err := s.log.Size()
	if err != nil || size == s.interruptedSize {
		return err
	}
	if size != s.unreadableSize {
		s.unreadableSize = size
		return nil // the next poll looks again
	}

	unlock, err := s.e.root.TryLockChanges()
	if unlock == nil || err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	// Nobody writes under the lock, so what can't be read now will never be complete.
	if complete, err = s.catchUp(); complete || err != nil {
		return err
	}
	if err := s.checkEnd(); err != nil {
		return errDiverged // or damaged, as loading the index will show
	}

	// The log is read from its start once more: if it ends elsewhere, changes that were read have been replaced.
	end, err := s.log.Read(changelog.Position{}, func([]changelog.Entry) error { return nil })
	if err == nil && end != s.end {
		err = errDiverged
	}
	s.interruptedSize = size

	return err
}

// followGeneration follows a merge of another process. A merge writes a base and a log of the next generation, and then
// replaces the manifest. followGeneration doesn't load the new base, which takes long: the old base with the changes of
// both logs has the same documents, so the view of s stays current until maintenance reloads the index.
func (s *served) followGeneration() error {
	manifest, next, err := s.replacedManifest()
	if next == nil || err != nil {
		return err
	}
	s.manifest = manifest
	s.hasOldBase = true

	// Another index with this name, or the last of several merges, has no log that continues the one that s reads.
	isNextGeneration := next.Generation == s.d.Generation+1
	if !isNextGeneration {
		return nil // nothing to read until the index is reloaded
	}

	return s.continueInLogOf(next)
}

// replacedManifest returns the manifest of the index and its content if it isn't the one that s has read, and otherwise
// nil. A missing manifest is not an error here, because CheckAlias reports it.
func (s *served) replacedManifest() (manifest os.FileInfo, next *datadir.Description, err error) {
	manifest, err = os.Stat(filepath.Join(s.dir, datadir.ManifestFile))
	if err != nil || datadir.SameFile(s.manifest, manifest) {
		return nil, nil, nil //nolint:nilerr // see above
	}
	next, err = s.e.root.Complete(s.name)
	return manifest, next, err
}

// continueInLogOf makes s read the log of the next generation, after the last of the changes in its own log. That log
// is complete, because nobody writes to it any more.
//
// For example, while a merge writes a base with changes 1 to 90, changes 91 to 95 come to the old log. The new log
// begins with copies of 91 to 95. Carried is the position after them, where s continues to read.
func (s *served) continueInLogOf(next *datadir.Description) error {
	nextLog, err := datadir.OpenLog(s.dir, next, false)
	if err != nil {
		return err
	}
	if _, err := s.catchUp(); err != nil {
		return err
	}

	s.d = next
	s.log = nextLog
	s.end = next.Carried
	s.unerased = nil // offsets in the old log, which the merge removes
	return nil
}

// errDiverged means that the log is not the one that was read. That happens if making a batch durable has failed.
var errDiverged = errors.New("changes that were read have been replaced")

// followProvenance reads the provenance if it was replaced.
func (s *served) followProvenance() {
	stat, err := os.Stat(filepath.Join(s.dir, datadir.ProvenanceFile))
	if err != nil || datadir.SameFile(s.provenance, stat) {
		return
	}
	next := *s.view.Load()
	next.Meta.Provenance, s.provenance = s.e.root.Provenance(s.dir)
	s.view.Store(&next)
}

// showChanges makes the changes that were just written visible to the searches of this process.
func (e *Engine) showChanges(index string) {
	e.mu.Lock()
	var of []*served
	for s := range e.serving {
		if s.name == index {
			of = append(of, s)
		}
	}
	e.mu.Unlock()
	for _, s := range of {
		s.mu.Lock()
		_, err := s.catchUp()
		s.mu.Unlock()
		if err != nil { // the next poll meets the same error and reports it
			e.log.Error("changes not loaded", "index", index, "error", err, "hint", engine.Remedy(err))
		}
	}
}

// load opens a complete index. It maps the index file into memory, or reads it, see sectionfile.Open. The error wraps
// engine.ErrDamaged if a file that it reads is not as it was written.
func load(dir string, d *datadir.Description, mapFrom int64) (*view.View, error) {
	if err := datadir.CheckSizes(dir, d); err != nil {
		return nil, err
	}
	f, err := sectionfile.Open(filepath.Join(dir, d.IndexFile()), mapFrom)
	if err != nil {
		return nil, err
	}
	x, err := segment.DecodeFile(f, d.Vectors, d.Documents)
	if err != nil {
		return nil, d.IndexError(errors.Join(err, f.CloseFile()))
	}
	records, err := os.Open(filepath.Join(dir, d.RecordsFile()))
	if err != nil {
		return nil, errors.Join(err, f.CloseFile())
	}
	x.SetRecords(records)
	return view.NewView(d.Info(), x), nil
}
