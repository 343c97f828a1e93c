package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/internal/matching"
)

// A store is what a writer knows about the files of a complete index: where the record of each document is, and how far
// it has read the log. It doesn't need the search structures. A store is not safe for concurrent use: its users hold
// the lock of changes, see lockChanges.
type store struct {
	e    *Engine
	name string
	dir  string

	manifest  os.FileInfo // of the manifest that was read; nil before the first
	d         *datadir.Description
	base      *segment.Directory
	records   *os.File // of the base
	log       *changelog.Log
	end       changelog.Position
	changed   map[string]*changedDocument
	documents int
	unerased  []erasure
}

// A changedDocument is what the log says about one document.
type changedDocument struct {
	puts   []int64           // offsets of its entries that hold data
	record *segment.Location // nil if the document was deleted
}

func (e *Engine) newStore(name string) (*store, error) {
	dir, err := e.root.PathTo(name, "")
	if err != nil {
		return nil, err
	}
	return &store{e: e, name: name, dir: dir}, nil
}

// stale reports whether the index has another base than the store.
func (s *store) stale() (bool, error) {
	stat, err := os.Stat(filepath.Join(s.dir, datadir.ManifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		_, err := s.e.root.Complete(s.name)
		return true, err
	}
	return err == nil && !datadir.SameFile(s.manifest, stat), err
}

// open reads the base, unless it was read already. It doesn't need the lock of changes.
func (s *store) open() error {
	stale, err := s.stale()
	if !stale || err != nil {
		return err
	}
	return s.e.root.Stable(s.name, s.reopen)
}

func (s *store) reopen(stat os.FileInfo, d *datadir.Description) error {
	// A merge of this process has read the new base already.
	if fresh := s.e.takeMergedStore(s.name, stat); fresh != nil {
		s.close()
		*s = *fresh
		return nil
	}

	base, err := segment.ReadDirectory(filepath.Join(s.dir, d.IndexFile()), s.e.mapFrom)
	if errors.Is(err, fs.ErrNotExist) {
		err = datadir.Damaged("%s is missing", d.IndexFile())
	} else if err != nil {
		err = d.IndexError(err)
	}

	if err != nil {
		return fmt.Errorf("index %q: %w", s.name, err)
	}
	records, err := os.OpenFile(filepath.Join(s.dir, d.RecordsFile()), os.O_RDWR, 0)
	if err != nil {
		return err
	}

	log, err := datadir.OpenLog(s.dir, d, true)
	if err != nil {
		return errors.Join(fmt.Errorf("index %q: %w", s.name, err), records.Close())
	}
	s.close()
	*s = store{
		e: s.e, name: s.name, dir: s.dir, manifest: stat, d: d, base: base, records: records, log: log,
		changed: map[string]*changedDocument{}, documents: d.Documents,
	}

	return nil
}

// close closes the files.
func (s *store) close() {
	if s.log != nil {
		s.records.Close()
		s.log.Close()
		s.records, s.log = nil, nil
	}
}

// catchUp reads what was appended to the log, removes a batch whose write was interrupted, and finishes erasing. The
// caller holds the lock of changes.
func (s *store) catchUp(ctx context.Context) error {
	size, err := s.log.Size()
	if err != nil {
		return err
	}
	if s.end.Offset != size {
		s.end, err = s.log.Read(s.end, func(batch []changelog.Entry) error {
			s.recordEntries(batch)
			return nil
		})
		if err == nil && s.end.Offset < size {
			err = s.removeInterrupted(ctx, size)
		}
		if err != nil {
			return fmt.Errorf("index %q: %w", s.name, datadir.LogError(err))
		}
	}
	return s.erase()
}

// removeInterrupted removes a batch whose write was interrupted.
func (s *store) removeInterrupted(ctx context.Context, size int64) error {
	if err := s.log.Check(s.end); err != nil {
		return err
	}
	if err := s.log.Truncate(s.end); err != nil {
		return err
	}
	s.e.log.WarnContext(ctx, "interrupted change removed", "index", s.name, "file", s.d.ChangesFile(),
		"offset", s.end.Offset, "bytes", size-s.end.Offset)
	return nil
}

// recordEntries records what entries of the log say.
func (s *store) recordEntries(batch []changelog.Entry) {
	for i := range batch {
		entry := &batch[i]
		if entry.Adds {
			s.documents++
		}

		if entry.Kind == changelog.Erased {
			continue // the deletion follows
		}
		c := s.changed[entry.ID]
		if c == nil {
			c = &changedDocument{}
			s.changed[entry.ID] = c
		}

		if entry.Kind == changelog.Put {
			c.puts = append(c.puts, entry.Offset)
			c.record = segment.LocationIn(s.log.File(), entry.Record)
			continue
		}

		s.documents--
		if entry.Kind == changelog.Delete {
			s.unerased = append(s.unerased, erasure{id: entry.ID, entry: entry.Offset, puts: c.puts, base: entry.Record})
		}
		c.puts, c.record = nil, nil
	}
}

// find returns the location of a document's record.
func (s *store) find(id string) (l *segment.Location, ok bool) {
	if c := s.changed[id]; c != nil {
		return c.record, c.record != nil
	}
	if span, ok := s.base.Find(id); ok {
		return segment.LocationIn(s.records, span), true
	}
	return nil, false
}

// damagedVersion stands for the version of a document whose record is damaged. It meets no condition but existence.
const damagedVersion = "damaged"

// version returns the version of a document, or "" if it doesn't exist.
func (s *store) version(id string) (string, error) {
	l, ok := s.find(id)
	if !ok {
		return "", nil
	}
	record, err := l.Read()
	var f matching.Freelancer
	switch {
	case err == nil && json.Unmarshal(record, &f) == nil && f.ID == id:
		return engine.Version(&f), nil
	case record != nil: // it was read, but differs from what was stored
		return damagedVersion, nil
	default:
		return "", fmt.Errorf("index %q: freelancer %q: %w", s.name, id, err)
	}
}

// An op is a change that was prepared outside of all locks.
type op struct {
	id             string
	document       *engine.Document // nil for a deletion
	record         []byte
	encoded        []byte // the document in the log
	version        string // of the record
	condition      engine.Condition
	storeUnchanged bool           // store the document even if its record doesn't change
	outcome        engine.Outcome // if it has an error, the op has failed already
}

// prepare encodes a change.
func prepare(c *engine.Change) op {
	o := op{id: c.ID, document: c.Document, condition: c.If}
	switch {
	case c.Document == nil:
		return o
	case c.ID == "":
		o.outcome.Err = errNoID
	case c.ID != c.Document.Freelancer.ID:
		o.outcome.Err = fmt.Errorf("the change of %q has a document with ID %q", c.ID, c.Document.Freelancer.ID)
	default:
		if o.record, o.outcome.Err = segment.EncodeRecord(&c.Document.Freelancer); o.outcome.Err != nil {
			return o
		}
		o.version = engine.Version(&c.Document.Freelancer)
		o.encoded = changelog.AppendDocument(nil, c.Document)
		if o.size() > changelog.MaxEntry {
			o.outcome.Err = fmt.Errorf("the document has %d bytes, at most %d are possible", o.size(), changelog.MaxEntry)
		}
	}

	return o
}

var errNoID = errors.New("no id")

// size returns about how many bytes the change takes in the log.
func (o *op) size() int { return changelog.PutSize(o.id, o.record, o.encoded) }

// batchBytes is the size of the batches that changes are written in.
const batchBytes = 4 << 20

// write makes changes and sets their outcomes. When it returns, they are durable, and the data of deleted documents is
// erased. The caller holds the lock of changes and has called catchUp.
func (s *store) write(ops []*op) (err error) {
	defer s.base.Stored.Guard(&err)()

	var batch changelog.Batch
	stagedVersions := map[string]string{} // by ID, the versions after the changes in the batch
	now := s.e.now()
	for _, o := range ops {
		if o.outcome.Err == nil && o.document != nil {
			o.outcome.Err = o.document.CheckVectors(s.d.Vectors)
		}
		if o.outcome.Err != nil {
			continue
		}

		// Changes of one call take effect in order, so the version may be one that is not written yet.
		before, isStaged := stagedVersions[o.id]
		if !isStaged {
			if before, err = s.version(o.id); err != nil {
				return err
			}
		}
		if !o.condition.Holds(before) {
			o.outcome.Err = &engine.VersionError{ID: o.id, Has: before}
			continue
		}

		o.outcome = engine.Outcome{Before: before, After: o.version}
		hasEffect := before != o.version || o.storeUnchanged
		if !hasEffect {
			continue
		}

		isFull := batch.Size()+o.size() > batchBytes
		if isFull && batch.Len() > 0 {
			if err := s.publish(&batch); err != nil {
				return err
			}
			clear(stagedVersions)
		}

		stagedVersions[o.id] = o.version
		if o.document != nil {
			isNew := before == ""
			batch.Put(now, o.id, isNew, o.record, o.encoded)
		} else {
			base, _ := s.base.Find(o.id)
			batch.Delete(now, o.id, base)
		}
	}

	return s.publish(&batch)
}

// publish writes a batch to the log, shows it to the searches of this process, and erases the data of the documents
// that it deletes.
func (s *store) publish(batch *changelog.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	if err := s.append(batch); err != nil {
		return err
	}
	s.e.showChanges(s.name)
	return s.erase()
}

// append writes a batch to the log, which makes it durable.
func (s *store) append(batch *changelog.Batch) error {
	entries, end, err := s.log.Append(s.end, batch)
	if err != nil {
		return fmt.Errorf("write %s of index %q: %w", s.d.ChangesFile(), s.name, err)
	}
	s.end = end
	s.recordEntries(entries)
	batch.Reset()
	return nil
}
