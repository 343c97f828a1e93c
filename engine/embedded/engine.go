package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/search"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/internal/matching"
)

// An Engine keeps indexes in a directory that several processes may share. Any number of them may search; only the one
// that holds the lock may build indexes. An Engine is safe for concurrent use.
type Engine struct {
	root *datadir.Dir
	log  *slog.Logger
	poll time.Duration

	eraseAfter time.Duration

	mu           sync.Mutex // guards the fields below
	watched      map[string]*watch
	stop         context.CancelFunc // nil before the first Open
	closed       bool
	held         *flock.Flock         // referenced, so that the garbage collector doesn't release the lock
	queues       map[string]*queue    // by alias
	serving      map[*served]struct{} // indexes in memory that follow the changes
	mergedStores map[string]*store    // by index: what a merge of this process has left for the next writer
	done         sync.WaitGroup

	now func() time.Time

	mapFrom int64 // sectionfile.MappedFrom, unless a test has changed it
}

// Options configure an Engine. The zero value uses the defaults.
type Options struct {
	Log  *slog.Logger  // default slog.Default()
	Poll time.Duration // the interval between checks for changes by other processes; default 100 ms
	// EraseAfter is the time after which traces of deleted documents, such as their words, are removed from an index in
	// service; default one hour. Their records are erased at once.
	EraseAfter time.Duration
}

var (
	_ engine.Searcher = (*Engine)(nil)
	_ engine.Indexer  = (*Engine)(nil)
)

// Format is the version of the index format that this package writes and searches.
const Format = sectionfile.FormatVersion

// defaultPoll is the default of Options.Poll.
const defaultPoll = 100 * time.Millisecond

// Open returns an engine on a directory, which it creates if necessary.
func Open(dir string, o Options) (*Engine, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("open search engine: %w", err)
	}

	log := cmp.Or(o.Log, slog.Default())
	e := &Engine{
		root: datadir.New(dir, log),
		log:  log,
		poll: cmp.Or(o.Poll, defaultPoll),

		eraseAfter: cmp.Or(o.EraseAfter, defaultEraseAfter),

		watched:      map[string]*watch{},
		queues:       map[string]*queue{},
		serving:      map[*served]struct{}{},
		mergedStores: map[string]*store{},

		now: time.Now,

		mapFrom: sectionfile.MappedFrom,
	}

	return e, nil
}

// Close stops watching aliases. Snapshots stay readable.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	if e.stop != nil {
		e.stop()
	}
	e.mu.Unlock()
	e.done.Wait()
	return nil
}

// Lock locks a file. The operating system releases the lock when the process ends, even if it crashes.
func (e *Engine) Lock(ctx context.Context, owner string) (release func() error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path := filepath.Join(e.root.Path, datadir.LockFile)
	lock := flock.New(path)
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}

	if !ok {
		// The text only names the holder. Whether somebody holds the lock is up to the operating system.
		holder, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		return nil, fmt.Errorf("lock %s: %w: locked by %s", path, engine.ErrConflict, strings.TrimSpace(string(holder)))
	}

	if err := os.WriteFile(path, []byte(owner+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), lock.Unlock())
	}
	e.mu.Lock()
	e.held = lock
	e.mu.Unlock()

	return func() error {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.held == lock {
			e.held = nil
		}
		return lock.Unlock()
	}, nil
}

// Create creates the directory of an index and its spec.json.
func (e *Engine) Create(ctx context.Context, spec engine.Spec) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, err := e.root.PathTo(spec.Name, "")
	if err != nil {
		return fmt.Errorf("create index: %w", err)
	}

	for _, space := range spec.Vectors {
		if err := space.Check(); err != nil {
			return fmt.Errorf("create index %q: %w", spec.Name, err)
		}
	}

	switch err := os.Mkdir(dir, 0o750); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("create index %q: %w: it already exists", spec.Name, engine.ErrConflict)
	case err != nil:
		return fmt.Errorf("create index %q: %w", spec.Name, err)
	}

	err = datadir.WriteJSON(filepath.Join(dir, datadir.SpecFile), datadir.NewDescription(spec))
	if err = errors.Join(err, datadir.SyncDir(e.root.Path)); err != nil {
		return fmt.Errorf("create index %q: %w", spec.Name, err)
	}

	return nil
}

// Indexes implements engine.Indexer. It finds damage that shows without reading all files: a description that can't be
// read, files that are missing or have another size, and another format.
func (e *Engine) Indexes(ctx context.Context) ([]engine.Info, error) {
	entries, err := os.ReadDir(e.root.Path)
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}
	infos := []engine.Info{}
	for _, entry := range entries {
		if !entry.IsDir() || !datadir.ValidName.MatchString(entry.Name()) {
			continue
		}
		dir := filepath.Join(e.root.Path, entry.Name())
		info, err := e.root.Inspect(entry, dir)
		if err != nil {
			return nil, fmt.Errorf("list indexes: %w", err)
		}
		infos = append(infos, info)
	}
	slices.SortStableFunc(infos, func(a, b engine.Info) int { return a.Created.Compare(b.Created) })
	return infos, ctx.Err()
}

// Drop implements engine.Indexer. It removes the manifest first, so that a partly removed index counts as incomplete.
func (e *Engine) Drop(ctx context.Context, name string) error {
	dir, err := e.root.PathTo(name, "")
	if err != nil {
		return fmt.Errorf("drop index: %w", err)
	}
	err = e.removeManifest(ctx, name, dir)
	if err == nil {
		err = e.removeFiles(ctx, dir)
	}
	if err != nil {
		return fmt.Errorf("drop index %q: %w", name, err)
	}
	return nil
}

// removeFiles removes the directory of an index without a manifest. A merge of it ends soon.
func (e *Engine) removeFiles(ctx context.Context, dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock := flock.New(filepath.Join(dir, mergeLockFile))
	if _, err := lock.TryLockContext(ctx, trackedLockRetry); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return errors.Join(os.RemoveAll(dir), datadir.SyncDir(e.root.Path), lock.Unlock())
}

// removeManifest makes an index incomplete, so that no alias can point to it from now on. It returns an error if an
// alias does.
func (e *Engine) removeManifest(ctx context.Context, name, dir string) (err error) {
	unlock, err := e.root.LockAliases(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	unlockChanges, err := e.root.LockChanges(ctx) // no merge replaces the manifest afterwards
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlockChanges()) }()
	if err := e.root.CheckUnused(name); err != nil {
		return err
	}
	err = os.Remove(filepath.Join(dir, datadir.ManifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, datadir.SyncDir(dir))
}

// Scan implements engine.Indexer. If the search structures can't be read, it reads the records alone.
func (e *Engine) Scan(ctx context.Context, name string) iter.Seq2[matching.Freelancer, error] {
	return func(yield func(matching.Freelancer, error) bool) {
		s, err := e.load(ctx, name)
		if err == nil {
			defer s.close()
			err = s.view.Load().CheckAll(ctx)
		}
		if err == nil {
			err = s.endError()
		}
		format, ok := errors.AsType[*engine.FormatError](err)
		isLater := ok && format.Later() // another program wrote it, maybe with other records
		if engine.Unusable(err) && !isLater {
			e.salvage(ctx, name, err, yield)
			return
		}
		if err != nil {
			yield(matching.Freelancer{}, fmt.Errorf("scan: %w", err))
			return
		}
		s.view.Load().Scan(ctx)(yield)
	}
}

// OpenIndex opens a complete index and verifies its checksums. Its memory is freed when the snapshot is no longer
// referenced.
func (e *Engine) OpenIndex(ctx context.Context, name string) (engine.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := e.load(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if err := s.view.Load().Verify(ctx, nil); err != nil {
		s.close()
		return nil, fmt.Errorf("open: index %q: %w", name, err)
	}
	if err := s.endError(); err != nil {
		s.close()
		return nil, fmt.Errorf("open: %w", err)
	}
	v, err := s.viewAfterJobs()
	if err != nil {
		return nil, fmt.Errorf("open: index %q: %w", name, err)
	}
	return search.Snapshot{View: v}, nil
}

// SetProvenance implements engine.Indexer.
func (e *Engine) SetProvenance(ctx context.Context, name string, p *engine.Provenance) error {
	_, err := e.root.Complete(name)
	if err == nil {
		err = datadir.WriteJSON(filepath.Join(e.root.Path, name, datadir.ProvenanceFile), p)
	}
	if err != nil {
		return fmt.Errorf("set provenance: %w", err)
	}
	return ctx.Err()
}

// Bulk implements engine.Indexer.
func (e *Engine) Bulk(ctx context.Context, name string, reject engine.RejectFunc) (engine.Bulk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, dir, err := e.root.Describe(name)
	if err != nil {
		return nil, fmt.Errorf("bulk: %w", err)
	}
	b, err := newBulk(dir, d, e.log, reject)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%w: it has already been filled, at least in part", engine.ErrConflict)
	}
	if err != nil {
		return nil, fmt.Errorf("bulk: index %q: %w", name, err)
	}
	return b, nil
}
